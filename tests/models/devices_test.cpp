// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The bundled model through the tools, as a user runs it: `infer` on both devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/npy.hpp"
#include "fuseq/core.hpp"

namespace fuseq::samples {
namespace {

namespace fs = std::filesystem;

const std::string kModels = FUSEQ_SOURCE_DIR "/samples/models/";
const std::string kModel = kModels + "residual_cnn.xml";

// Probabilities of two correct devices differ by what a few ties among thousands of integers make.
constexpr float kScoreTolerance = 0.01f;
// Share of the elements of a quantized layer that may be off by one step.
constexpr double kMaxTies = 0.0005;

class Devices : public testing::Test {
protected:
    void SetUp() override {
        const auto* info = testing::UnitTest::GetInstance()->current_test_info();
        folder_ = fs::path(testing::TempDir()) / (std::string("fuseq_devices_") + info->name());
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    // Runs the tool; writes to folder_/<device> and folder_/<device>_fq.
    void infer(const std::string& device) const {
        const std::string out = (folder_ / device).string();
        const std::string command = std::string(FUSEQ_INFER) + " -m '" + kModel + "' -i '" +
                                    kModels + "residual_cnn_input' -o '" + out + "' -dump '" + out +
                                    "_fq' -d " + device;
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
    }
    Tensor scores(const std::string& device) const {
        return read_npy((folder_ / device / "scores.npy").string());
    }

    fs::path folder_;
};

// Step of every activation FakeQuantize of the model, by layer name; of the channel with the
// smallest one.
std::map<std::string, float> smallest_steps() {
    std::map<std::string, float> steps;
    const auto model = Core().read_model(kModel);
    for (const Node* fq : model->find_all("FakeQuantize")) {
        const std::vector<float> low = to_floats(fq->input_node(3)->constant());
        const std::vector<float> high = to_floats(fq->input_node(4)->constant());
        float step = high[0] - low[0];
        for (std::size_t c = 0; c < low.size(); ++c) {
            step = std::min(step, high[c] - low[c]);
        }
        steps[fq->name()] = step / 255;
    }
    return steps;
}

TEST_F(Devices, GiveTheSameScores) {
    infer("REFERENCE");
    infer("CPU");
    const std::vector<float> want = to_floats(scores("REFERENCE"));
    const std::vector<float> got = to_floats(scores("CPU"));
    ASSERT_EQ(want.size(), 10u);
    EXPECT_THAT(got, testing::Pointwise(testing::FloatNear(kScoreTolerance), want));
}

// The first layers see the same integers on both devices, so they must agree but for ties.
TEST_F(Devices, FirstQuantizedLayersAreTheSameIntegers) {
    infer("REFERENCE");
    infer("CPU");
    const auto steps = smallest_steps();
    for (const std::string layer : {"fq_image", "fq1"}) {
        const fs::path file = folder_ / "CPU_fq" / (layer + ".npy");
        ASSERT_TRUE(fs::exists(file)) << file;
        const std::vector<float> got = to_floats(read_npy(file.string()));
        const std::vector<float> want =
            to_floats(read_npy((folder_ / "REFERENCE_fq" / (layer + ".npy")).string()));
        ASSERT_EQ(got.size(), want.size());
        std::size_t off_by_one = 0;
        for (std::size_t i = 0; i < want.size(); ++i) {
            const float off = std::fabs(got[i] - want[i]) / steps.at(layer);
            ASSERT_LT(off, 1.5f) << layer << " element " << i;
            off_by_one += off > 0.5f ? 1 : 0;
        }
        EXPECT_LE(static_cast<double>(off_by_one), kMaxTies * static_cast<double>(want.size()))
            << layer;
    }
}

// Every convolution computes on integers and stores them, with the FakeQuantize after it fused.
TEST(BundledModelReport, ConvolutionsRunInInt8) {
    Core core;
    const CompiledModel compiled = core.compile_model(kModel, "CPU");
    const auto report = nlohmann::json::parse(compiled.get_runtime_report());
    if (!report.at("int8_exact").get<bool>()) {
        GTEST_SKIP() << "int8 kernels of " << report.at("isa") << " saturate: layers run in f32";
    }
    int convolutions = 0;
    for (const auto& step : report.at("steps")) {
        if (step.at("kind") == "convolution") {
            ++convolutions;
            EXPECT_EQ(step.at("src_type"), "u8") << step;
            EXPECT_EQ(step.at("wei_type"), "i8") << step;
            EXPECT_EQ(step.at("dst_type"), "u8") << step;
            EXPECT_NE(step.at("implementation").get<std::string>().substr(0, 3), "ref") << step;
        }
    }
    EXPECT_EQ(convolutions, 5);
    for (const std::string layer : {"fq1", "fq_expand", "fq_depthwise", "fq_project", "fq_sum"}) {
        const auto& rows = report.at("fake_quantize");
        const auto row = std::find_if(rows.begin(), rows.end(),
                                      [&](const auto& r) { return r.at("layer") == layer; });
        ASSERT_NE(row, rows.end()) << layer;
        EXPECT_EQ(row->at("verdict"), "fused") << *row;
    }
}

}  // namespace
}  // namespace fuseq::samples
