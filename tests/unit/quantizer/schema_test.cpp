// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers computed by hand from Glow's formulas (SEEDS.md, 002, "Upstream").
#include "quantizer/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/small_model.hpp"

namespace fuseq::quantizer {
namespace {

using testing::HasSubstr;
using Schema = QuantizationSchema;
using Precision = QuantizationPrecision;

struct Case {
    Schema schema;
    RealRange range;
    Precision precision;
    double scale;
    int offset;
};

class ChooseScale : public testing::TestWithParam<Case> {};

TEST_P(ChooseScale, IsGlows) {
    const Case& c = GetParam();
    const ScaleAndOffset chosen = choose_scale(c.range, c.schema, integer_range(c.precision));
    EXPECT_FLOAT_EQ(chosen.scale, static_cast<float>(c.scale));
    EXPECT_EQ(chosen.offset, c.offset);
}

INSTANTIATE_TEST_SUITE_P(
    ByHand,
    ChooseScale,
    testing::Values(Case{Schema::kAsymmetric, {0, 255}, Precision::kInt8, 1, -128},
                    // -128 - (-1) / s = -0.5 and 127 - 1 / s = -0.5; halves away from zero.
                    Case{Schema::kAsymmetric, {-1, 1}, Precision::kInt8, 2.0 / 255, -1},
                    // 0 belongs to every range.
                    Case{Schema::kAsymmetric, {1, 3}, Precision::kInt8, 3.0 / 255, -128},
                    Case{Schema::kAsymmetric, {-3, -1}, Precision::kInt8, 3.0 / 255, 127},
                    // From the end with the smaller error: |-128| + 0 is more than |127| + 0.
                    Case{Schema::kAsymmetric, {0, 0}, Precision::kInt8, 0.1, 127},
                    Case{Schema::kAsymmetric, {0, 65535}, Precision::kInt16, 1, -32768},
                    // 3 / 127 > 1 / 128.
                    Case{Schema::kSymmetric, {-1, 3}, Precision::kInt8, 3.0 / 127, 0},
                    Case{Schema::kSymmetric, {-4, 1}, Precision::kInt8, 4.0 / 128, 0},
                    Case{Schema::kSymmetric, {-1, 1}, Precision::kInt16, 1.0 / 32767, 0},
                    Case{Schema::kSymmetricWithUint8, {0, 2}, Precision::kInt8, 2.0 / 255, -128},
                    Case{Schema::kSymmetricWithUint8, {-1, 3}, Precision::kInt8, 3.0 / 127, 0},
                    // 3 / 127 = 0.0236 < 2^-5 = 0.03125.
                    Case{Schema::kSymmetricWithPower2Scale, {-1, 3}, Precision::kInt8, 0.03125, 0},
                    // A power of two stays.
                    Case{Schema::kSymmetricWithPower2Scale, {-4, 1}, Precision::kInt8, 0.03125, 0},
                    // A quarter of the range of int32 on either side.
                    Case{Schema::kSymmetric, {0, 536870912.0f}, Precision::kInt32, 1, 0}));

TEST(ChooseScale, RefusesWhatNoScaleHolds) {
    const float inf = std::numeric_limits<float>::infinity();
    for (const RealRange range :
         {RealRange{0, inf}, RealRange{std::nanf(""), 1}, RealRange{2, 1}}) {
        EXPECT_THAT(test::message_of([&] {
                        choose_scale(range, Schema::kAsymmetric, integer_range(Precision::kInt8));
                    }),
                    HasSubstr("no scale holds the range"));
    }
}

TEST(ScaleAndOffset, LimitsAreTheEndsOfTheIntegers) {
    const ScaleAndOffset chosen =
        choose_scale({-1, 1}, Schema::kAsymmetric, integer_range(Precision::kInt8));
    EXPECT_FLOAT_EQ(chosen.limits().min, -127 * 2.0f / 255);
    EXPECT_FLOAT_EQ(chosen.limits().max, 128 * 2.0f / 255);
    // SEEDS.md B3: a symmetric range of signed bytes is -1.0078740157480315 times as long below.
    const RealRange symmetric =
        choose_scale({-1, 3}, Schema::kSymmetric, integer_range(Precision::kInt8)).limits();
    EXPECT_FLOAT_EQ(symmetric.min, -1.0078740157480315f * symmetric.max);
}

TEST(ScaleAndOffset, RoundsHalvesToEvenAndClips) {
    const ScaleAndOffset scale{0.5f, 3, {-128, 127}};
    EXPECT_EQ(scale.quantize(0.25f), 4);   // 3.5
    EXPECT_EQ(scale.quantize(0.75f), 4);   // 4.5
    EXPECT_EQ(scale.quantize(-0.25f), 2);  // 2.5
    EXPECT_EQ(scale.quantize(1000), 127);
    EXPECT_EQ(scale.quantize(-1000), -128);
    EXPECT_FLOAT_EQ(scale.dequantize(-1), -2);  // (q - offset) * scale
}

TEST(Names, ReadBack) {
    for (const char* name :
         {"asymmetric", "symmetric", "symmetric_with_uint8", "symmetric_with_power2_scale"}) {
        EXPECT_EQ(to_string(schema_from(name)), name);
    }
    for (const char* name : {"none", "KL", "percentile", "MSE"}) {
        EXPECT_EQ(to_string(calibration_from(name)), name);
    }
    EXPECT_EQ(to_string(precision_from("Int16")), "Int16");
    EXPECT_THAT(test::message_of([] { schema_from("symetric"); }),
                HasSubstr("there is no schema 'symetric', only asymmetric, symmetric,"));
}

}  // namespace
}  // namespace fuseq::quantizer
