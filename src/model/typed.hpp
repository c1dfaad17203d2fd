// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From an ElementType at run time to a C++ type at compile time.
#pragma once

#include <cstddef>
#include <type_traits>

#include "fuseq/element_type.hpp"
#include "fuseq/error.hpp"

namespace fuseq {

template <class T>
struct TypeTag {
    using type = T;
};

// Throws: no kernel computes in `type` (packed, a half, undefined).
[[noreturn]] void fail_without_kernel(ElementType type);

// Calls function(TypeTag<T>) for the C++ type of `type`. Booleans are bytes (TypeTag<bool>). Packed
// types have no C++ type; convert_values knows them.
template <class Function>
decltype(auto) dispatch_type(ElementType type, Function&& function) {
    switch (type) {
        case ElementType::boolean: return function(TypeTag<bool>{});
        case ElementType::u8: return function(TypeTag<std::uint8_t>{});
        case ElementType::i8: return function(TypeTag<std::int8_t>{});
        case ElementType::u16: return function(TypeTag<std::uint16_t>{});
        case ElementType::i16: return function(TypeTag<std::int16_t>{});
        case ElementType::u32: return function(TypeTag<std::uint32_t>{});
        case ElementType::i32: return function(TypeTag<std::int32_t>{});
        case ElementType::u64: return function(TypeTag<std::uint64_t>{});
        case ElementType::i64: return function(TypeTag<std::int64_t>{});
        case ElementType::f16: return function(TypeTag<Float16>{});
        case ElementType::bf16: return function(TypeTag<BFloat16>{});
        case ElementType::f32: return function(TypeTag<float>{});
        case ElementType::f64: return function(TypeTag<double>{});
        case ElementType::u1:
        case ElementType::u2:
        case ElementType::u4:
        case ElementType::i4:
        case ElementType::nf4:
        case ElementType::undefined: break;
    }
    fail_without_kernel(type);
}

// The types that reference kernels compute in. Graphs of f16, bf16 and packed types are widened
// before they run.
template <class Function>
decltype(auto) dispatch_numeric(ElementType type, Function&& function) {
    switch (type) {
        case ElementType::u8: return function(TypeTag<std::uint8_t>{});
        case ElementType::i8: return function(TypeTag<std::int8_t>{});
        case ElementType::u16: return function(TypeTag<std::uint16_t>{});
        case ElementType::i16: return function(TypeTag<std::int16_t>{});
        case ElementType::u32: return function(TypeTag<std::uint32_t>{});
        case ElementType::i32: return function(TypeTag<std::int32_t>{});
        case ElementType::u64: return function(TypeTag<std::uint64_t>{});
        case ElementType::i64: return function(TypeTag<std::int64_t>{});
        case ElementType::f32: return function(TypeTag<float>{});
        case ElementType::f64: return function(TypeTag<double>{});
        default: break;
    }
    fail_without_kernel(type);
}

template <class T>
inline constexpr bool is_half_type = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

// Converts `count` values. Real to integer truncates towards zero and clamps to the range of the
// type (NaN gives 0), integer to a narrower integer clamps, anything to boolean is "not zero",
// anything to nf4 is the nearest of its values (from the middle the lower one). nf4 to integer
// converts the value, not the code. Packed elements begin in the first byte.
void convert_values(
    ElementType from, const void* source, ElementType to, void* destination, std::size_t count);

}  // namespace fuseq
