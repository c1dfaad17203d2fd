// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <numbers>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

constexpr auto kPi = static_cast<float>(std::numbers::pi);

In threshold(float value) {
    return constant<float>({}, {value});
}

// Boxes of one image and one class, best first; which of them are kept.
std::vector<std::int64_t> kept(const std::vector<float>& boxes,
                               float iou,
                               const std::string& attributes = "") {
    const std::size_t count = boxes.size() / 5;
    std::vector<float> scores(count);
    for (std::size_t i = 0; i < count; ++i) {
        scores[i] = 1 - 0.1F * static_cast<float>(i);
    }
    const auto out = run_op("NMSRotated", 13, attributes,
                            {in_f32({1, count, 5}, boxes), in_f32({1, 1, count}, scores),
                             int_scalar(10), threshold(iou), threshold(0)});
    const std::vector<std::int64_t> rows = to_ints(out[0]);
    std::vector<std::int64_t> places;
    for (std::size_t i = 2; i < rows.size(); i += 3) {
        places.push_back(rows[i]);
    }
    EXPECT_EQ(to_ints(out[2]).at(0), static_cast<std::int64_t>(places.size()));
    return places;
}
using Places = std::vector<std::int64_t>;

TEST(NmsRotated, OverlapsUprightBoxes) {
    // 4 x 4 and the same 2 to the right: 8 of 24.
    const std::vector<float> boxes = {2, 2, 4, 4, 0, 4, 2, 4, 4, 0};
    EXPECT_EQ(kept(boxes, 0.33F), (Places{0}));
    EXPECT_EQ(kept(boxes, 0.34F), (Places{0, 1}));
    // Side by side: a common line has no area.
    EXPECT_EQ(kept({2, 2, 4, 4, 0, 6, 2, 4, 4, 0}, 0), (Places{0, 1}));
    EXPECT_EQ(kept({2, 2, 4, 4, 0, 60, 2, 4, 4, 0}, 0), (Places{0, 1}));
    // The same box, and one inside of it: 4 of 16.
    EXPECT_EQ(kept({2, 2, 4, 4, 0, 2, 2, 4, 4, 0}, 0.99F), (Places{0}));
    EXPECT_EQ(kept({2, 2, 4, 4, 0, 2, 2, 2, 2, 0}, 0.24F), (Places{0}));
    EXPECT_EQ(kept({2, 2, 4, 4, 0, 2, 2, 2, 2, 0}, 0.26F), (Places{0, 1}));
}

TEST(NmsRotated, OverlapsTurnedBoxes) {
    // 4 x 2 and the same upright: a square of 2 x 2, 4 of 12.
    const std::vector<float> cross = {5, 5, 4, 2, 0, 5, 5, 4, 2, kPi / 2};
    EXPECT_EQ(kept(cross, 0.33F), (Places{0}));
    EXPECT_EQ(kept(cross, 0.34F), (Places{0, 1}));
    // A square on a corner over the same square: an octagon of 8 (sqrt(2) - 1), of the union the
    // 0.7071st part.
    const std::vector<float> star = {5, 5, 2, 2, 0, 5, 5, 2, 2, kPi / 4};
    EXPECT_EQ(kept(star, 0.7070F), (Places{0}));
    EXPECT_EQ(kept(star, 0.7072F), (Places{0, 1}));
    // A square on a corner that reaches from x = 1 to 5: its part beyond x = 4 has the area 1, of
    // 8 + 4 - 1.
    const float side = 2 * std::numbers::sqrt2_v<float>;
    const std::vector<float> corner = {3, 5, side, side, kPi / 4, 5, 5, 2, 2, 0};
    EXPECT_EQ(kept(corner, 0.0908F), (Places{0}));
    EXPECT_EQ(kept(corner, 0.0910F), (Places{0, 1}));
}

TEST(NmsRotated, TurnsClockwiseOrNot) {
    // A bar along (1, 1), which points down to the right, and a box at (3, 3). Turned the other way
    // the bar is far from it.
    const std::vector<float> boxes = {0, 0, 10, 2, kPi / 4, 3, 3, 2, 2, kPi / 4};
    EXPECT_EQ(kept(boxes, 0.1F), (Places{0}));
    EXPECT_EQ(kept(boxes, 0.1F, "clockwise=true"), (Places{0}));
    EXPECT_EQ(kept(boxes, 0.1F, "clockwise=false"), (Places{0, 1}));
    EXPECT_EQ(kept({0, 0, 10, 2, -kPi / 4, 3, 3, 2, 2, 0}, 0.1F, "clockwise=false"), (Places{0}));
}

