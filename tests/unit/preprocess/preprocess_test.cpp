// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What comes out of preprocessing, worked out by hand, on both devices.
#include "fuseq/preprocess.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/core.hpp"

namespace {

using namespace fuseq;
using namespace fuseq::preprocess;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

// An input of that shape, times one.
std::shared_ptr<Model> model_of(const std::string& shape) {
    auto model = Model::from_text("model \"m\"\n%x = Parameter : f32" + shape +
                                  "\n%one = Const value={1} : f32[]\n%y = Multiply(%x, %one)\n"
                                  "%r = Result(%y)\n");
    model->parameters()[0]->port().names = {"picture"};
    return model;
}

class Preprocess : public testing::TestWithParam<const char*> {
protected:
    std::vector<float> run(const std::shared_ptr<Model>& model, const std::vector<Tensor>& inputs) {
        InferRequest request = Core().compile_model(model, GetParam()).create_infer_request();
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            request.set_input_tensor(i, inputs[i]);
        }
        request.infer();
        return to_floats(request.get_output_tensor());
    }
};

INSTANTIATE_TEST_SUITE_P(Devices, Preprocess, testing::Values("REFERENCE", "CPU"));

Tensor bytes(const Shape& shape, const std::vector<std::uint8_t>& values) {
    return Tensor::of<std::uint8_t>(shape, values);
}

