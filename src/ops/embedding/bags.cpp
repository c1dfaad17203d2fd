// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/embedding/bags.hpp"

#include <algorithm>

#include "model/typed.hpp"
#include "ops/scalars.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq {
namespace {

// Input i holds indices of the given rank; returns its first dimension.
Dimension index_list(const InferContext& context,
                     std::size_t i,
                     const char* name,
                     std::size_t rank) {
    context.require(is_integral(context.type(i)), name, " are ", to_string(context.type(i)),
                    ", expected an integer type");
    const PartialShape& shape = context.shape(i);
    context.require(!shape.rank_is_static() || shape.rank() == rank, name, " have shape ",
                    to_string(shape), ", expected rank ", rank);
    return shape.rank_is_static() ? shape[0] : Dimension::dynamic();
}

Dimension infer_segments(const InferContext& context, std::size_t first) {
    const Dimension indices = index_list(context, first, "indices", 1);
    const Dimension segments = index_list(context, first + 1, "segment_ids", 1);
    context.require(indices.compatible(segments), "indices have ", to_string(indices),
                    " elements, segment_ids ", to_string(segments));
    require_int_scalar(context, first + 2, "num_segments");
    const auto count = known_int(context, first + 2, 0);
    return count ? Dimension(checked_count(context, *count, "num_segments")) : Dimension::dynamic();
}

void read_offsets(const EvalContext& context, std::size_t first, Bags& bags) {
    const std::vector<std::int64_t> offsets = to_ints(context.input(first + 1));
    bags.count = offsets.size();
    const auto size = static_cast<std::int64_t>(bags.indices.size());
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const std::int64_t min_offset = i == 0 ? 0 : offsets[i - 1];
        context.require(
            offsets[i] >= min_offset && offsets[i] <= size && (i > 0 || offsets[i] == 0),
            "offsets has the value ", offsets[i], ", expected rising values from 0 to ", size);
    }
    context.require(!offsets.empty() || size == 0, "offsets is empty");
    for (std::size_t i = 0; i < bags.indices.size(); ++i) {
        const auto next =
            std::upper_bound(offsets.begin(), offsets.end(), static_cast<std::int64_t>(i));
        bags.bag_of.push_back(static_cast<std::size_t>(next - offsets.begin()) - 1);
    }
}

void read_packed(const EvalContext& context, std::size_t first, Bags& bags) {
    const Shape& shape = context.input(first).get_shape();
    context.require(shape.size() == 2, "indices have shape ", to_string(shape),
                    ", expected rank 2");
    bags.count = shape[0];
    for (std::size_t i = 0; i < bags.indices.size(); ++i) {
        bags.bag_of.push_back(i / shape[1]);
    }
}

void read_segments(const EvalContext& context, std::size_t first, Bags& bags) {
    const std::vector<std::int64_t> segments = to_ints(context.input(first + 1));
    const std::int64_t count =
        checked_count(context, int_input(context, first + 2, "num_segments", 0), "num_segments");
    context.require(segments.size() == bags.indices.size(), "indices have ", bags.indices.size(),
                    " elements, segment_ids ", segments.size());
    for (const std::int64_t segment : segments) {
        context.require(segment >= 0 && segment < count, "segment_ids has the value ", segment,
                        ", expected one in [0, ", count, ")");
        bags.bag_of.push_back(static_cast<std::size_t>(segment));
    }
    bags.count = static_cast<std::size_t>(count);
}

}  // namespace

Dimension infer_bags(const InferContext& context, const BagInputs& inputs) {
    Dimension bags;
    switch (inputs.form) {
        case BagForm::kOffsets:
            index_list(context, inputs.first, "indices", 1);
            bags = index_list(context, inputs.first + 1, "offsets", 1);
            break;
        case BagForm::kPacked: bags = index_list(context, inputs.first, "indices", 2); break;
        case BagForm::kSegments: bags = infer_segments(context, inputs.first); break;
    }
    if (inputs.form != BagForm::kPacked) {
        require_int_scalar(context, inputs.default_index(), "default_index");
    }
    if (context.has_input(inputs.weights())) {
        const PartialShape& weights = context.shape(inputs.weights());
        const PartialShape& indices = context.shape(inputs.first);
        context.require(weights.compatible(indices), "weights have shape ", to_string(weights),
                        ", indices ", to_string(indices));
    }
    return bags;
}

Bags read_bags(const EvalContext& context, const BagInputs& inputs) {
    Bags bags;
    bags.indices = to_ints(context.input(inputs.first));
    bags.weights = inputs.weights();
    switch (inputs.form) {
        case BagForm::kOffsets: read_offsets(context, inputs.first, bags); break;
        case BagForm::kPacked: read_packed(context, inputs.first, bags); break;
        case BagForm::kSegments: read_segments(context, inputs.first, bags); break;
    }
    if (inputs.form != BagForm::kPacked && context.has_input(inputs.default_index())) {
        bags.fallback = int_input(context, inputs.default_index(), "default_index", 0);
    }
    context.require(!context.has_input(bags.weights) ||
                        context.input(bags.weights).get_size() == bags.indices.size(),
                    "weights and indices differ in number");
    return bags;
}

std::vector<std::vector<std::size_t>> Bags::members() const {
    std::vector<std::vector<std::size_t>> lists(count);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        lists[bag_of[i]].push_back(i);
    }
    return lists;
}

std::size_t checked_row(const EvalContext& context, std::int64_t index, std::size_t rows) {
    context.require(index >= 0 && index < static_cast<std::int64_t>(rows), "an index is ", index,
                    ", but the table has ", rows, " rows");
    return static_cast<std::size_t>(index);
}

}  // namespace fuseq
