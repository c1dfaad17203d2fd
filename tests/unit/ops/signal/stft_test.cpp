// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kSignal = in_f32({5}, {1, 2, 3, 4, 5});
const In kOnes = in_f32({2}, {1, 1});
// Frames of two values at steps of 1, frequencies before frames: sums, differences.
const In kFrames = in_f32({2, 4, 2}, {3, 0, 5, 0, 7, 0, 9, 0, -1, 0, -1, 0, -1, 0, -1, 0});
constexpr const char* kNeither = "center=false; normalized=false";

TEST(Stft, FramesOfASignal) {
    expect_near(run_op("STFT", 15, "transpose_frames=false",
                       {kSignal, kOnes, int_scalar(2), int_scalar(1)})[0],
                {4, 2, 2}, {3, 0, -1, 0, 5, 0, -1, 0, 7, 0, -1, 0, 9, 0, -1, 0});
    expect_near(run_op("STFT", 15, "transpose_frames=true",
                       {kSignal, kOnes, int_scalar(2), int_scalar(1)})[0],
                {2, 4, 2}, to_floats(kFrames.value));
    // [1, 2] and [3, 4], times 1 and 10; 5 fills no frame.
    expect_near(run_op("STFT", 15, "transpose_frames=false",
                       {kSignal, in_f32({2}, {1, 10}), int_scalar(2), int_scalar(2)})[0],
                {2, 2, 2}, {21, 0, -19, 0, 43, 0, -37, 0});
}

// The window has zeros on both sides, fewer before it: [1, 2, 3] and [3, 4, 5] times [0, 2, 0], and
// [1, 2, 3, 4] times [0, 2, 0, 0].
TEST(Stft, ShortWindows) {
    const float root3 = std::sqrt(3.0F);
    const In window = in_f32({1}, {2});
    expect_near(run_op("STFT", 15, "transpose_frames=false",
                       {kSignal, window, int_scalar(3), int_scalar(2)})[0],
                {2, 2, 2}, {4, 0, -2, -2 * root3, 8, 0, -4, -4 * root3});
    expect_near(run_op("STFT", 15, "transpose_frames=false",
                       {kSignal, window, int_scalar(4), int_scalar(2)})[0],
                {1, 3, 2}, {4, 0, 0, -4, -4, 0});
}

TEST(Stft, Batches) {
    const In two = in_f32({2, 3}, {1, 2, 3, 4, 5, 7});
    expect_near(
        run_op("STFT", 15, "transpose_frames=true", {two, kOnes, int_scalar(2), int_scalar(1)})[0],
        {2, 2, 2, 2}, {3, 0, 5, 0, -1, 0, -1, 0, 9, 0, 12, 0, -1, 0, -2, 0});
}

// The shapes of the specification's examples.
TEST(Stft, InfersShapes) {
    const In window = open(ElementType::f32, "[7]");
    const In size = int_scalar(11);
    const In step = int_scalar(3);
    const In one = open(ElementType::f32, "[56]");
    const In three = open(ElementType::f32, "[3,56]");
    EXPECT_EQ(shape_of("STFT", 15, "transpose_frames=false", {one, window, size, step}),
              "[16,6,2]");
    EXPECT_EQ(shape_of("STFT", 15, "transpose_frames=true", {one, window, size, step}), "[6,16,2]");
    EXPECT_EQ(shape_of("STFT", 15, "transpose_frames=true", {three, window, size, step}),
              "[3,6,16,2]");
    const In number = open(ElementType::i32, "[]");
    EXPECT_EQ(shape_of("STFT", 15, "transpose_frames=false", {three, window, size, number}),
              "[3,?,6,2]");
    EXPECT_EQ(shape_of("STFT", 15, "transpose_frames=false", {three, window, number, step}),
              "[3,?,?,2]");
    EXPECT_EQ(shape_of("STFT", 15, "transpose_frames=false",
                       {open(ElementType::f32, "[?,20..26]"), window, size, step}),
              "[?,4..6,6,2]");
    EXPECT_EQ(shape_of("STFT", 15, "transpose_frames=false",
                       {open(ElementType::f32, "..."), window, size, step}),
              "[...]");
}

