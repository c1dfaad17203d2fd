// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Real models reshaped to batch 2, with two different images, give the results that batch 1 gives
// for each of them. Where the graph itself pours the images of a batch into one list of boxes, the
// quantized tensors before that are compared.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "common/npy.hpp"
#include "fuseq/fuseq.hpp"
#include "real_models/shared_models.hpp"

namespace fuseq::test {
namespace {

namespace fs = std::filesystem;

// Float layers may be blocked differently for a batch; integers are the same.
constexpr double kMinDecibels = 60;

// The golden input of a port, and a second image: the same values the other way round.
std::vector<Tensor> images(const fs::path& golden, const Output& port) {
    Tensor first = samples::read_npy((golden / "in" / (port.node->name() + ".npy")).string())
                       .to(ElementType::f32)
                       .reshaped(port.shape());
    Tensor second(ElementType::f32, first.get_shape());
    const auto from = first.values<float>();
    std::reverse_copy(from.begin(), from.end(), second.data<float>());
    return {first, second};
}

// Tensors with all dimensions equal but `axis`, one after the other along it.
Tensor joined(const Tensor& a, const Tensor& b, std::size_t axis) {
    Shape shape = a.get_shape();
    std::size_t row = a.get_byte_size();
    for (std::size_t d = 0; d < axis; ++d) {
        row /= shape[d];
    }
    shape[axis] *= 2;
    Tensor result(a.get_element_type(), shape);
    char* to = static_cast<char*>(result.data());
    for (std::size_t at = 0; at < a.get_byte_size(); at += row) {
        for (const Tensor* from : {&a, &b}) {
            std::memcpy(to, static_cast<const char*>(from->data()) + at, row);
            to += row;
        }
    }
    return result;
}

// The first dimension of size 1: [N,C,H,W], or [T,N] of a sequence.
std::size_t batch_axis(const Output& input) {
    const Shape shape = input.shape();
    return static_cast<std::size_t>(std::find(shape.begin(), shape.end(), 1u) - shape.begin());
}

struct Result {
    std::vector<Tensor> outputs;
    std::map<std::string, Tensor> quantized;  // dequantized results of FakeQuantize layers
};

Result run(Core& core, const std::shared_ptr<Model>& model, const std::vector<Tensor>& inputs) {
    CompiledModel compiled =
        core.compile_model(model, "CPU", {{property::kKeepIntermediates, "YES"}});
    InferRequest request = compiled.create_infer_request();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    request.infer();
    Result result;
    for (std::size_t i = 0; i < compiled.outputs().size(); ++i) {
        result.outputs.push_back(request.get_output_tensor(i));
    }
    for (const auto& [layer, tensor] : request.get_intermediates()) {
        result.quantized.emplace(layer, tensor);
    }
    return result;
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

// Not so where the graph pours the boxes of all images into one list.
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
    constexpr float kMin = 0.05f;
    std::vector<float> found;
    const auto values = rows.values<float>();
    for (std::size_t i = 0; i + 7 <= values.size() && values[i] >= 0; i += 7) {
        if (values[i] == image && values[i + 2] >= kMin) {
            found.insert(found.end(), values.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                         values.begin() + static_cast<std::ptrdiff_t>(i) + 7);
        }
    }
    return found;
}

void expect_same_detections(const Tensor& one,
                            const Tensor& two,
                            std::size_t image,
                            const std::string& name) {
    const std::vector<float> expected = detections(one, 0);
    const std::vector<float> got = detections(two, static_cast<float>(image));
    ASSERT_EQ(expected.size(), got.size()) << name << ", image " << image;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(expected[i], got[i], 1e-3) << name << ", image " << image;
    }
}

// The part of image `image` of a batch of two.
double part_to_noise(const Tensor& one, const Tensor& two, std::size_t image) {
    const std::size_t size = one.get_size();
    return signal_to_noise(one.data<float>(), two.data<float>() + image * size, size);
}

// How many quantized tensors have a part for each image.
std::size_t compare_quantized(const Result& one,
                              const Result& two,
                              std::size_t image,
                              const std::string& name) {
    std::size_t compared = 0;
    for (const auto& [layer, tensor] : one.quantized) {
        const auto it = two.quantized.find(layer);
        Shape doubled = tensor.get_shape();
        if (it == two.quantized.end() || doubled.empty() || doubled[0] != 1) {
            continue;
        }
        doubled[0] = 2;
        if (it->second.get_shape() != doubled) {
            continue;
        }
        EXPECT_GE(part_to_noise(tensor, it->second, image), kMinDecibels)
            << name << ", layer " << layer << ", image " << image;
        ++compared;
    }
    return compared;
}

void compare_outputs(const Model& twice,
                     const Result& one,
                     const Result& two,
                     std::size_t image,
                     const std::string& name) {
    for (std::size_t o = 0; o < one.outputs.size(); ++o) {
        if (is_detections(twice.outputs()[o])) {
            expect_same_detections(one.outputs[o], two.outputs[o], image, name);
            continue;
        }
        ASSERT_EQ(two.outputs[o].get_size(), 2 * one.outputs[o].get_size()) << name;
        EXPECT_GE(part_to_noise(one.outputs[o], two.outputs[o], image), kMinDecibels)
            << name << ", output " << o << ", image " << image;
    }
}

class BatchOfTwo : public testing::TestWithParam<std::string> {};

TEST_P(BatchOfTwo, GivesTheResultsOfBothImages) {
    if (GetParam() == kNoModels) {
        GTEST_SKIP() << "there are no models in " << shared_folder();
    }
    Core core;
    const std::string file = model_file(shared_folder() / "models" / GetParam()).string();
    const auto single = core.read_model(file);
    const auto twice = core.read_model(file);
    std::map<std::string, PartialShape> shapes;
    std::vector<Tensor> inputs[2];
    std::vector<Tensor> both;
    for (const Output& input : single->inputs()) {
        const std::size_t axis = batch_axis(input);
        ASSERT_LT(axis, input.shape().size()) << input.node->name();
        const auto pair = images(shared_folder() / "golden" / GetParam(), input);
        inputs[0].push_back(pair[0]);
        inputs[1].push_back(pair[1]);
        both.push_back(joined(pair[0], pair[1], axis));
        shapes[input.node->name()] = both.back().get_shape();
    }
    twice->reshape(shapes);
    const Result two = run(core, twice, both);
    for (std::size_t image = 0; image < 2; ++image) {
        const Result one = run(core, single, inputs[image]);
        if (batch_goes_through(*twice)) {
            compare_outputs(*twice, one, two, image, GetParam());
        } else {
            EXPECT_GE(compare_quantized(one, two, image, GetParam()), 10u);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(RealModels, BatchOfTwo, testing::ValuesIn(model_names()), test_name);

}  // namespace
}  // namespace fuseq::test
