// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// One row of cells, two anchors in each. The last one ends up without an area.
const In kAnchors = in_f32({1, 2, 2, 4},
                           {0, 0, 10, 10, 0, 0, 20, 20,  //
                            10, 0, 20, 10, 50, 50, 60, 60});
// [A, H, W]: anchor 0 of both cells, then anchor 1.
const In kScores = in_f32({1, 2, 1, 2}, {0.9F, 0.8F, 0.7F, 0.95F});
const In kImage = in_f32({1, 3}, {40, 40, 1});

In no_deltas(std::size_t images = 1) {
    return in_f32({images, 8, 1, 2}, std::vector<float>(images * 16));
}

std::vector<Tensor> propose(const std::string& attributes, const std::vector<In>& inputs) {
    return run_op("GenerateProposals", 9, attributes, inputs);
}

std::string limits(const std::string& pre, const std::string& post, const std::string& nms) {
    return "min_size=1; nms_threshold=" + nms + "; pre_nms_count=" + pre +
           "; post_nms_count=" + post;
}

TEST(GenerateProposals, DropsWhatOverlapsOrIsSmall) {
    // The large box and the first one: 100 of 400.
    auto out = propose(limits("10", "10", "0.3"), {kImage, kAnchors, no_deltas(), kScores});
    expect_tensor<float>(out[0], {3, 4}, {0, 0, 10, 10, 10, 0, 20, 10, 0, 0, 20, 20});
    expect_tensor<float>(out[1], {3}, {0.9F, 0.8F, 0.7F});
    expect_tensor<std::int64_t>(out[2], {1}, {3});
    out = propose(limits("10", "10", "0.2"), {kImage, kAnchors, no_deltas(), kScores});
    expect_tensor<float>(out[1], {2}, {0.9F, 0.8F});
    // What is small is one of the pre_nms_count best all the same.
    out = propose(limits("2", "10", "0.3"), {kImage, kAnchors, no_deltas(), kScores});
    expect_tensor<float>(out[1], {1}, {0.9F});
    out = propose(limits("10", "2", "0.3"), {kImage, kAnchors, no_deltas(), kScores});
    expect_tensor<float>(out[1], {2}, {0.9F, 0.8F});
    out = propose(limits("10", "0", "0.3"), {kImage, kAnchors, no_deltas(), kScores});
    expect_tensor<float>(out[0], {0, 4}, {});
    expect_tensor<std::int64_t>(out[2], {1}, {0});
}

TEST(GenerateProposals, CountsBothEndsOfASide) {
    // 11 * 11 of 21 * 21 is 0.274; what is cut to the last pixel is one pixel large.
    auto out = propose(limits("10", "10", "0.26") + "; normalized=false; roi_num_type=i32",
                       {kImage, kAnchors, no_deltas(), kScores});
    expect_tensor<float>(out[0], {3, 4}, {39, 39, 39, 39, 0, 0, 10, 10, 10, 0, 20, 10});
    expect_tensor<std::int32_t>(out[2], {1}, {3});
    out = propose(limits("10", "10", "0.28") + "; normalized=false",
                  {kImage, kAnchors, no_deltas(), kScores});
    expect_tensor<float>(out[1], {4}, {0.95F, 0.9F, 0.8F, 0.7F});
}

TEST(GenerateProposals, MovesAnchors) {
    const In anchor = in_f32({1, 1, 1, 4}, {10, 10, 20, 30});
    const In score = in_f32({1, 1, 1, 1}, {1});
    const auto moved = [&](float dx, float dy, float dw, float dh) {
        return to_floats(
            propose(limits("1", "1", "1"), {in_f32({1, 3}, {100, 200, 1}), anchor,
                                            in_f32({1, 4, 1, 1}, {dx, dy, dw, dh}), score})[0]);
    };
    // By half its width and a quarter of its height.
    EXPECT_EQ(moved(0.5F, 0.25F, 0, 0), (std::vector<float>{15, 15, 25, 35}));
    // Twice as wide, around its centre (15, 20).
    EXPECT_EQ(moved(0, 0, std::log(2.0F), 0), (std::vector<float>{5, 10, 25, 30}));
    // No more than 1000 / 16 times as wide and as high; cut to the image of 200 by 100.
    EXPECT_EQ(moved(0, 0, 50, 50), (std::vector<float>{0, 0, 200, 100}));
    EXPECT_EQ(moved(-2, -1, std::log(3.0F), 0), (std::vector<float>{0, 0, 10, 10}));
}

TEST(GenerateProposals, ScalesTheSmallestSize) {
    const In anchors = in_f32({1, 1, 2, 4}, {0, 0, 11, 4, 20, 20, 33, 23});
    const In scores = in_f32({1, 2, 1, 1}, {0.9F, 0.8F});
    const In deltas = in_f32({1, 8, 1, 1}, std::vector<float>(8));
    const auto kept = [&](const std::vector<float>& image) {
        return to_floats(propose("min_size=3; nms_threshold=1; pre_nms_count=9; post_nms_count=9",
                                 {in_f32({1, image.size()}, image), anchors, deltas, scores})[1]);
    };
    EXPECT_EQ(kept({100, 100, 1}), (std::vector<float>{0.9F, 0.8F}));
    EXPECT_EQ(kept({100, 100, 1.2F}), (std::vector<float>{0.9F}));  // 3.6 high
    EXPECT_EQ(kept({100, 100, 1, 4}), (std::vector<float>{0.8F}));  // 12 wide
    EXPECT_EQ(kept({100, 100, 1.1F, 4}), std::vector<float>());
}

