// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/channelwise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transformations/support/channel_values.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq::testing {
namespace {

using ::testing::ElementsAre;

class ChannelwiseTest : public ::testing::Test {
protected:
    Node& read(const std::string& text) {
        model_ = Model::from_text(R"(model "m"
            %x = Parameter : f32[1,3,2,2]
            %other = Parameter : f32[1,3,2,2]
            %one = Const value={5} : f32[]
            %channels = Const value={1,2,3} : f32[1,3,1,1]
            %slopes = Const value={1,2,3} : f32[3]
            %columns = Const value={1,2} : f32[2]
            %batch = Const value={1,2} : f32[2,1,1,1]
            )" + text + "\n%r = Result(%v)");
        return *model_->find("v");
    }
    std::optional<std::size_t> input(const std::string& text) {
        return channelwise_input(read(text));
    }

    std::shared_ptr<Model> model_;
};

using Input = std::optional<std::size_t>;

TEST_F(ChannelwiseTest, ReadsTheInputThatIsNoConstant) {
    EXPECT_EQ(input("%v = Sigmoid(%x)"), Input(0));
    EXPECT_EQ(input("%v = Add(%x, %one)"), Input(0));
    EXPECT_EQ(input("%v = Subtract(%channels, %x)"), Input(1));
    EXPECT_EQ(input("%v = PReLU(%x, %slopes)"), Input(0));
    EXPECT_EQ(input("%v = FakeQuantize(%x, %one, %channels, %one, %channels) levels=256"),
              Input(0));
}

TEST_F(ChannelwiseTest, IsNotWhatMixesElementsOrKnowsOtherDimensions) {
    EXPECT_EQ(input("%v = Add(%x, %columns)"), Input());
    EXPECT_EQ(input("%v = Add(%x, %other)"), Input());
    EXPECT_EQ(input("%v = Add(%x, %batch)"), Input());  // another shape
    EXPECT_EQ(input("%v = SoftMax.1(%x) axis=1"), Input());
    EXPECT_EQ(input("%v = Multiply(%x, %one) auto_broadcast=pdpd"), Input());
}

TEST_F(ChannelwiseTest, ConstantsFollowTheChannels) {
    for (const char* text : {"%v = Multiply(%x, %channels)", "%v = PReLU(%x, %slopes)"}) {
        Node& node = read(text);
        remap_channels(node, {2, 0, 0, 1});
        const Tensor& constant = node.input_node(1)->constant();
        EXPECT_EQ(constant.get_shape(), (Shape{1, 4, 1, 1})) << text;
        EXPECT_EQ(to_floats(constant), (std::vector<float>{3, 1, 1, 2})) << text;
    }
    Node& one = read("%v = Multiply(%x, %one)");
    remap_channels(one, {2, 0, 0, 1});
    EXPECT_EQ(one.input_node(1), model_->find("one"));
}

TEST(Remapped, PicksSlicesOfADimension) {
    const Tensor tensor = Tensor::of(Shape{2, 3, 2}, std::vector<std::int8_t>{0, 1, 2, 3, 4, 5,  //
                                                                              6, 7, 8, 9, 10, 11});
    const auto bytes = [](const Tensor& t) {
        return std::vector<std::int8_t>(t.data<std::int8_t>(),
                                        t.data<std::int8_t>() + t.get_size());
    };
    const Tensor middle = remapped(tensor, 1, {2, 0});
    EXPECT_EQ(middle.get_shape(), (Shape{2, 2, 2}));
    EXPECT_EQ(bytes(middle), (std::vector<std::int8_t>{4, 5, 0, 1, 10, 11, 6, 7}));
    EXPECT_EQ(bytes(remapped(tensor, 2, {1})), (std::vector<std::int8_t>{1, 3, 5, 7, 9, 11}));
    EXPECT_EQ(bytes(remapped(tensor, 0, {1, 1})),
              (std::vector<std::int8_t>{6, 7, 8, 9, 10, 11, 6, 7, 8, 9, 10, 11}));
}

// The values of the Const that stands for elements 2 and 0 of three along a dimension of [3,3]; empty
// for none.
std::vector<float> picked(const std::string& constant, std::size_t axis) {
    const auto model = Model::from_text("model \"m\"\n%c = Const " + constant +
                                        "\n%x = Parameter : f32[1]\n%y = Add(%x, %x)\n"
                                        "%r = Result(%y)\n%s = Result(%c)");
    const auto result =
        remapped_operand(model->find("c")->output(), {axis, 3, 2, {2, 0}}, "/new", 1);
    return result ? to_floats(result->node->constant()) : std::vector<float>{};
}

TEST(RemappedOperand, TakesElementsOrWhatIsTheSameForAll) {
    EXPECT_THAT(picked("value={1,2,3} : f32[1,3]", 1), ElementsAre(3, 1));
    EXPECT_THAT(picked("value={1,2,3} : f32[3,1]", 0), ElementsAre(3, 1));
    EXPECT_THAT(picked("value={1,2,3} : i8[3,1]", 0), ElementsAre(3, 1));
    EXPECT_THAT(picked("value={5} : f32[]", 0), ElementsAre(5));
    EXPECT_THAT(picked("value={5,6} : f32[2,1]", 1), ElementsAre(5, 6));
}

TEST(RemappedOperand, IsNothingForOtherSizesAndPackedElements) {
    EXPECT_THAT(picked("value={1,2} : f32[2]", 1), ElementsAre());
    EXPECT_THAT(picked("value={1,2,3} : u4[3]", 1), ElementsAre());
}

TEST(RemappedOperand, FollowsExpressionsOfConstantsOfALimitedDepth) {
    const auto model = Model::from_text(R"(model "m"
        %w = Const value={1,2,3} : i8[3,1]
        %f = Convert(%w) destination_type=f32
        %s = Const value={10,20,30} : f32[3,1]
        %v = Multiply(%f, %s)
        %n = Negative(%s)
        %r = Result(%v)
        %q = Result(%n))");
    const Remapping last{0, 3, 2, {2}};
    const auto result = remapped_operand(model->find("v")->output(), last, "/new", 3);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->node->name(), "v/new");
    EXPECT_THAT(to_floats(*evaluate_constant(*result)), ElementsAre(90));
    EXPECT_FALSE(remapped_operand(model->find("v")->output(), last, "/new", 2));
    EXPECT_FALSE(remapped_operand(model->find("n")->output(), last, "/new", 3));
}

}  // namespace
}  // namespace fuseq::testing
