// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "infer/results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infer/draw.hpp"
#include "infer/scores.hpp"
#include "support/small_model.hpp"

namespace fuseq::samples {
namespace {

using test::message_of;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr NetworkLook kFirst = {false, 10, 20};
constexpr NetworkLook kLast = {true, 10, 20};

Tensor reals(const Shape& shape, const std::vector<float>& values) {
    return Tensor::of<float>(shape, values);
}

TEST(Scores, AreSortedAndNamed) {
    const std::vector<NamedTensor> outputs = {
        {"prob", reals({1, 4, 1, 1}, {0.1F, 0.6F, 0.1F, 0.2F})}};
    EXPECT_EQ(best_classes(outputs, 3, {"a", "b", "c", "d"}),
              "prob:\n"
              "      1  0.6        b\n"
              "      3  0.2        d\n"
              "      0  0.1        a\n");
    EXPECT_EQ(best_classes(outputs, 1, {}), "prob:\n      1  0.6\n");
}

TEST(Scores, PutWhatIsNoNumberLast) {
    const std::vector<NamedTensor> outputs = {{"p", reals({3}, {std::nanf(""), -2, 5})}};
    EXPECT_EQ(best_classes(outputs, 9, {}), "p:\n      2  5\n      1  -2\n      0  nan\n");
}

TEST(Scores, RefuseWhatIsNoListOfClasses) {
    EXPECT_THAT(message_of([] {
                    best_classes({{"map", reals({1, 2, 2, 1}, {1, 2, 3, 4})}}, 1, {});
                }),
                HasSubstr("-top is for outputs with one value a class; there are 'map' [1,2,2,1]"));
    EXPECT_THAT(message_of([] {
                    best_classes({{"p", reals({1, 2}, {1, 2})}}, 1, {"one"});
                }),
                HasSubstr("-labels: the file has 1 names, the outputs are 'p' [1,2]"));
    const TemporaryFolder folder;
    EXPECT_THAT(read_labels(folder.write("l.txt", "cat\r\nbig dog\n\n")),
                ElementsAre("cat", "big dog"));
    EXPECT_THAT(message_of([&] { read_labels(folder.path("none.txt")); }), HasSubstr("none.txt"));
}

TEST(Results, BoxesOfDetectionOutputEndBelowZero) {
    const Tensor tensor = reals({1, 1, 3, 7}, {0,  2, 0.9F, 0.1F, 0.2F, 0.3F, 0.4F,  //
                                               0,  1, 0.3F, 0,    0,    1,    1,     //
                                               -1, 1, 1,    0,    0,    1,    1});
    ASSERT_TRUE(may_be_boxes(tensor));
    const auto boxes = read_boxes(tensor, nullptr, kFirst, 0.5F);
    ASSERT_EQ(boxes.size(), 1);
    EXPECT_EQ(boxes[0].label, 2);
    EXPECT_FLOAT_EQ(boxes[0].left, 0.1F);
    EXPECT_FLOAT_EQ(boxes[0].bottom, 0.4F);
    EXPECT_EQ(read_boxes(tensor, nullptr, kFirst, 0).size(), 2);
}

TEST(Results, LabelsThatAreNoIntegersAreNone) {
    const Tensor tensor = reals({1, 1, 2, 7}, {0, std::nanf(""), 0.9F, 0, 0, 1, 1,  //
                                               0, 1e30F, 0.9F, 0, 0, 1, 1});
    for (const Detection& found : read_boxes(tensor, nullptr, kFirst, 0.5F)) {
        EXPECT_EQ(found.label, -1);
    }
}

TEST(Results, BoxesOfFiveValuesAreInPixelsOfTheNetwork) {
    const Tensor tensor = reals({2, 5}, {2, 1, 10, 5, 0.8F, 0, 0, 1, 1, 0.1F});
    const Tensor labels = Tensor::of<std::int64_t>({2}, {7, 8});
    const auto boxes = read_boxes(tensor, &labels, kFirst, 0.5F);
    ASSERT_EQ(boxes.size(), 1);
    EXPECT_EQ(boxes[0].label, 7);
    EXPECT_FLOAT_EQ(boxes[0].left, 0.1F);
    EXPECT_FLOAT_EQ(boxes[0].top, 0.1F);
    EXPECT_FLOAT_EQ(boxes[0].right, 0.5F);
    EXPECT_FLOAT_EQ(boxes[0].bottom, 0.5F);
}

TEST(Results, MasksAreTheGreatestClass) {
    const std::vector<float> values = {0, 5, 1, 1, 9, 2};  // three classes of two cells
    EXPECT_THAT(read_mask(reals({1, 3, 1, 2}, values), kFirst, 0.5F).classes, ElementsAre(2, 0));
    EXPECT_THAT(read_mask(reals({1, 1, 2, 3}, values), kLast, 0.5F).classes, ElementsAre(1, 1));
    EXPECT_THAT(read_mask(reals({1, 1, 1, 3}, {0.4F, 0.5F, 1}), kFirst, 0.5F).classes,
                ElementsAre(0, 1, 1));
    const Tensor integers = Tensor::of<std::int32_t>({1, 1, 3}, {4, 0, 15});
    ASSERT_TRUE(may_be_mask(integers));
    EXPECT_THAT(read_mask(integers, kFirst, 0.5F).classes, ElementsAre(4, 0, 15));
}

TEST(Results, PointsAreFractionsOrPeaks) {
    const auto pairs = read_points(reals({1, 4}, {0.1F, 0.2F, 0.3F, 0.4F}), kFirst, 0.5F);
    ASSERT_EQ(pairs.size(), 2);
    EXPECT_FLOAT_EQ(pairs[1].x, 0.3F);
    EXPECT_FLOAT_EQ(pairs[1].y, 0.4F);
    const auto sure = read_points(reals({1, 2, 3}, {0, 0, 0.1F, 0.5F, 0.6F, 0.9F}), kFirst, 0.5F);
    ASSERT_EQ(sure.size(), 1);
    EXPECT_EQ(sure[0].index, 1);
    EXPECT_FLOAT_EQ(sure[0].y, 0.6F);
    // The peak of a 2 x 4 map is its cell (1, 2); the second map has none.
    const auto peaks = read_points(
        reals({1, 2, 2, 4}, {0, 0, 0, 0, 0, 0, 0.7F, 0, 0, 0, 0, 0, 0, 0, 0.1F, 0}), kFirst, 0.5F);
    ASSERT_EQ(peaks.size(), 1);
    EXPECT_FLOAT_EQ(peaks[0].x, 2.5F / 4);
    EXPECT_FLOAT_EQ(peaks[0].y, 1.5F / 2);
}

TEST(Results, PicturesAreScaledToBytes) {
    const Picture unit =
        read_result_picture(reals({1, 3, 1, 1}, {0, 0.5F, 1.2F}), kFirst, 0, false);
    EXPECT_EQ(unit.at(0, 0), (Color{0, 128, 255}));
    const Picture bytes = read_result_picture(reals({1, 3, 1, 1}, {-4, 100, 300}), kFirst, 0, true);
    EXPECT_EQ(bytes.at(0, 0), (Color{255, 100, 0}));
    const Picture grey = read_result_picture(reals({1, 1, 1, 1}, {2}), kFirst, 4, false);
    EXPECT_EQ(grey.at(0, 0), (Color{128, 128, 128}));
}

DrawOptions asked(const std::string& what, const std::string& output = "") {
    DrawOptions options;
    options.what = what;
    options.output = output;
    return options;
}

TEST(Draw, ChoosesByShapeWhereThatIsClear) {
    const NamedTensor boxes = {"found", reals({1, 1, 1, 7}, {0, 1, 0.9F, 0, 0, 1, 1})};
    const NamedTensor scores = {"scores", reals({1, 5}, {1, 2, 3, 4, 5})};
    EXPECT_EQ(draw_result({boxes}, Picture(8, 8), kFirst, asked("auto")).said,
              "1 boxes of 'found'");
    const NamedTensor large = {"large", Tensor(ElementType::f32, {1, 3, 20, 40})};
    const Drawn image = draw_result({large}, Picture(10, 20), kFirst, asked("auto"));
    EXPECT_EQ(image.picture.width, 40);
    const NamedTensor classes = {"classes", Tensor::of<std::int64_t>({1, 1, 2}, {0, 1})};
    EXPECT_EQ(draw_result({classes}, Picture(8, 8), kFirst, asked("auto")).said,
              "mask of 'classes'");
}

TEST(Draw, PutsPointsOfAnyNumbersIntoThePicture) {
    const NamedTensor points = {"p", reals({1, 4}, {std::nanf(""), -1e30F, 7, 1e30F})};
    const Drawn drawn = draw_result({points}, Picture(9, 9), kFirst, asked("keypoints"));
    EXPECT_NE(drawn.picture.at(0, 0), Color{});
    EXPECT_NE(drawn.picture.at(8, 8), Color{});
    EXPECT_EQ(drawn.picture.at(4, 4), Color{});
}

TEST(Draw, RefusesWhatIsNotClear) {
    const NamedTensor a = {"a", Tensor(ElementType::f32, {1, 4, 2, 2})};
    const NamedTensor b = {"b", Tensor(ElementType::f32, {1, 4, 2, 2})};
    const auto refusal = [](const std::vector<NamedTensor>& outputs, const DrawOptions& options) {
        return message_of([&] { draw_result(outputs, Picture(4, 4), kFirst, options); });
    };
    EXPECT_THAT(refusal({a}, asked("auto")),
                HasSubstr("say what is meant (boxes, mask, keypoints, image); outputs are 'a' "
                          "f32[1,4,2,2] (mask or keypoints)"));
    EXPECT_THAT(refusal({a, b}, asked("mask")), HasSubstr("say with -draw_output which one of"));
    EXPECT_THAT(refusal({a}, asked("boxes")), HasSubstr("no output is that"));
    EXPECT_THAT(refusal({a}, asked("mask", "c")), HasSubstr("there is no output 'c' among 'a'"));
    EXPECT_EQ(draw_result({a, b}, Picture(4, 4), kFirst, asked("mask", "b")).said, "mask of 'b'");
}

}  // namespace
}  // namespace fuseq::samples
