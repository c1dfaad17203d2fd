// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// OneHot-1 and -16: indices, depth, on_value, off_value. A new dimension of size depth holds
// on_value at the place that the index names and off_value elsewhere; an index outside it names no
// place. OneHot-16 may count negative indices from the end.
#include "ops/one_hot.hpp"

#include <cstring>

#include "ops/axes.hpp"
#include "ops/indexing.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq::one_hot_ops {
namespace {

constexpr std::int64_t kDeepest = std::int64_t{1} << 31;

template <class Context>
std::int64_t checked_depth(const Context& context, const std::vector<std::int64_t>& values) {
    const std::int64_t depth = single_value(context, values, "depth");
    context.require(depth >= 0 && depth <= kDeepest, "depth is ", depth,
                    ", expected a value in [0, ", kDeepest, "]");
    return depth;
}

void infer(InferContext& context) {
    require_indices(context, 0);
    require_int_list(context, 1, "depth");
    context.require_same_type(2, 3);
    Dimension size = Dimension::dynamic();
    if (const auto depth = context.ints(1)) {
        size = checked_depth(context, *depth);
    }
    const PartialShape& indices = context.shape(0);
    PartialShape dst = PartialShape::dynamic();
    if (indices.rank_is_static()) {
        const std::size_t axis =
            checked_axis(context, context.attrs<OneHotAttrs>().axis, indices.rank() + 1);
        std::vector<Dimension> dims = indices.dims();
        dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), size);
        dst = PartialShape(dims);
    }
    context.set_output(0, context.type(2), dst);
}

const std::byte* single_element(const EvalContext& context, std::size_t i, const char* what) {
    context.require(context.input(i).get_size() == 1, what, " has ", context.input(i).get_size(),
                    " values, expected 1");
    return static_cast<const std::byte*>(context.input(i).data());
}

bool counts_from_the_end(const Node& node) {
    return node.spec().version >= 16 &&
           node.attrs<OneHot16Attrs>().negative_indices_mode == NegativeIndices::kNormalize;
}

void evaluate(EvalContext& context) {
    const Shape& shape = context.input(0).get_shape();
    const std::vector<std::int64_t> indices = to_ints(context.input(0));
    const std::int64_t depth = checked_depth(context, to_ints(context.input(1)));
    const std::size_t axis =
        checked_axis(context, context.attrs<OneHotAttrs>().axis, shape.size() + 1);
    const std::byte* on = single_element(context, 2, "on_value");
    const std::byte* off = single_element(context, 3, "off_value");
    Shape dst = shape;
    dst.insert(dst.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::size_t>(depth));
    check_element_count(context, dst, "the result");
    Tensor& out = context.output(0, dst);
    const std::size_t bytes = size_of(out.get_element_type());
    auto* to = static_cast<std::byte*>(out.data());
    for (std::size_t i = 0; i < out.get_size(); ++i) {
        std::memcpy(to + i * bytes, off, bytes);
    }
    const std::size_t inner = partial_size(shape, axis, shape.size());
    const bool from_end = counts_from_the_end(context.node());
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const std::int64_t index = indices[i] < 0 && from_end ? indices[i] + depth : indices[i];
        if (index >= 0 && index < depth) {
            const auto hot = static_cast<std::size_t>(index);
            const std::size_t place =
                (i / inner * static_cast<std::size_t>(depth) + hot) * inner + i % inner;
            std::memcpy(to + place * bytes, on, bytes);
        }
    }
}

OpSpec row(int version, std::unique_ptr<Attributes> (*attributes)(), std::string_view summary) {
    return {.type = "OneHot",
            .version = version,
            .inputs = {4, 4},
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "a negative depth; more than 2^28 elements"};
}

const OpSpec kOps[] = {
    row(1, make_attributes<OneHotAttrs>, "Indices as vectors with one value set"),
    row(16, make_attributes<OneHot16Attrs>, "OneHot-1 that may count indices from the end"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::one_hot_ops
