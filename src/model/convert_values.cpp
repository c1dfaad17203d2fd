// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/core.h>

#include "model/packed_values.hpp"
#include "model/typed.hpp"

namespace fuseq {
namespace {

template <class To, class From>
To clamp_real(From value) {
    if (std::isnan(value)) {
        return To{0};
    }
    // The limits of 32 and 64 bit integers are not all representable; compare in the real type,
    // where the upper limit rounds up to a power of two.
    constexpr From kLow = static_cast<From>(std::numeric_limits<To>::lowest());
    constexpr From kHigh = static_cast<From>(std::numeric_limits<To>::max());
    if (value <= kLow) {
        return std::numeric_limits<To>::lowest();
    }
    return value >= kHigh ? std::numeric_limits<To>::max() : static_cast<To>(value);
}

template <class To, class From>
To clamp_integer(From value) {
    if (std::cmp_less(value, std::numeric_limits<To>::lowest())) {
        return std::numeric_limits<To>::lowest();
    }
    return std::cmp_greater(value, std::numeric_limits<To>::max()) ? std::numeric_limits<To>::max()
                                                                   : static_cast<To>(value);
}

template <class To, class From>
To convert_value(From value) {
    if constexpr (std::is_same_v<To, From>) {
        return value;
    } else if constexpr (is_half_type<From>) {
        return convert_value<To>(static_cast<float>(value));
    } else if constexpr (is_half_type<To>) {
        return To(static_cast<float>(value));
    } else if constexpr (std::is_same_v<To, bool>) {
        return value != From{0};
    } else if constexpr (std::is_same_v<From, bool> || std::is_floating_point_v<To>) {
        return static_cast<To>(value);
    } else if constexpr (std::is_floating_point_v<From>) {
        return clamp_real<To>(value);
    } else {
        return clamp_integer<To>(value);
    }
}

// Through values of the unpacked type, a piece at a time.
void convert_packed(
    ElementType from, const void* source, ElementType to, void* destination, std::size_t count) {
    constexpr std::size_t kPiece = 1024;  // elements: whole bytes of every type
    constexpr std::size_t kWidest = sizeof(float);
    alignas(64) std::byte values[kPiece * kWidest];
    for (std::size_t begin = 0; begin < count; begin += kPiece) {
        const std::size_t here = std::min(kPiece, count - begin);
        const auto* in = static_cast<const std::byte*>(source) + byte_size_of(from, begin);
        auto* out = static_cast<std::byte*>(destination) + byte_size_of(to, begin);
        if (is_packed(from)) {
            unpack_values(from, in, here, values);
            convert_values(unpacked_type(from), values, to, out, here);
        } else {
            convert_values(from, in, unpacked_type(to), values, here);
            pack_values(to, values, here, out);
        }
    }
}

}  // namespace

void fail_without_kernel(ElementType type) {
    if (type == ElementType::undefined) {
        throw Error("tensor", "element type is undefined");
    }
    throw Error("tensor",
                fmt::format("no kernel for element type {}{}", to_string(type),
                            is_packed(type) ? ", which is packed: convert it first" : ""));
}

void convert_values(
    ElementType from, const void* source, ElementType to, void* destination, std::size_t count) {
    if (count == 0) {
        return;
    }
    if (from == to) {
        std::memcpy(destination, source, byte_size_of(from, count));
        return;
    }
    if (is_packed(from) || is_packed(to)) {
        convert_packed(from, source, to, destination, count);
        return;
    }
    dispatch_type(from, [&](auto from_tag) {
        using From = typename decltype(from_tag)::type;
        // A boolean of a user's tensor may be any byte; read it as one.
        using Stored = std::conditional_t<std::is_same_v<From, bool>, std::uint8_t, From>;
        const auto* in = static_cast<const Stored*>(source);
        dispatch_type(to, [&](auto to_tag) {
            using To = typename decltype(to_tag)::type;
            auto* out = static_cast<To*>(destination);
            for (std::size_t i = 0; i < count; ++i) {
                if constexpr (std::is_same_v<From, bool>) {
                    out[i] = convert_value<To>(in[i] != 0);
                } else {
                    out[i] = convert_value<To>(in[i]);
                }
            }
        });
    });
}

}  // namespace fuseq
