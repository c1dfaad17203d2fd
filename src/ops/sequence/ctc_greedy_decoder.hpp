// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct CtcGreedyDecoderAttrs final : AttributesOf<CtcGreedyDecoderAttrs> {
    bool ctc_merge_repeated = true;
    void visit(AttributeVisitor& v) override {
        v.optional("ctc_merge_repeated", ctc_merge_repeated);
    }
};

struct CtcGreedyDecoderSeqLenAttrs final : AttributesOf<CtcGreedyDecoderSeqLenAttrs> {
    bool merge_repeated = true;
    ElementType classes_index_type = ElementType::i32;
    ElementType sequence_length_type = ElementType::i32;
    void visit(AttributeVisitor& v) override {
        v.optional("merge_repeated", merge_repeated);
        v.optional("classes_index_type", classes_index_type);
        v.optional("sequence_length_type", sequence_length_type);
    }
};

}  // namespace fuseq
