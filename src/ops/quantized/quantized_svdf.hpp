// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fuseq/attributes.hpp"

namespace fuseq {

// TFLite's SVDF of integers: filters over the features of the last steps, which the state holds.
//
//   QuantizedSvdf(x i8 [N, I], state i16 [N, F * M], features i8 [F, I], time i16 [F, M],
//                 bias i32 [F / rank], may be absent) -> y i8 [N, F / rank], next state
//
// feature_scale takes a sum over the input to the state, time_scale a sum over the state to the
// output: f32 products of the scales of the tensors.
struct QuantizedSvdfAttrs final : AttributesOf<QuantizedSvdfAttrs> {
    std::int64_t rank = 1;
    std::int64_t input_zero_point = 0;
    std::int64_t output_zero_point = 0;
    float feature_scale = 1.0F;
    float time_scale = 1.0F;
    void visit(AttributeVisitor& v) override {
        v.required("rank", rank);
        v.optional("input_zero_point", input_zero_point);
        v.optional("output_zero_point", output_zero_point);
        v.required("feature_scale", feature_scale);
        v.required("time_scale", time_scale);
    }
};

}  // namespace fuseq
