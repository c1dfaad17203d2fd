// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/prior_box.hpp"

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// First row of the output, without variances.
std::vector<float> boxes_of(const std::vector<Tensor>& outputs) {
    const std::vector<float> all = to_floats(outputs.at(0));
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2)};
}

PriorBox8Attrs ssd() {
    PriorBox8Attrs attrs;
    attrs.min_size = {16};
    attrs.max_size = {64};
    attrs.aspect_ratio = {4, 4};
    attrs.flip = true;
    attrs.step = 16;
    attrs.offset = 0.5F;
    attrs.variance = {0.1F, 0.2F, 0.3F, 0.4F};
    return attrs;
}

// Around (8, 8) in an image of 64 x 32: 16 x 16, 32 x 32, 32 x 8, 8 x 32.
const std::vector<float> kFirst{0, 0, 0.25F, 0.5F};
const std::vector<float> kBetween{-0.125F, -0.25F, 0.375F, 0.75F};
const std::vector<float> kStretched{-0.125F, 0.125F, 0.375F,  0.375F,
                                    0.0625F, -0.25F, 0.1875F, 0.75F};

std::vector<float> operator+(std::vector<float> a, const std::vector<float>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

TEST(PriorBox, OrdersSizesAndRatios) {
    const std::vector<Tensor> inputs{i64s({2}, {1, 1}), i64s({2}, {32, 64})};
    PriorBox8Attrs attrs = ssd();
    EXPECT_EQ(boxes_of(run_op("PriorBox", 8, attrs, inputs)), kFirst + kBetween + kStretched);
    attrs.min_max_aspect_ratios_order = false;
    EXPECT_EQ(boxes_of(run_op("PriorBox", 8, attrs, inputs)), kFirst + kStretched + kBetween);
}

TEST(PriorBox, WalksTheGridAndWritesVariances) {
    PriorBoxAttrs attrs;
    attrs.min_size = {16};
    attrs.step = 0;        // 32 x 16 cells
    attrs.offset = 0.25F;  // not used then
    attrs.clip = true;
    const auto out = run_op("PriorBox", 1, attrs, {i32s({2}, {2, 2}), i32s({2}, {32, 64})}, {0, 1});
    EXPECT_EQ(out[0].get_shape(), (Shape{2, 16}));
    expect_values(out[0],
                  {0.125F, 0,      0.375F, 0.5F,   0.625F, 0,    0.875F, 0.5F, 0.125F, 0.5F, 0.375F,
                   1,      0.625F, 0.5F,   0.875F, 1,      0.1F, 0.1F,   0.1F, 0.1F,   0.1F, 0.1F,
                   0.1F,   0.1F,   0.1F,   0.1F,   0.1F,   0.1F, 0.1F,   0.1F, 0.1F,   0.1F});
    PriorBoxAttrs four = ssd();
    four.aspect_ratio.clear();
    four.max_size.clear();
    const auto one = run_op("PriorBox", 1, four, {i32s({2}, {1, 1}), i32s({2}, {32, 64})});
    expect_values(one[0], {0, 0, 0.25F, 0.5F, 0.1F, 0.2F, 0.3F, 0.4F});
}

TEST(PriorBox, SpreadsFixedSizesByDensity) {
    PriorBoxAttrs attrs;
    attrs.fixed_size = {8};
    attrs.density = {2};
    attrs.step = 16;
    attrs.offset = 0.5F;
    const std::vector<Tensor> inputs{i64s({2}, {1, 1}), i64s({2}, {16, 16})};
    // Centres 6 and 10, half a side 4.
    EXPECT_EQ(boxes_of(run_op("PriorBox", 1, attrs, inputs)),
              (std::vector<float>{0.125F, 0.125F, 0.625F, 0.625F, 0.375F, 0.125F, 0.875F, 0.625F,
                                  0.125F, 0.375F, 0.625F, 0.875F, 0.375F, 0.375F, 0.875F, 0.875F}));
    attrs.fixed_ratio = {4};  // 16 x 4, cut at the border
    EXPECT_EQ(boxes_of(run_op("PriorBox", 1, attrs, inputs)),
              (std::vector<float>{0, 0.25F, 0.875F, 0.5F, 0.125F, 0.25F, 1, 0.5F, 0, 0.5F, 0.875F,
                                  0.75F, 0.125F, 0.5F, 1, 0.75F}));
}

TEST(PriorBox, ScalesByTheHeightOfThePicture) {
    PriorBoxAttrs attrs;
    attrs.min_size = {0.5F, 0.25F};
    attrs.aspect_ratio = {4};
    attrs.scale_all_sizes = false;
    attrs.step = -1;
    attrs.offset = 0.5F;
    const auto boxes =
        boxes_of(run_op("PriorBox", 1, attrs, {i64s({2}, {2, 2}), i64s({2}, {8, 8})}));
    ASSERT_EQ(boxes.size(), 48u);
    EXPECT_EQ(std::vector<float>(boxes.begin(), boxes.begin() + 12),
              (std::vector<float>{0, 0, 0.5F, 0.5F, 0.125F, 0.125F, 0.375F, 0.375F, -0.25F, 0.125F,
                                  0.75F, 0.375F}));
}

TEST(PriorBox, InfersOpenGrids) {
    EXPECT_EQ(
        shapes_of("PriorBox", 8, ssd(), {open("[2]", element::i64), open("[2]", element::i64)}),
        "[2,?]");
    EXPECT_EQ(shapes_of("PriorBox", 8, ssd(), {i64s({2}, {3, 5}), open("[2]", element::i64)}),
              "[2,240]");
}

TEST(PriorBox, RefusesBadAttributes) {
    const std::vector<Input> inputs{open("[2]", element::i64), open("[2]", element::i64)};
    const auto why = [&](auto change) {
        PriorBox8Attrs attrs = ssd();
        change(attrs);
        return refusal("PriorBox", 8, attrs, inputs);
    };
    EXPECT_THAT(why([](auto& a) { a.min_size = {-1}; }), HasSubstr("min_size has the value -1"));
    EXPECT_THAT(why([](auto& a) { a.min_size.clear(); }), HasSubstr("neither min_size"));
    EXPECT_THAT(why([](auto& a) { a.variance = {1, 2}; }), HasSubstr("variance has 2 values"));
    EXPECT_THAT(why([](auto& a) { a.density = {0}; }), HasSubstr("density has the value 0"));
    EXPECT_THAT(why([](auto& a) { a.aspect_ratio = {0}; }),
                HasSubstr("aspect_ratio has the value 0"));
    EXPECT_THAT(why([](auto& a) { a.scale_all_sizes = false; }), HasSubstr("scale_all_sizes"));
    EXPECT_THAT(refusal("PriorBox", 8, ssd(), {open("[3]", element::i64), inputs[1]}),
                HasSubstr("output_size has shape [3], expected [2]"));
    EXPECT_THAT(error_of([&] {
                    run_op("PriorBox", 8, ssd(), {i64s({2}, {1, 1}), i64s({2}, {0, 64})});
                }),
                HasSubstr("image_size has the value 0"));
}

}  // namespace
}  // namespace fuseq::test
