// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fuseq/model.hpp"
#include "ops/constant.hpp"

namespace fuseq::test {
namespace {

const char* const kBase = R"(
    %x = Parameter : f32[1,1,4] "in"
    %y = Parameter : f32[1,1,4]
    %w = Const value={1,2} : f32[1,1,2]
    %c = Convolution(%x, %w) strides=[1] dilations=[1] pads_begin=[0] pads_end=[1]
    %s = Add(%c, %y) : f32[1,1,4] "sum"
    %r = Result(%s)
    %q = Result(%c))";

// The base with one piece of text replaced.
std::shared_ptr<Model> changed(const std::string& from, const std::string& to) {
    std::string text = kBase;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return Model::from_text(text.replace(at, from.size(), to));
}

std::string difference(const std::string& from,
                       const std::string& to,
                       const CompareOptions& options = {}) {
    const auto base = Model::from_text(kBase);
    const auto other = changed(from, to);
    // Symmetric: equal one way is equal the other way.
    EXPECT_EQ(compare_models(*base, *other, options).empty(),
              compare_models(*other, *base, options).empty());
    return compare_models(*base, *other, options);
}

TEST(CompareModels, FindsNothingBetweenEqualModels) {
    const auto model = Model::from_text(kBase);
    EXPECT_EQ(compare_models(*model, *model), "");
    EXPECT_EQ(compare_models(*model, *model->clone(), {.layer_names = true}), "");
    // Names of layers inside do not count unless asked for.
    const std::string renamed =
        "%c = Convolution(%x, %w) strides=[1] dilations=[1] "
        "pads_begin=[0] pads_end=[1]\n%s = Add(%c, %y) : f32[1,1,4] "
        "\"sum\"\n%r = Result(%s)\n%q = Result(%c)";
    std::string other = std::string(kBase).substr(0, std::string(kBase).find("%c =")) + renamed;
    for (std::size_t at = other.find("%c"); at != std::string::npos; at = other.find("%c", at)) {
        other.replace(at, 2, "%d");
    }
    EXPECT_EQ(compare_models(*model, *Model::from_text(other)), "");
    EXPECT_EQ(compare_models(*model, *Model::from_text(other), {.layer_names = true}),
              "layer 'c' (Convolution) is named 'd' in the other model");
}

TEST(CompareModels, NamesAttributesAndConstants) {
    EXPECT_EQ(difference("pads_end=[1]", "pads_end=[1] auto_pad=same_upper"),
              "layer 'c' (Convolution): attribute auto_pad is [explicit] against [same_upper]");
    EXPECT_EQ(difference("{1,2}", "{1,2.5}"), "layer 'w' (Const): element 1 is 2 against 2.5");
    const auto one = Model::from_text("%w = Const value={1,2} : f32[2] %r = Result(%w)");
    const auto other = Model::from_text("%w = Const value={1,2} : f32[1,2] %r = Result(%w)");
    EXPECT_EQ(compare_models(*one, *other), "layer 'w' (Const): value is f32[2] against f32[1,2]");
}

TEST(CompareModels, ToleratesConstantsWhenAsked) {
    EXPECT_EQ(difference("{1,2}", "{1,2.00001}", {.constant_tolerance = 1e-5}), "");
    EXPECT_EQ(difference("{1,2}", "{1,2.0001}", {.constant_tolerance = 1e-5}),
              "layer 'w' (Const): element 1 is 2 against 2.0001");
    EXPECT_EQ(difference("{1,2}", "{1,nan}", {.constant_tolerance = 1e-5}),
              "layer 'w' (Const): element 1 is 2 against nan");
}

TEST(CompareModels, NamesStructure) {
    EXPECT_EQ(difference("Add(%c, %y)", "Add(%y, %c)"),
              "layer 's' (Add): input 0 comes from layer 'c' (Convolution) against layer 'y' "
              "(Parameter)");
    EXPECT_EQ(difference("= Add", "= Multiply"),
              "layer 'r' (Result): input 0 comes from layer 's' (Add) against layer 's' "
              "(Multiply)");
    EXPECT_EQ(difference("%q = Result(%c)", "%t = ReLU(%c) %q = Result(%t)"),
              "layer 'q' (Result): input 0 comes from layer 'c' (Convolution) against layer 't' "
              "(ReLU)");
    EXPECT_EQ(difference("Convolution(%x, %w)", "Convolution(%y, %w)"),
              "layer 'x' (Parameter) stands for 'x' and for 'y' of the other model");
    EXPECT_EQ(difference("Convolution(%x, %w)", "Convolution(%x, %w, _)"),
              "layer 'c' (Convolution) has 2 inputs against 3");
    EXPECT_EQ(difference("%q = Result(%c)", ""), "2 outputs against 1");
    EXPECT_EQ(difference("%q =", "%z = Parameter : f32[1] %q ="), "2 inputs against 3");
}

TEST(CompareModels, ASharedLayerIsNotTwoEqualOnes) {
    const std::string twin =
        "%d = Convolution(%x, %w) strides=[1] dilations=[1] pads_begin=[0] pads_end=[1] ";
    EXPECT_EQ(difference("%q = Result(%c)", twin + "%q = Result(%d)"),
              "layer 'c' (Convolution) stands for 'd' and for 'c' of the other model");
    // For constants it does not matter.
    const auto shared = Model::from_text(R"(
        %a = Const value={1} : f32[1] %s = Add(%a, %a) %r = Result(%s))");
    const auto own = Model::from_text(R"(
        %a = Const value={1} : f32[1] %b = Const value={1} : f32[1] %s = Add(%a, %b)
        %r = Result(%s))");
    EXPECT_EQ(compare_models(*shared, *own), "");
    EXPECT_EQ(compare_models(*own, *shared), "");
}

TEST(CompareModels, NamesInputsAndOutputs) {
    EXPECT_EQ(difference("\"in\"", "\"in\" \"too\""),
              "input 0 has tensor names [\"in\"] against [\"in\",\"too\"]");
    EXPECT_EQ(difference("\"sum\"", ""), "output 0 has tensor names [\"sum\"] against []");
    EXPECT_EQ(difference("%y = Parameter : f32[1,1,4]", "%y = Parameter : f32[1,1,1]"),
              "layer 'y' (Parameter): attribute shape is [1,1,4] against [1,1,1]");
    EXPECT_EQ(difference("%y = Parameter", "%z = Parameter : f32[1,1,4] %y = Parameter"),
              "2 inputs against 3");
}

TEST(CompareModels, ReportsAWrongShapeWhereItArises) {
    const auto base = Model::from_text(kBase);
    const auto other = base->clone();
    other->find("c")->port().shape = PartialShape{1, 1, 5};
    other->find("s")->port().shape = PartialShape{1, 1, 5};
    EXPECT_EQ(compare_models(*base, *other),
              "layer 'c' (Convolution): output 0 is f32[1,1,4] against f32[1,1,5]");
}

TEST(CompareModels, LooksAtPackedElementsNotAtTheBitsAfterThem) {
    const char* const kText = "%c = Const value={1,2,3} : u4[3] %r = Result(%c)";
    const auto model = Model::from_text(kText);
    const auto other = Model::from_text(kText);
    auto& value = other->find("c")->attrs<ConstAttrs>().value;
    static_cast<std::uint8_t*>(value.data())[1] |= 0xf0;
    EXPECT_EQ(compare_models(*model, *other), "");
    static_cast<std::uint8_t*>(value.data())[1] = 0x04;
    EXPECT_EQ(compare_models(*model, *other), "layer 'c' (Const): element 2 is 3 against 4");
}

}  // namespace
}  // namespace fuseq::test