TEST(NmsRotated, KeepsWhatHasNoArea) {
    EXPECT_EQ(kept({2, 2, 4, 4, 0, 2, 2, 0, 4, 0, 2, 2, 4, -4, 0}, 0), (Places{0, 1, 2}));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinite = std::numeric_limits<float>::infinity();
    EXPECT_EQ(kept({2, 2, 4, 4, 0, nan, 2, 4, 4, 0, 2, 2, infinite, 4, 1}, 0.5F),
              (Places{0, 1, 2}));
}

// Two images with two classes; no box covers another.
const In kApart = in_f32({2, 2, 5}, {0, 0, 1, 1, 0, 9, 9, 1, 1, 0,  //
                                     0, 0, 1, 1, 0, 9, 9, 1, 1, 0});
const In kScores = in_f32({2, 2, 2},
                          {0.5F, 0.9F, 0.2F, 0.3F,  //
                           0.8F, 0.1F, 0.25F, 0.7F});

TEST(NmsRotated, SortsAcrossTheBatchOrNot) {
    const auto sorted = run_op("NMSRotated", 13, "",
                               {kApart, kScores, int_scalar(1), threshold(0.5F), threshold(0.25F)});
    expect_tensor<std::int64_t>(sorted[0], {4, 3}, {0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1});
    expect_tensor<float>(sorted[1], {4, 3}, {0, 0, 0.9F, 1, 0, 0.8F, 1, 1, 0.7F, 0, 1, 0.3F});
    expect_tensor<std::int64_t>(sorted[2], {1}, {4});
    // One element in place of a scalar. The threshold itself is not enough.
    const In one = constant<float>({1}, {0.25F});
    const auto by_class = run_op("NMSRotated", 13, "sort_result_descending=false; output_type=i32",
                                 {kApart, kScores, constant<std::int32_t>({1}, {2}), one, one});
    expect_tensor<std::int32_t>(by_class[0], {5, 3}, {0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1});
    expect_tensor<float>(by_class[1], {5, 3},
                         {0, 0, 0.9F, 0, 0, 0.5F, 0, 1, 0.3F, 1, 0, 0.8F, 1, 1, 0.7F});
    expect_tensor<std::int32_t>(by_class[2], {1}, {5});
}

TEST(NmsRotated, Infers) {
    const auto shapes = [](const std::string& boxes, const std::string& scores, const In& most,
                           std::size_t port) {
        return shape_of("NMSRotated", 13, "",
                        {open(ElementType::f32, boxes), open(ElementType::f32, scores), most,
                         threshold(0), threshold(0)},
                        port);
    };
    // min(100, 10) * 3 * 5
    EXPECT_EQ(shapes("[3,100,5]", "[3,5,100]", int_scalar(10), 0), "[0..150,3]");
    EXPECT_EQ(shapes("[3,100,5]", "[3,5,100]", int_scalar(10), 1), "[0..150,3]");
    EXPECT_EQ(shapes("[3,100,5]", "[3,5,100]", int_scalar(10), 2), "[1]");
    EXPECT_EQ(shapes("[?,100,5]", "[3,5,?]", int_scalar(1000), 0), "[0..1500,3]");
    EXPECT_EQ(shapes("...", "...", open(ElementType::i64, "..."), 0), "[?,3]");
}

TEST(NmsRotated, Refuses) {
    const auto refused = [](const std::string& attributes, const In& boxes, const In& most) {
        return error_of(
            "NMSRotated", 13, attributes,
            {boxes, open(ElementType::f32, "[1,1,2]"), most, threshold(0), threshold(0)});
    };
    const In boxes = open(ElementType::f32, "[1,2,5]");
    EXPECT_THAT(
        refused("", open(ElementType::f32, "[1,2,4]"), int_scalar(1)),
        HasSubstr("boxes have shape [1,2,4], scores [1,1,2], expected [N,B,5] and [N,C,B]"));
    EXPECT_THAT(refused("", open(ElementType::f32, "[1,3,5]"), int_scalar(1)),
                HasSubstr("boxes have shape [1,3,5], scores [1,1,2]"));
    EXPECT_THAT(refused("", open(ElementType::i32, "[1,2,5]"), int_scalar(1)),
                HasSubstr("boxes are i32, expected a real type"));
    EXPECT_THAT(refused("", boxes, int_scalar(-1)),
                HasSubstr("max_output_boxes_per_class is -1, expected 0 or more"));
    EXPECT_THAT(refused("", boxes, threshold(1)),
                HasSubstr("max_output_boxes_per_class is f32, expected an integer type"));
    EXPECT_THAT(refused("output_type=f32", boxes, int_scalar(1)),
                HasSubstr("output_type is f32, expected i32 or i64"));
}

}  // namespace
}  // namespace fuseq::test
