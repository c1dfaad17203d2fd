// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

In bytes(const Shape& shape, const Bytes& values) {
    return in<std::uint8_t>(shape, values);
}

void expect_image(const std::string& type,
                  const std::vector<In>& inputs,
                  const Shape& shape,
                  const Bytes& expected) {
    expect_tensor<std::uint8_t>(run_op(type, 8, "", inputs)[0], shape, expected);
}

// Y 81 and 145 with U 90 and V 240: red, 254.412 after rounding, -0.538 and -1.024 cut to 0; 328.9
// cut to 255, 73.958 and 73.472.
TEST(ColorPlanes, ConvertsToRgbAndBgr) {
    const In nv12 = bytes({1, 3, 2, 1}, {81, 81, 81, 145, 90, 240});
    const Bytes rgb = {254, 0, 0, 254, 0, 0, 254, 0, 0, 255, 74, 73};
    const Bytes bgr = {0, 0, 254, 0, 0, 254, 0, 0, 254, 73, 74, 255};
    expect_image("NV12toRGB", {nv12}, {1, 2, 2, 3}, rgb);
    expect_image("NV12toBGR", {nv12}, {1, 2, 2, 3}, bgr);
    const In i420 = bytes({1, 3, 2, 1}, {81, 81, 81, 145, 90, 240});
    expect_image("I420toRGB", {i420}, {1, 2, 2, 3}, rgb);
    expect_image("I420toBGR", {i420}, {1, 2, 2, 3}, bgr);
    const In y = bytes({1, 2, 2, 1}, {81, 81, 81, 145});
    expect_image("NV12toRGB", {y, bytes({1, 1, 1, 2}, {90, 240})}, {1, 2, 2, 3}, rgb);
    expect_image("NV12toBGR", {y, bytes({1, 1, 1, 2}, {90, 240})}, {1, 2, 2, 3}, bgr);
    const std::vector<In> planes = {y, bytes({1, 1, 1, 1}, {90}), bytes({1, 1, 1, 1}, {240})};
    expect_image("I420toRGB", planes, {1, 2, 2, 3}, rgb);
    expect_image("I420toBGR", planes, {1, 2, 2, 3}, bgr);
}

// Two images of 2 x 4. The right half of the first is blue: 97.776 + 2.018 * 127 is cut to 255,
// 97.776 - 0.391 * 127 is 48.119. The upper pixels of the second are darker: 1.164 * 84 and 0.
const Bytes kY = {100, 100, 100, 100, 100, 100, 100, 100};
const Bytes kDark = {16, 16, 16, 16, 100, 100, 100, 100};
const Bytes kTwoImages = {98, 98, 98, 98, 98, 98, 98, 48, 255, 98, 48, 255,  //
                          98, 98, 98, 98, 98, 98, 98, 48, 255, 98, 48, 255,  //
                          0,  0,  0,  0,  0,  0,  0,  0,  0,   0,  0,  0,    //
                          98, 98, 98, 98, 98, 98, 98, 98, 98,  98, 98, 98};

