// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/packed_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "fuseq/tensor.hpp"

namespace fuseq::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ElementType kPackedIntegers[] = {element::u1, element::u2, element::u4, element::i4};

Tensor packed(ElementType type, const Shape& shape, const std::vector<std::uint8_t>& bytes) {
    Tensor tensor(type, shape);
    EXPECT_EQ(tensor.get_byte_size(), bytes.size());
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(tensor.data()));
    return tensor;
}

std::vector<int> bytes_in(const Tensor& tensor) {
    const auto* data = static_cast<const std::uint8_t*>(tensor.data());
    return {data, data + tensor.get_byte_size()};
}

// By the definition: element i lies in bits i * n .. i * n + n - 1 of the stream of bits that
// begins with the lowest bit of byte 0; for u1 with the highest.
int by_definition(ElementType type, const std::vector<std::uint8_t>& bytes, std::size_t i) {
    const std::size_t bits = type == element::u1 ? 1 : type == element::u2 ? 2 : 4;
    int value = 0;
    for (std::size_t b = 0; b < bits; ++b) {
        const std::size_t at = i * bits + b;
        const std::size_t in_byte = type == element::u1 ? 7 - at % 8 : at % 8;
        value |= (bytes[at / 8] >> in_byte & 1) << b;
    }
    return type == element::i4 && value > 7 ? value - 16 : value;
}

TEST(PackedValues, LieFromTheLowBitsUp) {
    EXPECT_THAT(to_ints(packed(element::u4, {4}, {0x21, 0xf3})), ElementsAre(1, 2, 3, 15));
    EXPECT_THAT(to_ints(packed(element::i4, {4}, {0xf8, 0x70})), ElementsAre(-8, -1, 0, 7));
    EXPECT_THAT(to_ints(packed(element::u2, {4}, {0b11'10'01'00})), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(to_ints(packed(element::u1, {4}, {0b1011'0000})), ElementsAre(1, 0, 1, 1));
    EXPECT_THAT(to_floats(packed(element::nf4, {3}, {0x0f, 0x07})), ElementsAre(1, -1, 0));
}

TEST(PackedValues, OfAnyNumberAgreeWithTheDefinition) {
    std::mt19937 random(7);
    for (const ElementType type : kPackedIntegers) {
        for (const std::size_t count : {1, 2, 3, 5, 7, 8, 9, 1023, 1024, 1025, 3001}) {
            std::vector<std::uint8_t> bytes(byte_size_of(type, count));
            for (std::uint8_t& byte : bytes) {
                byte = static_cast<std::uint8_t>(random());
            }
            const Tensor tensor = packed(type, {count}, bytes);
            const std::vector<std::int64_t> values = to_ints(tensor);
            for (std::size_t i = 0; i < count; ++i) {
                ASSERT_EQ(values[i], by_definition(type, bytes, i))
                    << to_string(type) << " " << i << " of " << count;
            }
            // Back again, through a type that is not the unpacked one.
            const Tensor back = tensor.to(element::i32).to(type);
            EXPECT_EQ(to_ints(back), values);
        }
    }
}

TEST(PackedValues, BitsAfterTheLastElementAreZero) {
    EXPECT_THAT(bytes_in(Tensor::of<float>({3}, {15, 15, 15}).to(element::u4)),
                ElementsAre(0xff, 0x0f));
    EXPECT_THAT(bytes_in(Tensor::of<float>({1}, {3}).to(element::u2)), ElementsAre(0x03));
    EXPECT_THAT(bytes_in(Tensor::of<float>({1}, {1}).to(element::u1)), ElementsAre(0x80));
}

TEST(PackedValues, TruncateAndClamp) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const Tensor reals = Tensor::of<float>({7}, {-100, -8.9f, -0.5f, 2.9f, 7.5f, 300, kNan});
    EXPECT_THAT(to_ints(reals.to(element::u4)), ElementsAre(0, 0, 0, 2, 7, 15, 0));
    EXPECT_THAT(to_ints(reals.to(element::i4)), ElementsAre(-8, -8, 0, 2, 7, 7, 0));
    EXPECT_THAT(to_ints(reals.to(element::u2)), ElementsAre(0, 0, 0, 2, 3, 3, 0));
    const Tensor wide = Tensor::of<std::int64_t>({3}, {-1'000'000'000'000, 5, 1'000'000'000'000});
    EXPECT_THAT(to_ints(wide.to(element::u4)), ElementsAre(0, 5, 15));
    EXPECT_THAT(to_ints(wide.to(element::i4)), ElementsAre(-8, 5, 7));
}

