// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/channelwise.hpp"

#include <gtest/gtest.h>

#include "transformations/support/channel_values.hpp"

namespace fuseq::testing {
namespace {

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

}  // namespace
}  // namespace fuseq::testing
