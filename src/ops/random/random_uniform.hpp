// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// Whose numbers the same seeds give.
enum class RandomAlignment { kTensorflow, kPytorch };
template <>
struct EnumNames<RandomAlignment> {
    static constexpr const char* kNames[] = {"tensorflow", "pytorch"};
};

struct RandomUniformAttrs final : AttributesOf<RandomUniformAttrs> {
    ElementType output_type = ElementType::f32;
    std::int64_t global_seed = 0;
    std::int64_t op_seed = 0;
    RandomAlignment alignment = RandomAlignment::kTensorflow;
    void visit(AttributeVisitor& v) override {
        v.required("output_type", output_type);
        v.optional("global_seed", global_seed);
        v.optional("op_seed", op_seed);
        v.optional("alignment", alignment);
    }
};

}  // namespace fuseq
