// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/packed_values.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

// "Normal float" of 4 bits: Dettmers et al., "QLoRA: Efficient Finetuning of Quantized LLMs",
// 2023, appendix E.
constexpr std::array<float, 16> kNormalFloats = {-1.0f,
                                                 -0.6961928009986877f,
                                                 -0.5250730514526367f,
                                                 -0.39491748809814453f,
                                                 -0.28444138169288635f,
                                                 -0.18477343022823334f,
                                                 -0.09105003625154495f,
                                                 0.0f,
                                                 0.07958029955625534f,
                                                 0.16093020141124725f,
                                                 0.24611230194568634f,
                                                 0.33791524171829224f,
                                                 0.44070982933044434f,
                                                 0.5626170039176941f,
                                                 0.7229568362236023f,
                                                 1.0f};

// The order of codes in a byte, and their values.
template <int kWidth, bool kFromTheTop = false>
struct Unsigned {
    using Value = std::uint8_t;
    static constexpr int kBits = kWidth;
    static constexpr bool kHighestFirst = kFromTheTop;
    static Value value(unsigned code) { return static_cast<Value>(code); }
    static unsigned code(Value value) { return std::min<unsigned>(value, (1u << kBits) - 1); }
};

struct Signed4 {
    using Value = std::int8_t;
    static constexpr int kBits = 4;
    static constexpr bool kHighestFirst = false;
    static Value value(unsigned code) {
        return static_cast<Value>(static_cast<int>(code ^ 8u) - 8);
    }
    static unsigned code(Value value) {
        return static_cast<unsigned>(std::clamp<int>(value, -8, 7)) & 0xfu;
    }
};

struct Normal4 {
    using Value = float;
    static constexpr int kBits = 4;
    static constexpr bool kHighestFirst = false;
    static Value value(unsigned code) { return kNormalFloats[code]; }
    static unsigned code(Value value) {
        unsigned code = 0;
        for (std::size_t i = 1; i < kNormalFloats.size(); ++i) {
            // Doubles hold the middle of two floats exactly.
            const double middle =
                (static_cast<double>(kNormalFloats[i - 1]) + kNormalFloats[i]) / 2;
            code += static_cast<double>(value) > middle ? 1 : 0;
        }
        return code;
    }
};

template <class Form>
constexpr std::size_t kInByte = 8 / Form::kBits;

template <class Form>
constexpr int shift_of(std::size_t place) {
    const int shift = static_cast<int>(place) * Form::kBits;
    return Form::kHighestFirst ? 8 - Form::kBits - shift : shift;
}

template <class Form>
void unpack(const std::uint8_t* in, std::size_t count, typename Form::Value* out) {
    constexpr unsigned kMask = (1u << Form::kBits) - 1;
    for (std::size_t i = 0; i < count; ++i) {
        const unsigned byte = in[i / kInByte<Form>];
        out[i] = Form::value((byte >> shift_of<Form>(i % kInByte<Form>)) & kMask);
    }
}

template <class Form>
void pack(const typename Form::Value* in, std::size_t count, std::uint8_t* out) {
    for (std::size_t first = 0; first < count; first += kInByte<Form>) {
        unsigned byte = 0;
        const std::size_t here = std::min(kInByte<Form>, count - first);
        for (std::size_t place = 0; place < here; ++place) {
            byte |= Form::code(in[first + place]) << shift_of<Form>(place);
        }
        *out++ = static_cast<std::uint8_t>(byte);
    }
}

template <class Function>
void dispatch_packed(ElementType type, Function&& function) {
    switch (type) {
        case ElementType::u1: return function(Unsigned<1, true>{});
        case ElementType::u2: return function(Unsigned<2>{});
        case ElementType::u4: return function(Unsigned<4>{});
        case ElementType::i4: return function(Signed4{});
        case ElementType::nf4: return function(Normal4{});
        default: break;
    }
    throw Error("tensor", to_string(type) + " is not packed");
}

}  // namespace

PackedRange packed_range(ElementType type) {
    switch (type) {
        case ElementType::u1: return {0, 1};
        case ElementType::u2: return {0, 3};
        case ElementType::u4: return {0, 15};
        case ElementType::i4: return {-8, 7};
        default: break;
    }
    throw Error("tensor", to_string(type) + " is no packed integer");
}

void unpack_values(ElementType type, const void* source, std::size_t count, void* values) {
    dispatch_packed(type, [&](auto form) {
        using Form = decltype(form);
        unpack<Form>(static_cast<const std::uint8_t*>(source), count,
                     static_cast<typename Form::Value*>(values));
    });
}

void pack_values(ElementType type, const void* values, std::size_t count, void* destination) {
    dispatch_packed(type, [&](auto form) {
        using Form = decltype(form);
        pack<Form>(static_cast<const typename Form::Value*>(values), count,
                   static_cast<std::uint8_t*>(destination));
    });
}

}  // namespace fuseq
