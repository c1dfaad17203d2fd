// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Real models: written as IR and read again they give the same text and bytes; and every one with a
// batch dimension, reshaped to batch 2 with two different pictures, gives the results that batch 1
// gives for each of them.
#include <cmath>
#include <cstring>
#include <filesystem>

#include <gtest/gtest.h>

#include "common/npy.hpp"
#include "fuseq/fuseq.hpp"
#include "ir/ir.hpp"
#include "real_models/shared_models.hpp"

namespace fuseq::test {
namespace {

namespace fs = std::filesystem;

// The golden input of a port as f32, and a second picture: the same values the other way round.
std::vector<Tensor> pictures(const fs::path& golden, const Output& port) {
    Tensor first = samples::read_npy((golden / "in" / (port.node->name() + ".npy")).string())
                       .to(ElementType::f32);
    Tensor second(ElementType::f32, first.get_shape());
    const auto from = first.values<float>();
    std::reverse_copy(from.begin(), from.end(), second.data<float>());
    return {first, second};
}

std::vector<Tensor> run(CompiledModel& model, const std::vector<Tensor>& inputs) {
    InferRequest request = model.create_infer_request();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    request.infer();
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < model.outputs().size(); ++i) {
        outputs.push_back(request.get_output_tensor(i));
    }
    return outputs;
}

double signal_to_noise(const float* expected, const float* got, std::size_t count) {
    double signal = 0;
    double noise = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double difference = static_cast<double>(expected[i]) - static_cast<double>(got[i]);
        signal += static_cast<double>(expected[i]) * static_cast<double>(expected[i]);
        noise += difference * difference;
    }
    return noise == 0 ? 200 : 10 * std::log10(signal / noise);
}

// Rows [image, label, confidence, box] of a DetectionOutput.
bool is_detections(const Output& output) {
    const PartialShape& shape = output.partial_shape();
    return shape.is_static() && shape.rank() == 4 && shape[3] == Dimension(7);
}

// Not every model can have a batch: one whose Reshape has constant sizes may mix the images.
bool batch_goes_through(const Model& model) {
    for (const Output& output : model.outputs()) {
        const PartialShape& shape = output.partial_shape();
        const bool batch = shape.is_static() && shape.rank() >= 2 && shape[0] == Dimension(2);
        if (!batch && !is_detections(output)) {
            return false;
        }
    }
    return true;
}

// What was found in one image with a confidence of 0.05 or more, in order.
std::vector<float> detections(const Tensor& rows, float image) {
    constexpr float kLeast = 0.05f;
    std::vector<float> found;
    const auto values = rows.values<float>();
    for (std::size_t i = 0; i + 7 <= values.size() && values[i] >= 0; i += 7) {
        if (values[i] == image && values[i + 2] >= kLeast) {
            found.insert(found.end(), values.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         values.begin() + static_cast<std::ptrdiff_t>(i) + 7);
        }
    }
    return found;
}

void expect_same_detections(const Tensor& one,
                            const Tensor& two,
                            std::size_t image,
                            const fs::path& folder) {
    const std::vector<float> expected = detections(one, 0);
    const std::vector<float> got = detections(two, static_cast<float>(image));
    ASSERT_EQ(expected.size(), got.size()) << folder << ", image " << image;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(expected[i], got[i], 1e-3) << folder << ", image " << image;
    }
}

// Every input with a batch of 1 gets that dimension instead. False when the model has none, or
// mixes its images so that it takes no other.
bool set_batch(Model& model, const Dimension& batch) {
    std::map<std::string, PartialShape> shapes;
    for (const Output& input : model.inputs()) {
        PartialShape shape = input.partial_shape();
        if (!shape.is_static() || shape.rank() < 2 || shape[0] != Dimension(1)) {
            return false;
        }
        shape[0] = batch;
        shapes[input.node->name()] = shape;
    }
    try {
        model.reshape(shapes);
    } catch (const Error&) {
        return false;
    }
    return true;
}

