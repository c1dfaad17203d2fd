// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Windows that reach beyond the padded source (ceil_mode), against ONNX Runtime 1.30.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::Pointwise;

// Two elements in the last window: the root of 25 + 144.
TEST(OnnxLpPool, SumsTheLastWindowAsItIs) {
    OnnxModel m(18);
    m.input("x", {1, 1, 4});
    auto* node = m.node("LpPool", {"x"}, {"y"}, "pool");
    integer_list(node, "kernel_shape", {3});
    integer_list(node, "strides", {2});
    integer(node, "ceil_mode", 1);
    m.output("y");
    const Tensor x = Tensor::of<float>({1, 1, 4}, {3, 4, 5, 12});
    for (const std::string device : {"REFERENCE", "CPU"}) {
        EXPECT_THAT(to_floats(infer(m, device, {x})[0]),
                    Pointwise(FloatNear(1e-5F), {7.0710678F, 13.0F}));
    }
}

// 70 / 3 and 120 / 3: ONNX Runtime's kernel divides by the whole window, AveragePool of reals by the 2 elements of it.
TEST(OnnxQLinearAveragePool, DividesByTheWholeWindow) {
    OnnxModel m;
    m.input("x", {1, 1, 1, 4}, ::onnx::TensorProto::UINT8);
    m.floats("s", {}, {1});
    m.raw("z", {}, {0});
    auto* node = m.microsoft("QLinearAveragePool", {"x", "s", "z", "s", "z"}, {"y"});
    integer_list(node, "kernel_shape", {1, 3});
    integer_list(node, "strides", {1, 2});
    integer(node, "ceil_mode", 1);
    integer(node, "count_include_pad", 1);
    m.output("y");
    const Tensor x = Tensor::of<std::uint8_t>({1, 1, 1, 4}, {10, 20, 40, 80});
    for (const std::string device : {"REFERENCE", "CPU"}) {
        EXPECT_THAT(to_floats(infer(m, device, {x})[0]), ElementsAre(23, 40)) << device;
    }
}

}  // namespace
}  // namespace fuseq::test
