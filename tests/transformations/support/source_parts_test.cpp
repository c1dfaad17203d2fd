// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/source_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fuseq::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SourcePartsTest : public ::testing::Test {
protected:
    // Parts of %d, a DQ of the tensor %q of four channels with these scales.
    std::vector<SourcePart> parts(const std::string& q, const std::string& scales) {
        return parts_of(q + "%f = Convert(%q) destination_type=f32\n%s = Const value={" + scales +
                        "} : f32[1,4,1,1]\n%d = Multiply(%f, %s)\n");
    }
    std::vector<SourcePart> parts_of(const std::string& text) {
        model_ = Model::from_text(text + "%r = Result(%d)");
        return source_parts(model_->find("d")->output());
    }
    static std::string read_by(const SourcePart& part) { return part.src.q.node->name(); }

    std::shared_ptr<Model> model_;
};

const std::string kWhole = "%q = Parameter : u8[1,4,2,2]\n";
const std::string kTwo = "%a = Parameter : u8[1,2,2,2]\n%b = Parameter : u8[1,2,2,2]\n";

TEST_F(SourcePartsTest, ChannelsOfOneScaleAreOnePart) {
    const auto all = parts(kWhole, "2,3,2,5");
    ASSERT_THAT(all, SizeIs(3));
    EXPECT_THAT(all[0].channels, ElementsAre(0, 2));
    EXPECT_THAT(all[0].picked, ElementsAre(0, 2));
    EXPECT_EQ(all[0].src.scale, ChannelValues(2.0f));
    EXPECT_THAT(all[1].channels, ElementsAre(1));
    EXPECT_EQ(all[1].src.scale, ChannelValues(3.0f));
    EXPECT_THAT(all[2].channels, ElementsAre(3));
    EXPECT_EQ(read_by(all[2]), "q");
}

TEST_F(SourcePartsTest, OneScaleIsOnePartThatTakesAllChannels) {
    const auto all = parts_of(kWhole +
                              "%f = Convert(%q) destination_type=f32\n"
                              "%s = Const value={2} : f32[]\n%d = Multiply(%f, %s)\n");
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_THAT(all[0].channels, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(all[0].picked, IsEmpty());
}

TEST_F(SourcePartsTest, PartsReadTheInputsOfAConcatOfIntegers) {
    const auto all = parts(kTwo + "%q = Concat(%a, %b) axis=1\n", "2,2,3,3");
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(read_by(all[0]), "a");
    EXPECT_THAT(all[0].picked, IsEmpty());
    EXPECT_EQ(read_by(all[1]), "b");
    EXPECT_THAT(all[1].channels, ElementsAre(2, 3));
    EXPECT_THAT(all[1].picked, IsEmpty());
}

// Channel 1 is the second one of %a, channels 2 and 3 are %b and, with it, of three sources.
TEST_F(SourcePartsTest, SomeChannelsOfAnInputArePickedThere) {
    const auto all = parts(kTwo + "%q = Concat(%a, %b) axis=1\n", "2,3,5,5");
    ASSERT_THAT(all, SizeIs(3));
    EXPECT_EQ(read_by(all[1]), "a");
    EXPECT_THAT(all[1].picked, ElementsAre(1));
    EXPECT_THAT(all[1].channels, ElementsAre(1));
    EXPECT_EQ(read_by(all[2]), "b");
    EXPECT_THAT(all[2].picked, IsEmpty());
}

TEST_F(SourcePartsTest, PartsOfASplitReadWhatWasSplit) {
    const auto all = parts_of(
        "%p = Parameter : u8[1,8,2,2]\n%axis = Const value={1} : i64[]\n"
        "%q = Split(%p, %axis) num_splits=2\n%f = Convert(%q:1) destination_type=f32\n"
        "%s = Const value={2,3,2,3} : f32[1,4,1,1]\n%d = Multiply(%f, %s)\n");
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(read_by(all[0]), "p");
    EXPECT_THAT(all[0].picked, ElementsAre(4, 6));
    EXPECT_THAT(all[0].channels, ElementsAre(0, 2));
    EXPECT_THAT(all[1].picked, ElementsAre(5, 7));
}

TEST_F(SourcePartsTest, AConcatOfDequantizedTensorsHasAPartAnInput) {
    const std::string dq =
        "%fa = Convert(%a) destination_type=f32\n"
        "%fb = Convert(%b) destination_type=f32\n"
        "%s = Const value={2} : f32[]\n%t = Const value={3} : f32[]\n"
        "%da = Multiply(%fa, %s)\n";
    const auto all =
        parts_of(kTwo + dq + "%db = Multiply(%fb, %t)\n%d = Concat(%da, %db) axis=1\n");
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(read_by(all[1]), "b");
    EXPECT_EQ(all[1].src.scale, ChannelValues(3.0f));
    EXPECT_THAT(all[1].channels, ElementsAre(2, 3));
    // An input that stays real, or another axis.
    EXPECT_THAT(parts_of(kTwo + dq + "%d = Concat(%da, %fb) axis=2\n"), IsEmpty());
    EXPECT_THAT(parts_of("%x = Parameter : f32[1,4,2,2]\n%d = ReLU(%x)\n"), IsEmpty());
}

TEST_F(SourcePartsTest, AGatherIsBuiltForChannelsThatArePicked) {
    const auto all = parts(kWhole, "2,3,2,5");
    ASSERT_THAT(all, SizeIs(3));
    const Output gathered = build_part(*model_, "part", all[0]);
    EXPECT_EQ(gathered.node->type(), "Gather");
    EXPECT_EQ(gathered.shape(), (Shape{1, 2, 2, 2}));
    SourcePart whole = all[0];
    whole.picked.clear();
    EXPECT_EQ(build_part(*model_, "whole", whole).node->name(), "q");
}

// Weights [2, 3, 1, 2]: the kernels of channels 2 and 0 of each output, in the order of the part.
TEST_F(SourcePartsTest, WeightsOfAPartAreThoseOfItsChannels) {
    const Tensor weights = Tensor::of(
        Shape{2, 3, 1, 2}, std::vector<std::int8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    SourcePart part;
    part.channels = {2, 0};
    const Tensor some = weights_of_part(weights, part);
    EXPECT_EQ(some.get_shape(), (Shape{2, 2, 1, 2}));
    EXPECT_THAT(some.values<std::int8_t>(), ElementsAre(5, 6, 1, 2, 11, 12, 7, 8));
}

}  // namespace
}  // namespace fuseq::testing
