// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kLine = in_f32({3}, {1, 2, 3});

std::vector<Tensor> pad(int opset, const char* mode, std::int64_t begin, std::int64_t end) {
    return run_op("Pad", opset, std::string("pad_mode=") + mode,
                  {kLine, ints({begin}), ints({end})});
}

TEST(Pad, EveryMode) {
    for (const int opset : {1, 12}) {
        expect_tensor<float>(pad(opset, "constant", 1, 2)[0], {6}, {0, 1, 2, 3, 0, 0});
        expect_tensor<float>(pad(opset, "edge", 1, 2)[0], {6}, {1, 1, 2, 3, 3, 3});
        expect_tensor<float>(pad(opset, "reflect", 2, 1)[0], {6}, {3, 2, 1, 2, 3, 2});
        expect_tensor<float>(pad(opset, "symmetric", 3, 1)[0], {7}, {3, 2, 1, 1, 2, 3, 3});
    }
}

TEST(Pad, ConstantsInTwoDimensions) {
    expect_tensor<std::uint8_t>(run_op("Pad", 1, "pad_mode=constant",
                                       {in<std::uint8_t>({1, 2}, {1, 2}), ints({1, 0}),
                                        ints({0, 1}), constant<std::uint8_t>({}, {9})})[0],
                                {2, 3}, {9, 9, 9, 1, 2, 9});
}

TEST(Pad, NegativeAmountsCutFirst) {
    expect_tensor<float>(pad(12, "constant", -1, 1)[0], {3}, {2, 3, 0});
    expect_tensor<float>(pad(12, "edge", 2, -2)[0], {3}, {1, 1, 1});
    expect_tensor<float>(pad(12, "reflect", 1, -1)[0], {3}, {2, 1, 2});
    expect_tensor<float>(pad(12, "constant", -3, 0)[0], {0}, {});
}

TEST(Pad, InfersOpenShapes) {
    EXPECT_EQ(shape_of("Pad", 12, "pad_mode=constant",
                       {open(ElementType::f32, "[?,2..4,3]"), ints({1, -1, 0}), ints({1, 0, 2})}),
              "[2..,1..3,5]");
}

TEST(Pad, RefusesAmountsThatDoNotFit) {
    const auto error = [](int opset, const char* mode, std::int64_t begin, std::int64_t end) {
        return error_of("Pad", opset, std::string("pad_mode=") + mode,
                        {kLine, ints({begin}), ints({end})});
    };
    EXPECT_THAT(error(1, "constant", -1, 0), HasSubstr("pads_begin has the value -1"));
    EXPECT_THAT(error(12, "constant", -2, -2),
                HasSubstr("cut more than the 3 elements of dimension 0"));
    EXPECT_THAT(error(1, "reflect", 3, 0), HasSubstr("a pad of 3 is too large for dimension 0"));
    EXPECT_THAT(error(1, "symmetric", 0, 4), HasSubstr("a pad of 4 is too large"));
    EXPECT_THAT(error(12, "edge", 1, -3), HasSubstr("a pad of 1 is too large"));
    EXPECT_THAT(error_of("Pad", 1, "pad_mode=constant", {kLine, ints({1, 1}), ints({0})}),
                HasSubstr("pads_begin has 2 values, expected 1"));
    EXPECT_THAT(error_of("Pad", 1, "pad_mode=wrap", {kLine, ints({1}), ints({0})}),
                HasSubstr("'wrap'"));
    EXPECT_THAT(blind_error_of("Pad", 1, "pad_mode=reflect", {kLine, ints({3}), ints({0})}),
                HasSubstr("too large"));
}

}  // namespace
}  // namespace fuseq::test