TEST(Stft, Refuses) {
    const auto why = [](const In& signal, const In& window, std::int64_t size, std::int64_t step) {
        return error_of("STFT", 15, "transpose_frames=true",
                        {signal, window, int_scalar(size), int_scalar(step)});
    };
    EXPECT_THAT(why(kSignal, kOnes, 6, 1), HasSubstr("frame_size is 6, the signal has 5 values"));
    EXPECT_THAT(why(kSignal, kOnes, 1, 1),
                HasSubstr("the window has 2 values, expected 1 to 1, the frame size"));
    EXPECT_THAT(why(kSignal, kOnes, 0, 1),
                HasSubstr("frame_size is 0, expected a value in [1, 268435456]"));
    EXPECT_THAT(why(kSignal, kOnes, 2, 0), HasSubstr("frame_step is 0"));
    EXPECT_THAT(why(in_f32({1, 1, 2}, {1, 2}), kOnes, 2, 1),
                HasSubstr("signal has shape [1,1,2], expected [size] or [batch, size]"));
    EXPECT_THAT(why(kSignal, in_f32({1, 2}, {1, 1}), 2, 1),
                HasSubstr("the window has shape [1,2], expected one dimension"));
    EXPECT_THAT(why(kSignal, in<double>({2}, {1, 1}), 2, 1), HasSubstr("expected the same type"));
    EXPECT_THAT(why(in<std::int32_t>({2}, {1, 1}), in<std::int32_t>({2}, {1, 1}), 2, 1),
                HasSubstr("data is i32, expected a real type"));
    EXPECT_THAT(blind_error_of("STFT", 15, "transpose_frames=true",
                               {kSignal, kOnes, int_scalar(6), int_scalar(1)}),
                HasSubstr("frame_size is 6, the signal has 5 values"));
    EXPECT_THAT(blind_error_of("STFT", 15, "transpose_frames=true",
                               {kSignal, kOnes, int_scalar(1), int_scalar(1)}),
                HasSubstr("the window has 2 values"));
}

// The frames add up to 1, 4, 6, 8, 5, and the windows to 1, 2, 2, 2, 1.
TEST(Istft, SignalOfFrames) {
    const std::vector<In> inputs{kFrames, kOnes, int_scalar(2), int_scalar(1)};
    expect_near(run_op("ISTFT", 16, kNeither, inputs)[0], {5}, {1, 2, 3, 4, 5});
    // Half a frame at both ends is padding.
    expect_near(run_op("ISTFT", 16, "center=true; normalized=false", inputs)[0], {3}, {2, 3, 4});
    const float root2 = std::sqrt(2.0F);
    expect_near(run_op("ISTFT", 16, "center=false; normalized=true", inputs)[0], {5},
                {root2, 2 * root2, 3 * root2, 4 * root2, 5 * root2});
}

TEST(Istft, LengthsOfTheSignal) {
    const auto with_length = [](const char* attributes, const In& length) {
        return run_op("ISTFT", 16, attributes,
                      {kFrames, kOnes, int_scalar(2), int_scalar(1), length})[0];
    };
    expect_near(with_length(kNeither, int_scalar(2)), {2}, {1, 2});
    expect_near(with_length(kNeither, ints({7})), {7}, {1, 2, 3, 4, 5, 0, 0});
    // The values after the centre are there when signal_length asks for them.
    expect_near(with_length("center=true; normalized=false", int_scalar(5)), {5}, {2, 3, 4, 5, 0});
}