void check_batch(const fs::path& folder, const fs::path& golden, std::size_t& checked) {
    Core core;
    const auto single = core.read_model(model_file(folder).string());
    const auto twice = core.read_model(model_file(folder).string());
    if (!set_batch(*twice, 2)) {
        return;
    }
    if (!batch_goes_through(*twice)) {
        return;
    }
    std::vector<Tensor> inputs[2];
    std::vector<Tensor> both;
    for (const Output& input : single->inputs()) {
        const auto pair = pictures(golden, input);
        const Shape shape = input.shape();
        Shape doubled = shape;
        doubled[0] = 2;
        Tensor batch(ElementType::f32, doubled);
        for (std::size_t i = 0; i < 2; ++i) {
            inputs[i].push_back(pair[i].reshaped(shape));
            std::memcpy(batch.data<float>() + i * pair[i].get_size(), pair[i].data<float>(),
                        pair[i].get_byte_size());
        }
        both.push_back(batch);
    }
    CompiledModel one = core.compile_model(single, "CPU");
    CompiledModel two = core.compile_model(twice, "CPU");
    const std::vector<Tensor> results = run(two, both);
    for (std::size_t image = 0; image < 2; ++image) {
        const std::vector<Tensor> expected = run(one, inputs[image]);
        for (std::size_t o = 0; o < expected.size(); ++o) {
            if (is_detections(twice->outputs()[o])) {
                expect_same_detections(expected[o], results[o], image, folder);
                continue;
            }
            const std::size_t size = expected[o].get_size();
            ASSERT_EQ(results[o].get_size(), 2 * size) << folder;
            // Float layers may be blocked differently for a batch; integers are the same.
            constexpr double kLeast = 60;
            EXPECT_GE(signal_to_noise(expected[o].data<float>(),
                                      results[o].data<float>() + image * size, size),
                      kLeast)
                << folder << ", output " << o << ", image " << image;
        }
    }
    ++checked;
    std::printf("%s: two images as one batch\n", folder.filename().c_str());
}

TEST(RealModels, GiveTheSameAfterWritingAndReading) {
    const fs::path models = shared_folder() / "models";
    if (!fs::is_directory(models)) {
        GTEST_SKIP() << "there is no folder " << models;
    }
    const fs::path scratch = fs::path(::testing::TempDir()) / "fuseq_written_models";
    fs::create_directories(scratch);
    for (const auto& entry : fs::directory_iterator(models)) {
        Core core;
        const auto model = core.read_model(model_file(entry.path()).string());
        const fs::path xml = scratch / "model.xml";
        const fs::path bin = scratch / "model.bin";
        write_ir(*model, xml, bin);
        const auto again = core.read_model(xml.string(), bin.string());
        EXPECT_EQ(compare_models(*model, *again), "") << entry.path();
        EXPECT_TRUE(model->to_text() == again->to_text()) << entry.path();
        std::vector<Tensor> inputs;
        for (const Output& input : model->inputs()) {
            const fs::path golden = shared_folder() / "golden" / entry.path().filename();
            inputs.push_back(pictures(golden, input)[0].to(input.type()).reshaped(input.shape()));
        }
        CompiledModel first = core.compile_model(model, "CPU");
        CompiledModel second = core.compile_model(again, "CPU");
        const std::vector<Tensor> expected = run(first, inputs);
        const std::vector<Tensor> got = run(second, inputs);
        for (std::size_t o = 0; o < expected.size(); ++o) {
            EXPECT_TRUE(same_bytes(expected[o], got[o])) << entry.path() << ", output " << o;
        }
    }
    fs::remove_all(scratch);
}

TEST(RealModels, GiveTheSameForABatchOfTwo) {
    const fs::path models = shared_folder() / "models";
    if (!fs::is_directory(models)) {
        GTEST_SKIP() << "there is no folder " << models;
    }
    std::size_t checked = 0;
    for (const auto& entry : fs::directory_iterator(models)) {
        check_batch(entry.path(), shared_folder() / "golden" / entry.path().filename(), checked);
    }
    EXPECT_GE(checked, 10u);
}

}  // namespace
}  // namespace fuseq::test
