// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/text_attributes.hpp"

#include <charconv>
#include <cmath>

namespace fuseq::mxnet_reader {

const std::string* TextAttributes::find(const char* name) const {
    const auto found = stated_.find(name);
    return found == stated_.end() || found->second == "None" ? nullptr : &found->second;
}

std::int64_t TextAttributes::parse_integer(const char* name, const std::string& text) const {
    constexpr std::int64_t kLargest = std::int64_t{1} << 32;
    std::int64_t value = 0;
    // Old files have longs of Python 2: "3L".
    const std::size_t length = text.ends_with('L') ? text.size() - 1 : text.size();
    const auto [end, error] = std::from_chars(text.data(), text.data() + length, value);
    place_.require(error == std::errc{} && end == text.data() + length, "attribute ", name, " is '",
                   text, "', expected an integer");
    place_.require(value >= -kLargest && value <= kLargest, "attribute ", name, " is ", value);
    return value;
}

std::int64_t TextAttributes::integer(const char* name, std::int64_t otherwise) const {
    const std::string* found = find(name);
    return found == nullptr ? otherwise : parse_integer(name, *found);
}

double TextAttributes::real(const char* name, double otherwise) const {
    const std::string* found = find(name);
    if (found == nullptr) {
        return otherwise;
    }
    double value = 0;
    const char* last = found->data() + found->size();
    const auto [end, error] = std::from_chars(found->data(), last, value);
    place_.require(error == std::errc{} && end == last && std::isfinite(value), "attribute ", name,
                   " is '", *found, "', expected a finite number");
    return value;
}

bool TextAttributes::flag(const char* name, bool otherwise) const {
    const std::string* found = find(name);
    if (found == nullptr) {
        return otherwise;
    }
    const bool yes = *found == "True" || *found == "true" || *found == "1";
    place_.require(yes || *found == "False" || *found == "false" || *found == "0", "attribute ",
                   name, " is '", *found, "', expected True or False");
    return yes;
}

std::string TextAttributes::text(const char* name, const std::string& otherwise) const {
    const std::string* found = find(name);
    return found == nullptr ? otherwise : *found;
}

std::vector<std::int64_t> TextAttributes::integers(const char* name) const {
    const std::string* found = find(name);
    std::vector<std::int64_t> values;
    if (found == nullptr) {
        return values;
    }
    std::string one;
    const auto finish = [&] {
        if (!one.empty()) {
            values.push_back(parse_integer(name, one));
            one.clear();
        }
    };
    for (const char c : *found) {
        if (c == ',') {
            finish();
        } else if (c != '(' && c != ')' && c != '[' && c != ']' && c != ' ') {
            one += c;
        }
    }
    finish();
    return values;
}

}  // namespace fuseq::mxnet_reader
