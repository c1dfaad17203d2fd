// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// CompressedEmbedding: rows of a table of integers, or sums of them, made by keep_row_tables:
//
//   row[r][c] = codes[r][c] * scale[r] + offset[r], in f32
//
// Inputs: codes [V, W], i8, u8, i4 or u4; scale f32 [V]; offset f32 [V]; from there on those of
// Gather on axis 0 without the axis (an index outside of the table reads zeros, a negative one
// counts from the end), or those of an embedding operation without its table. Weights are f32.
#include "ops/embedding/compressed_embedding.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/typed.hpp"

namespace fuseq {

BagInputs CompressedEmbeddingAttrs::bag_inputs() const {
    const BagForm bags = form == RowsForm::kOffsets  ? BagForm::kOffsets
                         : form == RowsForm::kPacked ? BagForm::kPacked
                                                     : BagForm::kSegments;
    return {bags, kRowIndices};
}

void infer_compressed_embedding(InferContext& context) {
    const auto& attrs = context.attrs<CompressedEmbeddingAttrs>();
    context.require(is_row_code(context.type(0)), "the codes are ", to_string(context.type(0)),
                    ", expected i8, u8, i4 or u4");
    context.require_type(1, ElementType::f32, "the scale");
    context.require_type(2, ElementType::f32, "the offset");
    const PartialShape& codes = context.shape(0);
    context.require(codes.is_static() && codes.rank() == 2, "the codes have shape ",
                    to_string(codes), ", expected two known dimensions");
    for (const std::size_t i : {1, 2}) {
        context.require(context.shape(i).compatible(PartialShape{codes[0]}), "the ",
                        i == 1 ? "scale" : "offset", " has shape ", to_string(context.shape(i)),
                        ", expected one value for each of ", to_string(codes[0]), " rows");
    }
    PartialShape dst = PartialShape::dynamic();
    if (attrs.form != RowsForm::kGather) {
        const BagInputs inputs = attrs.bag_inputs();
        dst = PartialShape{infer_bags(context, inputs), codes[1]};
        if (context.has_input(inputs.weights())) {
            context.require_type(inputs.weights(), ElementType::f32, "the weights");
        }
    } else if (context.shape(kRowIndices).rank_is_static()) {
        std::vector<Dimension> dims = context.shape(kRowIndices).dims();
        dims.push_back(codes[1]);
        dst = PartialShape(std::move(dims));
    }
    context.set_output(0, ElementType::f32, dst);
}

namespace {

class Rows {
public:
    explicit Rows(const EvalContext& context)
        : codes_(context.input(0).to(ElementType::f32)),
          scales_(context.input(1)),
          offsets_(context.input(2)) {}

    std::size_t count() const { return codes_.get_shape()[0]; }
    std::size_t width() const { return codes_.get_shape()[1]; }
    void add(std::size_t row, float weight, float* sums) const {
        const float* codes = std::as_const(codes_).data<float>() + row * width();
        const float scale = scales_.data<float>()[row];
        const float offset = offsets_.data<float>()[row];
        for (std::size_t c = 0; c < width(); ++c) {
            sums[c] += weight * (codes[c] * scale + offset);
        }
    }

private:
    Tensor codes_;
    const Tensor& scales_;
    const Tensor& offsets_;
};

void gather(EvalContext& context, const Rows& rows) {
    Shape shape = context.input(kRowIndices).get_shape();
    shape.push_back(rows.width());
    Tensor& output = context.output(0, shape);
    float* dst = output.data<float>();
    std::fill_n(dst, output.get_size(), 0.0f);
    const auto count = static_cast<std::int64_t>(rows.count());
    for (const std::int64_t index : to_ints(context.input(kRowIndices))) {
        const std::int64_t row = index < 0 ? index + count : index;
        if (row >= 0 && row < count) {
            rows.add(static_cast<std::size_t>(row), 1, dst);
        }
        dst += rows.width();
    }
}

}  // namespace

void evaluate_compressed_embedding(EvalContext& context) {
    const auto& attrs = context.attrs<CompressedEmbeddingAttrs>();
    const Rows rows(context);
    if (attrs.form == RowsForm::kGather) {
        return gather(context, rows);
    }
    const Bags bags = read_bags(context, attrs.bag_inputs());
    Tensor& output = context.output(0, Shape{bags.count, rows.width()});
    float* dst = output.data<float>();
    std::fill_n(dst, output.get_size(), 0.0f);
    const float* weights =
        context.has_input(bags.weights) ? context.input(bags.weights).data<float>() : nullptr;
    for (const std::vector<std::size_t>& bag : bags.members()) {
        for (const std::size_t i : bag) {
            rows.add(checked_row(context, bags.indices[i], rows.count()),
                     weights == nullptr ? 1 : weights[i], dst);
        }
        if (bag.empty() && bags.fallback && *bags.fallback != -1) {
            rows.add(checked_row(context, *bags.fallback, rows.count()), 1, dst);
        }
        if (attrs.reduction == BagReduction::kMean && !bag.empty()) {
            const auto count = static_cast<float>(bag.size());
            std::for_each(dst, dst + rows.width(), [&](float& sum) { sum /= count; });
        }
        dst += rows.width();
    }
}

}  // namespace fuseq
