// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/kernels/detection/best_of_lines.hpp"
#include "cpu/kernels/detection/best_ranks.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/top_k.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/axes.hpp"

namespace fuseq::cpu {
Verdict make_top_k(StepBuilder& builder, Node& node) {
    if (!node.is("TopK") || !node.input_node(1)->is_constant() ||
        (node.input(0).type() != ElementType::f32 && node.input(0).type() != ElementType::i32)) {
        return node.is("TopK") ? Verdict::no("a computed number, or neither f32 nor i32")
                               : Verdict::other_kind();
    }
    const auto& attrs = node.attrs<TopKAttrs>();
    const Shape shape = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    if (shape.empty() || shape_size(shape) == 0) {
        return Verdict::no("no elements");
    }
    const std::size_t axis = wrapped_axis(attrs.axis, shape.size());
    TopKGeometry geometry;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        (d < axis ? geometry.outer : d == axis ? geometry.size : geometry.inner) *= shape[d];
    }
    geometry.k = dst[axis];
    if (geometry.size > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
        return Verdict::no("more elements along the axis than 31 bits number");
    }
    geometry.lines_are_dense = geometry.k == 1 && axis == 1 && shape.size() >= 3 &&
                               !builder.available(node.input(0), Layout::kPlain);
    const TensorId src = builder.tensor_of(
        node.input(0), geometry.lines_are_dense ? Layout::kChannelsLast : Layout::kPlain);
    if (geometry.k == 1 && geometry.inner == 1) {
        std::swap(geometry.inner, geometry.outer);
        geometry.lines_are_dense = true;
    }
    const TensorId values = builder.new_tensor(node.port(0).type, dst, Layout::kPlain);
    const TensorId indices = builder.new_tensor(node.port(1).type, dst, Layout::kPlain);
    auto step =
        std::make_unique<TopKStep>(geometry, attrs, builder.tensor(src), src, values, indices);
    add_node_step(builder, node, std::move(step), values);
    builder.set_tensor(node.output(1), indices);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
