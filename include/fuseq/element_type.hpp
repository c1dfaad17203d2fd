// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types of tensors, named as in OpenVINO IR files ("f32", "u8", "boolean", ...).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fuseq {

enum class ElementType : std::uint8_t {
    undefined,
    boolean,  // one byte, 0 or 1
    u8,
    i8,
    u16,
    i16,
    u32,
    i32,
    u64,
    i64,
    f16,
    bf16,
    f32,
    f64,
    // Packed: several elements to a byte, the first in the lowest bits (u1: in the highest).
    u1,
    u2,
    u4,
    i4,
    nf4,  // the 16 values of QLoRA's "normal float"
};

// Spelling of OpenVINO's API: fuseq::element::f32.
namespace element {
using Type = ElementType;
inline constexpr ElementType undefined = ElementType::undefined;
inline constexpr ElementType boolean = ElementType::boolean;
inline constexpr ElementType u8 = ElementType::u8;
inline constexpr ElementType i8 = ElementType::i8;
inline constexpr ElementType u16 = ElementType::u16;
inline constexpr ElementType i16 = ElementType::i16;
inline constexpr ElementType u32 = ElementType::u32;
inline constexpr ElementType i32 = ElementType::i32;
inline constexpr ElementType u64 = ElementType::u64;
inline constexpr ElementType i64 = ElementType::i64;
inline constexpr ElementType f16 = ElementType::f16;
inline constexpr ElementType bf16 = ElementType::bf16;
inline constexpr ElementType f32 = ElementType::f32;
inline constexpr ElementType f64 = ElementType::f64;
inline constexpr ElementType u1 = ElementType::u1;
inline constexpr ElementType u2 = ElementType::u2;
inline constexpr ElementType u4 = ElementType::u4;
inline constexpr ElementType i4 = ElementType::i4;
inline constexpr ElementType nf4 = ElementType::nf4;
}  // namespace element

// IEEE 754 half precision; storage only, converted explicitly.
struct Float16 {
    std::uint16_t bits = 0;
    Float16() = default;
    explicit Float16(float value);
    explicit operator float() const;
    friend bool operator==(const Float16&, const Float16&) = default;
};

// The upper half of an IEEE 754 single; storage only, rounded half to even.
struct BFloat16 {
    std::uint16_t bits = 0;
    BFloat16() = default;
    explicit BFloat16(float value);
    explicit operator float() const;
    friend bool operator==(const BFloat16&, const BFloat16&) = default;
};

// Size of one element in bytes; 0 for undefined. Throws Error for a packed type.
std::size_t size_of(ElementType type);
// Size of one element in bits: 1, 2 or 4 for packed types, otherwise a multiple of 8.
std::size_t bits_of(ElementType type);
// u1, u2, u4, i4, nf4: elements have no address of their own.
bool is_packed(ElementType type);
// Bytes that `count` elements take together; throws Error when that is no std::size_t.
std::size_t byte_size_of(ElementType type, std::size_t count);
// The type that holds the values of a packed type: u8 for u1, u2 and u4, i8 for i4, f32 for nf4.
// Any other type is its own.
ElementType unpacked_type(ElementType type);
bool is_real(ElementType type);
// Signed and unsigned integers; boolean is not one.
bool is_integral(ElementType type);
bool is_signed(ElementType type);
std::string to_string(ElementType type);
// As the "precision" of a port in an IR: "FP32", "BOOL".
std::string to_ir_precision(ElementType type);
// "f32", "FP32", "I64", ... in either case; nothing for an unknown name.
std::optional<ElementType> parse_element_type(std::string_view text);

template <class T>
constexpr ElementType element_type_of();
template <>
constexpr ElementType element_type_of<bool>() {
    return ElementType::boolean;
}
template <>
constexpr ElementType element_type_of<std::uint8_t>() {
    return ElementType::u8;
}
template <>
constexpr ElementType element_type_of<std::int8_t>() {
    return ElementType::i8;
}
template <>
constexpr ElementType element_type_of<std::uint16_t>() {
    return ElementType::u16;
}
template <>
constexpr ElementType element_type_of<std::int16_t>() {
    return ElementType::i16;
}
template <>
constexpr ElementType element_type_of<std::uint32_t>() {
    return ElementType::u32;
}
template <>
constexpr ElementType element_type_of<std::int32_t>() {
    return ElementType::i32;
}
template <>
constexpr ElementType element_type_of<std::uint64_t>() {
    return ElementType::u64;
}
template <>
constexpr ElementType element_type_of<std::int64_t>() {
    return ElementType::i64;
}
template <>
constexpr ElementType element_type_of<Float16>() {
    return ElementType::f16;
}
template <>
constexpr ElementType element_type_of<BFloat16>() {
    return ElementType::bf16;
}
template <>
constexpr ElementType element_type_of<float>() {
    return ElementType::f32;
}
template <>
constexpr ElementType element_type_of<double>() {
    return ElementType::f64;
}

}  // namespace fuseq