Bytes joined(const std::vector<Bytes>& parts) {
    Bytes all;
    for (const Bytes& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

TEST(ColorPlanes, SharesColorsAmongFourPixels) {
    const Bytes gray = {128, 128, 128, 128};
    const Shape shape = {2, 2, 4, 3};
    expect_image("NV12toRGB",
                 {bytes({2, 3, 4, 1}, joined({kY, {128, 128, 255, 128}, kDark, gray}))}, shape,
                 kTwoImages);
    expect_image("NV12toRGB",
                 {bytes({2, 2, 4, 1}, joined({kY, kDark})),
                  bytes({2, 1, 2, 2}, joined({{128, 128, 255, 128}, gray}))},
                 shape, kTwoImages);
    expect_image("I420toRGB",
                 {bytes({2, 3, 4, 1}, joined({kY, {128, 255, 128, 128}, kDark, gray}))}, shape,
                 kTwoImages);
    expect_image("I420toRGB",
                 {bytes({2, 2, 4, 1}, joined({kY, kDark})),
                  bytes({2, 1, 2, 1}, {128, 255, 128, 128}), bytes({2, 1, 2, 1}, gray)},
                 shape, kTwoImages);
}

TEST(ColorPlanes, RoundsHalvesAwayFromZero) {
    // 1.164 * 125 is 145.5.
    expect_image("NV12toRGB", {bytes({1, 3, 2, 1}, {141, 141, 141, 141, 128, 128})}, {1, 2, 2, 3},
                 Bytes(12, 146));
}

TEST(ColorPlanes, TakesRealNumbers) {
    const std::vector<float> expected = {97.776F, 48.119F, 255,     97.776F, 48.119F,
                                         255,     97.776F, 48.119F, 255};
    const auto out = to_floats(
        run_op("NV12toRGB", 8, "", {in_f32({1, 3, 2, 1}, {100, 100, 100, 0, 255, 128})})[0]);
    for (std::size_t i = 0; i < 9; ++i) {
        EXPECT_NEAR(out[i], expected[i], 1e-4) << i;
    }
    // Black: -18.624, -68.281 and 237.662.
    EXPECT_EQ(out[9], 0);
    EXPECT_EQ(out[10], 0);
    EXPECT_NEAR(out[11], 237.662F, 1e-4);
    const auto wide =
        run_op("I420toBGR", 8, "", {in<double>({1, 3, 2, 1}, {20, 20, 20, 20, 128, 128.5})})[0];
    EXPECT_EQ(wide.get_element_type(), ElementType::f64);
    EXPECT_NEAR(wide.data<double>()[0], 4.656, 1e-12);
    EXPECT_NEAR(wide.data<double>()[1], 4.656 - 0.4065, 1e-12);
    EXPECT_NEAR(wide.data<double>()[2], 4.656 + 0.798, 1e-12);
}

TEST(ColorPlanes, Infers) {
    const auto shape = [](const std::string& type, const std::vector<std::string>& shapes) {
        std::vector<In> inputs;
        for (const std::string& text : shapes) {
            inputs.push_back(open(ElementType::u8, text));
        }
        return shape_of(type, 8, "", inputs);
    };
    EXPECT_EQ(shape("NV12toRGB", {"[1,720,640,1]"}), "[1,480,640,3]");
    EXPECT_EQ(shape("I420toBGR", {"[?,720,?,?]"}), "[?,480,?,3]");
    EXPECT_EQ(shape("I420toBGR", {"[1,10..20,8,1]"}), "[1,8..12,8,3]");
    EXPECT_EQ(shape("NV12toBGR", {"[1,?,640,1]", "[?,240,?,2]"}), "[1,480,640,3]");
    EXPECT_EQ(shape("I420toRGB", {"...", "[2,?,320,1]", "[?,240,?,1]"}), "[2,480,640,3]");
    EXPECT_EQ(shape("I420toRGB", {"...", "...", "..."}), "[?,?,?,3]");
    EXPECT_EQ(shape("NV12toRGB", {"..."}), "[?,?,?,3]");
}

TEST(ColorPlanes, Refuses) {
    const auto refused = [](const std::string& type, const std::vector<std::string>& shapes,
                            ElementType element = ElementType::u8) {
        std::vector<In> inputs;
        for (const std::string& text : shapes) {
            inputs.push_back(open(element, text));
        }
        return error_of(type, 8, "", inputs);
    };
    EXPECT_THAT(refused("NV12toRGB", {"[1,3,2,1]"}, ElementType::i8),
                HasSubstr("input 0 is i8, expected u8 or a real type"));
    EXPECT_THAT(refused("NV12toRGB", {"[1,3,2,2]"}),
                HasSubstr("input 0 has shape [1,3,2,2], expected [N,H,W,1]"));
    EXPECT_THAT(refused("NV12toRGB", {"[1,2,2,1]", "[1,1,1,1]"}),
                HasSubstr("input 1 has shape [1,1,1,1], expected [N,H,W,2]"));
    EXPECT_THAT(refused("NV12toRGB", {"[3,2,1]"}), HasSubstr("input 0 has shape [3,2,1]"));
    EXPECT_THAT(refused("NV12toRGB", {"[1,4,2,1]"}),
                HasSubstr("input 0 has 4 rows, expected 3 for every 2 of the image"));
    EXPECT_THAT(refused("NV12toRGB", {"[1,3,3,1]"}),
                HasSubstr("the image has width 3, expected an even number"));
    EXPECT_THAT(refused("NV12toRGB", {"[1,2,4,1]", "[1,2,2,2]"}),
                HasSubstr("input 1 has shape [1,2,2,2], input 0 [1,2,4,1], expected half"));
    EXPECT_THAT(refused("I420toRGB", {"[1,2,4,1]", "[1,1,2,1]", "[2,1,2,1]"}),
                HasSubstr("input 2 has shape [2,1,2,1]"));
    EXPECT_THAT(refused("I420toRGB", {"[1,2,4,1]", "[1,1,2,1]"}),
                HasSubstr("has 2 inputs, expected 1 or 3"));
    EXPECT_THAT(error_of("NV12toRGB", 8, "",
                         {open(ElementType::u8, "[1,2,2,1]"), open(ElementType::f32, "[1,1,1,2]")}),
                HasSubstr("input 1 is f32, input 0 is u8, expected the same type"));
    EXPECT_THAT(blind_error_of("I420toRGB", 8, "", {bytes({1, 3, 1, 1}, {1, 2, 3})}),
                HasSubstr("the image has width 1"));
}

}  // namespace
}  // namespace fuseq::test
