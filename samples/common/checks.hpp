// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks of numbers on the command line that say in a few words what was expected; those of CLI11
// print the largest double.
#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

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

}  // namespace fuseq::samples
