// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The numbers of 2 x 3 values are those of numpy.fft.
#include <cmath>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const float kRoot3 = std::sqrt(3.0F);

// 1, 2, 3, 4
const In kLine = in_f32({4, 2}, {1, 0, 2, 0, 3, 0, 4, 0});
// [[1, 2 + i, 3 - i], [4 + 2i, 5, 6 + i]]
const In kGrid = in_f32({2, 3, 2}, {1, 0, 2, 1, 3, -1, 4, 2, 5, 0, 6, 1});

TEST(Dft, OneAxis) {
    const std::vector<float> spectrum{10, 0, -2, 2, -2, 0, -2, -2};
    expect_near(run_op("DFT", 7, "", {kLine, ints({0})})[0], {4, 2}, spectrum);
    expect_near(run_op("DFT", 7, "", {kLine, ints({-1})})[0], {4, 2}, spectrum);
    expect_near(run_op("DFT", 7, "", {kLine, constant<std::int32_t>({1}, {0})})[0], {4, 2},
                spectrum);
    expect_near(run_op("IDFT", 7, "", {in_f32({4, 2}, spectrum), ints({0})})[0], {4, 2},
                {1, 0, 2, 0, 3, 0, 4, 0});
    // Nothing to transform.
    const In no_axes = constant<std::int64_t>({0}, {});
    expect_near(run_op("DFT", 7, "", {kLine, no_axes})[0], {4, 2}, {1, 0, 2, 0, 3, 0, 4, 0});
}

TEST(Dft, SizesTrimAndPad) {
    // 1, 2 and 1, 2, 3, 4, 0
    expect_near(run_op("DFT", 7, "", {kLine, ints({0}), ints({2})})[0], {2, 2}, {3, 0, -1, 0});
    expect_near(run_op("IDFT", 7, "", {kLine, ints({0}), ints({2})})[0], {2, 2}, {1.5, 0, -0.5, 0});
    expect_near(run_op("DFT", 7, "", {kLine, ints({0}), ints({-1})})[0], {4, 2},
                {10, 0, -2, 2, -2, 0, -2, -2});
    const Tensor five = run_op("DFT", 7, "", {kLine, ints({0}), ints({5})})[0];
    EXPECT_EQ(to_string(five.get_shape()), "[5,2]");
    expect_near(run_op("IDFT", 7, "", {in_f32({5, 2}, to_floats(five)), ints({0})})[0], {5, 2},
                {1, 0, 2, 0, 3, 0, 4, 0, 0, 0});
}

TEST(Dft, SeveralAxes) {
    expect_near(run_op("DFT", 7, "", {kGrid, ints({0, 1})})[0], {2, 3, 2},
                {21, 3, -2.1339746F, 3.2320508F, -3.8660254F, -0.23205081F, -9, -3, 2.5980762F,
                 -1.5F, -2.5980762F, -1.5F});
    expect_near(run_op("DFT", 7, "", {kGrid, ints({-1})})[0], {2, 3, 2},
                {6, 0, 0.23205081F, 0.8660254F, -3.2320508F, -0.8660254F, 15, 3, -2.3660254F,
                 2.3660254F, -0.6339746F, 0.6339746F});
    // The sizes belong to the axes as listed: 3 rows, 2 columns.
    const std::vector<float> sized{12,          3,           -2,          1,
                                   0.23205081F, -7.7942286F, 1.2320508F,  -1.1339746F,
                                   -3.2320508F, 7.7942286F,  -2.2320508F, -2.8660254F};
    expect_near(run_op("DFT", 7, "", {kGrid, ints({0, 1}), ints({3, 2})})[0], {3, 2, 2}, sized);
    expect_near(run_op("DFT", 7, "", {kGrid, ints({1, -2}), ints({2, 3})})[0], {3, 2, 2}, sized);
    const Tensor twice = run_op("IDFT", 7, "", {kGrid, ints({0, 1})})[0];
    expect_near(run_op("DFT", 7, "", {in_f32({2, 3, 2}, to_floats(twice)), ints({1, 0})})[0],
                {2, 3, 2}, to_floats(kGrid.value));
}

