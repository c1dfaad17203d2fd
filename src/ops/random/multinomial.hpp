// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct MultinomialAttrs final : AttributesOf<MultinomialAttrs> {
    ElementType convert_type = ElementType::i64;
    bool with_replacement = false;
    bool log_probs = false;
    std::int64_t global_seed = 0;
    std::int64_t op_seed = 0;
    void visit(AttributeVisitor& v) override {
        v.required("convert_type", convert_type);
        v.required("with_replacement", with_replacement);
        v.required("log_probs", log_probs);
        v.optional("global_seed", global_seed);
        v.optional("op_seed", op_seed);
    }
};

}  // namespace fuseq
