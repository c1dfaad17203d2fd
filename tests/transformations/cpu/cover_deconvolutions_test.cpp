// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/cpu/cover_deconvolutions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/deconvolution.hpp"
#include "ops/interpreter.hpp"
#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Covered {
    std::shared_ptr<Model> before;
    std::shared_ptr<Model> after;
    std::vector<Remark> remarks;
    const Node& node() const { return *after->find("y"); }
    const DeconvolutionAttrs& attrs() const { return node().attrs<DeconvolutionAttrs>(); }
    Shape kernel() const { return node().input(1).shape(); }
};

// An operation of its type, inputs after the weights and attributes; the numbers are those of the
// reference kernels before and after.
Covered covered(const std::string& weights, const std::string& rest) {
    const PassTest test = run_pass(cover_deconvolutions,
                                   "model \"m\"\n%x = Parameter : f32[2,3,4,1]\n%w = Const "
                                   "value=random(1,-9,9) : f32[" +
                                       weights + "]\n" + rest + "\n%r = Result(%y)\n");
    Covered result{test.before, test.after, test.context.remarks()};
    EXPECT_EQ(test.changed, !result.remarks.empty());
    Tensor x(ElementType::f32, {2, 3, 4, 1});
    for (std::size_t i = 0; i < x.get_size(); ++i) {
        x.data<float>()[i] = static_cast<float>(i * 7 % 19) - 9.0f;
    }
    const std::vector<Tensor> inputs = {x};
    const Tensor want = Interpreter(*result.before).run(inputs)[0];
    const Tensor got = Interpreter(*result.after).run(inputs)[0];
    EXPECT_EQ(got.get_shape(), want.get_shape());
    EXPECT_EQ(to_floats(got), to_floats(want));
    return result;
}

TEST(CoverDeconvolutions, PaddingOfTheOutputThatNoTapReaches) {
    const Covered c = covered("3,5,3,4",
                              "%y = ConvolutionBackpropData(%x, %w) strides=[2,2] "
                              "pads_begin=[1,0] pads_end=[1,0] output_padding=[1,1]");
    EXPECT_EQ(c.kernel(), Shape({3, 5, 3, 5}));
    ASSERT_EQ(c.remarks.size(), 1u);
    EXPECT_EQ(c.remarks[0].layer, "y");
    EXPECT_EQ(c.remarks[0].text, "the kernel became [3,5,3,5]");
    EXPECT_THAT(c.attrs().pads_begin, ElementsAre(1, 0));
    EXPECT_THAT(c.attrs().pads_end, ElementsAre(0, 0));
    EXPECT_THAT(c.attrs().output_padding, IsEmpty());
}

TEST(CoverDeconvolutions, TapsAreDilated) {
    const Covered c = covered("3,1,1,3,2",
                              "%y = GroupConvolutionBackpropData(%x, %w) strides=[4,4] "
                              "dilations=[2,3] output_padding=[3,1]");
    EXPECT_EQ(c.kernel(), Shape({3, 1, 1, 5, 3}));
    EXPECT_THAT(c.attrs().pads_end, ElementsAre(1, 2));
}

TEST(CoverDeconvolutions, AWantedSizeBeyondTheTaps) {
    const Covered c = covered("3,5,2,2",
                              "%s = Const value={9,3} : i64[2]\n%y = ConvolutionBackpropData(%x, "
                              "%w, %s) strides=[2,2] auto_pad=same_upper");
    EXPECT_EQ(c.kernel(), Shape({3, 5, 3, 3}));
    EXPECT_FALSE(c.node().has_input(2));
}

TEST(CoverDeconvolutions, RowsBetweenTheTaps) {
    const Covered c =
        covered("3,5,1,2", "%y = ConvolutionBackpropData(%x, %w) strides=[3,4] pads_begin=[0,1]");
    EXPECT_EQ(c.kernel(), Shape({3, 5, 3, 2}));
    EXPECT_THAT(c.attrs().pads_begin, ElementsAre(0, 1));
    EXPECT_THAT(c.attrs().pads_end, ElementsAre(2, 0));
}

TEST(CoverDeconvolutions, OthersStay) {
    const Covered c = covered("3,5,3,4",
                              "%y = ConvolutionBackpropData(%x, %w) strides=[2,2] "
                              "pads_begin=[1,1] pads_end=[1,1] output_padding=[1,1]");
    EXPECT_EQ(c.kernel(), Shape({3, 5, 3, 4}));
    EXPECT_THAT(c.attrs().output_padding, ElementsAre(1, 1));
    EXPECT_THAT(c.remarks, IsEmpty());
}

// The taps of zero would stand for -y.
TEST(CoverDeconvolutions, NotWhereWeightsHaveZeroPoints) {
    const PassTest test = run_pass(cover_deconvolutions, R"(model "m"
        %x = Parameter : u8[1,3,4,4]
        %w = Const value=random(1,-9,9) : i8[3,5,1,1]
        %k = Const value={0.5} : f32[]
        %y = ConvolutionBackpropData(%x, %w, _, _, %k) strides=[2,2]
        %r = Result(%y))");
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(test.after->find("y")->input(1).shape(), Shape({3, 5, 1, 1}));
}

}  // namespace
}  // namespace fuseq::testing
