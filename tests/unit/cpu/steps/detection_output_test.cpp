// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/detection_output.hpp"

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

struct Sizes {
    std::size_t images, priors, classes, location_classes, prior_images, prior_size, prior_rows;
};

std::string text_of(const Sizes& s, const std::string& attributes) {
    const auto n = [](std::size_t v) { return std::to_string(v); };
    return "model \"m\"\n%l = Parameter : f32[" + n(s.images) + "," +
           n(s.priors * s.location_classes * 4) + "]\n%c = Parameter : f32[" + n(s.images) + "," +
           n(s.priors * s.classes) + "]\n%p = Parameter : f32[" + n(s.prior_images) + "," +
           n(s.prior_rows) + "," + n(s.priors * s.prior_size) +
           "]\n%d = DetectionOutput(%l, %c, %p) " + attributes + "\n%r = Result(%d)";
}

// Boxes that overlap, and scores of few different values.
std::vector<Tensor> inputs_of(const Sizes& s, std::mt19937& random) {
    const auto filled = [&](const Shape& shape, const auto& value) {
        Tensor tensor(ElementType::f32, shape);
        for (std::size_t i = 0; i < tensor.get_size(); ++i) {
            tensor.data<float>()[i] = value(i);
        }
        return tensor;
    };
    std::uniform_real_distribution<float> small(-0.2f, 0.2f);
    const Tensor locations = filled({s.images, s.priors * s.location_classes * 4},
                                    [&](std::size_t) { return small(random); });
    const Tensor scores = filled({s.images, s.priors * s.classes}, [&](std::size_t) {
        return static_cast<float>(random() % 40) / 40.0f;
    });
    const Tensor priors =
        filled({s.prior_images, s.prior_rows, s.priors * s.prior_size}, [&](std::size_t i) {
            const bool far = i % s.prior_size >= s.prior_size - 2;
            return (far ? 0.6f : 0.2f) + small(random);
        });
    return {locations, scores, priors};
}

TEST(DetectionOutputStep, GivesTheBytesOfTheReference) {
    const unsigned first = std::random_device()();
    for (unsigned seed = first; seed != first + 80; ++seed) {
        std::mt19937 random(seed);
        const auto flip = [&] { return random() % 2 == 0; };
        const auto word = [](bool value) { return std::string(value ? "true" : "false"); };
        const bool share = flip();
        const bool normalized = flip();
        const bool encoded = flip();
        const std::size_t few = random() % 4 == 0 ? 2000 : 5;
        Sizes s{1 + random() % 2,     few + random() % 60, 2 + random() % 4, 1, 1,
                normalized ? 4u : 5u, encoded ? 1u : 2u};
        s.location_classes = share ? 1 : s.classes;
        s.prior_images = flip() ? s.images : 1;
        const int keep = flip() ? -1 : static_cast<int>(1 + random() % 30);
        const int top = flip() ? -1 : static_cast<int>(1 + random() % 20);
        const std::string attributes =
            "keep_top_k=[" + std::to_string(keep) + "] top_k=" + std::to_string(top) +
            " background_label_id=" + std::to_string(static_cast<int>(random() % 3) - 1) +
            " share_location=" + word(share) + " normalized=" + word(normalized) +
            " variance_encoded_in_target=" + word(encoded) + " code_type=" +
            (flip() ? "caffe.PriorBoxParameter.CORNER" : "caffe.PriorBoxParameter.CENTER_SIZE") +
            " nms_threshold=0.45 confidence_threshold=0.3 clip_after_nms=" + word(flip()) +
            " clip_before_nms=" + word(flip()) + " decrease_label_id=" + word(random() % 4 == 0) +
            " input_width=3 input_height=2";
        SCOPED_TRACE("seed " + std::to_string(seed) + " " + attributes);
        const std::shared_ptr<const Model> model(Model::from_text(text_of(s, attributes)));
        const std::vector<Tensor> inputs = inputs_of(s, random);
        const DeviceRun got = run_on("CPU", model, inputs);
        const DeviceRun want = run_on("REFERENCE", model, inputs);
        EXPECT_EQ(got.step_of("d"), "detection_output fuseq:detection_output");
        EXPECT_TRUE(same_bytes(got.outputs[0], want.outputs[0]));
    }
}

TEST(DetectionOutputStep, LeavesTheCascadeToTheReference) {
    const DeviceRun run = check_on_devices(R"(model "m"
        %l = Parameter : f32[1,8]
        %c = Parameter : f32[1,4]
        %p = Parameter : f32[1,2,8]
        %f = Parameter : f32[1,4]
        %g = Parameter : f32[1,8]
        %d = DetectionOutput.8(%l, %c, %p, %f, %g) keep_top_k=[3] nms_threshold=0.5 normalized=true
        %r = Result(%d))",
                                           7);
    EXPECT_EQ(run.step_of("d"), "DetectionOutput reference");
}

}  // namespace
}  // namespace fuseq::test