TEST(PackedValues, ConvertBetweenEachOtherAndToBoolean) {
    const Tensor values = packed(element::i4, {4}, {0xf8, 0x72});  // -8, -1, 2, 7
    EXPECT_THAT(to_ints(values.to(element::u4)), ElementsAre(0, 0, 2, 7));
    EXPECT_THAT(to_ints(values.to(element::u2)), ElementsAre(0, 0, 2, 3));
    EXPECT_THAT(to_ints(values.to(element::boolean)), ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(to_floats(values.to(element::nf4)), ElementsAre(-1, -1, 1, 1));
    EXPECT_THAT(to_floats(values.to(element::bf16)), ElementsAre(-8, -1, 2, 7));
    // The value of an nf4 element, not its code.
    EXPECT_THAT(to_ints(packed(element::nf4, {4}, {0x0f, 0xe7}).to(element::i8)),
                ElementsAre(1, -1, 0, 0));
}

// Where bitsandbytes (dQuantizeNF4) and OpenVINO change from one code to the next.
TEST(PackedValues, Nf4TakesTheNearest) {
    const float changes[] = {-0.8480964004993439f,   -0.6106329262256622f,  -0.4599952697753906f,
                             -0.33967943489551544f,  -0.23460740596055984f, -0.13791173323988914f,
                             -0.045525018125772476f, 0.03979014977812767f,  0.1202552504837513f,
                             0.2035212516784668f,    0.2920137718319893f,   0.3893125355243683f,
                             0.5016634166240692f,    0.6427869200706482f,   0.8614784181118011f};
    int code = 0;
    for (const float change : changes) {
        const float step = std::abs(change) * 4e-7f;
        const Tensor tensor = Tensor::of<float>({2}, {change - step, change + step});
        const int byte = bytes_in(tensor.to(element::nf4))[0];
        EXPECT_EQ(byte & 15, code) << change;
        EXPECT_EQ(byte >> 4, code + 1) << change;
        ++code;
    }
    EXPECT_THAT(to_floats(Tensor::of<float>({2}, {-50, 50}).to(element::nf4)), ElementsAre(-1, 1));
    // Every value goes to itself.
    const Tensor all = packed(element::nf4, {16}, {0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe});
    EXPECT_EQ(bytes_in(all.to(element::f32).to(element::nf4)), bytes_in(all));
    EXPECT_FLOAT_EQ(to_floats(all)[9], 0.16093020141124725f);
}

TEST(PackedTensor, TakesWholeBytes) {
    EXPECT_EQ(Tensor(element::u4, Shape{3}).get_byte_size(), 2u);
    EXPECT_EQ(Tensor(element::u1, Shape{3, 3}).get_byte_size(), 2u);
    EXPECT_EQ(Tensor(element::nf4, Shape{0}).get_byte_size(), 0u);
    EXPECT_EQ(Tensor(element::i4, Shape{}).get_byte_size(), 1u);
    EXPECT_EQ(byte_size_of(element::u4, SIZE_MAX), SIZE_MAX / 2 + 1);
    EXPECT_THROW((void)byte_size_of(element::f32, SIZE_MAX / 3), Error);
    Tensor tensor(element::u4, Shape{5});
    tensor.set_shape({7});
    EXPECT_EQ(tensor.get_byte_size(), 4u);
    const Tensor source = packed(element::i4, {3}, {0x21, 0x0f});
    source.copy_to(tensor = Tensor(element::i4, Shape{1}));
    EXPECT_TRUE(same_bytes(source, tensor));
    EXPECT_THAT(to_ints(source.reshaped({3, 1})), ElementsAre(1, 2, -1));
}

TEST(PackedTensor, HasNoTypedElements) {
    const auto refusal = [](auto&& call) {
        try {
            call();
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    Tensor tensor(element::u4, Shape{3});
    EXPECT_THAT(refusal([&] { (void)tensor.data<std::uint8_t>(); }),
                HasSubstr("asked for u8 of a tensor of u4, whose elements are packed 2 to a byte: "
                          "convert it to u8 with Tensor::to"));
    EXPECT_THAT(refusal([&] { (void)tensor.values<float>(); }), HasSubstr("asked for f32"));
    EXPECT_THAT(refusal([] { (void)size_of(element::nf4); }),
                HasSubstr("elements of nf4 are packed, 2 to a byte: convert them to f32 first"));
}

}  // namespace
}  // namespace fuseq::test
