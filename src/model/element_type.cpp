// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/element_type.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

struct TypeRow {
    ElementType type;
    const char* name;         // as in the "element_type" attribute
    const char* legacy_name;  // as in the "precision" of a port
    std::size_t bits;
};

constexpr std::array<TypeRow, 19> kTypes{{
    {ElementType::undefined, "undefined", "UNSPECIFIED", 0},
    {ElementType::boolean, "boolean", "BOOL", 8},
    {ElementType::u8, "u8", "U8", 8},
    {ElementType::i8, "i8", "I8", 8},
    {ElementType::u16, "u16", "U16", 16},
    {ElementType::i16, "i16", "I16", 16},
    {ElementType::u32, "u32", "U32", 32},
    {ElementType::i32, "i32", "I32", 32},
    {ElementType::u64, "u64", "U64", 64},
    {ElementType::i64, "i64", "I64", 64},
    {ElementType::f16, "f16", "FP16", 16},
    {ElementType::bf16, "bf16", "BF16", 16},
    {ElementType::f32, "f32", "FP32", 32},
    {ElementType::f64, "f64", "FP64", 64},
    {ElementType::u1, "u1", "BIN", 1},
    {ElementType::u2, "u2", "U2", 2},
    {ElementType::u4, "u4", "U4", 4},
    {ElementType::i4, "i4", "I4", 4},
    {ElementType::nf4, "nf4", "NF4", 4},
}};

const TypeRow& row(ElementType type) {
    return kTypes.at(static_cast<std::size_t>(type));
}

std::uint16_t half_from_float(float value) {
    const auto x = std::bit_cast<std::uint32_t>(value);
    const std::uint16_t sign = static_cast<std::uint16_t>((x >> 16) & 0x8000u);
    const std::uint32_t magnitude = x & 0x7fffffffu;
    if (magnitude >= 0x7f800000u) {  // infinity or NaN
        return static_cast<std::uint16_t>(sign | 0x7c00u | (magnitude > 0x7f800000u ? 0x200u : 0u));
    }
    if (magnitude >= 0x477ff000u) {  // rounds to infinity
        return static_cast<std::uint16_t>(sign | 0x7c00u);
    }
    if (magnitude < 0x38800000u) {  // subnormal half or zero
        if (magnitude < 0x33000000u) {
            return sign;
        }
        const int shift = 126 - static_cast<int>(magnitude >> 23);
        const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
        const std::uint32_t rest = mantissa & ((1u << shift) - 1);
        const std::uint32_t half = 1u << (shift - 1);
        std::uint32_t result = mantissa >> shift;
        if (rest > half || (rest == half && (result & 1u))) {
            ++result;
        }
        return static_cast<std::uint16_t>(sign | result);
    }
    std::uint32_t result = (magnitude - 0x38000000u) >> 13;
    const std::uint32_t rest = magnitude & 0x1fffu;
    if (rest > 0x1000u || (rest == 0x1000u && (result & 1u))) {
        ++result;
    }
    return static_cast<std::uint16_t>(sign | result);
}

float half_to_float(std::uint16_t bits) {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1fu;
    std::uint32_t mantissa = bits & 0x3ffu;
    if (exponent == 0x1fu) {
        return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
    }
    if (exponent != 0) {
        return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
    }
    if (mantissa == 0) {
        return std::bit_cast<float>(sign);
    }
    int shift = 0;
    while ((mantissa & 0x400u) == 0) {
        mantissa <<= 1;
        ++shift;
    }
    return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(113 - shift) << 23) |
                                ((mantissa & 0x3ffu) << 13));
}

}  // namespace

Float16::Float16(float value) : bits(half_from_float(value)) {}
Float16::operator float() const {
    return half_to_float(bits);
}

BFloat16::BFloat16(float value) {
    auto x = std::bit_cast<std::uint32_t>(value);
    if ((x & 0x7fffffffu) > 0x7f800000u) {  // NaN stays NaN
        bits = static_cast<std::uint16_t>((x >> 16) | 0x40u);
        return;
    }
    x += 0x7fffu + ((x >> 16) & 1u);
    bits = static_cast<std::uint16_t>(x >> 16);
}
BFloat16::operator float() const {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::size_t size_of(ElementType type) {
    const std::size_t bits = row(type).bits;
    if (bits % 8 != 0) {
        throw Error("tensor",
                    fmt::format("elements of {} are packed, {} to a byte: convert them to {} first",
                                to_string(type), 8 / bits, to_string(unpacked_type(type))));
    }
    return bits / 8;
}
std::size_t bits_of(ElementType type) {
    return row(type).bits;
}
bool is_packed(ElementType type) {
    return row(type).bits % 8 != 0;
}

std::size_t byte_size_of(ElementType type, std::size_t count) {
    const std::size_t bits = row(type).bits;
    if (bits % 8 != 0) {
        const std::size_t in_byte = 8 / bits;
        return count / in_byte + (count % in_byte != 0 ? 1 : 0);
    }
    const std::size_t size = bits / 8;
    if (size != 0 && count > SIZE_MAX / size) {
        throw Error("tensor",
                    fmt::format("{} elements of {} are too many", count, to_string(type)));
    }
    return count * size;
}

ElementType unpacked_type(ElementType type) {
    switch (type) {
        case ElementType::u1:
        case ElementType::u2:
        case ElementType::u4: return ElementType::u8;
        case ElementType::i4: return ElementType::i8;
        case ElementType::nf4: return ElementType::f32;
        default: return type;
    }
}

bool is_real(ElementType type) {
    return (type >= ElementType::f16 && type <= ElementType::f64) || type == ElementType::nf4;
}
bool is_integral(ElementType type) {
    return (type >= ElementType::u8 && type <= ElementType::i64) ||
           (type >= ElementType::u1 && type <= ElementType::i4);
}
bool is_signed(ElementType type) {
    return is_real(type) || type == ElementType::i8 || type == ElementType::i16 ||
           type == ElementType::i32 || type == ElementType::i64 || type == ElementType::i4;
}
std::string to_string(ElementType type) {
    return row(type).name;
}
std::string to_ir_precision(ElementType type) {
    return row(type).legacy_name;
}

std::optional<ElementType> parse_element_type(std::string_view text) {
    const auto same = [&](std::string_view name) {
        return std::equal(name.begin(), name.end(), text.begin(), text.end(), [](char a, char b) {
            return std::tolower(static_cast<unsigned char>(a)) ==
                   std::tolower(static_cast<unsigned char>(b));
        });
    };
    for (const TypeRow& r : kTypes) {
        if (r.type != ElementType::undefined && (same(r.name) || same(r.legacy_name))) {
            return r.type;
        }
    }
    return std::nullopt;
}

}  // namespace fuseq
