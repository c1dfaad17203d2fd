// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensors of any element type for kernel tests: random contents, and single elements as doubles.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "fuseq/element_type.hpp"

namespace fuseq::test {

using Bytes = std::vector<std::uint8_t>;

inline Bytes random_elements(std::mt19937& rng, ElementType type, std::size_t count) {
    Bytes bytes(count * size_of(type));
    if (type == ElementType::f32) {
        for (std::size_t i = 0; i < count; ++i) {
            // Quarters make ties; some values are beyond every integer range.
            const float v = rng() % 50 == 0 ? 1e12f * (static_cast<float>(rng() % 3) - 1.0f)
                                            : static_cast<float>(rng() % 4096) / 4.0f - 512.0f;
            std::memcpy(&bytes[4 * i], &v, 4);
        }
        return bytes;
    }
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<std::uint8_t>(rng()); });
    return bytes;
}

inline float element(const Bytes& bytes, ElementType type, std::size_t at) {
    if (type == ElementType::f32) {
        float v = 0.0f;
        std::memcpy(&v, &bytes[4 * at], 4);
        return v;
    }
    return type == ElementType::u8 ? static_cast<float>(bytes[at])
                                   : static_cast<float>(static_cast<std::int8_t>(bytes[at]));
}

// What a kernel's store makes of a value.
inline void set_element(Bytes& bytes, ElementType type, std::size_t at, float v) {
    if (type == ElementType::f32) {
        std::memcpy(&bytes[4 * at], &v, 4);
    } else if (type == ElementType::u8) {
        bytes[at] = static_cast<std::uint8_t>(std::clamp(std::nearbyint(v), 0.0f, 255.0f));
    } else {
        bytes[at] = static_cast<std::uint8_t>(
            static_cast<std::int8_t>(std::clamp(std::nearbyint(v), -128.0f, 127.0f)));
    }
}

inline ElementType random_type(std::mt19937& rng) {
    constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8, ElementType::f32};
    return kTypes[rng() % 3];
}

inline std::vector<float> random_floats(std::mt19937& rng,
                                        std::size_t count,
                                        float low,
                                        float high) {
    std::vector<float> list(count);
    std::uniform_real_distribution<float> real(low, high);
    std::generate(list.begin(), list.end(), [&] { return real(rng); });
    return list;
}

}  // namespace fuseq::test
