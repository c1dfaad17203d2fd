// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/any.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "runtime/upper.hpp"

namespace fuseq {
namespace {

[[noreturn]] void fail(const Any& value, const char* wanted) {
    throw Error("property", value.empty()
                                ? fmt::format("an empty value is not {}", wanted)
                                : fmt::format("'{}' is not {}", value.as_string(), wanted));
}

template <class Number>
bool parse(const std::string& text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

// The shortest text that reads back to the same number.
std::string number_to_text(double value) {
    char buffer[32];
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
    (void)error;  // 32 characters hold every double
    return {buffer, end};
}

bool fits_int64(double value) {
    // 2^63 is the first double that does not fit.
    constexpr double kLimit = 9223372036854775808.0;
    return value >= -kLimit && value < kLimit && value == std::trunc(value);
}

}  // namespace

bool Any::as_bool() const {
    if (const bool* value = std::get_if<bool>(&value_)) {
        return *value;
    }
    if (const auto* value = std::get_if<std::int64_t>(&value_); value && (*value & ~1) == 0) {
        return *value == 1;
    }
    if (const auto* value = std::get_if<std::string>(&value_)) {
        const std::string text = upper(*value);
        if (text == "YES" || text == "TRUE" || text == "1") {
            return true;
        }
        if (text == "NO" || text == "FALSE" || text == "0") {
            return false;
        }
    }
    fail(*this, "YES or NO");
}

std::int64_t Any::as_int() const {
    if (const auto* value = std::get_if<std::int64_t>(&value_)) {
        return *value;
    }
    if (const bool* value = std::get_if<bool>(&value_)) {
        return *value ? 1 : 0;
    }
    if (const auto* value = std::get_if<double>(&value_); value && fits_int64(*value)) {
        return static_cast<std::int64_t>(*value);
    }
    if (const auto* value = std::get_if<std::string>(&value_)) {
        std::int64_t number = 0;
        if (parse(*value, number)) {
            return number;
        }
    }
    fail(*this, "an integer");
}

double Any::as_double() const {
    if (const auto* value = std::get_if<double>(&value_)) {
        return *value;
    }
    if (const auto* value = std::get_if<std::int64_t>(&value_)) {
        return static_cast<double>(*value);
    }
    if (const auto* value = std::get_if<std::string>(&value_)) {
        double number = 0;
        if (parse(*value, number)) {
            return number;
        }
    }
    fail(*this, "a number");
}

std::string Any::as_string() const {
    if (const auto* value = std::get_if<std::string>(&value_)) {
        return *value;
    }
    if (const bool* value = std::get_if<bool>(&value_)) {
        return *value ? "YES" : "NO";
    }
    if (const auto* value = std::get_if<std::int64_t>(&value_)) {
        return std::to_string(*value);
    }
    if (const auto* value = std::get_if<double>(&value_)) {
        return number_to_text(*value);
    }
    if (const auto* value = std::get_if<std::vector<std::string>>(&value_)) {
        std::string text;
        for (const std::string& item : *value) {
            text += (text.empty() ? "" : " ") + item;
        }
        return text;
    }
    fail(*this, "a text");
}

std::vector<std::string> Any::as_list() const {
    if (const auto* value = std::get_if<std::vector<std::string>>(&value_)) {
        return *value;
    }
    std::vector<std::string> items;
    std::string item;
    for (const char c : empty() ? std::string() : as_string()) {
        if (c != ' ' && c != ',') {
            item += c;
        } else if (!item.empty()) {
            items.push_back(std::move(item));
            item.clear();
        }
    }
    if (!item.empty()) {
        items.push_back(std::move(item));
    }
    return items;
}

}  // namespace fuseq
