// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

const In kX = in_f32({5}, {-4, -1, 0, 1, 4});

void check(const char* type,
           int opset,
           const char* attributes,
           const std::vector<float>& expected) {
    SCOPED_TRACE(type);
    expect_near(run_op(type, opset, attributes, {kX})[0], {5}, expected);
}

// Values computed with 30 digits.
TEST(Activation, OfOneInput) {
    check("Sigmoid", 1, "", {0.01798621F, 0.26894142F, 0.5F, 0.73105858F, 0.98201379F});
    check("Tanh", 1, "", {-0.9993293F, -0.76159416F, 0, 0.76159416F, 0.9993293F});
    check("Elu", 1, "alpha=2", {-1.9633687F, -1.2642411F, 0, 1, 4});
    check("HSwish", 4, "", {0, -1.0F / 3, 0, 2.0F / 3, 4});
    check("HSigmoid", 5, "", {0, 1.0F / 3, 0.5F, 2.0F / 3, 1});
    check("SoftPlus", 4, "", {0.01814993F, 0.31326169F, 0.69314718F, 1.3132617F, 4.0181499F});
    check("Mish", 4, "", {-0.07259175F, -0.30340146F, 0, 0.86509839F, 3.9974128F});
    check("Gelu", 2, "", {-0.00012668F, -0.15865525F, 0, 0.84134475F, 3.9998733F});
    check("Gelu", 7, "approximation_mode=ERF",
          {-0.00012668F, -0.15865525F, 0, 0.84134475F, 3.9998733F});
    check("Gelu", 7, "approximation_mode=TANH",
          {-0.00007025F, -0.15880801F, 0, 0.84119199F, 3.9999297F});
    check("Swish", 4, "", {-0.07194484F, -0.26894142F, 0, 0.73105858F, 3.9280552F});
    check("ReLU", 1, "", {0, 0, 0, 1, 4});
}

TEST(Activation, WithParameters) {
    const In two = in_f32({}, {2});
    expect_near(run_op("Swish", 4, "", {kX, two})[0], {5},
                {-0.00134140F, -0.11920292F, 0, 0.88079708F, 3.9986586F});
    expect_near(run_op("Selu", 1, "", {kX, two, in_f32({1}, {3})})[0], {5},
                {-5.8901062F, -3.7927233F, 0, 3, 12});
    expect_near(run_op("HardSigmoid", 1, "", {kX, in_f32({}, {0.25F}), in_f32({}, {0.5F})})[0], {5},
                {0, 0.25F, 0.5F, 0.75F, 1});
}

TEST(Activation, LargeValuesDoNotOverflow) {
    const In far = in_f32({2}, {-1000, 1000});
    expect_near(run_op("SoftPlus", 4, "", {far})[0], {2}, {0, 1000});
    expect_near(run_op("Mish", 4, "", {far})[0], {2}, {0, 1000});
    expect_near(run_op("Sigmoid", 1, "", {far})[0], {2}, {0, 1});
}

TEST(Activation, RefusesIntegersAndLongParameters) {
    EXPECT_THAT(error_of("Sigmoid", 1, "", {in<std::int32_t>({1}, {1})}),
                HasSubstr("expected a real type"));
    EXPECT_THAT(error_of("Swish", 4, "", {kX, in_f32({2}, {1, 2})}),
                HasSubstr("beta has shape [2]"));
    EXPECT_THAT(blind_error_of("Swish", 4, "", {kX, in_f32({2}, {1, 2})}),
                HasSubstr("beta has 2 values"));
    EXPECT_THAT(error_of("Gelu", 7, "approximation_mode=fast", {kX}), HasSubstr("'fast'"));
}

}  // namespace
}  // namespace fuseq::test
