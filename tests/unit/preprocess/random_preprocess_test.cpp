// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Random pictures and steps: both devices against a formula written pixel by pixel.
#include <gtest/gtest.h>

#include <random>

#include "fuseq/core.hpp"
#include "fuseq/preprocess.hpp"

namespace {

using namespace fuseq;
using namespace fuseq::preprocess;

struct Case {
    std::size_t height, width;
    bool pixels;  // NHWC
    bool bytes;
    bool bgr;
    std::vector<float> mean, scale;
    std::size_t crop;  // rows and columns at each end
    bool mean_before_crop;
};

Case random_case(std::mt19937& random) {
    const auto below = [&](unsigned n) { return random() % n; };
    Case c{};
    c.crop = below(3);
    c.height = 1 + below(9) + 2 * c.crop;
    c.width = 1 + below(40) + 2 * c.crop;
    c.pixels = below(2) == 0;
    c.bytes = below(2) == 0;
    c.bgr = below(2) == 0;
    c.mean_before_crop = below(2) == 0;
    const std::size_t count = below(2) == 0 ? 1 : 3;
    for (std::size_t i = 0; i < count; ++i) {
        c.mean.push_back(static_cast<float>(below(256)));
        c.scale.push_back(static_cast<float>(1 + below(128)) / 4);
    }
    return c;
}

std::shared_ptr<Model> preprocessed(const Case& c) {
    const std::string size =
        std::to_string(c.height - 2 * c.crop) + "," + std::to_string(c.width - 2 * c.crop);
    PrePostProcessor ppp(Model::from_text("model \"m\"\n%x = Parameter : f32[1,3," + size +
                                          "]\n%y = ReLU(%x)\n%r = Result(%y)\n"));
    InputInfo& input = ppp.input();
    input.tensor()
        .set_element_type(c.bytes ? ElementType::u8 : ElementType::f32)
        .set_layout(c.pixels ? "NHWC" : "NCHW")
        .set_color_format(c.bgr ? ColorFormat::BGR : ColorFormat::RGB)
        .set_spatial_static_shape(c.height, c.width);
    input.model().set_layout("NCHW");
    const int n = static_cast<int>(c.crop);
    const std::vector<int> begin = c.pixels ? std::vector{0, n, n, 0} : std::vector{0, 0, n, n};
    const int h = static_cast<int>(c.height) - n;
    const int w = static_cast<int>(c.width) - n;
    const std::vector<int> end = c.pixels ? std::vector{1, h, w, 3} : std::vector{1, 3, h, w};
    PreProcessSteps& steps = input.preprocess();
    steps.convert_element_type(ElementType::f32).convert_color(ColorFormat::RGB);
    if (c.mean_before_crop) {
        steps.mean(c.mean).crop(begin, end).scale(c.scale);
    } else {
        steps.crop(begin, end).mean(c.mean).scale(c.scale);
    }
    return ppp.build();
}

// max(0, (x - mean) / scale) of what stands at that place of the picture.
std::vector<float> expected(const Case& c, const std::vector<float>& picture) {
    std::vector<float> values;
    for (std::size_t channel = 0; channel < 3; ++channel) {
        for (std::size_t y = c.crop; y < c.height - c.crop; ++y) {
            for (std::size_t x = c.crop; x < c.width - c.crop; ++x) {
                const std::size_t stored = c.bgr ? 2 - channel : channel;
                const float value = c.pixels ? picture[(y * c.width + x) * 3 + stored]
                                             : picture[(stored * c.height + y) * c.width + x];
                const float mean = c.mean[c.mean.size() == 1 ? 0 : channel];
                const float scale = c.scale[c.scale.size() == 1 ? 0 : channel];
                values.push_back(std::max(0.0F, (value - mean) / scale));
            }
        }
    }
    return values;
}

TEST(RandomPreprocess, EqualsTheFormulaOnBothDevices) {
    Core core;
    for (unsigned seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const Case c = random_case(random);
        std::vector<float> picture(c.height * c.width * 3);
        for (float& value : picture) {
            value = static_cast<float>(random() % 256);
        }
        const auto model = preprocessed(c);
        const Tensor tensor =
            Tensor::of<float>(model->input().shape(), picture).to(model->input().type());
        const std::vector<float> wanted = expected(c, picture);
        for (const char* device : {"REFERENCE", "CPU"}) {
            InferRequest request = core.compile_model(model, device).create_infer_request();
            request.set_input_tensor(tensor);
            request.infer();
            const std::vector<float> got = to_floats(request.get_output_tensor());
            ASSERT_EQ(got.size(), wanted.size());
            for (std::size_t i = 0; i < got.size(); ++i) {
                ASSERT_NEAR(got[i], wanted[i], 1e-4 * (1 + wanted[i])) << device << " at " << i;
            }
        }
    }
}

// Resized pictures have no formula here: the devices must agree.
TEST(RandomPreprocess, ResizesAlikeOnBothDevices) {
    Core core;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        constexpr ResizeAlgorithm kAlgorithms[] = {
            ResizeAlgorithm::RESIZE_LINEAR, ResizeAlgorithm::RESIZE_CUBIC,
            ResizeAlgorithm::RESIZE_NEAREST, ResizeAlgorithm::RESIZE_BILINEAR_PILLOW,
            ResizeAlgorithm::RESIZE_BICUBIC_PILLOW};
        PrePostProcessor ppp(Model::from_text(
            "model \"m\"\n%x = Parameter : f32[1,3,12,9]\n%y = Abs(%x)\n%r = Result(%y)\n"));
        const Shape shape = {1, 1 + random() % 30, 1 + random() % 30, 3};
        ppp.input().tensor().set_layout("NHWC").set_spatial_static_shape(shape[1], shape[2]);
        ppp.input().model().set_layout("NCHW");
        ppp.input().preprocess().resize(kAlgorithms[random() % 5]);
        const auto model = ppp.build();
        std::vector<float> picture(shape_size(shape));
        for (float& value : picture) {
            value = static_cast<float>(random() % 256);
        }
        std::vector<std::vector<float>> results;
        for (const char* device : {"REFERENCE", "CPU"}) {
            InferRequest request = core.compile_model(model, device).create_infer_request();
            request.set_input_tensor(Tensor::of<float>(shape, picture));
            request.infer();
            results.push_back(to_floats(request.get_output_tensor()));
        }
        for (std::size_t i = 0; i < results[0].size(); ++i) {
            ASSERT_NEAR(results[0][i], results[1][i], 1e-2) << i;
        }
    }
}

}  // namespace
