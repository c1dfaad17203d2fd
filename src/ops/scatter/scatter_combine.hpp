// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How the scattering operations combine an element with its update.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "ops/binary_elementwise.hpp"
#include "ops/truth.hpp"

namespace fuseq {

enum class Combine { kReplace, kSum, kSub, kProd, kMin, kMax };

// Numbers.
template <class T>
T combined(Combine how, T x, T y) {
    switch (how) {
        case Combine::kSum: return static_cast<T>(Wrapping<T>(x) + Wrapping<T>(y));
        case Combine::kSub: return static_cast<T>(Wrapping<T>(x) - Wrapping<T>(y));
        case Combine::kProd: return static_cast<T>(Wrapping<T>(x) * Wrapping<T>(y));
        case Combine::kMin: return std::min(x, y);
        case Combine::kMax: return std::max(x, y);
        default: return y;
    }
}

// Booleans: or, exclusive or, and.
inline Truth combined(Combine how, Truth x, Truth y) {
    switch (how) {
        case Combine::kSum:
        case Combine::kMax: return Truth::of(x.value() || y.value());
        case Combine::kSub: return Truth::of(x.value() != y.value());
        case Combine::kProd:
        case Combine::kMin: return Truth::of(x.value() && y.value());
        default: return y;
    }
}

// What changes no value that it is combined with.
template <class T>
T neutral(Combine how) {
    if constexpr (std::is_same_v<T, Truth>) {
        return Truth::of(how == Combine::kProd || how == Combine::kMin);
    } else {
        using Limits = std::numeric_limits<T>;
        switch (how) {
            case Combine::kProd: return T{1};
            case Combine::kMin: return Limits::has_infinity ? Limits::infinity() : Limits::max();
            case Combine::kMax:
                return Limits::has_infinity ? static_cast<T>(-Limits::infinity())
                                            : Limits::lowest();
            default: return T{0};
        }
    }
}

}  // namespace fuseq
