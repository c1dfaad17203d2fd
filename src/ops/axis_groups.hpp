// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Positions of a tensor grouped by axes: those that differ only along the axes share a group (MVN,
// NormalizeL2, GRN).
#pragma once

#include <vector>

#include "fuseq/tensor.hpp"
#include "model/typed.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

struct AxisGroups {
    std::size_t count = 0;             // groups
    std::vector<std::size_t> strides;  // from a position to its group, for StridedLoop
};

// Fails naming `axes` when one is outside of the rank.
AxisGroups axis_groups(const EvalContext& context,
                       const Shape& shape,
                       const std::vector<std::int64_t>& axes);

// In inference: input i holds integers, and those known are axes of input 0.
void check_axes_input(const InferContext& context, std::size_t i);

// The input is a real tensor.
void require_real(const InferContext& context, std::size_t i, std::string_view what);

// Calls function(TypeTag<T>) for f32 and f64, fails for other types.
template <class Function>
void dispatch_real(const EvalContext& context, ElementType type, Function&& function) {
    switch (type) {
        case ElementType::f32: function(TypeTag<float>{}); return;
        case ElementType::f64: function(TypeTag<double>{}); return;
        default: context.fail("no kernel for input type ", to_string(type));
    }
}

}  // namespace fuseq
