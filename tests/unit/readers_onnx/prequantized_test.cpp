// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The developers' set of quantized ONNX models beside the project, against the outputs of ONNX
// Runtime with its optimizations off (../shared/prequantized/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "common/npy.hpp"
#include "fuseq/fuseq.hpp"
#include "support/prequantized.hpp"
#include "support/saved_model.hpp"

namespace fuseq::test {
namespace {

namespace fs = std::filesystem;

struct Difference {
    std::size_t elements = 0;
    std::size_t different = 0;  // beyond 1e-4 of the largest magnitude; integers: not equal
    double largest = 0;         // relative to the largest magnitude of the tensor
};

void compare(const Tensor& actual, const Tensor& expected, Difference& sum) {
    ASSERT_EQ(actual.get_element_type(), expected.get_element_type());
    ASSERT_EQ(actual.get_shape(), expected.get_shape());
    const Tensor a = actual.to(ElementType::f64);
    const Tensor e = expected.to(ElementType::f64);
    double scale = 1e-30;
    for (std::size_t i = 0; i < e.get_size(); ++i) {
        scale = std::max(scale, std::abs(e.data<double>()[i]));
    }
    for (std::size_t i = 0; i < e.get_size(); ++i) {
        const double off = std::abs(a.data<double>()[i] - e.data<double>()[i]);
        const bool real = is_real(expected.get_element_type());
        sum.different += real ? off > 1e-4 * scale : off != 0;
        sum.largest = std::max(sum.largest, off / scale);
    }
    sum.elements += e.get_size();
}

Difference run(const fs::path& folder, const std::string& device) {
    static Core core;
    const auto model = core.read_model((folder / "model.onnx").string());
    InferRequest request = core.compile_model(model, device).create_infer_request();
    Difference sum;
    for (int k = 0; fs::exists(folder / "in" / std::to_string(k)); ++k) {
        const std::vector<Tensor> inputs = prequantized_inputs(folder, *model, k);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            request.set_input_tensor(i, inputs[i]);
        }
        request.infer();
        for (std::size_t i = 0; i < model->outputs().size(); ++i) {
            std::string name = model->results()[i]->name();
            name = name.substr(0, name.rfind("/sink_port_0"));
            compare(request.get_output_tensor(i),
                    samples::read_npy((folder / "out_ort_disabled" / std::to_string(k) /
                                       prequantized_file_name(name))
                                          .string()),
                    sum);
        }
    }
    return sum;
}

// Elements that may differ, by model. FakeQuantize rounds after the zero point is added, ONNX
// before: ties differ where the zero point is odd. The CPU device multiplies by reciprocals of
// scales.
struct Allowed {
    const char* model;
    std::size_t reference;
    std::size_t cpu;
};
constexpr Allowed kAllowed[] = {
    {"net_cnn_dynamic", 0, 10},
    {"net_cnn_qdq_s16", 0, 3},
    {"net_transformer_qdq_s16", 0, 1},
    {"qdq_act", 5, 5},
    {"qdq_add_mul", 4, 3},
    {"qdq_matmul_16", 0, 3},
    {"qdq_pool_reduce", 1, 1},
    {"qdq_resize", 64, 89},
    {"qdq_ties", 23, 59},
    {"qdq_ties_ops", 1788, 1788},
};

std::size_t allowed(const std::string& model, const std::string& device) {
    for (const Allowed& row : kAllowed) {
        if (model == row.model) {
            return device == "CPU" ? row.cpu : row.reference;
        }
    }
    return 0;
}

class Prequantized : public testing::TestWithParam<std::string> {};

TEST_P(Prequantized, AgreesWithOnnxRuntime) {
    const std::vector<fs::path> folders = prequantized_models("model.onnx");
    if (folders.empty()) {
        GTEST_SKIP() << "no models in " << prequantized_folder();
    }
    std::size_t models = 0;
    for (const fs::path& folder : folders) {
        const std::string name = folder.filename().string();
        try {
            const Difference difference = run(folder, GetParam());
            ++models;
            EXPECT_LE(difference.different, allowed(name, GetParam())) << name;
            std::cout << GetParam() << ' ' << name << ": " << difference.elements << " elements, "
                      << difference.different << " differ, largest " << difference.largest << '\n';
        } catch (const Error& error) {
            ADD_FAILURE() << name << ": " << error.what();
        }
    }
    EXPECT_GT(models, 0U);
}

INSTANTIATE_TEST_SUITE_P(Devices, Prequantized, testing::Values("REFERENCE", "CPU"));

TEST(PrequantizedFiles, AreTheSameWhenSaved) {
    const std::vector<fs::path> folders = prequantized_models("model.onnx");
    if (folders.empty()) {
        GTEST_SKIP() << "no models in " << prequantized_folder();
    }
    const Core core;
    for (const fs::path& folder : folders) {
        SCOPED_TRACE(folder.filename().string());
        const auto model = core.read_model((folder / "model.onnx").string());
        expect_same_when_saved(model, {prequantized_inputs(folder, *model, 0)}, "CPU");
    }
}

}  // namespace
}  // namespace fuseq::test
