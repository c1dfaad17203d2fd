// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "fuseq/tensor.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;

template <class To, class From>
std::vector<To> converted(const std::vector<From>& values) {
    const Tensor result = Tensor::of<From>({values.size()}, values).to(element_type_of<To>());
    const To* data = std::as_const(result).template data<To>();
    return std::vector<To>(data, data + values.size());
}

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(ConvertValues, RealToIntegerTruncatesAndClamps) {
    EXPECT_THAT(
        (converted<std::int8_t, float>({1.9f, -1.9f, 127.5f, 300, -300, kInf, -kInf, kNan})),
        ElementsAre(1, -1, 127, 127, -128, 127, -128, 0));
    EXPECT_THAT((converted<std::uint8_t, float>({-0.5f, -7, 255.9f, 256})),
                ElementsAre(0, 0, 255, 255));
    EXPECT_THAT((converted<std::int32_t, float>({2147483648.0f, -2147483648.0f, 2147483520.0f})),
                ElementsAre(2147483647, std::numeric_limits<std::int32_t>::min(), 2147483520));
    EXPECT_THAT((converted<std::int64_t, double>({1e300, -1e300})),
                ElementsAre(std::numeric_limits<std::int64_t>::max(),
                            std::numeric_limits<std::int64_t>::min()));
    EXPECT_THAT((converted<std::uint64_t, double>({1.8446744073709552e19, -1})),
                ElementsAre(std::numeric_limits<std::uint64_t>::max(), 0u));
}

TEST(ConvertValues, IntegersClamp) {
    EXPECT_THAT((converted<std::int8_t, std::int64_t>({127, 128, -129, 0})),
                ElementsAre(127, 127, -128, 0));
    EXPECT_THAT((converted<std::uint32_t, std::int8_t>({-1, 5})), ElementsAre(0u, 5u));
    EXPECT_THAT((converted<std::int64_t, std::uint64_t>({UINT64_MAX})),
                ElementsAre(std::numeric_limits<std::int64_t>::max()));
}

TEST(ConvertValues, BooleansAreNotZero) {
    EXPECT_THAT((converted<bool, float>({0, -0.0f, 0.5f, kNan})),
                ElementsAre(false, false, true, true));
    EXPECT_THAT((converted<bool, std::int64_t>({0, 256, -1})), ElementsAre(false, true, true));
    EXPECT_THAT((converted<float, bool>({true, false})), ElementsAre(1, 0));
}

TEST(ConvertValues, HalvesGoThroughFloat) {
    EXPECT_THAT((converted<float, Float16>({Float16(0.1f)})), ElementsAre(0.0999755859375f));
    EXPECT_THAT((converted<std::uint8_t, Float16>({Float16(300.0f)})), ElementsAre(255));
    EXPECT_EQ((converted<Float16, std::int64_t>({70000}))[0].bits, 0x7c00);
    EXPECT_EQ((converted<BFloat16, float>({1.0f}))[0].bits, 0x3f80);
}

TEST(ConvertValues, EmptyTensorsConvert) {
    EXPECT_EQ(Tensor(element::f32, {0}).to(element::u8).get_size(), 0u);
}

}  // namespace
}  // namespace fuseq::test
