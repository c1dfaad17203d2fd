// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/embedding/embedding.hpp"

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const Tensor kTable = floats({4, 2}, {1, 10, 2, 20, 3, 30, 4, 40});

TEST(EmbeddingBagOffsetsSum, SumsFromOffsetToOffset) {
    const NoAttrs none;
    const Tensor indices = i64s({3}, {0, 2, 3});
    const Tensor offsets = i64s({3}, {0, 2, 2});  // rows 0 and 2, nothing, row 3
    const auto run = [&](std::vector<Tensor> more) {
        std::vector<Tensor> inputs{kTable, indices, offsets};
        inputs.insert(inputs.end(), more.begin(), more.end());
        return to_floats(run_op("EmbeddingBagOffsetsSum", 3, none, inputs)[0]);
    };
    EXPECT_EQ(run({}), (std::vector<float>{4, 40, 0, 0, 4, 40}));
    EXPECT_EQ(run({i32s({}, {1})}), (std::vector<float>{4, 40, 2, 20, 4, 40}));
    EXPECT_EQ(run({i32s({}, {-1}), floats({3}, {1, 2, 0.5F})}),
              (std::vector<float>{7, 70, 0, 0, 2, 20}));
    EXPECT_EQ(run({Tensor(), floats({3}, {1, 2, 0.5F})}), (std::vector<float>{7, 70, 0, 0, 2, 20}));
    EXPECT_THAT(error_of([&] { run({i32s({}, {4})}); }),
                HasSubstr("an index is 4, but the table has 4 rows"));
    EXPECT_THAT(error_of([&] {
                    run_op("EmbeddingBagOffsetsSum", 3, none, {kTable, indices, i64s({2}, {0, 4})});
                }),
                HasSubstr("offsets has the value 4"));
    EXPECT_EQ(shapes_of("EmbeddingBagOffsetsSum", 3, none,
                        {open("[9,5,3]"), open("[?]", element::i64), open("[7]", element::i64)}),
              "[7,5,3]");
}

TEST(EmbeddingBagPackedSum, SumsRowsOfIndices) {
    const Tensor indices = i32s({2, 2}, {0, 1, 3, 3});
    expect_values(run_op("EmbeddingBagPackedSum", 3, NoAttrs(), {kTable, indices})[0],
                  {3, 30, 8, 80});
    expect_values(run_op("EmbeddingBagPackedSum", 3, NoAttrs(),
                         {kTable, indices, floats({2, 2}, {1, 0, 0.5F, 1})})[0],
                  {1, 10, 6, 60});
    const Tensor bytes = Tensor::of<std::uint8_t>({1, 1}, {200});
    expect_ints(run_op("EmbeddingBagPackedSum", 3, NoAttrs(), {bytes, i32s({1, 2}, {0, 0})})[0],
                {255});
    EXPECT_THAT(refusal("EmbeddingBagPackedSum", 3, NoAttrs(),
                        {open("[4,2]"), open("[2,2]", element::i32), open("[2,3]")}),
                HasSubstr("weights have shape [2,3], indices [2,2]"));
    EXPECT_THAT(refusal("EmbeddingBagPackedSum", 3, NoAttrs(), {open("[4,2]"), open("[2,2]")}),
                HasSubstr("indices are f32"));
}

TEST(EmbeddingSegmentsSum, SumsNamedBags) {
    const auto run = [&](std::int64_t segments) {
        return run_op("EmbeddingSegmentsSum", 3, NoAttrs(),
                      {kTable, i64s({3}, {0, 2, 3}), i64s({3}, {0, 0, 2}), i64s({}, {segments}),
                       i64s({}, {1})},
                      {3});
    };
    expect_values(run(4)[0], {4, 40, 2, 20, 4, 40, 2, 20});
    EXPECT_THAT(error_of([&] { run(2); }), HasSubstr("segment_ids has the value 2"));
    EXPECT_THAT(error_of([&] { run(-1); }), HasSubstr("num_segments is -1"));
}

