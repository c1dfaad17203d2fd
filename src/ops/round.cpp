// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/round.hpp"

#include <cmath>

#include "ops/op_list.hpp"
#include "ops/unary_elementwise.hpp"

namespace fuseq::round_ops {
namespace {

void evaluate(EvalContext& context) {
    const bool even = context.attrs<RoundAttrs>().mode == RoundMode::kHalfToEven;
    evaluate_unary(context, [&]<class T>(T x) {
        if constexpr (std::is_integral_v<T>) {
            return x;
        } else {
            // nearbyint rounds half to even in the default rounding mode.
            return even ? std::nearbyint(x) : std::round(x);
        }
    });
}

const OpSpec kOps[] = {
    {.type = "Round",
     .version = 5,
     .inputs = {1, 1},
     .make_attributes = make_attributes<RoundAttrs>,
     .infer = infer_numeric_unary,
     .evaluate = evaluate,
     .summary = "Nearest whole number, half to even or away from zero"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::round_ops
