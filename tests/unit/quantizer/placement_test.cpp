// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace fuseq::quantizer {
namespace {

using testing::UnorderedElementsAre;

// A convolution of 1x1, 4 channels to 4.
std::string conv(const std::string& name, const std::string& source) {
    return "%w_" + name + " = Const value=random(1) : f32[4,4,1,1]\n%" + name + " = Convolution(%" +
           source + ", %w_" + name +
           ") strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]\n";
}

struct Placed {
    std::shared_ptr<Model> model;
    Placement placement;

    explicit Placed(const std::string& text, const std::vector<std::string>& kept = {})
        : model(Model::from_text("%x = Parameter : f32[1,4,8,8]\n" + text)) {
        std::set<const Node*> nodes;
        for (const std::string& name : kept) {
            nodes.insert(model->find(name));
        }
        placement = place(*model, nodes);
    }

    std::vector<std::string> tensors() const {
        std::vector<std::string> names;
        for (const Place& item : placement.places) {
            names.push_back(tensor_name(item.tensor));
        }
        return names;
    }
    const Place& at(const std::string& name) const {
        return *std::find_if(placement.places.begin(), placement.places.end(),
                             [&](const Place& item) { return tensor_name(item.tensor) == name; });
    }
    bool is_quantized(const std::string& name) const {
        return placement.quantized.contains(model->find(name));
    }
    std::string reason(const std::string& name) const {
        return placement.reasons.at(model->find(name));
    }
};

TEST(Place, AfterTheActivationAndBeforeMovement) {
    const Placed placed(conv("a", "x") +
                        "%relu = ReLU(%a)\n"
                        "%pool = MaxPool.1(%relu) strides=[2,2] pads_begin=[0,0] pads_end=[0,0] "
                        "kernel=[2,2]\n" +
                        conv("b", "pool") + "%r = Result(%b)");
    EXPECT_THAT(placed.tensors(), UnorderedElementsAre("x", "relu"));
    EXPECT_TRUE(placed.is_quantized("a"));
    EXPECT_TRUE(placed.is_quantized("b"));
}

TEST(Place, ReadersOfFloatsStayReadersOfFloats) {
    const Placed placed(conv("a", "x") + "%relu = ReLU(%a)\n" + conv("b", "relu") +
                        "%r0 = Result(%relu)\n%r1 = Result(%b)");
    ASSERT_EQ(placed.at("relu").readers.size(), 1U);
    EXPECT_EQ(placed.at("relu").readers[0].node->name(), "b");
}

// The convolution computed last takes the sum into its epilogue; the shortcut is read as integers.
TEST(Place, ResidualAddReadsOneOperandAsIntegers) {
    const Placed placed(conv("a", "x") + "%short = ReLU(%a)\n" + conv("b", "short") +
                        "%add = Add(%b, %short)\n%relu = ReLU(%add)\n" + conv("c", "relu") +
                        "%r = Result(%c)");
    EXPECT_THAT(placed.tensors(), UnorderedElementsAre("x", "short", "relu"));
    EXPECT_EQ(placed.at("short").readers.size(), 2U);
    EXPECT_TRUE(placed.is_quantized("add"));
}

TEST(Place, OfTwoConvolutionsTheFirstIsQuantized) {
    const Placed placed(conv("a", "x") + conv("b", "x") + "%add = Add(%b, %a)\n" +
                        conv("c", "add") + "%r = Result(%c)");
    EXPECT_THAT(placed.tensors(), UnorderedElementsAre("x", "a", "add"));
}

TEST(Place, NothingBeforeResults) {
    const Placed placed(conv("a", "x") +
                        "%short = ReLU(%x)\n%add = Add(%a, %short)\n%r = Result(%add)");
    EXPECT_THAT(placed.tensors(), UnorderedElementsAre("x"));
    EXPECT_EQ(placed.reason("add"), "no layer of integers follows");
}

TEST(Place, InputsOfConcatAndMaximumShareAScale) {
    for (const char* join : {"Concat(%a, %b) axis=2", "Maximum(%a, %b)"}) {
        const Placed placed(conv("a", "x") + conv("b", "x") + "%join = " + join + "\n" +
                            conv("c", "join") + "%r = Result(%c)");
        EXPECT_EQ(placed.at("a").group, placed.at("b").group) << join;
        EXPECT_NE(placed.at("a").group, placed.at("x").group) << join;
    }
}

// TopK compares what its source has as integers; its readers get the same integers.
TEST(Place, BothEndsOfATopKShareAScale) {
    const Placed placed(
        conv("a", "x") +
        "%k = Const value={4} : i64[]\n"
        "%top = TopK.3(%a, %k) axis=3 mode=max sort=value index_element_type=i64\n" +
        conv("c", "top:0") + "%r = Result(%c)\n%i = Result(%top:1)");
    EXPECT_THAT(placed.tensors(), UnorderedElementsAre("x", "a", "top.0"));
    EXPECT_EQ(placed.at("a").group, placed.at("top.0").group);
    EXPECT_TRUE(placed.is_quantized("top"));
    // At the end it is no layer that could be quantized.
    const Placed end(
        "%k = Const value={4} : i64[]\n"
        "%top = TopK.3(%x, %k) axis=3 mode=max sort=value index_element_type=i64\n"
        "%r = Result(%top:0)\n%i = Result(%top:1)");
    EXPECT_FALSE(end.is_quantized("top"));
    EXPECT_TRUE(end.placement.reasons.empty());
}

// Through what moves values, and further concatenations.
TEST(Place, ScalesAreSharedThroughMovement) {
    const Placed placed(conv("a", "x") + conv("b", "x") +
                        "%first = Concat(%a, %x) axis=2\n"
                        "%pool = MaxPool.1(%first) strides=[1,1] pads_begin=[0,0] "
                        "pads_end=[0,0] kernel=[1,1]\n"
                        "%second = Concat(%pool, %b) axis=2\n" +
                        conv("c", "second") + "%r = Result(%c)");
    EXPECT_EQ(placed.at("a").group, placed.at("b").group);
    EXPECT_EQ(placed.at("a").group, placed.at("x").group);
}

TEST(Place, TellsWhereOnlyDepthwiseConvolutionsRead) {
    const std::string depthwise =
        "%dw = Const value=random(2) : f32[4,1,1,3,3]\n"
        "%d = GroupConvolution(%x, %dw) strides=[1,1] dilations=[1,1] pads_begin=[0,0] "
        "pads_end=[0,0]\n";
    EXPECT_TRUE(Placed(depthwise + "%r = Result(%d)").at("x").depthwise_only);
    EXPECT_FALSE(Placed(depthwise + conv("c", "x") + "%r0 = Result(%d)\n%r1 = Result(%c)")
                     .at("x")
                     .depthwise_only);
}

TEST(Place, KeptLayersReadFloats) {
    const std::string text = conv("a", "x") + "%relu = ReLU(%a)\n" + conv("b", "relu") +
                             conv("c", "relu") + "%r0 = Result(%b)\n%r1 = Result(%c)";
    const Placed placed(text, {"b"});
    EXPECT_EQ(placed.at("relu").readers.size(), 1U);
    EXPECT_FALSE(placed.is_quantized("b"));
    EXPECT_EQ(placed.reason("b"), "kept in its original precision");
    EXPECT_TRUE(placed.is_quantized("c"));
}

TEST(Place, GatesThatAreBroadcastStayFloat) {
    const Placed placed(conv("a", "x") + "%relu = ReLU(%a)\n" +
                        "%axes = Const value={2,3} : i64[2]\n"
                        "%mean = ReduceMean(%relu, %axes) keep_dims=true\n" +
                        conv("b", "mean") + "%gate = Sigmoid(%b)\n" +
                        "%scaled = Multiply(%relu, %gate)\n" + conv("c", "scaled") +
                        "%r = Result(%c)");
    EXPECT_THAT(placed.tensors(), UnorderedElementsAre("x", "relu", "mean", "scaled"));
}

// A picture plus a mask times what was learned of it. The product stays in registers, and so would
// the sum be.
std::shared_ptr<Model> sharpened(const std::string& size) {
    return Model::from_text("%x = Parameter : f32[1,4," + size + "]\n" + conv("a", "x") +
                            "%w_mask = Const value=random(2) : f32[1,4,1,1]\n"
                            "%m = Convolution(%x, %w_mask) strides=[1,1] dilations=[1,1] "
                            "pads_begin=[0,0] pads_end=[0,0]\n"
                            "%mask = Sigmoid(%m)\n%product = Multiply(%a, %mask)\n"
                            "%sum = Add(%product, %x)\n%r = Result(%sum)");
}

TEST(Place, LargeSumsAndProductsAtTheEndReadIntegersOnRequest) {
    const auto large = sharpened("512,512");
    const auto readers = [](Model& model, bool integers_for_time) {
        std::vector<std::string> found;
        for (const Place& item : place(model, {}, {}, integers_for_time).places) {
            for (const Use& use : item.readers) {
                found.push_back(tensor_name(item.tensor) + " " + use.node->name());
            }
        }
        return found;
    };
    EXPECT_THAT(readers(*large, false), UnorderedElementsAre("x a", "x m"));
    EXPECT_THAT(readers(*large, true),
                UnorderedElementsAre("x a", "x m", "x sum", "a product", "mask product"));
    EXPECT_EQ(integers_for_time(*large, {}), 3U);
    EXPECT_EQ(integers_for_time(*large, {large->find("product")}), 1U);
    const auto small = sharpened("64,64");
    EXPECT_EQ(integers_for_time(*small, {}), 0U);
    EXPECT_THAT(readers(*small, true), UnorderedElementsAre("x a", "x m"));
}

// Of other sums the convolution adds one operand in floats.
TEST(Place, SumsBeforeAnEluReadIntegersAloneOnRequest) {
    const auto residual = [](const std::string& activation) {
        return Model::from_text("%x = Parameter : f32[1,4,8,8]\n" + conv("a", "x") +
                                "%short = ReLU(%a)\n" + conv("b", "short") +
                                "%sum = Add(%b, %short)\n" + activation + conv("c", "act") +
                                "%r = Result(%c)");
    };
    const auto elu = residual("%act = Elu(%sum) alpha=1\n");
    EXPECT_EQ(integers_for_time(*elu, {}), 1U);
    const Placement placement = place(*elu, {}, {}, true);
    EXPECT_TRUE(std::any_of(placement.places.begin(), placement.places.end(),
                            [](const Place& item) { return tensor_name(item.tensor) == "b"; }));
    EXPECT_EQ(integers_for_time(*residual("%act = ReLU(%sum)\n"), {}), 0U);
}

// A gate of a normalization is no anchor: without the other reader its mean reads floats.
TEST(Place, MeansBesideIntegersReadThemOnRequest) {
    const auto gated = [](const std::string& reader) {
        return Model::from_text("%x = Parameter : f32[1,4,8,8]\n" + conv("a", "x") +
                                "%axes = Const value={2,3} : i64[2]\n"
                                "%mean = ReduceMean(%a, %axes) keep_dims=true\n"
                                "%gate = MVN(%mean, %axes) normalize_variance=true eps=0.1 "
                                "eps_mode=inside_sqrt\n" +
                                reader + "%r = Result(%read)\n%s = Result(%gate)");
    };
    EXPECT_EQ(integers_for_time(*gated(conv("read", "a")), {}), 1U);
    EXPECT_EQ(integers_for_time(*gated("%read = Sqrt(%a)\n"), {}), 0U);
}

// The convolution adds the other operand in its epilogue.
TEST(Place, AConvolutionTakesTheSumAtTheEnd) {
    const auto model = Model::from_text("%x = Parameter : f32[1,4,512,512]\n" + conv("a", "x") +
                                        "%sum = Add(%x, %a)\n%r = Result(%sum)");
    const Placement placement = place(*model, {}, {}, true);
    ASSERT_EQ(placement.places.size(), 1U);
    EXPECT_EQ(placement.places[0].readers.size(), 2U);  // of x
}

}  // namespace
}  // namespace fuseq::quantizer