const Tensor kSpecTable =
    floats({5, 2}, {-0.2F, -0.6F, -0.1F, -0.4F, -1.9F, -1.8F, -1, 1.5F, 0.8F, -0.7F});

// The examples of the specification; bag 1 is empty.
TEST(EmbeddingBagOffsets, SumsOrAverages) {
    const auto run = [](BagReduction reduction, const std::vector<Tensor>& more) {
        EmbeddingBagAttrs attrs;
        attrs.reduction = reduction;
        std::vector<Tensor> inputs{kSpecTable, i64s({4}, {0, 2, 3, 4}), i64s({3}, {0, 2, 2})};
        inputs.insert(inputs.end(), more.begin(), more.end());
        return run_op("EmbeddingBagOffsets", 15, attrs, inputs)[0];
    };
    expect_values(run(BagReduction::kSum, {i64s({}, {0}), floats({4}, {0.5F, 0.5F, 0.5F, 0.5F})}),
                  {-1.05F, -1.2F, -0.2F, -0.6F, -0.1F, 0.4F});
    expect_values(run(BagReduction::kSum, {i64s({}, {-1}), floats({4}, {0.5F, 0.2F, -2, 1})}),
                  {-0.48F, -0.66F, 0, 0, 2.8F, -3.7F});
    expect_values(run(BagReduction::kMean, {}), {-1.05F, -1.2F, 0, 0, -0.1F, 0.4F});
    // The default row stands for the empty bag as it is.
    expect_values(run(BagReduction::kMean, {i64s({}, {2})}),
                  {-1.05F, -1.2F, -1.9F, -1.8F, -0.1F, 0.4F});
    EXPECT_THAT(error_of([&] {
                    run(BagReduction::kMean, {i64s({}, {0}), floats({4}, {1, 1, 1, 1})});
                }),
                HasSubstr("reduction is mean, which takes no weights"));
}

TEST(EmbeddingBagPacked, SumsOrAverages) {
    EmbeddingBagAttrs attrs;
    const Tensor indices = i64s({3, 2}, {0, 2, 1, 2, 3, 4});
    expect_values(run_op("EmbeddingBagPacked", 15, attrs, {kSpecTable, indices})[0],
                  {-2.1F, -2.4F, -2, -2.2F, -0.2F, 0.8F});
    const Tensor halves = floats({3, 2}, {0.5F, 0.5F, 0.5F, 0.5F, 0.5F, 0.5F});
    expect_values(run_op("EmbeddingBagPacked", 15, attrs, {kSpecTable, indices, halves})[0],
                  {-1.05F, -1.2F, -1, -1.1F, -0.1F, 0.4F});
    attrs.reduction = BagReduction::kMean;
    expect_values(run_op("EmbeddingBagPacked", 15, attrs, {kSpecTable, indices})[0],
                  {-1.05F, -1.2F, -1, -1.1F, -0.1F, 0.4F});
    // Means of integers drop the fraction: 7 / 2 and -7 / 2; bags of nothing are 0.
    const Tensor whole = i32s({3, 1}, {3, 4, -11});
    expect_ints(run_op("EmbeddingBagPacked", 15, attrs, {whole, i64s({2, 2}, {0, 1, 1, 2})})[0],
                {3, -3});
    expect_ints(run_op("EmbeddingBagPacked", 15, attrs, {whole, i64s({2, 0}, {})})[0], {0, 0});
    EXPECT_THAT(refusal("EmbeddingBagPacked", 15, attrs,
                        {open("[5,2]"), open("[3,2]", element::i64), open("[3,2]")}),
                HasSubstr("reduction is mean, which takes no weights"));
    EXPECT_EQ(
        shapes_of("EmbeddingBagPacked", 15, attrs, {open("[9,5,3]"), open("[?,4]", element::i64)}),
        "[?,5,3]");
}

}  // namespace
}  // namespace fuseq::test
