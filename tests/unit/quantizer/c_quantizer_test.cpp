// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/c_quantizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "fuseq/core.hpp"
#include "fuseq/quantizer.hpp"
#include "fuseq/save_model.hpp"
#include "quantizer/option_texts.hpp"
#include "support/small_model.hpp"

extern "C" int fuseq_c_quantize(const char* from, const char* to, char* error, size_t error_size);

namespace fuseq {
namespace {

using test::message_of;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<Model> network() {
    return Model::from_text(R"(model "net"
        %x = Parameter : f32[1,8,12,12]
        %w = Const value=random(1) : f32[16,8,3,3]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %r = ReLU(%c)
        %out = Result(%r))");
}

class CQuantizer : public testing::Test {
protected:
    CQuantizer() {
        save_model(*network(), folder_.path("float.xml"));
        EXPECT_EQ(fuseq_core_create(nullptr, &core_), FUSEQ_OK);
        EXPECT_EQ(fuseq_core_read_model(core_, folder_.path("float.xml").c_str(), nullptr, &model_),
                  FUSEQ_OK);
    }
    ~CQuantizer() override {
        fuseq_quantizer_free(quantizer_);
        fuseq_model_free(model_);
        fuseq_core_free(core_);
    }
    std::string error_of_option(const char* name, const char* value) {
        const fuseq_property option{name, value};
        EXPECT_EQ(fuseq_quantizer_create(model_, &option, 1, &quantizer_), FUSEQ_ERROR);
        EXPECT_EQ(quantizer_, nullptr);
        return fuseq_last_error();
    }

    TemporaryFolder folder_;
    fuseq_core* core_ = nullptr;
    fuseq_model* model_ = nullptr;
    fuseq_quantizer* quantizer_ = nullptr;
};

TEST_F(CQuantizer, AProgramInCMakesTheModelOfTheCppApi) {
    std::array<char, 256> error{};
    ASSERT_EQ(fuseq_c_quantize(folder_.path("float.xml").c_str(), folder_.path("int8.xml").c_str(),
                               error.data(), error.size()),
              0)
        << error.data();
    QuantizerOptions options;
    options.schema = QuantizationSchema::kSymmetricWithUint8;
    options.bias_correction = false;
    const auto ramp = [](std::size_t index) {
        Tensor tensor(ElementType::f32, {1, 8, 12, 12});
        for (std::size_t i = 0; i < tensor.get_size(); ++i) {
            tensor.data<float>()[i] = static_cast<float>((i * (index + 3)) % 23) / 10.0F - 1.0F;
        }
        return std::vector<Tensor>{tensor};
    };
    Quantizer quantizer(Core().read_model(folder_.path("float.xml")), options);
    EXPECT_TRUE(quantizer.profile(4, ramp));
    write_quantized(quantizer.quantize(4, ramp), folder_.path("cpp.xml"));
    const Core core;
    EXPECT_EQ(core.read_model(folder_.path("int8.xml"))->to_text(),
              core.read_model(folder_.path("cpp.xml"))->to_text());
}

fuseq_status nothing(void* /*user*/,
                     size_t /*index*/,
                     size_t /*input*/,
                     fuseq_tensor** /*tensor*/) {
    return FUSEQ_ERROR;
}

TEST_F(CQuantizer, WhatTheUsersFunctionRefusesIsAnError) {
    ASSERT_EQ(fuseq_quantizer_create(model_, nullptr, 0, &quantizer_), FUSEQ_OK);
    EXPECT_EQ(fuseq_quantizer_profile(quantizer_, 2, nothing, nullptr, nullptr, nullptr),
              FUSEQ_ERROR);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("the function of the user gave an error"));
    fuseq_model* quantized = nullptr;
    EXPECT_EQ(fuseq_quantizer_quantize(quantizer_, 0, nullptr, nullptr, &quantized), FUSEQ_ERROR);
    EXPECT_THAT(fuseq_last_error(), HasSubstr("profile"));
    EXPECT_EQ(quantized, nullptr);
    std::size_t count = 9;
    EXPECT_EQ(fuseq_quantizer_profiled_inputs(quantizer_, &count), FUSEQ_OK);
    EXPECT_EQ(count, 0U);
}

TEST_F(CQuantizer, WrongOptionsNameWhatIsKnown) {
    EXPECT_THAT(error_of_option("shema", "symmetric"), HasSubstr("the nearest is 'schema'"));
    EXPECT_THAT(error_of_option("schema", "round"), HasSubstr("symmetric_with_uint8"));
    EXPECT_THAT(error_of_option("channelwise", "yes"),
                HasSubstr("option channelwise is 'yes', expected true or false"));
    EXPECT_THAT(error_of_option("histogram_bins", "12.5"), HasSubstr("expected a whole number"));
    EXPECT_THAT(error_of_option("max_drop", "SQNR"), HasSubstr("expected METRIC=VALUE"));
    EXPECT_THAT(error_of_option("keep_original_precision", "no_such_layer"),
                HasSubstr("no_such_layer"));
    EXPECT_EQ(fuseq_quantizer_create(nullptr, nullptr, 0, &quantizer_), FUSEQ_INVALID_ARGUMENT);
    EXPECT_EQ(fuseq_quantizer_create(model_, nullptr, 1, &quantizer_), FUSEQ_INVALID_ARGUMENT);
}

TEST(QuantizerOptionTexts, SetTheMembers) {
    QuantizerOptions options;
    set_option(options, "calibration", "KL");
    set_option(options, "percentile", "99.5");
    set_option(options, "streams", "3");
    set_option(options, "rowwise", "true");
    set_option(options, "rows_of_4_bits", "true");
    set_option(options, "f16_row_scales", "true");
    set_option(options, "keep_original_precision", "Add,conv1");
    set_option(options, "max_drop", "top1=0.01");
    set_option(options, "device", "REFERENCE");
    EXPECT_EQ(options.calibration, Calibration::kKl);
    EXPECT_EQ(options.percentile, 99.5);
    EXPECT_EQ(options.streams, 3U);
    EXPECT_TRUE(options.rowwise && options.rows_of_4_bits && options.f16_row_scales);
    EXPECT_THAT(options.keep_original_precision, ElementsAre("Add", "conv1"));
    ASSERT_TRUE(options.max_drop);
    EXPECT_EQ(options.max_drop->metric, DropMetric::kTop1);
    EXPECT_EQ(options.max_drop->value, 0.01);
    EXPECT_EQ(options.device, "REFERENCE");
}

}  // namespace
}  // namespace fuseq
