// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Binary post-ops of convolutions, in shapes for which oneDNN 2.6.3 reads the second tensor at
// wrong places: each step has the reference's result, whoever computes it.
#include "cpu/lowering/spatial_anchor.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::cpu {
namespace {

using fuseq::test::check_on_devices;

constexpr double kTolerance = 1e-5;

std::string text(std::size_t value) {
    return std::to_string(value);
}

// One pixel of one image: with values a channel, with a tensor.
void check_one_pixel(const std::string& convolution, const std::string& filters, std::size_t c) {
    for (const std::string& operand : {"Const value=random(5,-1,1) : f32[1," + text(c) + ",1,1]",
                                       "Parameter : f32[1," + text(c) + ",1,1]"}) {
        check_on_devices("model \"m\"\n%x = Parameter : f32[1," + text(c) +
                             ",3,3]\n%w = Const value=random(3,-0.3,0.3) : f32[" + filters +
                             ",3,3]\n%c = " + convolution +
                             "(%x, %w) strides=[1,1] dilations=[1,1]\n%k = " + operand +
                             "\n%end = Maximum(%c, %k)\n%r = Result(%end)\n",
                         static_cast<unsigned>(c), kTolerance);
    }
}

TEST(SpatialAnchorBinary, OfOnePixelOfOneImage) {
    for (const std::size_t c : {16, 17, 25, 40, 63, 64}) {
        check_one_pixel("GroupConvolution", text(c) + ",1,1", c);
        check_one_pixel("Convolution", text(c) + "," + text(c), c);
    }
}

// Whole numbers as weights; the operand has the shape of the result or a value a channel.
void check_int8(const std::string& src,
                const std::string& filters,
                const std::string& steps,
                const std::string& operand,
                unsigned seed) {
    check_on_devices("model \"m\"\n%x = Parameter : f32[" + src +
                         "]\n%l = Const value={0} : f32[]\n%h = Const value={3.984375} : f32[]\n"
                         "%q = FakeQuantize(%x, %l, %h, %l, %h) levels=256\n"
                         "%i = Const value=fill(3) : i8[" +
                         filters + "]\n%f = Convert(%i) destination_type=f32\n" +
                         "%s = Const value={0.0625} : f32[]\n%w = Multiply(%f, %s)\n"
                         "%c = GroupConvolution(%q, %w) strides=" +
                         steps + " dilations=" + steps + "\n%k = " + operand +
                         "\n%end = Maximum(%c, %k)\n%r = Result(%end)\n",
                     seed, kTolerance);
}

TEST(SpatialAnchorBinary, OfIntegersInOddGroups) {
    check_int8("1,51,3,1", "3,17,17,1,1", "[1,1]", "Parameter : f32[1,51,3,1]", 1);
    check_int8("2,35,1,1", "5,7,7,1,1", "[1,1]", "Parameter : f32[2,35,1,1]", 2);
    check_int8("1,34,1,9,4", "2,17,17,1,1,1", "[1,1,1]",
               "Const value=random(5,-1,1) : f32[1,34,1,1,1]", 3);
    check_int8("1,38,3,1", "2,19,19,1,1", "[1,1]", "Const value=random(5,0,9) : f32[1,38,1,1]", 4);
}

TEST(SpatialAnchorBinary, OfIntegersWhoseChannelsDoNotFillVectors) {
    check_int8("3,47,9", "47,1,1,1", "[1]", "Parameter : f32[3,47,9]", 4);
    check_int8("1,23,1", "23,1,1,1", "[1]", "Const value=random(5,-1,1) : f32[1,23,1]", 5);
}

}  // namespace
}  // namespace fuseq::cpu
