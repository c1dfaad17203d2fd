// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pad that repeats the source, against ONNX Runtime 1.30.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/readers_onnx/onnx_model.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

OnnxModel wrapped(std::int64_t rows, const std::vector<std::int64_t>& pads = {1, 2, 0, 4}) {
    OnnxModel m(19);
    m.input("x", {rows, 3});
    m.ints("pads", pads);
    text(m.node("Pad", {"x", "pads"}, {"y"}, "pad"), "mode", "wrap");
    m.output("y");
    return m;
}

TEST(OnnxPad, WrapsAroundMoreThanOnce) {
    const Tensor x = Tensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
    for (const std::string device : {"REFERENCE", "CPU"}) {
        const Tensor result = infer(wrapped(2), device, {x})[0];
        EXPECT_EQ(result.get_shape(), (Shape{3, 9}));
        EXPECT_THAT(to_floats(result), ElementsAre(4, 5, 3, 4, 5, 3, 4, 5, 3,  //
                                                   1, 2, 0, 1, 2, 0, 1, 2, 0,  //
                                                   4, 5, 3, 4, 5, 3, 4, 5, 3))
            << device;
    }
}

TEST(OnnxPad, WrapRefusesPadsThatNobodyCouldList) {
    EXPECT_THAT(error_text([] {
                    wrapped(2, {1, 0, 0, 2000000000}).read();
                }),
                HasSubstr("dimension 1 of 3 elements with pads 0 and 2000000000 is too large for "
                          "mode wrap"));
}

TEST(OnnxPad, WrapNeedsKnownSizes) {
    EXPECT_THAT(error_text([] { wrapped(-1).read(); }),
                HasSubstr("dimension 0 is not known or empty, which mode wrap needs"));
}

}  // namespace
}  // namespace fuseq::test
