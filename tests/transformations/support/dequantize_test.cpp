// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/dequantize.hpp"

#include <gtest/gtest.h>

namespace fuseq::testing {
namespace {

class DequantizeTest : public ::testing::Test {
protected:
    std::optional<Dequantize> match(const std::string& text, const std::string& type = "u8") {
        model_ = Model::from_text("model \"m\"\n%q = Parameter : " + type + R"([1,2,3,3]
            %f = Parameter : f32[1,2,3,3]
            %s = Const value={0.5} : f32[]
            %z = Const value={3} : f32[]
            %channels = Const value={0.5,2} : f32[1,2,1,1]
            %columns = Const value={1,2,3} : f32[3]
            %batch = Const value={1,2} : f32[2,1,1,1]
            %c = Convert(%q) destination_type=f32
            )" + text + "\n%r = Result(%v)");
        return match_dequantize(model_->find("v")->output());
    }

    std::shared_ptr<Model> model_;
};

TEST_F(DequantizeTest, IsConvertSubtractMultiply) {
    const auto dq = match("%b = Subtract(%c, %z)\n%v = Multiply(%b, %channels)", "i8");
    ASSERT_TRUE(dq);
    EXPECT_EQ(dq->q.node->name(), "q");
    EXPECT_EQ(dq->zero_point, ChannelValues(3.0f));
    EXPECT_EQ(dq->scale, ChannelValues({0.5f, 2}, 1));
    EXPECT_FALSE(dq->per_tensor());
    EXPECT_TRUE(dq->has_zero_point());
    EXPECT_EQ(dq->axis(), 1u);
}

TEST_F(DequantizeTest, MayLackBothOrOne) {
    EXPECT_EQ(match("%v = Multiply(%c, %s)").value().zero_point, ChannelValues(0.0f));
    EXPECT_EQ(match("%v = Subtract(%c, %z)").value().scale, ChannelValues(1.0f));
    EXPECT_FALSE(match("%v = ReLU(%f)"));
    EXPECT_FALSE(match("%v = Multiply(%f, %s)"));
}

TEST_F(DequantizeTest, IsNoneOfOtherTypesOrOperands) {
    EXPECT_FALSE(match("%v = Multiply(%c, %s)", "i32"));
    EXPECT_FALSE(match("%v = Multiply(%c, %f)"));
    EXPECT_FALSE(match("%v = Multiply(%c, %batch)"));  // broadcasts the data
    EXPECT_FALSE(match("%b = Subtract(%c, %columns)\n%v = Multiply(%b, %channels)"));
    EXPECT_FALSE(match("%v = Multiply(%c, %s) auto_broadcast=pdpd"));
}

TEST_F(DequantizeTest, IsBuiltAsItIsRead) {
    const auto dq = match("%b = Subtract(%c, %z)\n%v = Multiply(%b, %channels)").value();
    const Output end = build_dequantize(*model_, "again", dq);
    const auto again = match_dequantize(end);
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->same_mapping(dq));
    EXPECT_EQ(again->q, dq.q);
    EXPECT_EQ(end.node->name(), "again/multiply");
}

TEST_F(DequantizeTest, MapsTheSameWithTypeScaleAndZeroPoint) {
    const auto dq = match("%b = Subtract(%c, %z)\n%v = Multiply(%b, %s)").value();
    Dequantize other = dq;
    EXPECT_TRUE(dq.same_mapping(other));
    other.scale = 0.25f;
    EXPECT_FALSE(dq.same_mapping(other));
    other = dq;
    other.zero_point = 4.0f;
    EXPECT_FALSE(dq.same_mapping(other));
}

TEST_F(DequantizeTest, MovesItsChannels) {
    const auto dq = match("%v = Multiply(%c, %channels)").value();
    const Dequantize moved = moved_to_axis(dq, 3);
    EXPECT_EQ(moved.scale, ChannelValues({0.5f, 2}, 3));
    EXPECT_EQ(moved.axis(), 3u);
}

TEST(WholeZeroPoint, IsWithinTheType) {
    EXPECT_EQ(whole_zero_point(3.4, ElementType::u8), 3);
    EXPECT_EQ(whole_zero_point(-3.4, ElementType::u8), 0);
    EXPECT_EQ(whole_zero_point(300, ElementType::u8), 255);
    EXPECT_EQ(whole_zero_point(-3.6, ElementType::i8), -4);
    EXPECT_EQ(whole_zero_point(-200, ElementType::i8), -128);
    EXPECT_EQ(whole_zero_point(200, ElementType::i8), 127);
}

}  // namespace
}  // namespace fuseq::testing
