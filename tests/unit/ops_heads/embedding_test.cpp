// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
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

}  // namespace
}  // namespace fuseq::test
