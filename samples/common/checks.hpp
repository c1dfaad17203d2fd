// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks of values on the command line that say in a few words what was expected; those of CLI11
// print the largest double, and sets as in mathematics.
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "model/nearest_name.hpp"

namespace fuseq::samples {

inline CLI::Validator number_check(const char* name, const char* expected, bool zero) {
    return CLI::Validator(
        [expected, zero](std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool number = !text.empty() && *end == '\0' && std::isfinite(value);
            const bool good = number && (value > 0 || (zero && value == 0));
            return good ? std::string() : "'" + text + "' is not " + expected;
        },
        name);
}

inline CLI::Validator positive() {
    return number_check("POSITIVE", "a number above 0", false);
}

inline CLI::Validator not_negative() {
    return number_check("NONNEGATIVE", "a number from 0", true);
}

// Of words: the error lists them all.
inline CLI::Validator one_of(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) {
        list += (list.empty() ? "" : ", ") + word;
    }
    return CLI::Validator(
        [words, list](std::string& text) {
            const bool known = std::find(words.begin(), words.end(), text) != words.end();
            return known ? std::string()
                         : "'" + text + "' is not one of " + list + did_you_mean(text, words);
        },
        "{" + list + "}");
}

}  // namespace fuseq::samples
