// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/fake_quantize.hpp"

#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

std::vector<In> with_limits(const In& x,
                            const Shape& shape,
                            const std::vector<float> (&limits)[4]) {
    std::vector<In> inputs = {x};
    for (const auto& values : limits) {
        inputs.push_back(constant<float>(shape, values));
    }
    return inputs;
}

TEST(FakeQuantize, RoundsHalfToEvenAndClamps) {
    const In x = in_f32({8}, {-3, 0, 0.5F, 1.5F, 2.5F, 3.49F, 255, 300});
    expect_tensor<float>(
        run_op("FakeQuantize", 1, "levels=256", with_limits(x, {}, {{0}, {255}, {0}, {255}}))[0],
        {8}, {0, 0, 0, 2, 2, 3, 255, 255});
}

// Step 1 in, step 2 out: 10, 12, 14, 16.
TEST(FakeQuantize, MapsToTheOutputRange) {
    const In x = in_f32({5}, {-1, 0.6F, 1.4F, 2.6F, 9});
    expect_tensor<float>(
        run_op("FakeQuantize", 1, "levels=4", with_limits(x, {}, {{0}, {3}, {10}, {16}}))[0], {5},
        {10, 12, 12, 16, 16});
}

TEST(FakeQuantize, HasLimitsPerChannel) {
    const In x = in_f32({1, 2, 1, 2}, {0.4F, 7, 0.4F, 7});
    expect_tensor<float>(run_op("FakeQuantize", 1, "levels=5",
                                with_limits(x, {1, 2, 1, 1}, {{0, 0}, {4, 8}, {0, 0}, {4, 8}}))[0],
                         {1, 2, 1, 2}, {0, 4, 0, 8});
}

TEST(FakeQuantize, NarrowWeightRangeHasZeroAsALevel) {
    const In w = in_f32({4}, {-128, -127, 0.4F, 126.6F});
    expect_tensor<float>(run_op("FakeQuantize", 1, "levels=255",
                                with_limits(w, {1}, {{-127}, {127}, {-127}, {127}}))[0],
                         {4}, {-127, -127, 0, 127});
}

// (1 - 3) / (0 - 3) * 3 = 2; below the smaller limit output_low, above the larger output_high.
TEST(FakeQuantize, TakesInputHighBelowInputLow) {
    const In x = in_f32({3}, {-1, 1, 4});
    expect_tensor<float>(
        run_op("FakeQuantize", 1, "levels=4", with_limits(x, {}, {{3}, {0}, {0}, {3}}))[0], {3},
        {0, 2, 3});
}

TEST(FakeQuantize, QuantizeOnlyStoresIntegers) {
    const In x = in_f32({3}, {-1, 0.26F, 9});
    expect_tensor<std::uint8_t>(run_op("FakeQuantize", 1, "levels=256; output_type=u8",
                                       with_limits(x, {}, {{0}, {127.5F}, {0}, {255}}))[0],
                                {3}, {0, 1, 18});
    expect_tensor<std::int8_t>(run_op("FakeQuantize", 1, "levels=256; output_type=i8",
                                      with_limits(x, {}, {{-64}, {63.5F}, {-128}, {127}}))[0],
                               {3}, {-2, 1, 18});
}

TEST(FakeQuantize, OneValueByTheDefinition) {
    EXPECT_EQ(fake_quantize(0.5, 0, 3, 0, 3, 4), 0);  // half to even
    EXPECT_EQ(fake_quantize(1.5, 0, 3, 0, 3, 4), 2);
    EXPECT_EQ(fake_quantize(5, 5, 5, 1, 2, 256), 1);  // an empty range is a step
    EXPECT_EQ(fake_quantize(5.1, 5, 5, 1, 2, 256), 2);
}

TEST(FakeQuantize, KeepsOpenShapes) {
    std::vector<In> inputs = {open(ElementType::f32, "[?,3,?,?]")};
    for (int i = 0; i < 4; ++i) {
        inputs.push_back(constant<float>({1, 3, 1, 1}, {1, 2, 3}));
    }
    EXPECT_EQ(shape_of("FakeQuantize", 1, "levels=256", inputs), "[?,3,?,?]");
}

TEST(FakeQuantize, Refuses) {
    const In x = in_f32({1, 4}, {1, 2, 3, 4});
    EXPECT_THAT(error_of("FakeQuantize", 1, "levels=1", with_limits(x, {}, {{0}, {1}, {0}, {1}})),
                HasSubstr("levels is 1, expected 2 or more"));
    EXPECT_NE(error_of("FakeQuantize", 1, "levels=256",
                       with_limits(x, {3}, {{0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}})),
              "");
    EXPECT_THAT(error_of("FakeQuantize", 1, "levels=256",
                         with_limits(in_f32({1}, {1}), {2}, {{0, 0}, {1, 1}, {0, 0}, {1, 1}})),
                HasSubstr("input_low has shape [2]"));
    EXPECT_THAT(error_of("FakeQuantize", 1, "levels=256",
                         with_limits(in<std::int32_t>({1}, {1}), {}, {{0}, {1}, {0}, {1}})),
                HasSubstr("input is i32, expected a real type"));
}

}  // namespace
}  // namespace fuseq::test
