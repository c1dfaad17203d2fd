// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/depthwise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "fuseq/core.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::byte> bytes_of(const std::vector<int>& values) {
    std::vector<std::byte> bytes;
    bytes.reserve(values.size());
    for (const int value : values) {
        bytes.push_back(static_cast<std::byte>(value));
    }
    return bytes;
}

TEST(DedupRows, EachRowOnce) {
    const auto image = bytes_of({9, 1, 2, 3, 2, 3, 2, 3, 2, 3, 9, 7});
    const DedupRows rows = DedupRows::of(image, 6);
    EXPECT_THAT(rows.offsets, ElementsAre(0u, 2u, 2u, 2u, 2u, 4u));
    EXPECT_EQ(rows.bytes, bytes_of({9, 1, 2, 3, 9, 7}));
}

TEST(DedupRows, NoneWhereLittleWouldBeSaved) {
    EXPECT_THAT(DedupRows::of(bytes_of({1, 2, 3, 3, 3, 4}), 6).offsets, IsEmpty());
    std::vector<int> different(40);
    std::iota(different.begin(), different.end(), 0);
    EXPECT_THAT(DedupRows::of(bytes_of(different), 40).offsets, IsEmpty());
    // Nine rows of two bytes that differ in many.
    std::vector<int> nine(2 * 90);
    for (std::size_t i = 0; i < nine.size(); ++i) {
        nine[i] = static_cast<int>(i / 2 % 9);
    }
    EXPECT_THAT(DedupRows::of(bytes_of(nine), 90).offsets, IsEmpty());
}

// A depthwise convolution, a constant that differs at the border of the image or everywhere, elu
// and a quantization: the device against the reference.
std::shared_ptr<Model> with_constant(bool border_only) {
    constexpr std::size_t kChannels = 24, kHeight = 11, kWidth = 9;
    std::string values;
    for (std::size_t c = 0; c < kChannels; ++c) {
        for (std::size_t y = 0; y < kHeight; ++y) {
            for (std::size_t x = 0; x < kWidth; ++x) {
                const bool inner = y > 0 && y + 1 < kHeight && x > 0 && x + 1 < kWidth;
                const std::size_t place = border_only && inner ? 0 : 1 + x * 3 + y * 5;
                values += (values.empty() ? "" : ",") +
                          std::to_string(0.0625 * static_cast<double>((c + place) % 17) - 0.5);
            }
        }
    }
    const std::string shape = "1,24,11,9";
    return Model::from_text(
        "model \"m\"\n%x = Parameter : f32[" + shape +
        "]\n%l = Const value={-2} : f32[]\n%h = Const value={1.984375} : f32[]\n"
        "%q = FakeQuantize(%x, %l, %h, %l, %h) levels=256\n"
        "%w = Const value=random(5,-127,127) : i8[24,1,1,3,3]\n"
        "%wf = Convert(%w) destination_type=f32\n%s = Const value={0.0078125} : f32[]\n"
        "%wd = Multiply(%wf, %s)\n"
        "%c = GroupConvolution(%q, %wd) strides=[1,1] dilations=[1,1] pads_begin=[1,1] "
        "pads_end=[1,1]\n"
        "%k = Const value={" +
        values + "} : f32[" + shape +
        "]\n%sum = Add(%c, %k)\n%e = Elu(%sum) alpha=1\n"
        "%ol = Const value={-1} : f32[]\n%oh = Const value={2.984375} : f32[]\n"
        "%o = FakeQuantize(%e, %ol, %oh, %ol, %oh) levels=256\n%r = Result(%o)\n");
}

Tensor infer(const std::shared_ptr<Model>& model, const std::string& device, const AnyMap& config) {
    static Core core;
    InferRequest request = core.compile_model(model, device, config).create_infer_request();
    Tensor x(ElementType::f32, model->inputs()[0].shape());
    for (std::size_t i = 0; i < x.get_size(); ++i) {
        x.data<float>()[i] = static_cast<float>(i * 7919 % 513) / 128.0f - 2.0f;
    }
    request.set_input_tensor(x);
    request.infer();
    return request.get_output_tensor();
}

TEST(DepthwiseStep, AddsAConstantThatDiffersAtTheBorder) {
    for (const bool border_only : {true, false}) {
        const auto model = with_constant(border_only);
        const Tensor want = infer(model, "REFERENCE", {});
        for (const int threads : {1, 2, 3}) {
            const Tensor got = infer(model, "CPU", {{"INFERENCE_NUM_THREADS", threads}});
            for (std::size_t i = 0; i < want.get_size(); ++i) {
                // A step of the result is 1/64; elu may round to either side of a tie.
                ASSERT_NEAR(got.data<float>()[i], want.data<float>()[i], 1.0f / 64) << i;
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::cpu
