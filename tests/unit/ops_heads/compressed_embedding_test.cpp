// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/embedding/compressed_embedding.hpp"

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr const char* kOp = "CompressedEmbedding";

// Rows (1, 10), (5, 41), (2.5, 3).
const Tensor kCodes = Tensor::of<std::uint8_t>({3, 2}, {1, 10, 2, 20, 7, 8});
const Tensor kScale = floats({3}, {1, 2, 0.5F});
const Tensor kOffset = floats({3}, {0, 1, -1});

CompressedEmbeddingAttrs attributes(RowsForm form, BagReduction reduction = BagReduction::kSum) {
    CompressedEmbeddingAttrs attrs;
    attrs.form = form;
    attrs.reduction = reduction;
    return attrs;
}

Tensor run(const CompressedEmbeddingAttrs& attrs,
           const std::vector<Tensor>& more,
           const std::vector<std::size_t>& constant = {0, 1, 2}) {
    std::vector<Tensor> inputs{kCodes, kScale, kOffset};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return run_op(kOp, 1, attrs, inputs, constant)[0];
}

TEST(CompressedEmbedding, GathersRows) {
    expect_values(run(attributes(RowsForm::kGather), {i64s({4}, {2, -2, 0, 3})}),
                  {2.5F, 3, 5, 41, 1, 10, 0, 0});
    EXPECT_EQ(shapes_of(kOp, 1, attributes(RowsForm::kGather),
                        {kCodes, kScale, kOffset, open("[?,4]", element::i32)}),
              "[?,4,2]");
}

TEST(CompressedEmbedding, SumsBags) {
    const auto offsets = attributes(RowsForm::kOffsets);
    const Tensor indices = i64s({3}, {0, 2, 1});
    const Tensor begins = i64s({3}, {0, 2, 2});
    expect_values(run(offsets, {indices, begins}), {3.5F, 13, 0, 0, 5, 41});
    expect_values(run(offsets, {indices, begins, i64s({}, {0}), floats({3}, {1, 2, -1})}),
                  {6, 16, 1, 10, -5, -41});
    expect_values(run(attributes(RowsForm::kOffsets, BagReduction::kMean), {indices, begins}),
                  {1.75F, 6.5F, 0, 0, 5, 41});
    expect_values(run(attributes(RowsForm::kPacked), {i32s({2, 2}, {0, 2, 1, 1})}),
                  {3.5F, 13, 10, 82});
    expect_values(run(attributes(RowsForm::kSegments),
                      {indices, i64s({3}, {1, 0, 1}), i64s({}, {2})}, {0, 1, 2, 5}),
                  {2.5F, 3, 6, 51});
}

TEST(CompressedEmbedding, RefusesWhatDoesNotFit) {
    const auto error = [](const Input& codes, const Input& scale) {
        return refusal(kOp, 1, attributes(RowsForm::kGather),
                       {codes, scale, kOffset, open("[2]", element::i64)});
    };
    EXPECT_THAT(error(floats({3, 2}, {1, 2, 3, 4, 5, 6}), kScale), HasSubstr("the codes are f32"));
    EXPECT_THAT(error(Tensor::of<std::uint8_t>({3}, {1, 2, 3}), kScale),
                HasSubstr("the codes have shape [3], expected two known dimensions"));
    EXPECT_THAT(error(kCodes, floats({2}, {1, 2})),
                HasSubstr("the scale has shape [2], expected one value for each of 3 rows"));
    EXPECT_THAT(error_of([] {
                    run(attributes(RowsForm::kPacked), {i32s({1, 1}, {3})});
                }),
                HasSubstr("an index is 3, but the table has 3 rows"));
}

}  // namespace
}  // namespace fuseq::test
