// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// GatherElements whose indices cover a part of the data, against ONNX Runtime 1.30.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

TEST(OnnxGatherElements, TakesTheBeginningOfOtherAxes) {
    OnnxModel m;
    m.input("x", {3, 4});
    m.input("i", {2, 2}, ::onnx::TensorProto::INT64);
    integer(m.node("GatherElements", {"x", "i"}, {"y"}, "gather"), "axis", 0);
    m.output("y");
    const Tensor x = Tensor::of<float>({3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    const Tensor i = Tensor::of<std::int64_t>({2, 2}, {2, 0, 1, 1});
    for (const std::string device : {"REFERENCE", "CPU"}) {
        EXPECT_THAT(to_floats(infer(m, device, {x, i})[0]), testing::ElementsAre(8, 1, 4, 5));
    }
}

}  // namespace
}  // namespace fuseq::test
