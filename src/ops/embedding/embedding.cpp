// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows of a table [V, ...]: EmbeddingBagOffsetsSum, EmbeddingBagPackedSum,
// EmbeddingSegmentsSum; sums or means: EmbeddingBagOffsets, EmbeddingBagPacked. They differ in how
// the bags are given. A mean of integers drops the fraction.
#include "ops/embedding/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <vector>

#include "model/typed.hpp"
#include "ops/from_double.hpp"
#include "ops/op_list.hpp"
#include "ops/scalars.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq {
namespace {

constexpr int kReductionVersion = 15;  // has EmbeddingBagAttrs

// [bags, the rest of the table's shape].
void set_bags(InferContext& context, const Dimension& bags) {
    const PartialShape& table = context.shape(0);
    if (!table.rank_is_static()) {
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    context.require(table.rank() >= 1, "the table is a scalar");
    PartialShape shape = table;
    shape[0] = bags;
    context.set_output(0, context.type(0), shape);
}

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

bool means(const Node& node) {
    return node.spec().version >= kReductionVersion &&
           node.attrs<EmbeddingBagAttrs>().reduction == BagReduction::kMean;
}

// Weights have the type of the table and the shape of the indices; they are for sums.
void check_weights(const InferContext& context, std::size_t i) {
    if (context.has_input(i)) {
        context.require(!means(context.node()), "reduction is mean, which takes no weights");
        context.require_same_type(i, 0);
        context.require(context.shape(i).compatible(context.shape(1)), "weights have shape ",
                        to_string(context.shape(i)), ", indices ", to_string(context.shape(1)));
    }
}

void infer_offsets(InferContext& context) {
    index_list(context, 1, "indices", 1);
    const Dimension bags = index_list(context, 2, "offsets", 1);
    require_int_scalar(context, 3, "default_index");
    check_weights(context, 4);
    set_bags(context, bags);
}

void infer_packed(InferContext& context) {
    const Dimension bags = index_list(context, 1, "indices", 2);
    check_weights(context, 2);
    set_bags(context, bags);
}

void infer_segments(InferContext& context) {
    const Dimension indices = index_list(context, 1, "indices", 1);
    const Dimension segments = index_list(context, 2, "segment_ids", 1);
    context.require(indices.compatible(segments), "indices have ", to_string(indices),
                    " elements, segment_ids ", to_string(segments));
    require_int_scalar(context, 3, "num_segments");
    require_int_scalar(context, 4, "default_index");
    check_weights(context, 5);
    const auto count = known_int(context, 3, 0);
    set_bags(context, count ? Dimension(checked_count(context, *count, "num_segments"))
                            : Dimension::dynamic());
}

// Bag of each index, and what else the sum needs.
struct Bags {
    std::size_t count = 0;
    std::vector<std::size_t> bag_of;  // one an index
    std::vector<std::int64_t> indices;
    std::optional<std::int64_t> fallback;  // row of empty bags; zeros without it
    std::size_t weights = SIZE_MAX;        // input of the weights
};

template <class T>
void add_row(std::vector<double>& sums, const T* row, double weight) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += weight * static_cast<double>(row[i]);
    }
}

template <class T>
void average(std::vector<double>& sums, std::size_t count) {
    for (double& sum : sums) {
        sum /= static_cast<double>(count);
        sum = std::is_integral_v<T> ? std::trunc(sum) : sum;
    }
}

std::size_t checked_row(const EvalContext& context, std::int64_t index, std::size_t rows) {
    context.require(index >= 0 && index < static_cast<std::int64_t>(rows), "an index is ", index,
                    ", but the table has ", rows, " rows");
    return static_cast<std::size_t>(index);
}

void sum_bags(EvalContext& context, const Bags& bags) {
    const Tensor& table = context.input(0);
    Shape shape = table.get_shape();
    context.require(!shape.empty(), "the table is a scalar");
    const std::size_t rows = shape[0];
    const std::size_t width = rows == 0 ? 0 : table.get_size() / rows;
    shape[0] = bags.count;
    Tensor& output = context.output(0, shape);
    const bool mean = means(context.node());
    const bool weighted = context.has_input(bags.weights);
    context.require(!weighted || context.input(bags.weights).get_size() == bags.indices.size(),
                    "weights and indices differ in number");
    std::vector<std::vector<std::size_t>> members(bags.count);
    for (std::size_t i = 0; i < bags.indices.size(); ++i) {
        members[bags.bag_of[i]].push_back(i);
    }
    dispatch_numeric(table.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* src = table.data<T>();
        T* dst = output.data<T>();
        std::fill_n(dst, output.get_size(), T{0});
        for (std::size_t bag = 0; bag < bags.count; ++bag) {
            std::vector<double> sums(width, 0);
            for (const std::size_t i : members[bag]) {
                const std::size_t row = checked_row(context, bags.indices[i], rows);
                const double weight =
                    weighted ? static_cast<double>(context.input(bags.weights).data<T>()[i]) : 1.0;
                add_row(sums, src + row * width, weight);
            }
            if (members[bag].empty() && bags.fallback && *bags.fallback != -1) {
                const std::size_t row = checked_row(context, *bags.fallback, rows);
                add_row(sums, src + row * width, 1.0);
            }
            if (mean && !members[bag].empty()) {
                average<T>(sums, members[bag].size());
            }
            std::transform(sums.begin(), sums.end(), dst + bag * width,
                           [](double v) { return from_double<T>(v); });
        }
    });
}

