// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/own_kernels.hpp"

#include <array>

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

std::string number(double value) {
    return std::to_string(value);
}

std::string text_of(std::size_t images,
                    std::size_t classes,
                    std::size_t boxes,
                    std::size_t most,
                    const std::array<double, 3>& limits,  // overlap, score, sigma
                    const std::string& operation) {
    const auto n = [](std::size_t v) { return std::to_string(v); };
    const bool soft = operation.find("Suppression.5") != std::string::npos ||
                      operation.find("Suppression.9") != std::string::npos;
    const std::string type = operation.substr(0, operation.find(' '));
    const std::string attributes = operation.substr(operation.find(' ') + 1);
    std::string text = "model \"m\"\n%b = Parameter : f32[" + n(images) + "," + n(boxes) +
                       ",4]\n%s = Parameter : f32[" + n(images) + "," + n(classes) + "," +
                       n(boxes) + "]\n%m = Const value={" + n(most) +
                       "} : i64[]\n%i = Const value={" + number(limits[0]) +
                       "} : f32[]\n%t = Const value={" + number(limits[1]) + "} : f32[]\n";
    if (soft) {
        text += "%g = Const value={" + number(limits[2]) + "} : f32[]\n";
    }
    text += "%n = " + type + "(%b, %s, %m, %i, %t" + (soft ? ", %g) " : ") ") + attributes +
            "\n%r = Result(%n" + (soft ? ":0)\n%u = Result(%n:1)\n%v = Result(%n:2)" : ")");
    return text;
}

// Boxes on a grid, some inside out; scores of few different values, some of them the threshold.
std::vector<Tensor> inputs_of(std::size_t images,
                              std::size_t classes,
                              std::size_t boxes,
                              std::mt19937& random) {
    Tensor corners(ElementType::f32, {images, boxes, 4});
    for (std::size_t i = 0; i < corners.get_size(); ++i) {
        corners.data<float>()[i] = static_cast<float>(random() % 24) / 8.0f;
    }
    Tensor scores(ElementType::f32, {images, classes, boxes});
    const bool ties = random() % 2 == 0;
    for (std::size_t i = 0; i < scores.get_size(); ++i) {
        scores.data<float>()[i] = ties ? static_cast<float>(random() % 40) / 40.0f
                                       : static_cast<float>(random() % 100000) / 1e5f;
    }
    return {corners, scores};
}

TEST(NonMaxSuppressionKernel, GivesTheBytesOfTheReference) {
    const unsigned first = std::random_device()();
    for (unsigned seed = first; seed != first + 40; ++seed) {
        std::mt19937 random(seed);
        const std::size_t images = 1 + random() % 2;
        const std::size_t classes = 1 + random() % 5;
        const std::size_t boxes = 1 + random() % (random() % 3 == 0 ? 1200 : 120);
        const std::size_t most = random() % 4 == 0 ? 5000 : random() % 30;
        const std::array<double, 3> limits{static_cast<double>(random() % 10) / 10,
                                           static_cast<double>(random() % 10) / 10 - 0.1,
                                           random() % 2 == 0 ? 0.0 : 0.4};
        const char* const types[] = {"NonMaxSuppression.1", "NonMaxSuppression.4",
                                     "NonMaxSuppression.5", "NonMaxSuppression.9"};
        const std::string operation =
            std::string(types[random() % 4]) +
            " box_encoding=" + (random() % 2 == 0 ? "corner" : "center") +
            " sort_result_descending=" + (random() % 2 == 0 ? "true" : "false");
        const std::string text = text_of(images, classes, boxes, most, limits, operation);
        SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
        const std::shared_ptr<const Model> model(Model::from_text(text));
        const std::vector<Tensor> inputs = inputs_of(images, classes, boxes, random);
        const DeviceRun got = run_on("CPU", model, inputs);
        const DeviceRun want = run_on("REFERENCE", model, inputs);
        EXPECT_EQ(got.step_of("n"), "NonMaxSuppression fuseq:non_max_suppression");
        ASSERT_EQ(got.outputs.size(), want.outputs.size());
        for (std::size_t o = 0; o < want.outputs.size(); ++o) {
            EXPECT_TRUE(same_bytes(got.outputs[o], want.outputs[o])) << "output " << o;
        }
    }
}

// Box 1 overlaps box 0 by 1/3, box 3 by all of it; box 2 is far from them.
TEST(NonMaxSuppressionKernel, ByHand) {
    Tensor boxes(ElementType::f32, {1, 4, 4});
    const float corners[] = {0, 0, 2, 2, /**/ 0, 1, 2, 3, /**/ 8, 8, 9, 9, /**/ 2, 2, 0, 0};
    std::copy(std::begin(corners), std::end(corners), boxes.data<float>());
    Tensor scores(ElementType::f32, {1, 2, 4});
    const float values[] = {0.5f, 0.9f, 0.5f, 0.5f, /**/ 0.8f, 0.1f, 0.05f, 0.8f};
    std::copy(std::begin(values), std::end(values), scores.data<float>());
    const auto rows = [&](double overlap, const std::string& sorted) {
        const std::shared_ptr<const Model> model(
            Model::from_text(text_of(1, 2, 4, 10, {overlap, 0.05, 0.0},
                                     "NonMaxSuppression.5 sort_result_descending=" + sorted)));
        const DeviceRun run = run_on("CPU", model, {boxes, scores});
        const auto* data = run.outputs[0].data<std::int64_t>();
        return std::vector<std::int64_t>(data, data + run.outputs[0].get_size());
    };
    using Rows = std::vector<std::int64_t>;
    EXPECT_EQ(rows(0.3, "false"), (Rows{0, 0, 1, 0, 0, 2, 0, 1, 0}));
    EXPECT_EQ(rows(0.4, "false"), (Rows{0, 0, 1, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1, 1}));
    EXPECT_EQ(rows(0.4, "true"), (Rows{0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 1, 1}));
}

}  // namespace
}  // namespace fuseq::test
