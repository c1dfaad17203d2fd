// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/spatial_anchor.hpp"

#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::cpu {
namespace {

using fuseq::test::check_on_devices;

// oneDNN's own result is wrong from channel 16 on where one pixel is left of each image: the
// factors are those of the first channels.
TEST(SpatialAnchor, MultipliesEachChannelOfADepthwiseConvolutionOfOnePixel) {
    constexpr double kSumTolerance = 1e-5;
    for (const char* activation : {"Sigmoid(%c)", "Elu(%c) alpha=1", "Tanh(%c)", "ReLU(%c)"}) {
        for (const std::size_t channels : {16, 24, 32, 40}) {
            for (const std::size_t images : {1, 2}) {
                const std::string c = std::to_string(channels);
                check_on_devices("model \"m\"\n%x = Parameter : f32[" + std::to_string(images) +
                                     "," + c + ",3,3]\n%w = Const value=random(3,-1,1) : f32[" + c +
                                     ",1,1,3,3]\n%c = GroupConvolution(%x, %w) strides=[1,1] "
                                     "dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]\n%a = " +
                                     activation + "\n%k = Const value=random(5,0.5,2) : f32[1," +
                                     c + ",1,1]\n%m = Multiply(%a, %k)\n%r = Result(%m)\n",
                                 static_cast<unsigned>(channels + images), kSumTolerance);
            }
        }
    }
}

}  // namespace
}  // namespace fuseq::cpu