std::optional<std::int64_t> fallback_of(const EvalContext& context, std::size_t i) {
    return context.has_input(i) ? std::optional(int_input(context, i, "default_index", 0))
                                : std::nullopt;
}

void evaluate_offsets(EvalContext& context) {
    Bags bags;
    bags.indices = to_ints(context.input(1));
    const std::vector<std::int64_t> offsets = to_ints(context.input(2));
    bags.count = offsets.size();
    bags.fallback = fallback_of(context, 3);
    bags.weights = 4;
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
    sum_bags(context, bags);
}

void evaluate_packed(EvalContext& context) {
    const Shape& shape = context.input(1).get_shape();
    context.require(shape.size() == 2, "indices have shape ", to_string(shape),
                    ", expected rank 2");
    Bags bags;
    bags.indices = to_ints(context.input(1));
    bags.count = shape[0];
    bags.weights = 2;
    for (std::size_t i = 0; i < bags.indices.size(); ++i) {
        bags.bag_of.push_back(i / shape[1]);
    }
    sum_bags(context, bags);
}

void evaluate_segments(EvalContext& context) {
    Bags bags;
    bags.indices = to_ints(context.input(1));
    const std::vector<std::int64_t> segments = to_ints(context.input(2));
    const std::int64_t count =
        checked_count(context, int_input(context, 3, "num_segments", 0), "num_segments");
    context.require(segments.size() == bags.indices.size(), "indices have ", bags.indices.size(),
                    " elements, segment_ids ", segments.size());
    for (const std::int64_t segment : segments) {
        context.require(segment >= 0 && segment < count, "segment_ids has the value ", segment,
                        ", expected one in [0, ", count, ")");
        bags.bag_of.push_back(static_cast<std::size_t>(segment));
    }
    bags.count = static_cast<std::size_t>(count);
    bags.fallback = fallback_of(context, 4);
    bags.weights = 5;
    sum_bags(context, bags);
}

constexpr std::string_view kRefused = "indices outside of the table";
constexpr std::string_view kRefusedWeights =
    "indices outside of the table; weights where reduction is mean";

const OpSpec kOps[] = {
    {.type = "EmbeddingBagOffsetsSum",
     .version = 3,
     .inputs = {3, 5},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_offsets,
     .evaluate = evaluate_offsets,
     .summary = "Sums rows of a table; bags begin at offsets",
     .refused = kRefused},
    {.type = "EmbeddingBagPackedSum",
     .version = 3,
     .inputs = {2, 3},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_packed,
     .evaluate = evaluate_packed,
     .summary = "Sums rows of a table; a bag is a row of indices",
     .refused = kRefused},
    {.type = "EmbeddingBagOffsets",
     .version = kReductionVersion,
     .inputs = {3, 5},
     .make_attributes = make_attributes<EmbeddingBagAttrs>,
     .infer = infer_offsets,
     .evaluate = evaluate_offsets,
     .summary = "EmbeddingBagOffsetsSum with means",
     .refused = kRefusedWeights},
    {.type = "EmbeddingBagPacked",
     .version = kReductionVersion,
     .inputs = {2, 3},
     .make_attributes = make_attributes<EmbeddingBagAttrs>,
     .infer = infer_packed,
     .evaluate = evaluate_packed,
     .summary = "EmbeddingBagPackedSum with means",
     .refused = kRefusedWeights},
    {.type = "EmbeddingSegmentsSum",
     .version = 3,
     .inputs = {4, 6},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_segments,
     .evaluate = evaluate_segments,
     .summary = "Sums rows of a table; every index names its bag",
     .refused = kRefused},
};

}  // namespace

std::span<const OpSpec> embedding_ops() {
    return kOps;
}

}  // namespace fuseq
