// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/broadcast_binary.hpp"

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

std::string shape_text(const Shape& shape) {
    std::string text = "f32[";
    for (std::size_t d = 0; d < shape.size(); ++d) {
        text += (d == 0 ? "" : ",") + std::to_string(shape[d]);
    }
    return text + "]";
}

// y = type(a, b); a, where it says so, lies in channels-last memory.
std::string text_of(const std::string& type, const Shape& a, const Shape& b, bool channels_last) {
    const std::string x = channels_last ? "%p" : "%a";
    return "model \"m\"\n%a = Parameter : " + shape_text(a) +
           "\n%b = Parameter : " + shape_text(b) + "\n" +
           (channels_last ? "%p = MaxPool(%a) strides=[1,1] kernel=[3,3] pads_begin=[1,1] "
                            "pads_end=[1,1]\n"
                          : "") +
           "%y = " + type + "(" + x + ", %b)\n%r = Result(%y)\n";
}

class BroadcastBinary : public testing::TestWithParam<const char*> {};

TEST_P(BroadcastBinary, EqualsTheReference) {
    const unsigned seed = std::random_device()();
    std::mt19937 random(seed);
    const std::size_t n = 1 + random() % 3;
    const std::size_t c = 2 + random() % 40;
    const std::size_t h = 2 + random() % 9;
    const std::size_t w = 2 + random() % 9;
    const Shape shapes[] = {{n, c, 1, 1}, {1, 1, h, w}, {c, 1, 1}, {1, c, h, w}, {w},
                            {h, 1},       {},           {1},       {n, 1, 1, w}};
    for (const Shape& other : shapes) {
        for (const bool channels_last : {false, true}) {
            const auto text = text_of(GetParam(), {n, c, h, w}, other, channels_last);
            const DeviceRun run = check_on_devices(text, seed, 1e-6);
            EXPECT_EQ(run.report["totals"]["reference_steps"], 0) << text << "seed " << seed;
        }
        const auto turned = text_of(GetParam(), other, {n, c, h, w}, false);
        const DeviceRun run = check_on_devices(turned, seed, 1e-6);
        EXPECT_EQ(run.report["totals"]["reference_steps"], 0) << turned << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Operations,
    BroadcastBinary,
    testing::Values(
        "Add", "Subtract", "Multiply", "Divide", "Maximum", "Minimum", "SquaredDifference"),
    [](const auto& test) { return std::string(test.param); });

TEST(BroadcastBinaryStep, BroadcastsBothOperands) {
    const DeviceRun run = check_on_devices(text_of("Multiply", {3, 1, 5}, {4, 1}, false), 5);
    EXPECT_EQ(run.step_of("y"), "binary fuseq:binary");
    EXPECT_EQ(run.outputs[0].get_shape(), (Shape{3, 4, 5}));
}

TEST(BroadcastBinaryStep, DividesTensorsOfOneShape) {
    const DeviceRun run = check_on_devices(text_of("Divide", {70, 301}, {70, 301}, false), 6);
    EXPECT_EQ(run.step_of("y"), "binary fuseq:binary");
}

}  // namespace
}  // namespace fuseq::test

namespace fuseq::cpu {
namespace {

PlanTensor plan_tensor(const Shape& shape, Layout layout) {
    PlanTensor tensor;
    tensor.type = ElementType::f32;
    tensor.shape = shape;
    tensor.layout = layout;
    return tensor;
}

TEST(BinaryLoops, MergesWhatStepsTogether) {
    // A gate of an image, plain: planes. Channels-last: pixels of one image.
    const PlanTensor gate = plan_tensor({2, 8, 1, 1}, Layout::kPlain);
    const auto planes = binary_loops(plan_tensor({2, 8, 3, 5}, Layout::kPlain), gate,
                                     plan_tensor({2, 8, 3, 5}, Layout::kPlain));
    ASSERT_EQ(planes.size(), 2u);
    EXPECT_EQ(planes[0].size, 16u);
    EXPECT_EQ(planes[1].size, 15u);
    EXPECT_EQ(planes[1].strides[1], 0);
    const auto pixels = binary_loops(plan_tensor({2, 8, 3, 5}, Layout::kChannelsLast), gate,
                                     plan_tensor({2, 8, 3, 5}, Layout::kChannelsLast));
    ASSERT_EQ(pixels.size(), 3u);
    EXPECT_EQ(pixels[1].size, 15u);
    EXPECT_EQ(pixels[2].size, 8u);
    EXPECT_EQ(pixels[2].strides[1], 1);
    EXPECT_EQ(binary_loops(gate, gate, gate).size(), 1u);
}

}  // namespace
}  // namespace fuseq::cpu
