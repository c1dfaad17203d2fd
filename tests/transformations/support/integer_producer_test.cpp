// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/integer_producer.hpp"

#include <gtest/gtest.h>

namespace fuseq::testing {
namespace {

class IntegerProducerTest : public ::testing::Test {
protected:
    Output read(const std::string& text) {
        model_ = Model::from_text(R"(model "m"
            %q = Parameter : u8[1,8,6,6]
            %x = Parameter : f32[1,3,6,6]
            %wq = Const value=random(1) : i8[4,8,3,3]
            %wx = Const value=random(2) : f32[4,3,3,3]
            %one = Const value={1} : f32[]
            %i = Convolution(%q, %wq) strides=[1,1] dilations=[1,1]
            %f = Convolution(%x, %wx) strides=[1,1] dilations=[1,1]
            )" + text + "\n%r = Result(%v)");
        return model_->find("v")->output();
    }
    bool integers(const std::string& text) { return comes_from_integer_anchor(read(text)); }
    bool few(const std::string& text) { return comes_from_convolution_of_few_channels(read(text)); }

    std::shared_ptr<Model> model_;
};

TEST_F(IntegerProducerTest, IsTheAnchorBeforeElementWiseOperations) {
    EXPECT_TRUE(
        integers("%a = Add(%i, %one)\n%b = ReLU(%a)\n"
                 "%v = MaxPool.1(%b) strides=[1,1] kernel=[2,2]"));
    EXPECT_FALSE(integers("%v = Add(%f, %one)"));
}

TEST_F(IntegerProducerTest, IsNoneBehindOtherOperations) {
    EXPECT_FALSE(
        integers("%axes = Const value={2,3} : i64[2]\n"
                 "%v = ReduceMean(%i, %axes) keep_dims=true"));
    EXPECT_FALSE(integers("%v = ReLU(%x)"));
}

TEST_F(IntegerProducerTest, IsNoneThatOthersReadToo) {
    EXPECT_FALSE(integers("%a = ReLU(%i)\n%v = Add(%a, %one)\n%s = Result(%a)"));
}

TEST_F(IntegerProducerTest, OfFewChannelsIsAFirstLayer) {
    EXPECT_TRUE(few("%v = ReLU(%f)"));
    EXPECT_FALSE(few("%v = ReLU(%i)"));  // of 8 channels
    EXPECT_FALSE(few("%v = ReLU(%x)"));
    EXPECT_FALSE(
        few("%p = Parameter : f32[4,3,3,3]\n%c = Convolution(%x, %p) strides=[1,1] "
            "dilations=[1,1]\n%v = ReLU(%c)"));
}

}  // namespace
}  // namespace fuseq::testing
