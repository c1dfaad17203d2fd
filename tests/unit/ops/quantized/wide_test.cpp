// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sigmoid, tanh and softmax of 16 bits. The integers are those of TFLite 2.9; more of them are in
// tests/unit/readers_tflite/cases.
#include <cmath>
#include <random>

#include "ops/quantized/rules/sigmoid_16.hpp"
#include "ops/quantized/rules/softmax_16.hpp"
#include "support/op_runner.hpp"

// Debian's libgemmlowp-dev, where it is installed: a second source.
#if __has_include(<gemmlowp/fixedpoint/fixedpoint.h>)
#include <gemmlowp/fixedpoint/fixedpoint.h>
#define FUSEQ_HAS_GEMMLOWP
#endif

namespace fuseq::test {
namespace {

using rules::Sigmoid16;
using testing::HasSubstr;

constexpr std::int32_t kLowest = -32768;
constexpr std::int32_t kHighest = 32767;

// Sigmoids of i / 24 in steps of 2^-16: the nearest ones are 33451, 35492, 51408, 63453 and 65534.
TEST(Sigmoid16, HasTfliteTable) {
    const rules::SigmoidTable& table = rules::sigmoid_table();
    EXPECT_EQ(table[0], 32768);
    EXPECT_EQ(table[1], 33451);
    EXPECT_EQ(table[4], 35493);
    EXPECT_EQ(table[31], 51409);
    EXPECT_EQ(table[82], 63454);
    EXPECT_EQ(table[254], 65534);
    EXPECT_EQ(table[255], 65535);
}

TEST(Sigmoid16, IsCloseToTheFunctions) {
    constexpr double kMaxError = 3;  // steps of 2^-15
    for (const float scale : {1e-5F, 0.0009F, 0.0121F, 0.4F, 1.2F}) {
        const Sigmoid16 logistic(scale, {});
        const Sigmoid16 tanh(scale, {.tanh = true});
        for (std::int32_t q = kLowest; q <= kHighest; ++q) {
            const double x = q * static_cast<double>(scale);
            ASSERT_NEAR(logistic(q), 32768 / (1 + std::exp(-x)), kMaxError) << scale << " " << q;
            ASSERT_NEAR(tanh(q), 32768 * std::tanh(x), kMaxError) << scale << " " << q;
        }
    }
}

// Within 0.07 % of 2^-12, and of 2^-11 for tanh alone.
TEST(Sigmoid16, IsFixedPointWhereTheScaleIsAPowerOfTwo) {
    const auto shift = [](float scale, bool tanh) {
        return Sigmoid16(scale, {.tanh = tanh, .fixed_point = true}).left_shift().value_or(-1);
    };
    EXPECT_EQ(shift(0x1p-12F, false), 0);
    EXPECT_EQ(shift(0x1p-12F, true), 0);
    EXPECT_EQ(shift(0x1.002p-12F, true), 0);
    EXPECT_EQ(shift(0x1.004p-12F, true), -1);
    EXPECT_EQ(shift(0x1p-11F, false), -1);
    EXPECT_EQ(shift(0x1p-11F, true), 1);
    EXPECT_EQ(shift(0x1p-10F, true), -1);
    EXPECT_EQ(shift(0x1p-13F, true), -1);
    EXPECT_FALSE(Sigmoid16(0x1p-12F, {}).left_shift());
}

#ifdef FUSEQ_HAS_GEMMLOWP
TEST(Sigmoid16, FixedPointIsGemmlowps) {
    using F3 = gemmlowp::FixedPoint<std::int16_t, 3>;
    const Sigmoid16 logistic(0x1p-12F, {.fixed_point = true});
    const Sigmoid16 doubled(0x1p-11F, {.tanh = true, .fixed_point = true});
    for (std::int32_t q = kLowest; q <= kHighest; ++q) {
        const auto raw = static_cast<std::int16_t>(q);
        ASSERT_EQ(logistic(q), gemmlowp::logistic(F3::FromRaw(raw)).raw()) << q;
        const std::int16_t twice = gemmlowp::SaturatingRoundingMultiplyByPOT<1>(raw);
        ASSERT_EQ(doubled(q), gemmlowp::tanh(F3::FromRaw(twice)).raw()) << q;
    }
}
#endif

const std::vector<std::int16_t> kSources{-32768, -9000, -1111, -1, 0, 1, 700, 8191, 20000, 32767};

std::vector<std::int16_t> table_of(const std::string& function,
                                   const std::string& scale,
                                   const std::string& method) {
    const Tensor result =
        run_op("QuantizedTable", 1,
               "input_scales=" + scale + "; output_scale=0.000030517578125; output_type=i16; " +
                   "function=" + function + "; method=" + method,
               {in<std::int16_t>({10}, kSources)})[0];
    const auto values = result.values<std::int16_t>();
    return {values.begin(), values.end()};
}

TEST(QuantizedTable16, HasTfliteIntegers) {
    using testing::ElementsAre;
    EXPECT_THAT(table_of("sigmoid", "0.0009", "TFLITE"),
                ElementsAre(1, 10, 8813, 16377, 16384, 16391, 21381, 32747, 32767, 32767));
    EXPECT_THAT(table_of("tanh", "0.0009", "TFLITE"),
                ElementsAre(-32767, -32767, -24955, -29, 0, 29, 18285, 32767, 32767, 32767));
    EXPECT_THAT(table_of("sigmoid", "3", "TFLITE"),
                ElementsAre(1, 1, 1, 1554, 16384, 31214, 32767, 32767, 32767, 32767));
    // The product of 73728 and -32768 has more than 32 bits.
    EXPECT_THAT(table_of("sigmoid", "6", "TFLITE"),
                ElementsAre(32767, 1, 1, 81, 16384, 32687, 32767, 32767, 32767, 1));
    EXPECT_THAT(table_of("sigmoid", "0.000244140625", "TFLITE"),
                ElementsAre(11, 3279, 14171, 16383, 16384, 16384, 17778, 28864, 32524, 32756));
    EXPECT_THAT(table_of("tanh", "0.00048828125", "TFLITE"),
                ElementsAre(-32767, -32764, -16220, -24, 0, 24, 10784, 32744, 32767, 32767));
}

// sigmoid(q / 4096): in real values, and by the reference kernel's table at powers of two.
TEST(QuantizedTable16, RoundsByItsMethod) {
    const std::string scale = "0.000244140625";
    const auto real = [](double x) { return 32768 / (1 + std::exp(-x / 4096)); };
    for (const char* method : {"NATIVE", "ONNX", "TFLITE_LEGACY"}) {
        const auto values = table_of("sigmoid", scale, method);
        for (std::size_t i = 0; i < values.size(); ++i) {
            EXPECT_NEAR(values[i], real(kSources[i]), 0.51) << method << " " << kSources[i];
        }
    }
    EXPECT_EQ(table_of("sigmoid", scale, "TFLITE_REFERENCE")[4], 16384);
    EXPECT_NE(table_of("sigmoid", scale, "TFLITE_REFERENCE"), table_of("sigmoid", scale, "TFLITE"));
    EXPECT_EQ(table_of("sigmoid", "0.0009", "TFLITE_REFERENCE"),
              table_of("sigmoid", "0.0009", "TFLITE"));
    // Functions without a rule of 16 bits in TFLite.
    EXPECT_EQ(table_of("elu", "0.000030517578125", "NATIVE")[8], 20000);
}

TEST(QuantizedTable16, RefusesOtherGridsByTfliteRules) {
    const auto error = [](const std::string& attributes) {
        return error_of("QuantizedTable", 1, "input_scales=0.001; " + attributes,
                        {open(ElementType::i16, "[4]")});
    };
    const std::string unit = "output_scale=0.000030517578125; ";
    constexpr const char* kGrid =
        "the method's rule of 16 bits gives i16 of scale 1/32768, with zero points of 0";
    EXPECT_THAT(error("output_scale=0.01; output_type=i16; function=tanh; method=TFLITE"),
                HasSubstr(kGrid));
    EXPECT_THAT(error(unit + "output_type=i8; function=tanh; method=TFLITE_REFERENCE"),
                HasSubstr(kGrid));
    EXPECT_THAT(error(unit + "output_zero_point=1; output_type=i16; function=sigmoid; "
                             "method=TFLITE_XNNPACK"),
                HasSubstr(kGrid));
    EXPECT_THAT(
        error(unit + "input_zero_points=1; output_type=i16; function=sigmoid; method=TFLITE"),
        HasSubstr(kGrid));
    EXPECT_THAT(error(unit + "output_type=i16; function=elu; method=TFLITE"),
                HasSubstr("the method has no rule of 16 bits for it, but for sigmoid and tanh"));
    EXPECT_THAT(error(unit + "output_type=i16; function=tanh; method=CAFFE2"),
                HasSubstr("the method CAFFE2 gives no rule for QuantizedTable"));
    EXPECT_THAT(error_of("QuantizedTable", 1,
                         unit + "input_scales=1; output_type=i16; function=tanh; method=NATIVE",
                         {open(ElementType::u16, "[4]")}),
                HasSubstr("the source is u16, expected u8, i8 or i16"));
}

std::vector<std::int16_t> softmax_of(const std::string& attributes,
                                     const std::vector<std::int16_t>& row) {
    const Tensor result =
        run_op("QuantizedSoftmax", 1,
               "output_scale=0.000030517578125; output_type=i16; axis=1; " + attributes,
               {in<std::int16_t>({1, row.size()}, row)})[0];
    const auto values = result.values<std::int16_t>();
    return {values.begin(), values.end()};
}

TEST(QuantizedSoftmax16, HasTfliteIntegers) {
    using testing::ElementsAre;
    const std::vector<std::int16_t> row{1200, -32768, 900, 1199, 0, 32000, 31990, 20000, -5, 1200};
    EXPECT_THAT(softmax_of("input_scales=0.0005; method=TFLITE", row),
                ElementsAre(1, 1, 1, 1, 1, 16401, 16319, 41, 1, 1));
    EXPECT_THAT(softmax_of("input_scales=0.00001; method=TFLITE", row),
                ElementsAre(3087, 2198, 3078, 3087, 3051, 4201, 4200, 3726, 3050, 3087));
    EXPECT_THAT(softmax_of("input_scales=0.02; beta=0.5; method=TFLITE_XNNPACK", row),
                ElementsAre(1, 1, 1, 1, 1, 17198, 15562, 1, 1, 1));
    EXPECT_THAT(softmax_of("input_scales=0.01; method=TFLITE", {7, 7, 7}),
                ElementsAre(10922, 10922, 10922));
    EXPECT_THAT(softmax_of("input_scales=0.01; method=TFLITE", {7}), ElementsAre(32767));
}

// A third each is 10922.67.
TEST(QuantizedSoftmax16, RoundsByItsMethod) {
    using testing::ElementsAre;
    for (const char* method : {"NATIVE", "ONNX", "TFLITE_LEGACY"}) {
        EXPECT_THAT(softmax_of(std::string("input_scales=0.01; method=") + method, {7, 7, 7}),
                    ElementsAre(10923, 10923, 10923))
            << method;
    }
    EXPECT_THAT(softmax_of("input_scales=0.01; method=NATIVE", {kHighest, kLowest}),
                ElementsAre(32767, 0));
}

TEST(QuantizedSoftmax16, IsCloseToTheFunctionByBothFixedPoints) {
    constexpr double kMaxError = 12;  // steps of 2^-15
    constexpr double kTail = 2e-4;    // e^-10 and less count as e^-10 / 2 to e^-10
    std::mt19937 rng(20261128);
    for (const float scale : {2e-5F, 0.0003F, 0.004F}) {
        for (const RoundingRule rule : {RoundingRule::kD1, RoundingRule::kD2}) {
            const rules::Softmax16 softmax(scale, 1.0F, rule);
            std::vector<std::int32_t> src(40);
            for (std::int32_t& q : src) {
                q = static_cast<std::int32_t>(rng() % 65536) + kLowest;
            }
            std::vector<std::int64_t> dst(src.size());
            softmax(src.data(), dst.data(), src.size(), 1);
            const std::int32_t top = *std::max_element(src.begin(), src.end());
            double sum = 0;
            for (const std::int32_t q : src) {
                sum += std::exp((q - top) * static_cast<double>(scale));
            }
            for (std::size_t i = 0; i < src.size(); ++i) {
                const double share = std::exp((src[i] - top) * static_cast<double>(scale)) / sum;
                EXPECT_NEAR(static_cast<double>(dst[i]), 32768 * share,
                            kMaxError + 32768 * kTail * static_cast<double>(src.size()) * share)
                    << scale << " " << src[i];
            }
        }
    }
}

// More elements than a sum of 32 bits holds: 0.468 steps each.
TEST(QuantizedSoftmax16, KeepsSumsOfLongRowsWithin32Bits) {
    const std::vector<std::int16_t> values =
        softmax_of("input_scales=0.01; method=TFLITE", std::vector<std::int16_t>(70000, 5));
    EXPECT_EQ(values.front(), 0);
    EXPECT_EQ(values.back(), 0);
}

TEST(QuantizedSoftmax16, RefusesOtherGridsByTfliteRules) {
    const auto error = [](const std::string& attributes) {
        return error_of("QuantizedSoftmax", 1, "input_scales=0.001; axis=0; " + attributes,
                        {open(ElementType::i16, "[4]")});
    };
    constexpr const char* kGrid =
        "the method's rule of 16 bits gives i16 of scale 1/32768, zero point 0";
    const std::string unit = "output_scale=0.000030517578125; ";
    EXPECT_THAT(error("output_scale=0.01; output_type=i16; method=TFLITE"), HasSubstr(kGrid));
    EXPECT_THAT(error(unit + "output_type=u8; method=TFLITE_SINGLE_ROUNDING"), HasSubstr(kGrid));
    EXPECT_THAT(error(unit + "output_type=i16; logarithm=true; method=TFLITE"),
                HasSubstr("the method has no rule of 16 bits for the logarithm"));
    EXPECT_THAT(error_of("QuantizedSoftmax", 1,
                         unit + "input_scales=1; axis=0; output_type=i16; method=NATIVE",
                         {open(ElementType::u16, "[4]")}),
                HasSubstr("the source is u16, expected u8, i8 or i16"));
}

// Bytes to i16: TFLite rounds halves away from zero there. 65536 equal ones have half a step each.
TEST(QuantizedSoftmax16, OfBytesRoundsHalvesAwayFromZero) {
    const std::size_t size = 65536;
    const Tensor result =
        run_op("QuantizedSoftmax", 1,
               "input_scales=0.1; output_scale=0.000030517578125; output_type=i16; axis=0; "
               "method=TFLITE",
               {in<std::int8_t>({size}, std::vector<std::int8_t>(size, 3))})[0];
    EXPECT_EQ(result.data<std::int16_t>()[0], 1);
    EXPECT_EQ(result.data<std::int16_t>()[size - 1], 1);
}

}  // namespace
}  // namespace fuseq::test