// Divided by the sum of the windows, 0, 1, 1, 1, 1; 0 where there is none.
TEST(Istft, Windows) {
    expect_near(run_op("ISTFT", 16, kNeither,
                       {kFrames, in_f32({2}, {0, 1}), int_scalar(2), int_scalar(1)})[0],
                {5}, {0, 4, 6, 8, 5});
    // Spectra of [0, 4, 0] and [0, 8, 0] at a step of 2; the window is [0, 2, 0].
    const float root3 = std::sqrt(3.0F);
    const In frames = in_f32({2, 2, 2}, {4, 0, 8, 0, -2, -2 * root3, -4, -4 * root3});
    expect_near(
        run_op("ISTFT", 16, kNeither, {frames, in_f32({1}, {2}), int_scalar(3), int_scalar(2)})[0],
        {5}, {0, 2, 0, 4, 0});
}

TEST(Istft, Batches) {
    const In two = in_f32({2, 2, 1, 2}, {3, 0, -1, 0, 9, 0, 1, 0});
    expect_near(run_op("ISTFT", 16, kNeither, {two, kOnes, int_scalar(2), int_scalar(1)})[0],
                {2, 2}, {1, 2, 5, 4});
}

// The shapes of the specification's examples.
TEST(Istft, InfersShapes) {
    const In data = open(ElementType::f32, "[4,6,16,2]");
    const In window = open(ElementType::f32, "[7]");
    const In number = open(ElementType::i64, "[]");
    const In size = int_scalar(11);
    const In step = int_scalar(3);
    constexpr const char* kCentered = "center=true; normalized=false";
    EXPECT_EQ(shape_of("ISTFT", 16, kNeither, {data, window, size, step}), "[4,56]");
    EXPECT_EQ(shape_of("ISTFT", 16, kCentered, {data, window, size, step}), "[4,45]");
    EXPECT_EQ(shape_of("ISTFT", 16, kNeither, {data, window, size, step, int_scalar(64)}),
              "[4,64]");
    EXPECT_EQ(shape_of("ISTFT", 16, kNeither, {data, window, size, step, number}), "[4,?]");
    EXPECT_EQ(shape_of("ISTFT", 16, kNeither, {data, window, size, number}), "[4,?]");
    EXPECT_EQ(
        shape_of("ISTFT", 16, kNeither, {open(ElementType::f32, "[6,?,2]"), window, size, step}),
        "[?]");
    EXPECT_EQ(shape_of("ISTFT", 16, kNeither, {open(ElementType::f32, "..."), window, size, step}),
              "[...]");
}

TEST(Istft, Refuses) {
    const auto why = [](const In& data, const In& window, std::int64_t size, const In& length) {
        return error_of("ISTFT", 16, kNeither,
                        {data, window, int_scalar(size), int_scalar(1), length});
    };
    EXPECT_THAT(why(kFrames, kOnes, 4, absent()),
                HasSubstr("data has 2 frequencies, a frame of 4 values has 3"));
    EXPECT_THAT(why(kSignal, kOnes, 2, absent()), HasSubstr("data has shape [5], expected"));
    EXPECT_THAT(why(in_f32({2, 1, 3}, std::vector<float>(6)), kOnes, 2, absent()),
                HasSubstr("data has shape [2,1,3], expected"));
    EXPECT_THAT(why(kFrames, in_f32({3}, {1, 1, 1}), 2, absent()),
                HasSubstr("the window has 3 values, expected 1 to 2"));
    EXPECT_THAT(why(kFrames, kOnes, 2, int_scalar(0)),
                HasSubstr("signal_length is 0, expected a value in [1, 268435456]"));
    EXPECT_THAT(
        why(in_f32({2, 0, 2}, {}), kOnes, 2, absent()),
        HasSubstr("0 frames of 2 values at steps of 1, expected a signal of 1 to 268435456"));
    EXPECT_THAT(
        blind_error_of("ISTFT", 16, kNeither, {kFrames, kOnes, int_scalar(4), int_scalar(1)}),
        HasSubstr("data has 2 frequencies, a frame of 4 values has 3"));
}

}  // namespace
}  // namespace fuseq::test