TEST(Dft, Doubles) {
    const In line = in<double>({2, 2}, {1, 0.5, 2, 0});
    expect_tensor<double>(run_op("DFT", 7, "", {line, ints({0})})[0], {2, 2}, {3, 0.5, -1, 0.5});
}

TEST(Dft, InfersOpenShapes) {
    const In axes = open(ElementType::i64, "[2]");
    const In data = open(ElementType::f32, "[3,?,8,2]");
    EXPECT_EQ(shape_of("DFT", 7, "", {data, ints({1, 2})}), "[3,?,8,2]");
    EXPECT_EQ(shape_of("DFT", 7, "", {data, ints({1, 2}), ints({-1, 5})}), "[3,?,5,2]");
    EXPECT_EQ(shape_of("DFT", 7, "", {data, axes}), "[?,?,?,2]");
    EXPECT_EQ(shape_of("DFT", 7, "", {data, ints({0, 2}), open(ElementType::i32, "[?]")}),
              "[?,?,?,2]");
    EXPECT_EQ(shape_of("IDFT", 7, "", {open(ElementType::f32, "..."), axes}), "[...]");
}

TEST(Dft, Refuses) {
    EXPECT_THAT(error_of("DFT", 7, "", {kLine, ints({1})}), HasSubstr("axes is 1, expected"));
    EXPECT_THAT(error_of("DFT", 7, "", {kGrid, ints({0, -2})}),
                HasSubstr("axes names axis 0 twice"));
    EXPECT_THAT(error_of("DFT", 7, "", {in_f32({4, 3}, std::vector<float>(12)), ints({0})}),
                HasSubstr("data has shape [4,3], expected pairs in the last dimension"));
    EXPECT_THAT(error_of("DFT", 7, "", {in_f32({2}, {1, 2}), ints({0})}),
                HasSubstr("data has shape [2], expected rank 2 or more"));
    EXPECT_THAT(error_of("DFT", 7, "", {kLine, ints({0}), ints({2, 2})}),
                HasSubstr("signal_size has 2 values, axes 1"));
    EXPECT_THAT(error_of("DFT", 7, "", {kLine, ints({0}), ints({0})}),
                HasSubstr("signal_size has the value 0, expected -1 or one in [1, 268435456]"));
    EXPECT_THAT(error_of("DFT", 7, "", {in<std::int32_t>({1, 2}, {1, 2}), ints({0})}),
                HasSubstr("data is i32, expected a real type"));
    EXPECT_THAT(blind_error_of("DFT", 7, "", {kLine, ints({0}), ints({-2})}),
                HasSubstr("signal_size has the value -2"));
    const In point = in_f32({1, 1, 2}, {1, 2});
    EXPECT_THAT(error_of("DFT", 7, "", {point, ints({0, 1}), ints({65536, 65536})}),
                HasSubstr("the data resized to signal_size has shape [65536,65536], expected at "
                          "most 268435456 elements"));
    EXPECT_THAT(blind_error_of("IDFT", 7, "", {in_f32({3}, {1, 2, 3}), ints({0})}),
                HasSubstr("expected pairs in the last dimension"));
}

TEST(Rdft, HalfASpectrum) {
    const In line = in_f32({4}, {1, 2, 3, 4});
    expect_near(run_op("RDFT", 9, "", {line, ints({0})})[0], {3, 2}, {10, 0, -2, 2, -2, 0});
    expect_near(run_op("RDFT", 9, "", {line, ints({-1}), ints({3})})[0], {2, 2},
                {6, 0, -1.5F, kRoot3 / 2});
    // The last axis of the list is the one that is halved.
    const In grid = in_f32({2, 3}, {1, 2, 3, 4, 5, 6});
    expect_near(run_op("RDFT", 9, "", {grid, ints({0, 1})})[0], {2, 2, 2},
                {21, 0, -3, kRoot3, -9, 0, 0, 0});
    expect_near(run_op("RDFT", 9, "", {grid, ints({1, 0})})[0], {2, 3, 2},
                {21, 0, -3, kRoot3, -3, -kRoot3, -9, 0, 0, 0, 0, 0});
}

