// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of rows of a table [V, ...]: EmbeddingBagOffsetsSum, EmbeddingBagPackedSum,
// EmbeddingSegmentsSum; sums or means: EmbeddingBagOffsets, EmbeddingBagPacked. They differ in how
// the bags are given. A mean of integers drops the fraction.
#include "ops/embedding/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "model/typed.hpp"
#include "ops/embedding/bags.hpp"
#include "ops/embedding/compressed_embedding.hpp"
#include "ops/from_double.hpp"
#include "ops/op_list.hpp"

namespace fuseq::embedding_ops {
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

bool means(const Node& node) {
    return node.spec().version >= kReductionVersion &&
           node.attrs<EmbeddingBagAttrs>().reduction == BagReduction::kMean;
}

// Weights have the type of the table; they are for sums.
template <BagForm kForm>
void infer(InferContext& context) {
    const BagInputs inputs{kForm};
    const Dimension bags = infer_bags(context, inputs);
    if (context.has_input(inputs.weights())) {
        context.require(!means(context.node()), "reduction is mean, which takes no weights");
        context.require_same_type(inputs.weights(), 0);
    }
    set_bags(context, bags);
}

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
    const std::vector<std::vector<std::size_t>> members = bags.members();
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

template <BagForm kForm>
void evaluate(EvalContext& context) {
    sum_bags(context, read_bags(context, BagInputs{kForm}));
}

constexpr std::string_view kRefused = "indices outside of the table";
constexpr std::string_view kRefusedWeights =
    "indices outside of the table; weights where reduction is mean";

const OpSpec kOps[] = {
    {.type = "EmbeddingBagOffsetsSum",
     .version = 3,
     .inputs = {3, 5},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer<BagForm::kOffsets>,
     .evaluate = evaluate<BagForm::kOffsets>,
     .summary = "Sums rows of a table; bags begin at offsets",
     .refused = kRefused},
    {.type = "EmbeddingBagPackedSum",
     .version = 3,
     .inputs = {2, 3},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer<BagForm::kPacked>,
     .evaluate = evaluate<BagForm::kPacked>,
     .summary = "Sums rows of a table; a bag is a row of indices",
     .refused = kRefused},
    {.type = "EmbeddingBagOffsets",
     .version = kReductionVersion,
     .inputs = {3, 5},
     .make_attributes = make_attributes<EmbeddingBagAttrs>,
     .infer = infer<BagForm::kOffsets>,
     .evaluate = evaluate<BagForm::kOffsets>,
     .summary = "EmbeddingBagOffsetsSum with means",
     .refused = kRefusedWeights},
    {.type = "EmbeddingBagPacked",
     .version = kReductionVersion,
     .inputs = {2, 3},
     .make_attributes = make_attributes<EmbeddingBagAttrs>,
     .infer = infer<BagForm::kPacked>,
     .evaluate = evaluate<BagForm::kPacked>,
     .summary = "EmbeddingBagPackedSum with means",
     .refused = kRefusedWeights},
    {.type = "EmbeddingSegmentsSum",
     .version = 3,
     .inputs = {4, 6},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer<BagForm::kSegments>,
     .evaluate = evaluate<BagForm::kSegments>,
     .summary = "Sums rows of a table; every index names its bag",
     .refused = kRefused},
    {.type = "CompressedEmbedding",
     .version = 1,
     .inputs = {4, 8},
     .make_attributes = make_attributes<CompressedEmbeddingAttrs>,
     .infer = infer_compressed_embedding,
     .evaluate = evaluate_compressed_embedding,
     .summary = "Rows, or sums of rows, of a table that stays in 8 or 4 bits",
     .refused = "indices outside of the table, but of Gather",
     .internal = true},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::embedding_ops