TEST_P(Preprocess, BytesOfPixelsBecomePlanesOfFloats) {
    PrePostProcessor ppp(model_of("[1,3,1,2]"));
    ppp.input().tensor().set_element_type(ElementType::u8).set_layout("NHWC");
    ppp.input().model().set_layout("NCHW");
    const auto model = ppp.build();
    EXPECT_EQ(to_string(model->input().partial_shape()), "[1,1,2,3]");
    EXPECT_EQ(model->input().type(), ElementType::u8);
    EXPECT_EQ(model->input().get_any_name(), "picture");
    EXPECT_EQ(get_layout(model->input()), Layout("NHWC"));
    EXPECT_THAT(run(model, {bytes({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})}),
                ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST_P(Preprocess, MeanAndScaleAreThoseOfTheChannelsAtThatPlace) {
    PrePostProcessor ppp(model_of("[1,3,1,2]"));
    ppp.input("picture").tensor().set_element_type(ElementType::u8).set_layout("NHWC");
    ppp.input("picture")
        .preprocess()
        .convert_element_type(ElementType::f32)
        .mean({1, 2, 3})
        .scale({1, 2, 4})
        .reverse_channels();
    ppp.input("picture").model().set_layout("NCHW");
    EXPECT_THAT(run(ppp.build(), {bytes({1, 1, 2, 3}, {2, 4, 7, 5, 8, 15})}),
                ElementsAre(1, 3, 1, 3, 1, 4));
}

TEST_P(Preprocess, OneMeanAndScaleNeedNoLayout) {
    PrePostProcessor ppp(model_of("[3]"));
    ppp.input().preprocess().mean(1).scale(2);
    EXPECT_THAT(run(ppp.build(), {Tensor::of<float>({3}, {1, 3, 6})}), ElementsAre(0, 1, 2.5));
}

TEST_P(Preprocess, ColorsChangePlaces) {
    PrePostProcessor ppp(model_of("[1,3,1,1]"));
    ppp.input()
        .tensor()
        .set_element_type(ElementType::u8)
        .set_layout("NHWC")
        .set_color_format(ColorFormat::BGR);
    ppp.input().preprocess().convert_color(ColorFormat::RGB);
    ppp.input().model().set_layout("NCHW");
    EXPECT_THAT(run(ppp.build(), {bytes({1, 1, 1, 3}, {10, 20, 30})}), ElementsAre(30, 20, 10));
}

TEST_P(Preprocess, TheFourthChannelIsDropped) {
    PrePostProcessor ppp(model_of("[1,1,1,3]"));
    ppp.input()
        .tensor()
        .set_element_type(ElementType::u8)
        .set_layout("NHWC")
        .set_color_format(ColorFormat::RGBX);
    ppp.input().preprocess().convert_color(ColorFormat::BGR);
    EXPECT_THAT(run(ppp.build(), {bytes({1, 1, 1, 4}, {10, 20, 30, 99})}), ElementsAre(30, 20, 10));
}

// 0.299 * 10 + 0.587 * 20 + 0.114 * 100 = 26.13
TEST_P(Preprocess, GrayIsAWeightedSum) {
    for (const auto& [format, values] :
         {std::pair(ColorFormat::RGB, std::vector<std::uint8_t>{10, 20, 100}),
          std::pair(ColorFormat::BGR, std::vector<std::uint8_t>{100, 20, 10})}) {
        PrePostProcessor ppp(model_of("[1,1,1,1]"));
        ppp.input()
            .tensor()
            .set_element_type(ElementType::u8)
            .set_layout("NHWC")
            .set_color_format(format);
        ppp.input().preprocess().convert_color(ColorFormat::GRAY);
        const auto model = ppp.build();
        EXPECT_EQ(to_string(model->input().partial_shape()), "[1,1,1,3]");
        EXPECT_THAT(run(model, {bytes({1, 1, 1, 3}, values)}), ElementsAre(26));
    }
}

// Y = 126: 1.164 * 110 = 128.04; with V = 228: red + 1.596 * 100, green - 0.813 * 100.
constexpr float kRed = 255;   // 287.64
constexpr float kGreen = 47;  // 46.74
constexpr float kBlue = 128;

TEST_P(Preprocess, PlanesOfNv12AreInputsOfTheirOwn) {
    PrePostProcessor ppp(model_of("[1,3,2,2]"));
    ppp.input()
        .tensor()
        .set_element_type(ElementType::u8)
        .set_color_format(ColorFormat::NV12_TWO_PLANES, {"y", "uv"});
    ppp.input().preprocess().convert_color(ColorFormat::BGR);
    ppp.input().model().set_layout("NCHW");
    const auto model = ppp.build();
    ASSERT_EQ(model->inputs().size(), 2u);
    EXPECT_EQ(model->input(0).get_any_name(), "picture/y");
    EXPECT_EQ(model->input(1).get_any_name(), "picture/uv");
    EXPECT_EQ(to_string(model->input(0).partial_shape()), "[1,2,2,1]");
    EXPECT_EQ(to_string(model->input(1).partial_shape()), "[1,1,1,2]");
    EXPECT_THAT(
        run(model, {bytes({1, 2, 2, 1}, {126, 126, 126, 126}), bytes({1, 1, 1, 2}, {128, 228})}),
        ElementsAre(kBlue, kBlue, kBlue, kBlue, kGreen, kGreen, kGreen, kGreen, kRed, kRed, kRed,
                    kRed));
}

TEST_P(Preprocess, OnePlaneOfNv12AndI420HoldsAll) {
    for (const ColorFormat format :
         {ColorFormat::NV12_SINGLE_PLANE, ColorFormat::I420_SINGLE_PLANE}) {
        PrePostProcessor ppp(model_of("[1,2,2,3]"));
        ppp.input().tensor().set_element_type(ElementType::u8).set_color_format(format);
        ppp.input().preprocess().convert_color(ColorFormat::RGB);
        ppp.input().model().set_layout("NHWC");
        const auto model = ppp.build();
        EXPECT_EQ(to_string(model->input().partial_shape()), "[1,3,2,1]");
        // U and V of the one block follow the four values of Y in both.
        EXPECT_THAT(run(model, {bytes({1, 3, 2, 1}, {126, 126, 126, 126, 128, 228})}),
                    ElementsAre(kRed, kGreen, kBlue, kRed, kGreen, kBlue, kRed, kGreen, kBlue, kRed,
                                kGreen, kBlue));
    }
}

TEST_P(Preprocess, ThreePlanesOfI420KeepTheOrderOfInputs) {
    const auto given = Model::from_text(R"(model "m"
%first = Parameter : f32[1]
%x = Parameter : f32[1,3,2,2]
%last = Parameter : f32[1]
%a = Multiply(%x, %first)
%y = Add(%a, %last)
%r = Result(%y))");
    PrePostProcessor ppp(given);
    ppp.input("x")
        .tensor()
        .set_element_type(ElementType::u8)
        .set_color_format(ColorFormat::I420_THREE_PLANES)
        .set_spatial_static_shape(2, 2);
    ppp.input("x").preprocess().convert_color(ColorFormat::RGB);
    ppp.input("x").model().set_layout("NCHW");
    const auto model = ppp.build();
    std::vector<std::string> names;
    for (const Output& input : model->inputs()) {
        names.push_back(input.get_any_name());
    }
    EXPECT_THAT(names, ElementsAre("first", "x/0", "x/1", "x/2", "last"));
    const auto number = [](float value) { return Tensor::of<float>({1}, {value}); };
    EXPECT_THAT(run(model, {number(2), bytes({1, 2, 2, 1}, {126, 126, 126, 126}),
                            bytes({1, 1, 1, 1}, {128}), bytes({1, 1, 1, 1}, {228}), number(1)}),
                ElementsAre(511, 511, 511, 511, 95, 95, 95, 95, 257, 257, 257, 257));
}

TEST_P(Preprocess, GrayOfPlanesIsBrightness) {
    PrePostProcessor ppp(model_of("[1,2,2,1]"));
    ppp.input()
        .tensor()
        .set_element_type(ElementType::u8)
        .set_color_format(ColorFormat::NV12_SINGLE_PLANE);
    ppp.input().preprocess().convert_color(ColorFormat::GRAY);
    ppp.input().model().set_layout("NHWC");
    EXPECT_THAT(run(ppp.build(), {bytes({1, 3, 2, 1}, {1, 2, 3, 4, 128, 128})}),
                ElementsAre(1, 2, 3, 4));
}

// Half pixels: positions -0.25, 0.25, 0.75, 1.25 of two.
TEST_P(Preprocess, PicturesAreResizedToTheModel) {
    const auto resized = [&](ResizeAlgorithm algorithm) {
        PrePostProcessor ppp(model_of("[1,1,1,4]"));
        ppp.input()
            .tensor()
            .set_element_type(ElementType::u8)
            .set_layout("NHWC")
            .set_spatial_static_shape(1, 2);
        ppp.input().preprocess().convert_element_type(ElementType::f32).resize(algorithm);
        ppp.input().model().set_layout("NCHW");
        return run(ppp.build(), {bytes({1, 1, 2, 1}, {10, 50})});
    };
    EXPECT_THAT(resized(ResizeAlgorithm::RESIZE_LINEAR),
                Pointwise(FloatNear(1e-4F), {10, 20, 40, 50}));
    EXPECT_THAT(resized(ResizeAlgorithm::RESIZE_NEAREST), ElementsAre(10, 10, 50, 50));
    // With the coefficient -0.75 the weights a quarter to the right of a pixel are -0.10546875,
    // 0.87890625, 0.26171875 and -0.03515625, and edges repeat: 10 * 0.7734375 + 50 * 0.2265625 at
    // 0.25, and 10 * 1.10546875 - 50 * 0.10546875 at -0.25.
    EXPECT_THAT(resized(ResizeAlgorithm::RESIZE_CUBIC),
                Pointwise(FloatNear(1e-3F), {5.78125F, 19.0625F, 40.9375F, 54.21875F}));
}

TEST_P(Preprocess, SizesMayBeOpenUntilThePictureArrives) {
    PrePostProcessor ppp(model_of("[1,1,2,2]"));
    ppp.input()
        .tensor()
        .set_element_type(ElementType::u8)
        .set_layout("NHWC")
        .set_spatial_dynamic_shape();
    ppp.input().preprocess().resize(ResizeAlgorithm::RESIZE_NEAREST);
    ppp.input().model().set_layout("NCHW");
    const auto model = ppp.build();
    EXPECT_EQ(to_string(model->input().partial_shape()), "[1,?,?,1]");
    EXPECT_THAT(run(model, {bytes({1, 1, 2, 1}, {3, 4})}), ElementsAre(3, 4, 3, 4));
    EXPECT_THAT(run(model, {bytes({1, 2, 1, 1}, {3, 4})}), ElementsAre(3, 3, 4, 4));
}

TEST_P(Preprocess, CropsAndPads) {
    PrePostProcessor ppp(model_of("[1,1,2,3]"));
    ppp.input().tensor().set_shape(PartialShape{1, 1, 3, 3});
    ppp.input()
        .preprocess()
        .crop({0, 0, 1, 1}, {1, 1, -1, 3})
        .pad({0, 0, 1, 0}, {0, 0, 0, 1}, 7.0F, PaddingMode::CONSTANT);
    const std::vector<float> picture = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_THAT(run(ppp.build(), {Tensor::of<float>({1, 1, 3, 3}, picture)}),
                ElementsAre(7, 7, 7, 5, 6, 7));
}

TEST_P(Preprocess, PadsEachChannelWithItsValue) {
    PrePostProcessor ppp(model_of("[1,2,1,2]"));
    ppp.input().tensor().set_shape(PartialShape{1, 2, 1, 1}).set_layout("NCHW");
    ppp.input().preprocess().pad({0, 0, 0, 1}, {0, 0, 0, 0}, {8, 9}, PaddingMode::CONSTANT);
    EXPECT_THAT(run(ppp.build(), {Tensor::of<float>({1, 2, 1, 1}, {1, 2})}),
                ElementsAre(8, 1, 9, 2));
}

TEST_P(Preprocess, DimensionsThatThePictureLacksAreAdded) {
    PrePostProcessor ppp(model_of("[1,3,1,2]"));
    ppp.input().tensor().set_layout("HWC");
    ppp.input().model().set_layout("NCHW");
    const auto model = ppp.build();
    EXPECT_EQ(to_string(model->input().partial_shape()), "[1,2,3]");
    EXPECT_THAT(run(model, {Tensor::of<float>({1, 2, 3}, {1, 2, 3, 4, 5, 6})}),
                ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST_P(Preprocess, AnOrderOfDimensionsIsALayout) {
    PrePostProcessor ppp(model_of("[1,3,1,2]"));
    ppp.input().preprocess().convert_layout({0, 3, 1, 2});
    const auto model = ppp.build();
    EXPECT_EQ(to_string(model->input().partial_shape()), "[1,1,2,3]");
    EXPECT_THAT(run(model, {Tensor::of<float>({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6})}),
                ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST_P(Preprocess, OutputsGetTheTypeAndLayoutOfTheUser) {
    const auto given = model_of("[1,2,1,2]");
    PrePostProcessor ppp(given);
    ppp.output().model().set_layout("NCHW");
    ppp.output().tensor().set_layout("NHWC").set_element_type(ElementType::i32);
    const auto model = ppp.build();
    EXPECT_EQ(model->output().type(), ElementType::i32);
    EXPECT_EQ(to_string(model->output().partial_shape()), "[1,1,2,2]");
    EXPECT_EQ(model->output_name(0), "y");
    EXPECT_THAT(run(model, {Tensor::of<float>({1, 2, 1, 2}, {1, 2, 3, 4})}),
                ElementsAre(1, 3, 2, 4));
}

TEST_P(Preprocess, CustomStepsAddOperations) {
    PrePostProcessor ppp(model_of("[2]"));
    ppp.input().preprocess().custom(
        [](const Output& x) { return x.node->model().add("Negative", 1, "", {x})->output(); });
    ppp.output().postprocess().custom([](const Output& x) {
        return x.node->model().add("Add", 1, "", {x, x})->output();
    });
    EXPECT_THAT(run(ppp.build(), {Tensor::of<float>({2}, {1, 2})}), ElementsAre(-2, -4));
}

TEST(PreprocessText, SaysWhatWasStated) {
    PrePostProcessor ppp(model_of("[1,3,8,8]"));
    ppp.input()
        .tensor()
        .set_element_type(ElementType::u8)
        .set_layout("NHWC")
        .set_color_format(ColorFormat::BGR)
        .set_spatial_dynamic_shape();
    ppp.input()
        .preprocess()
        .convert_element_type(ElementType::f32)
        .convert_color(ColorFormat::RGB)
        .resize(ResizeAlgorithm::RESIZE_LINEAR)
        .resize(ResizeAlgorithm::RESIZE_NEAREST, 8, 8)
        .mean({1, 2.5F, 3})
        .scale(2)
        .convert_layout();
    ppp.input().model().set_layout("NCHW");
    ppp.output().postprocess().convert_layout({0, 2, 3, 1});
    EXPECT_EQ(ppp.to_string(),
              "input 'picture': u8 [N,H,W,C] height and width [?,?] BGR -> "
              "convert_element_type(f32) -> convert_color(RGB) -> resize(RESIZE_LINEAR) -> "
              "resize(RESIZE_NEAREST,8,8) -> mean(1,2.5,3) -> scale(2) -> convert_layout() -> "
              "f32[1,3,8,8] [N,C,H,W]\n"
              "output 'y': f32[1,3,8,8] -> convert_layout(0,2,3,1) -> f32\n");
}

// --- refusals -----------------------------------------------------------------------------------

template <class Statement>
std::string refusal(const std::string& shape, const Statement& statement) {
    const auto model = model_of(shape);
    const std::string before = model->to_text();
    try {
        PrePostProcessor ppp(model);
        statement(ppp);
        ppp.build();
    } catch (const Error& error) {
        EXPECT_EQ(error.info().stage, "preprocess");
        EXPECT_EQ(model->to_text(), before);
        return error.what();
    }
    return "none";
}

TEST(PreprocessRefuses, ArithmeticOnIntegers) {
    EXPECT_THAT(refusal("[1,3,4,4]",
                        [](PrePostProcessor& ppp) {
                            ppp.input().tensor().set_element_type(ElementType::u8);
                            ppp.input().preprocess().mean(1);
                        }),
                HasSubstr("input 'picture': mean is for real types, the tensor is u8; "
                          "convert_element_type(f32) must stand before it"));
}

TEST(PreprocessRefuses, AnotherNumberOfMeans) {
    EXPECT_THAT(refusal("[1,3,4,4]",
                        [](PrePostProcessor& ppp) {
                            ppp.input().model().set_layout("NCHW");
                            ppp.input().preprocess().mean({1, 2});
                        }),
                HasSubstr("mean has 2 values, the tensor of shape [1,3,4,4] and layout [N,C,H,W] "
                          "has 3 channels"));
    EXPECT_THAT(refusal("[1,3,4,4]",
                        [](PrePostProcessor& ppp) {
                            ppp.input().preprocess().mean({1, 2, 3});
                        }),
                HasSubstr("mean needs to know the dimension C; the layout is not set"));
    EXPECT_THAT(refusal("[1]", [](PrePostProcessor& ppp) { ppp.input().preprocess().scale(0.0F); }),
                HasSubstr("scale of 0"));
}

TEST(PreprocessRefuses, PicturesOfAnotherSize) {
    EXPECT_THAT(refusal("[1,3,4,4]",
                        [](PrePostProcessor& ppp) {
                            ppp.input().tensor().set_shape(PartialShape{1, 3, 8, 8});
                        }),
                HasSubstr("preprocessing gives f32[1,3,8,8], the model's input is f32[1,3,4,4]"));
    EXPECT_THAT(refusal("[1,3,?,?]",
                        [](PrePostProcessor& ppp) {
                            ppp.input().model().set_layout("NCHW");
                            ppp.input().preprocess().resize(ResizeAlgorithm::RESIZE_LINEAR);
                        }),
                HasSubstr("resize without a size takes that of the model"));
}

TEST(PreprocessRefuses, ColorsThatAreNotKnown) {
    EXPECT_THAT(refusal("[1,3,4,4]",
                        [](PrePostProcessor& ppp) {
                            ppp.input().preprocess().convert_color(ColorFormat::RGB);
                        }),
                HasSubstr("convert_color to RGB from a tensor whose format is UNDEFINED"));
    EXPECT_THAT(refusal("[1,3,4,4]",
                        [](PrePostProcessor& ppp) {
                            ppp.input().tensor().set_color_format(ColorFormat::NV12_TWO_PLANES);
                            ppp.input().model().set_layout("NCHW");
                        }),
                HasSubstr("the planes of NV12_TWO_PLANES were not converted"));
    EXPECT_THAT(refusal("[1,3,3,4]",
                        [](PrePostProcessor& ppp) {
                            ppp.input().tensor().set_color_format(ColorFormat::NV12_TWO_PLANES);
                            ppp.input().model().set_layout("NCHW");
                        }),
                HasSubstr("has even sides, not 3 x 4"));
}

TEST(PreprocessRefuses, LayoutsThatDoNotFit) {
    EXPECT_THAT(
        refusal("[1,3,4,4]", [](PrePostProcessor& ppp) { ppp.input().model().set_layout("NC"); }),
        HasSubstr("the layout [N,C] of the model is one of 2 dimensions, its shape is "
                  "[1,3,4,4]"));
    EXPECT_THAT(refusal("[1,3,4,4]",
                        [](PrePostProcessor& ppp) {
                            ppp.input().tensor().set_layout("NHWD");
                            ppp.input().model().set_layout("NCHW");
                        }),
                HasSubstr("layout [N,H,W,D] does not become [N,C,H,W]"));
    EXPECT_THAT(
        refusal("[1,3,4,4]", [](PrePostProcessor& ppp) { ppp.output().model().set_layout("NC"); }),
        HasSubstr("output 'y': the layout [N,C] is one of 2 dimensions"));
}

TEST(PreprocessRefuses, InputsThatAreNotThere) {
    EXPECT_THROW(PrePostProcessor(model_of("[1]")).input(1), Error);
    EXPECT_THROW(PrePostProcessor(model_of("[1]")).input("z"), Error);
    EXPECT_THROW(PrePostProcessor(nullptr), Error);
}

}  // namespace
