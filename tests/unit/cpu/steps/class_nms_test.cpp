// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

std::string text_of(const Shape& boxes, const Shape& scores, const std::string& operation) {
    const std::string three = "\n%r = Result(%n:0)\n%s = Result(%n:1)\n%t = Result(%n:2)";
    return "model \"m\"\n%b = Parameter : f32" + to_string(boxes) + "\n%c = Parameter : f32" +
           to_string(scores) + "\n%n = " + operation + three;
}

// Boxes on a grid, some inside out; scores of few different values, which may be the threshold.
std::vector<Tensor> inputs_of(const Shape& boxes, const Shape& scores, std::mt19937& random) {
    Tensor corners(ElementType::f32, boxes);
    for (std::size_t i = 0; i < corners.get_size(); ++i) {
        corners.data<float>()[i] = static_cast<float>(random() % 24) / 8.0f;
    }
    Tensor values(ElementType::f32, scores);
    for (std::size_t i = 0; i < values.get_size(); ++i) {
        values.data<float>()[i] = static_cast<float>(random() % 32) / 32.0f;
    }
    return {corners, values};
}

TEST(ClassNmsKernel, GivesTheBytesOfTheReference) {
    const unsigned first = std::random_device()();
    for (unsigned seed = first; seed != first + 80; ++seed) {
        std::mt19937 random(seed);
        const std::size_t images = 1 + random() % 2;
        const std::size_t classes = 1 + random() % 5;
        const std::size_t count = 1 + random() % (random() % 4 == 0 ? 1500 : 100);
        const auto pick = [&](std::initializer_list<const char*> words) {
            return std::string(words.begin()[random() % words.size()]);
        };
        const bool matrix = random() % 2 == 0;
        std::string attributes = " sort_result_type=" + pick({"classid", "score", "none"}) +
                                 " sort_result_across_batch=" + pick({"true", "false"}) +
                                 " score_threshold=" + pick({"0", "0.25", "0.5", "-1"}) +
                                 " nms_top_k=" + pick({"-1", "0", "7", "200"}) +
                                 " keep_top_k=" + pick({"-1", "10", "50"}) +
                                 " background_class=" + pick({"-1", "0", "1"}) +
                                 " normalized=" + pick({"true", "false"});
        attributes += matrix ? " decay_function=" + pick({"gaussian", "linear"}) +
                                   " gaussian_sigma=" + pick({"2", "0", "-0.5"}) +
                                   " post_threshold=" + pick({"0", "0.3"})
                             : " iou_threshold=" + pick({"0", "0.3", "0.7"}) +
                                   " nms_eta=" + pick({"1", "0.9", "0"});
        const Shape boxes{images, count, 4};
        const Shape scores{images, classes, count};
        const std::string text =
            text_of(boxes, scores,
                    (matrix ? "MatrixNms.8(%b, %c)"
                            : pick({"MulticlassNms.8", "MulticlassNms.9"}) + "(%b, %c)") +
                        attributes);
        SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
        const std::shared_ptr<const Model> model(Model::from_text(text));
        const std::vector<Tensor> inputs = inputs_of(boxes, scores, random);
        const DeviceRun got = run_on("CPU", model, inputs);
        const DeviceRun want = run_on("REFERENCE", model, inputs);
        EXPECT_EQ(got.step_of("n"),
                  matrix ? "MatrixNms fuseq:matrix_nms" : "MulticlassNms fuseq:multiclass_nms");
        for (std::size_t o = 0; o < want.outputs.size(); ++o) {
            EXPECT_TRUE(same_bytes(got.outputs[o], want.outputs[o])) << "output " << o;
        }
    }
}

// Box 1 overlaps box 0 by 1/3; box 2 is far from them, but its score is below the threshold.
TEST(ClassNmsKernel, ByHand) {
    const Shape boxes{1, 3, 4};
    const Shape scores{1, 1, 3};
    Tensor corners(ElementType::f32, boxes);
    const float sides[] = {0, 0, 2, 2, /**/ 0, 1, 2, 3, /**/ 8, 8, 9, 9};
    std::copy(std::begin(sides), std::end(sides), corners.data<float>());
    Tensor values(ElementType::f32, scores);
    const float numbers[] = {0.5f, 0.75f, 0.25f};
    std::copy(std::begin(numbers), std::end(numbers), values.data<float>());
    const auto kept = [&](const std::string& operation) {
        const std::shared_ptr<const Model> model(
            Model::from_text(text_of(boxes, scores, operation)));
        const DeviceRun run = run_on("CPU", model, {corners, values});
        const auto* rows = run.outputs[0].data<float>();
        std::vector<float> found;
        for (std::size_t i = 0; i < run.outputs[0].get_size(); i += 6) {
            found.push_back(rows[i + 1]);  // the scores
        }
        return found;
    };
    using Found = std::vector<float>;
    EXPECT_EQ(kept("MulticlassNms.8(%b, %c) iou_threshold=0.3 score_threshold=0.5"), Found{0.75f});
    EXPECT_EQ(kept("MulticlassNms.8(%b, %c) iou_threshold=0.4 score_threshold=0.5"),
              (Found{0.75f, 0.5f}));
    EXPECT_EQ(kept("MulticlassNms.8(%b, %c) iou_threshold=0.4"), (Found{0.75f, 0.5f, 0.25f}));
    const Found decayed = kept("MatrixNms.8(%b, %c) decay_function=linear score_threshold=0.3");
    ASSERT_EQ(decayed.size(), 2u);
    EXPECT_FLOAT_EQ(decayed[0], 0.75f);
    EXPECT_FLOAT_EQ(decayed[1], 0.5f * 2 / 3);
}

}  // namespace
}  // namespace fuseq::test