TEST(Irdft, RealSignals) {
    const In half = in_f32({3, 2}, {10, 0, -2, 2, -2, 0});
    expect_near(run_op("IRDFT", 9, "", {half, ints({0})})[0], {4}, {1, 2, 3, 4});
    expect_near(run_op("IRDFT", 9, "", {half, ints({0}), ints({-1})})[0], {4}, {1, 2, 3, 4});
    // An odd size: 10, -2 + 2i, -2 and the mirrored ones.
    const In odd = in_f32({2, 2}, {6, 0, -1.5F, kRoot3 / 2});
    expect_near(run_op("IRDFT", 9, "", {odd, ints({0}), ints({3})})[0], {3}, {1, 2, 3});
    // Longer: zeros after it. [10, -2 + 2i, -2, 0, mirrored] / 6 at 0 is (10 - 4 - 4) / 6.
    EXPECT_NEAR(run_op("IRDFT", 9, "", {half, ints({0}), ints({6})})[0].data<float>()[0], 1.0 / 3,
                1e-6);
    // Shorter: the value at 2 is not read. [10, -2] / 2.
    expect_near(run_op("IRDFT", 9, "", {half, ints({0}), ints({2})})[0], {2}, {4, 6});
    const In grid = in_f32({2, 2, 2}, {21, 0, -3, kRoot3, -9, 0, 0, 0});
    expect_near(run_op("IRDFT", 9, "", {grid, ints({0, 1}), ints({-1, 3})})[0], {2, 3},
                {1, 2, 3, 4, 5, 6});
    // Of one value: a signal of 2 * (1 - 1) values.
    EXPECT_EQ(run_op("IRDFT", 9, "", {in_f32({1, 2}, {3, 0}), ints({0})})[0].get_size(), 0U);
}

TEST(Rdft, InfersOpenShapes) {
    const In data = open(ElementType::f32, "[3,?,8]");
    EXPECT_EQ(shape_of("RDFT", 9, "", {data, ints({1, 2})}), "[3,?,5,2]");
    EXPECT_EQ(shape_of("RDFT", 9, "", {data, ints({2, 1})}), "[3,1..,8,2]");
    EXPECT_EQ(shape_of("RDFT", 9, "", {data, ints({2}), ints({7})}), "[3,?,4,2]");
    EXPECT_EQ(shape_of("RDFT", 9, "", {data, open(ElementType::i64, "[1]")}), "[?,?,?,2]");
    const In spectrum = open(ElementType::f32, "[3,2..5,8,2]");
    EXPECT_EQ(shape_of("IRDFT", 9, "", {spectrum, ints({2})}), "[3,2..5,14]");
    EXPECT_EQ(shape_of("IRDFT", 9, "", {spectrum, ints({2, 1})}), "[3,2..8,8]");
    EXPECT_EQ(shape_of("IRDFT", 9, "", {spectrum, ints({2}), ints({9})}), "[3,2..5,9]");
    EXPECT_EQ(shape_of("IRDFT", 9, "", {open(ElementType::f32, "..."), ints({0})}), "[...]");
}

TEST(Rdft, Refuses) {
    const In line = in_f32({4}, {1, 2, 3, 4});
    const In no_axes = constant<std::int64_t>({0}, {});
    EXPECT_THAT(error_of("RDFT", 9, "", {line, no_axes}), HasSubstr("axes is empty"));
    EXPECT_THAT(blind_error_of("RDFT", 9, "", {line, no_axes}), HasSubstr("axes is empty"));
    EXPECT_THAT(error_of("RDFT", 9, "", {line, ints({1})}), HasSubstr("axes is 1"));
    EXPECT_THAT(error_of("RDFT", 9, "", {in_f32({}, {1}), ints({0})}),
                HasSubstr("data has shape [], expected rank 1 or more"));
    EXPECT_THAT(error_of("IRDFT", 9, "", {line, ints({0})}), HasSubstr("expected rank 2 or more"));
    EXPECT_THAT(
        error_of("RDFT", 9, "", {in_f32({1, 1}, {1}), ints({0, 1}), ints({1 << 15, 1 << 15})}),
        HasSubstr("the data resized to signal_size has shape [32768,16385]"));
}

}  // namespace
}  // namespace fuseq::test
