// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/deconvolution_to_depth_to_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

std::string deconvolution(const std::string& src,
                          const std::string& wei,
                          const std::string& attributes) {
    return "model \"m\"\n%x = Parameter : " + src + "\n%w = Const value=random(1,-3,3) : " + wei +
           "\n%d = ConvolutionBackpropData(%x, %w) " + attributes + "\n%r = Result(%d)";
}

TEST(DeconvolutionToDepthToSpace, RewritesKernelsSideBySide) {
    const PassTest test = run_pass(deconvolution_to_depth_to_space, R"(model "m"
        %x = Parameter : f32[1,1,2,2]
        %w = Const value={1,2,3,4,5,6,7,8} : f32[1,2,2,2]
        %d = ConvolutionBackpropData(%x, %w) strides=[2,2]
        %r = Result(%d))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[1,1,2,2]
        %w = Const value={1,5,2,6,3,7,4,8} : f32[8,1,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %d = DepthToSpace(%c) mode=blocks_first block_size=2
        %r = Result(%d))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
}

TEST(DeconvolutionToDepthToSpace, KeepsNumbersAndNames) {
    for (const char* const shapes :
         {"f32[2,5,4,7]|f32[5,3,3,3]|strides=[3,3]", "i8[1,4,5,5]|i8[4,2,2,2]|strides=[2,2]",
          "f32[1,3,6]|f32[3,4,4]|strides=[4]", "f32[1,2,3,2,3]|f32[2,3,2,2,2]|strides=[2,2,2]"}) {
        const std::string all = shapes;
        const auto one = all.find('|');
        const auto two = all.rfind('|');
        const PassTest test =
            run_pass(deconvolution_to_depth_to_space,
                     deconvolution(all.substr(0, one), all.substr(one + 1, two - one - 1),
                                   all.substr(two + 1)));
        EXPECT_TRUE(test.changed) << all;
        EXPECT_LT(largest_difference(test), 1e-5) << all;
    }
}

TEST(DeconvolutionToDepthToSpace, LeavesOthers) {
    for (const char* const attributes :
         {"strides=[3,3]", "strides=[1,1]", "strides=[2,2] pads_begin=[1,0]",
          "strides=[2,2] pads_end=[0,1]", "strides=[2,2] output_padding=[1,1]",
          "strides=[2,2] dilations=[2,2]", "strides=[2,1]"}) {
        const PassTest test = run_pass(deconvolution_to_depth_to_space,
                                       deconvolution("f32[1,2,4,4]", "f32[2,2,2,2]", attributes));
        EXPECT_FALSE(test.changed) << attributes;
    }
    // oneDNN is as fast for unsigned bytes.
    EXPECT_FALSE(run_pass(deconvolution_to_depth_to_space,
                          deconvolution("u8[1,2,4,4]", "i8[2,2,2,2]", "strides=[2,2]"))
                     .changed);
}

}  // namespace
}  // namespace fuseq::testing
