// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Element types as objects.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>

#include "fuseq/element_type.hpp"
#include "openvino/core/except.hpp"

namespace ov {

using float16 = fuseq::Float16;
using bfloat16 = fuseq::BFloat16;

namespace element {

using Type_t = fuseq::ElementType;

class Type {
public:
    constexpr Type() = default;
    constexpr Type(Type_t type) : type_(type) {}
    explicit Type(const std::string& name)
        : type_(fuseq::parse_element_type(name).value_or(Type_t::undefined)) {
        if (type_ == Type_t::undefined && name != "undefined" && name != "dynamic") {
            throw Exception("there is no element type '" + name + "'");
        }
    }
    constexpr operator Type_t() const { return type_; }

    bool is_static() const { return type_ != Type_t::undefined; }
    bool is_dynamic() const { return !is_static(); }
    bool is_real() const { return fuseq::is_real(type_); }
    bool is_integral() const { return !is_real(); }
    bool is_integral_number() const { return fuseq::is_integral(type_); }
    bool is_signed() const { return fuseq::is_signed(type_); }
    bool is_quantized() const { return type_ == Type_t::u8 || type_ == Type_t::i8; }
    std::size_t bitwidth() const { return is_static() ? fuseq::bits_of(type_) : 0; }
    // Of one element, rounded up to whole bytes.
    std::size_t size() const { return (bitwidth() + 7) / 8; }
    std::size_t hash() const { return static_cast<std::size_t>(type_); }
    std::string get_type_name() const {
        return is_static() ? fuseq::to_string(type_) : "undefined";
    }
    std::string to_string() const { return get_type_name(); }
    bool compatible(const Type& other) const {
        return is_dynamic() || other.is_dynamic() || type_ == other.type_;
    }

    friend constexpr bool operator==(const Type& a, const Type& b) { return a.type_ == b.type_; }
    friend constexpr bool operator==(const Type& a, Type_t b) { return a.type_ == b; }
    friend bool operator<(const Type& a, const Type& b) { return a.type_ < b.type_; }
    friend std::ostream& operator<<(std::ostream& out, const Type& type) {
        return out << type.get_type_name();
    }

private:
    Type_t type_ = Type_t::undefined;
};

inline constexpr Type undefined(Type_t::undefined);
inline constexpr Type dynamic(Type_t::undefined);
inline constexpr Type boolean(Type_t::boolean);
inline constexpr Type bf16(Type_t::bf16);
inline constexpr Type f16(Type_t::f16);
inline constexpr Type f32(Type_t::f32);
inline constexpr Type f64(Type_t::f64);
inline constexpr Type i4(Type_t::i4);
inline constexpr Type i8(Type_t::i8);
inline constexpr Type i16(Type_t::i16);
inline constexpr Type i32(Type_t::i32);
inline constexpr Type i64(Type_t::i64);
inline constexpr Type u1(Type_t::u1);
inline constexpr Type u2(Type_t::u2);
inline constexpr Type u4(Type_t::u4);
inline constexpr Type u8(Type_t::u8);
inline constexpr Type u16(Type_t::u16);
inline constexpr Type u32(Type_t::u32);
inline constexpr Type u64(Type_t::u64);
inline constexpr Type nf4(Type_t::nf4);

template <class T>
constexpr Type from() {
    if constexpr (std::is_same_v<T, char>) {
        return boolean;
    } else {
        return fuseq::element_type_of<T>();
    }
}

}  // namespace element
}  // namespace ov
