// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said about batch norms and about quantized tensors.
#include "fuseq/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/quantizer.hpp"

namespace fuseq {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<Model> batch_norm(const std::string& before, const std::string& variance) {
    return Model::from_text(R"(model "m"
        %x = Parameter : f32[1,2,1,1]
        %p = )" + before + R"((%x)
        %gamma = Const value={2,3} : f32[2]
        %beta = Const value={1,-1} : f32[2]
        %mean = Const value={0.5,4} : f32[2]
        %variance = Const value={)" +
                            variance + R"(} : f32[2]
        %bn = BatchNormInference(%p, %gamma, %beta, %mean, %variance) epsilon=0.25
        %r = Result(%bn))");
}

// sqrt(0.75 + 0.25) = 1, sqrt(2 + 0.25) = 1.5: scales 2 and 2, biases 1 - 0.5 * 2 and -1 - 4 * 2.
TEST(Diagnosis, BatchNormsByHand) {
    const auto all = diagnose_batch_norms(*batch_norm("Abs", "0.75,2"));
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].layer, "bn");
    EXPECT_EQ(all[0].channels, 2U);
    EXPECT_FLOAT_EQ(all[0].min_scale, 2);
    EXPECT_FLOAT_EQ(all[0].max_scale, 2);
    EXPECT_FLOAT_EQ(all[0].min_bias, -9);
    EXPECT_FLOAT_EQ(all[0].max_bias, 0);
    EXPECT_TRUE(all[0].dead.empty());
    EXPECT_TRUE(all[0].remedies.empty());
}

// Channel 1 never varies: 3 / sqrt(0.25) = 6.
TEST(Diagnosis, DeadChannelsAndTheRemedies) {
    const auto behind_relu = diagnose_batch_norms(*batch_norm("ReLU", "0.75,0"))[0];
    EXPECT_FLOAT_EQ(behind_relu.max_scale, 6);
    EXPECT_EQ(behind_relu.channel, 1U);
    EXPECT_EQ(behind_relu.gamma, 3);
    EXPECT_EQ(behind_relu.mean, 4);
    EXPECT_THAT(behind_relu.dead, ElementsAre(1));
    EXPECT_THAT(behind_relu.remedies,
                ElementsAre(HasSubstr("smaller layer"), HasSubstr("leaky ReLU"),
                            HasSubstr("after the batch norm")));
    EXPECT_THAT(to_string(behind_relu),
                HasSubstr("1 of 2 channels are dead after a ReLU: 1; what helps: a smaller"));
    EXPECT_THAT(diagnose_batch_norms(*batch_norm("Abs", "0.75,0"))[0].remedies,
                ElementsAre(HasSubstr("smaller layer")));
}

// One value in a thousand is 10, all others lie in [0, 1].
QuantizedTensor tensor_of(const QuantizerOptions& options) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[1,2,500,1]
        %w = Const value=random(1) : f32[4,2,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r = Result(%c))");
    Quantizer quantizer(model, options);
    quantizer.profile(1, [](std::size_t) {
        Tensor tensor(ElementType::f32, {1, 2, 500, 1});
        for (std::size_t i = 0; i < 1000; ++i) {
            tensor.data<float>()[i] = static_cast<float>(i % 500) / 499;
        }
        tensor.data<float>()[7] = 10;
        return std::vector{tensor};
    });
    const QuantizedModel result = quantizer.quantize();
    return result.tensors.at(0);
}

TEST(Diagnosis, TensorsThatWasteLevelsOrClip) {
    QuantizerOptions options;
    const QuantizedTensor whole = tensor_of(options);
    EXPECT_EQ(whole.name, "x");
    EXPECT_EQ(whole.unused_levels, 0U);
    EXPECT_EQ(whole.saturated, 0);
    EXPECT_NEAR(whole.channel_spread, 1, 1e-6);  // of two channels, the greater is the median
    options.schema = QuantizationSchema::kSymmetric;
    EXPECT_EQ(tensor_of(options).unused_levels, 128U);
    options.schema = QuantizationSchema::kAsymmetric;
    options.calibration = Calibration::kPercentile;
    options.percentile = 99.5;
    const QuantizedTensor clipped = tensor_of(options);
    EXPECT_GT(clipped.saturated, 0.0009);
    EXPECT_LT(clipped.high, 10);
}

}  // namespace
}  // namespace fuseq
