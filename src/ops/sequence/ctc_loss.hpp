// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct CtcLossAttrs final : AttributesOf<CtcLossAttrs> {
    bool preprocess_collapse_repeated = false;  // of the labels
    bool ctc_merge_repeated = true;             // of the paths
    bool unique = false;                        // labels: only the first of each
    void visit(AttributeVisitor& v) override {
        v.optional("preprocess_collapse_repeated", preprocess_collapse_repeated);
        v.optional("ctc_merge_repeated", ctc_merge_repeated);
        v.optional("unique", unique);
    }
};

}  // namespace fuseq
