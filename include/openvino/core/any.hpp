// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Any: a value of any type with a text form, as properties have. Text becomes what is asked for.
#pragma once

#include <any>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fuseq/any.hpp"
#include "fuseq/properties.hpp"
#include "openvino/core/except.hpp"
#include "openvino/core/type/element_type.hpp"

namespace ov {
namespace detail {

template <class T>
concept Listed = requires {
    fuseq::detail::PropertyNames<T>::kNames;
};

// As fuseq::Any holds it.
template <class T>
fuseq::Any to_fuseq(const T& value) {
    if constexpr (std::is_same_v<T, element::Type>) {
        return value.get_type_name();
    } else if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T> ||
                         std::is_same_v<T, std::string> || Listed<T> ||
                         std::is_same_v<T, fuseq::streams::Num>) {
        if constexpr (std::is_floating_point_v<T>) {
            return static_cast<double>(value);
        } else {
            return fuseq::detail::PropertyValue<T>::to_any(value);
        }
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<std::int64_t>(value);
    } else if constexpr (std::is_convertible_v<T, std::vector<std::string>>) {
        return std::vector<std::string>(value);
    } else if constexpr (requires(std::ostream & out) { out << value; }) {
        std::ostringstream text;
        text << value;
        return text.str();
    } else {
        static_assert(std::is_same_v<T, bool>, "a value of an ov::Any needs a text form");
    }
}

template <class T>
T from_fuseq(const fuseq::Any& value) {
    if constexpr (std::is_same_v<T, element::Type>) {
        return element::Type(value.as_string());
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
        return value.as_list();
    } else if constexpr (std::is_constructible_v<T, std::vector<std::string>> &&
                         !std::is_same_v<T, std::string>) {
        return T(value.as_list());
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
        return value.template as<T>();
    } else {
        return fuseq::detail::PropertyValue<T>::from_any(value);
    }
}

}  // namespace detail

class Any {
public:
    Any() = default;
    Any(const char* text) : Any(std::string(text)) {}
    Any(const fuseq::Any& value) : text_(value) {}
    template <class T,
              class = std::enable_if_t<!std::is_same_v<std::decay_t<T>, Any> &&
                                       !std::is_convertible_v<T, const char*> &&
                                       !std::is_same_v<std::decay_t<T>, fuseq::Any>>>
    Any(T&& value)
        : value_(std::decay_t<T>(value)),
          text_(detail::to_fuseq<std::decay_t<T>>(std::decay_t<T>(value))) {}

    bool empty() const { return !value_.has_value() && text_.empty(); }
    template <class T>
    bool is() const {
        return std::any_cast<T>(&value_) != nullptr ||
               (std::is_same_v<T, std::string> && !value_.has_value() && !text_.empty());
    }
    // The value, or what its text says.
    template <class T>
    T as() const {
        if (const T* value = std::any_cast<T>(&value_)) {
            return *value;
        }
        return detail::guarded([&] { return detail::from_fuseq<T>(text_); });
    }
    void print(std::ostream& out) const { out << text_.as_string(); }
    const fuseq::Any& text() const { return text_; }

    friend bool operator==(const Any& a, const Any& b) {
        return a.text_.as_string() == b.text_.as_string();
    }
    friend std::ostream& operator<<(std::ostream& out, const Any& value) {
        value.print(out);
        return out;
    }

private:
    std::any value_;
    fuseq::Any text_;
};

using AnyMap = std::map<std::string, Any>;

namespace detail {
inline fuseq::AnyMap to_fuseq_map(const AnyMap& properties) {
    fuseq::AnyMap map;
    for (const auto& [name, value] : properties) {
        map.emplace(name, value.text());
    }
    return map;
}
}  // namespace detail
}  // namespace ov
