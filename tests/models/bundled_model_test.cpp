// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed files are what the generator makes, and have one of everything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "common/npy.hpp"
#include "common/pictures/picture_file.hpp"
#include "fuseq/core.hpp"
#include "generate_model/residual_cnn.hpp"

namespace fuseq::samples {
namespace {

const std::string kFolder = FUSEQ_SOURCE_DIR "/samples/models/";

std::shared_ptr<Model> committed() {
    return Core().read_model(kFolder + "residual_cnn.xml");
}

TEST(BundledModel, IsWhatTheGeneratorMakes) {
    EXPECT_EQ(compare_models(*committed(), *residual_cnn(), {.layer_names = true}), "");
}

TEST(BundledModel, ImageIsWhatTheGeneratorMakes) {
    const Tensor image = read_npy(kFolder + "residual_cnn_input/image.npy");
    EXPECT_TRUE(same_bytes(image, synthetic_image(kDefaultSeed).to(ElementType::u8)));
}

TEST(BundledModel, PictureIsWhatTheGeneratorMakes) {
    EXPECT_EQ(read_picture(kFolder + "residual_cnn_picture.bmp"), synthetic_picture(kDefaultSeed));
}

TEST(BundledModel, SeedChangesIt) {
    EXPECT_THAT(compare_models(*residual_cnn(1), *residual_cnn(2)), testing::Not(""));
}

TEST(BundledModel, HasWeightsInFourSpellings) {
    const auto model = committed();
    const auto source = [&](const char* layer) { return model->find(layer)->input_node(1); };
    EXPECT_EQ(source("conv1")->type(), "FakeQuantize");
    EXPECT_EQ(source("conv1")->input_node(0)->type(), "Const");
    EXPECT_EQ(source("depthwise")->type(), "FakeQuantize");
    EXPECT_EQ(source("depthwise")->input_node(0)->type(), "Convert");
    EXPECT_EQ(source("expand")->type(), "Multiply");
    EXPECT_EQ(source("expand")->input_node(0)->type(), "Convert");
    EXPECT_EQ(source("project")->input_node(0)->type(), "Subtract");
}

TEST(BundledModel, HasActivationRangesOfThreeKinds) {
    const auto model = committed();
    const auto limit = [&](const char* layer, std::size_t input) {
        return to_floats(model->find(layer)->input_node(input)->constant());
    };
    EXPECT_EQ(limit("fq1", 1), std::vector<float>{0.0f});
    EXPECT_FLOAT_EQ(limit("fq_project", 1)[0], -limit("fq_project", 2)[0] * 128 / 127);
    EXPECT_EQ(limit("fq_expand", 2).size(), 32u);
    const float low = limit("fq_image", 1)[0];
    const float step = (limit("fq_image", 2)[0] - low) / 255;
    EXPECT_LT(low, -20 * step);
    EXPECT_NEAR(low / step, std::round(low / step), 1e-3);
}

// A layer whose range were far too wide would store few different integers, one whose range were
// too narrow would store its highest one over and over.
TEST(BundledModel, RangesFitTheImage) {
    Core core;
    CompiledModel compiled =
        core.compile_model(committed(), "REFERENCE", {{property::kKeepIntermediates, "YES"}});
    InferRequest request = compiled.create_infer_request();
    request.set_input_tensor(synthetic_image(kDefaultSeed));
    request.infer();
    std::size_t seen = 0;
    for (const auto& [layer, tensor] : request.get_intermediates()) {
        if (layer.find("weights") != std::string::npos || tensor.get_size() < 1000) {
            continue;
        }
        ++seen;
        const std::vector<float> values = to_floats(tensor);
        const std::set<float> different(values.begin(), values.end());
        EXPECT_GE(different.size(), 100u) << layer;
        const auto highest = std::count(values.begin(), values.end(), *different.rbegin());
        EXPECT_LT(highest, static_cast<std::ptrdiff_t>(values.size() / 100)) << layer;
    }
    EXPECT_EQ(seen, 7u);
}

}  // namespace
}  // namespace fuseq::samples