TEST(GenerateProposals, LowersTheThreshold) {
    // The second covers half of the first, the third is apart.
    const In anchors = in_f32({1, 1, 3, 4}, {0, 0, 10, 20, 0, 0, 10, 10, 30, 30, 40, 40});
    const In scores = in_f32({1, 3, 1, 1}, {0.9F, 0.8F, 0.7F});
    const In deltas = in_f32({1, 12, 1, 1}, std::vector<float>(12));
    const auto kept = [&](const std::string& threshold, const std::string& eta) {
        return to_floats(propose(limits("9", "9", threshold) + "; nms_eta=" + eta,
                                 {kImage, anchors, deltas, scores})[1]);
    };
    EXPECT_EQ(kept("0.6", "1"), (std::vector<float>{0.9F, 0.8F, 0.7F}));
    EXPECT_EQ(kept("0.6", "0.8"), (std::vector<float>{0.9F, 0.7F}));  // 0.48
    EXPECT_EQ(kept("0.5", "0.8"), (std::vector<float>{0.9F, 0.8F, 0.7F}));
}

TEST(GenerateProposals, ListsImagesOneAfterTheOther) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const In scores = in_f32({3, 2, 1, 2}, {0.9F, 0.8F, 0.7F, 0.95F,  //
                                            nan, nan, nan, nan,       //
                                            0.1F, nan, 0.3F, 0.2F});
    const auto out = propose(
        limits("10", "10", "0.3"),
        {in_f32({3, 3}, {40, 40, 1, 40, 40, 1, 40, 40, 1}), kAnchors, no_deltas(3), scores});
    expect_tensor<float>(out[1], {5}, {0.9F, 0.8F, 0.7F, 0.3F, 0.1F});
    expect_tensor<std::int64_t>(out[2], {3}, {3, 0, 2});
}

TEST(GenerateProposals, Infers) {
    const auto shape = [](const std::vector<std::string>& shapes, std::size_t port) {
        std::vector<In> inputs;
        for (const std::string& text : shapes) {
            inputs.push_back(open(ElementType::f32, text));
        }
        return shape_of("GenerateProposals", 9, limits("1000", "900", "0.7"), inputs, port);
    };
    const std::vector<std::string> known = {"[8,3]", "[50,84,3,4]", "[8,12,50,84]", "[8,3,50,84]"};
    EXPECT_EQ(shape(known, 0), "[0..7200,4]");
    EXPECT_EQ(shape(known, 1), "[0..7200]");
    EXPECT_EQ(shape(known, 2), "[8]");
    EXPECT_EQ(shape({"[?,4]", "[2,2,3,4]", "[?,12,?,?]", "[2,?,2,2]"}, 0), "[0..24,4]");
    EXPECT_EQ(shape({"...", "...", "...", "..."}, 0), "[?,4]");
    EXPECT_EQ(shape({"...", "...", "...", "..."}, 2), "[?]");
}

TEST(GenerateProposals, Refuses) {
    const auto refused = [](const std::string& attributes, const std::vector<std::string>& shapes) {
        std::vector<In> inputs;
        for (const std::string& text : shapes) {
            inputs.push_back(open(ElementType::f32, text));
        }
        return error_of("GenerateProposals", 9, attributes, inputs);
    };
    const std::vector<std::string> good = {"[1,3]", "[5,4,3,4]", "[1,12,5,4]", "[1,3,5,4]"};
    EXPECT_THAT(refused(limits("-1", "1", "1"), good), HasSubstr("pre_nms_count is -1"));
    EXPECT_THAT(refused(limits("1", "-1", "1"), good), HasSubstr("post_nms_count is -1"));
    EXPECT_THAT(refused(limits("1", "1", "-1"), good),
                HasSubstr("nms_threshold is -1, expected 0 or more"));
    EXPECT_THAT(refused("min_size=-1; nms_threshold=1; pre_nms_count=1; post_nms_count=1", good),
                HasSubstr("min_size is -1, expected 0 or more"));
    EXPECT_THAT(refused(limits("1", "1", "1") + "; nms_eta=1.5", good),
                HasSubstr("nms_eta is 1.5, expected a value in [0, 1]"));
    EXPECT_THAT(refused(limits("1", "1", "1") + "; roi_num_type=f32", good),
                HasSubstr("roi_num_type is f32, expected i32 or i64"));
    const std::string end = "expected [N,3] or [N,4], [H,W,A,4], [N,A*4,H,W] and [N,A,H,W]";
    for (const auto& [port, shape] :
         std::vector<std::pair<std::size_t, std::string>>{{0, "[1,2]"},
                                                          {0, "[2,3]"},
                                                          {1, "[5,4,3,5]"},
                                                          {1, "[5,4,2,4]"},
                                                          {1, "[4,5,3,4]"},
                                                          {2, "[1,11,5,4]"},
                                                          {2, "[1,12,5]"},
                                                          {3, "[1,3,5,5]"}}) {
        auto shapes = good;
        shapes[port] = shape;
        EXPECT_THAT(refused(limits("1", "1", "1"), shapes), HasSubstr(end)) << shape;
    }
}

}  // namespace
}  // namespace fuseq::test
