// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/extract_image_patches.hpp"
#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(Roll, MovesElementsAround) {
    const Tensor in = i32s({2, 3}, {1, 2, 3, 4, 5, 6});
    const auto roll = [&](const Tensor& shift, const Tensor& axes) {
        return to_ints(run_op("Roll", 7, NoAttrs(), {in, shift, axes}, {1, 2})[0]);
    };
    using Ints = std::vector<std::int64_t>;
    EXPECT_EQ(roll(i64s({}, {1}), i64s({1}, {1})), (Ints{3, 1, 2, 6, 4, 5}));
    EXPECT_EQ(roll(i64s({1}, {-4}), i64s({1}, {-1})), (Ints{2, 3, 1, 5, 6, 4}));
    EXPECT_EQ(roll(i64s({2}, {1, 1}), i64s({2}, {0, 1})), (Ints{6, 4, 5, 3, 1, 2}));
    EXPECT_EQ(roll(i64s({2}, {1, 2}), i64s({2}, {1, 1})), (Ints{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(roll(i32s({}, {1}), i32s({2}, {-1, -2})), (Ints{6, 4, 5, 3, 1, 2}));
    EXPECT_EQ(shapes_of("Roll", 7, NoAttrs(), {open("[...]"), i64s({1}, {1}), i32s({}, {5})}),
              "[...]");
    EXPECT_THAT(refusal("Roll", 7, NoAttrs(), {open("[2,3]"), i64s({1}, {1}), i64s({1}, {2})}),
                HasSubstr("axes is 2"));
    EXPECT_THAT(refusal("Roll", 7, NoAttrs(), {open("[2,3]"), i64s({2}, {1, 1}), i64s({1}, {1})}),
                HasSubstr("shift has 2 values, axes 1"));
}

const Tensor kBlock = i64s({4}, {1, 1, 2, 2});
const Tensor kNone = i64s({4}, {0, 0, 0, 0});

TEST(BatchToSpace, InterleavesImages) {
    const Tensor in = floats({4, 1, 1, 2}, {1, 3, 2, 4, 5, 7, 6, 8});
    auto out = run_op("BatchToSpace", 2, NoAttrs(), {in, kBlock, kNone, kNone}, {1, 2, 3});
    EXPECT_EQ(out[0].get_shape(), (Shape{1, 1, 2, 4}));
    expect_values(out[0], {1, 2, 3, 4, 5, 6, 7, 8});
    out = run_op("BatchToSpace", 2, NoAttrs(),
                 {in, kBlock, i64s({4}, {0, 0, 1, 0}), i64s({4}, {0, 0, 0, 1})}, {1, 2, 3});
    expect_values(out[0], {5, 6, 7});
}

TEST(SpaceToBatch, IsTheReverse) {
    const Tensor in = floats({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    auto out = run_op("SpaceToBatch", 2, NoAttrs(), {in, kBlock, kNone, kNone}, {1, 2, 3});
    EXPECT_EQ(out[0].get_shape(), (Shape{4, 1, 1, 2}));
    expect_values(out[0], {1, 3, 2, 4, 5, 7, 6, 8});
    out = run_op("SpaceToBatch", 2, NoAttrs(),
                 {floats({2, 1}, {1, 2}), i64s({2}, {1, 3}), i64s({2}, {0, 2}), i64s({2}, {0, 3})},
                 {1, 2, 3});
    EXPECT_EQ(out[0].get_shape(), (Shape{6, 2}));  // lines 0 0 1 0 0 0 and 0 0 2 0 0 0
    expect_values(out[0], {0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0});
}

TEST(BatchToSpace, InfersAndRefuses) {
    EXPECT_EQ(shapes_of("BatchToSpace", 2, NoAttrs(), {open("[8,?,3,5]"), kBlock, kNone, kNone}),
              "[2,?,6,10]");
    EXPECT_EQ(shapes_of("SpaceToBatch", 2, NoAttrs(),
                        {open("[8,3,6,?]"), kBlock, kNone, open("[4]", element::i64)}),
              "[?,?,?,?]");
    EXPECT_THAT(refusal("BatchToSpace", 2, NoAttrs(), {open("[6,1,3,5]"), kBlock, kNone, kNone}),
                HasSubstr("dimension 0 of [6,1,3,5] does not fit"));
    EXPECT_THAT(refusal("SpaceToBatch", 2, NoAttrs(), {open("[1,1,3,4]"), kBlock, kNone, kNone}),
                HasSubstr("dimension 2 of [1,1,3,4] does not fit"));
    EXPECT_THAT(refusal("SpaceToBatch", 2, NoAttrs(),
                        {open("[1,1,4,4]"), i64s({4}, {1, 1, 0, 2}), kNone, kNone}),
                HasSubstr("block_shape has the value 0"));
    EXPECT_THAT(refusal("SpaceToBatch", 2, NoAttrs(),
                        {open("[1,1,4,4]"), i64s({4}, {2, 1, 2, 2}), kNone, kNone}),
                HasSubstr("the batch has a block"));
}

TEST(ExtractImagePatches, PutsPixelsIntoChannels) {
    ExtractImagePatchesAttrs attrs;
    attrs.sizes = {2, 2};
    attrs.strides = {2, 1};
    attrs.rates = {1, 1};
    const Tensor in = i32s({1, 2, 2, 3}, {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16});
    auto out = run_op("ExtractImagePatches", 3, attrs, {in});
    EXPECT_EQ(out[0].get_shape(), (Shape{1, 8, 1, 2}));
    expect_ints(out[0], {1, 2, 11, 12, 2, 3, 12, 13, 4, 5, 14, 15, 5, 6, 15, 16});
    attrs.auto_pad = AutoPad::kSameUpper;
    out = run_op("ExtractImagePatches", 3, attrs, {i32s({1, 1, 2, 2}, {1, 2, 3, 4})});
    expect_ints(out[0], {1, 2, 2, 0, 3, 4, 4, 0});
    EXPECT_EQ(shapes_of("ExtractImagePatches", 3, attrs, {open("[?,3,10,?]")}), "[?,12,5,?]");
    attrs.rates = {0, 1};
    EXPECT_THAT(refusal("ExtractImagePatches", 3, attrs, {open("[1,3,10,10]")}),
                HasSubstr("rates has the value 0"));
    attrs.rates = {1};
    EXPECT_THAT(refusal("ExtractImagePatches", 3, attrs, {open("[1,3,10,10]")}),
                HasSubstr("rates has 1 values, expected 2"));
}

}  // namespace
}  // namespace fuseq::test
