// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/prepare_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/tool.hpp"

namespace fuseq::samples {
namespace {

using testing::HasSubstr;

constexpr const char* kTwoInputs = R"(model "two"
    %image = Parameter.1 : f32[1,2,1,2] "image"
    %info = Parameter.1 : f32[3]
    %y = ReLU.1(%image) : f32[1,2,1,2]
    %z = ReLU.1(%info) : f32[3]
    %r0 = Result.1(%y) : f32[1,2,1,2]
    %r1 = Result.1(%z) : f32[3])";

template <class Function>
std::string refusal(Function&& function) {
    try {
        function();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(PrepareModel, SetsShapesAndBatch) {
    const auto model = Model::from_text(kTwoInputs);
    Options options;
    EXPECT_EQ(batch_of(*model, options), 1u);
    options.shape = "image[?,2,4,4]";
    options.batch = 3;
    set_shapes(*model, options);
    EXPECT_EQ(to_string(model->input(0).partial_shape()), "[3,2,4,4]");
    // One axis is no batch, unless the layout says so.
    EXPECT_EQ(to_string(model->input(1).partial_shape()), "[3]");
    EXPECT_EQ(to_string(model->output(0).partial_shape()), "[3,2,4,4]");
    EXPECT_EQ(batch_of(*model, options), 3u);
    options.layout = "image[CHWN],info[N]";
    options.shape = "";
    options.batch = 5;
    set_shapes(*model, options);
    EXPECT_EQ(to_string(model->input(0).partial_shape()), "[3,2,4,5]");
    EXPECT_EQ(to_string(model->input(1).partial_shape()), "[5]");
}

TEST(PrepareModel, RefusesShapesThatDoNotParseOrFit) {
    const auto model = Model::from_text(kTwoInputs);
    Options options;
    options.shape = "x[1]";
    EXPECT_THAT(refusal([&] { set_shapes(*model, options); }),
                HasSubstr("-shape: there is no 'x'"));
    options.shape = "image[a]";
    EXPECT_THAT(refusal([&] { set_shapes(*model, options); }), HasSubstr("-shape: "));
    options.shape = "";
    options.layout = "[CHW]";
    options.batch = 2;
    EXPECT_THAT(refusal([&] { set_shapes(*model, options); }), HasSubstr("no input has a batch"));
}

TEST(PrepareModel, PutsConversionsIntoTheModel) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter.1 : f32[1,2,1,2]
        %y = ReLU.1(%x) : f32[1,2,1,2]
        %r = Result.1(%y) : f32[1,2,1,2])");
    Options options;
    options.input_precision = "u8";
    options.output_precision = "f16";
    options.mean_values = "[10,20]";
    options.scale_values = "x[2,4]";
    set_preprocessing(*model, options);
    const auto want = Model::from_text(R"(model "m"
        %x = Parameter.1 : u8[1,2,1,2]
        %x32 = Convert.1(%x) destination_type=f32 : f32[1,2,1,2]
        %mean = Const.1 value={10,20} : f32[1,2,1,1]
        %centred = Subtract.1(%x32, %mean) : f32[1,2,1,2]
        %scale = Const.1 value={2,4} : f32[1,2,1,1]
        %scaled = Divide.1(%centred, %scale) : f32[1,2,1,2]
        %y = ReLU.1(%scaled) : f32[1,2,1,2]
        %y16 = Convert.1(%y) destination_type=f16 : f16[1,2,1,2]
        %r = Result.1(%y16) : f16[1,2,1,2])");
    EXPECT_EQ(compare_models(*model, *want), "") << model->to_text();
}

TEST(PrepareModel, TypesByNameComeFirst) {
    const auto model = Model::from_text(kTwoInputs);
    Options options;
    options.input_precision = "f16";
    options.tensor_precision = "image:u8,z:i32";
    set_preprocessing(*model, options);
    EXPECT_EQ(model->input(0).type(), ElementType::u8);
    EXPECT_EQ(model->input(1).type(), ElementType::f16);
    EXPECT_EQ(model->output(0).type(), ElementType::f32);
    EXPECT_EQ(model->output(1).type(), ElementType::i32);
    EXPECT_EQ(model->find("y")->input(0).type(), ElementType::f32);
    options.tensor_precision = "none:u8";
    EXPECT_THAT(refusal([&] { set_preprocessing(*model, options); }),
                HasSubstr("-iop: there is no input or output 'none'"));
    options.tensor_precision = "info:q4";
    EXPECT_THAT(
        refusal([&] { set_preprocessing(*model, options); }),
        HasSubstr("-iop: 'q4' is not a supported element type; expected one of boolean, u8, i8,"));
}

TEST(PrepareModel, ChangesNothingUnasked) {
    const auto model = Model::from_text(kTwoInputs);
    set_shapes(*model, {});
    set_preprocessing(*model, {});
    EXPECT_EQ(compare_models(*model, *Model::from_text(kTwoInputs)), "");
}

}  // namespace
}  // namespace fuseq::samples
