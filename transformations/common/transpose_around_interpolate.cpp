// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Resizes the rows and columns of [N,H,W,C] as those of [N,C,H,W]. In memory nothing moves: planes
// of a channels-last tensor are what kernels read, and both transpositions are views.
//
//   Law:     resizing works dimension by dimension, whatever the place of the dimension.
//   Before:  x -> Interpolate(nearest or linear, of dimensions 1 and 2 of 4)
//   After:   x -> Transpose(0,3,1,2) -> Interpolate(of dimensions 2 and 3) -> Transpose(0,2,3,1)
//   Refuses: silently: other modes, antialiasing and pads, which kernels do not know, dimensions
//            that are not stated by a constant.
//   Source:  the definition of the operation.
#include "transformations/common/transpose_around_interpolate.hpp"

#include <algorithm>

#include "ops/resize/interpolate.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/interpolation.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace transpose_around_interpolate_pass {
namespace {

constexpr std::string_view kName = "transpose_around_interpolate";
constexpr std::size_t kRank = 4;

// Number of the input that has the axes.
std::size_t axes_input(const Node& node) {
    return node.spec().version >= 11 ? 2 : 3;
}

bool is_simple(const Node& node) {
    if (has_pads(node) || node.spec().version == 1) {
        return false;
    }
    const auto& attributes = node.attrs<InterpolateAttrs>();
    const InterpolateMode mode = attributes.mode;
    return !attributes.antialias &&
           (mode == InterpolateMode::kNearest || mode == InterpolateMode::kLinear ||
            mode == InterpolateMode::kLinearOnnx);
}

bool resizes_rows_and_columns(const Node& node) {
    const PartialShape& shape = node.input(0).partial_shape();
    const std::size_t input = axes_input(node);
    const Tensor* axes = node.has_input(input) ? known_constant(node.input(input)) : nullptr;
    if (axes == nullptr || !shape.rank_is_static() || shape.rank() != kRank) {
        return false;
    }
    const std::vector<std::int64_t> list = to_ints(*axes);
    return !list.empty() && std::all_of(list.begin(), list.end(), [](std::int64_t axis) {
        const std::int64_t d = axis < 0 ? axis + static_cast<std::int64_t>(kRank) : axis;
        return d == 1 || d == 2;
    });
}

Output order(Model& model, const std::string& name, const std::vector<std::int64_t>& dimensions) {
    return make_constant(model, name + "/order", Tensor::of(Shape{dimensions.size()}, dimensions));
}

bool rewrite(Node& node) {
    if (!is_simple(node) || !resizes_rows_and_columns(node)) {
        return false;
    }
    Model& model = node.model();
    const std::string name = node.name();
    std::vector<std::int64_t> axes = to_ints(*known_constant(node.input(axes_input(node))));
    for (std::int64_t& axis : axes) {
        axis += axis < 0 ? static_cast<std::int64_t>(kRank) + 1 : 1;
    }
    Node* planes = model.add("Transpose", 1, name + "/planes",
                             {node.input(0), order(model, name, {0, 3, 1, 2})});
    std::vector<Output> inputs = node.inputs();
    inputs[0] = planes->output();
    inputs[axes_input(node)] =
        make_constant(model, name + "/axes", Tensor::of(Shape{axes.size()}, axes));
    Node* resized = copy_node(node, name + "/resized", std::move(inputs));
    node.set_name(name + "/before");
    Node* pixels =
        model.add("Transpose", 1, name, {resized->output(), order(model, name, {0, 2, 3, 1})});
    for (Node* made : {planes, resized, pixels}) {
        add_origin(*made, name);
    }
    redirect(node.output(), pixels->output());
    return true;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "Interpolate", context, kName,
                        [](Node& node) { return rewrite(node); });
}

}  // namespace
}  // namespace transpose_around_interpolate_pass

bool transpose_around_interpolate(Model& model, PassContext& context) {
    return transpose_around_interpolate_pass::run(model, context);
}

}  // namespace fuseq
