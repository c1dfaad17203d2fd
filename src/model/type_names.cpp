// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/type_names.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/core.h>

#include "fuseq/element_type.hpp"
#include "fuseq/error.hpp"

namespace fuseq {
namespace {

struct RefusedType {
    std::string_view name;  // in lower case
    std::string_view reason;
};

constexpr std::string_view kFloat8 =
    "8-bit floats are not supported; export without FP8 compression";
constexpr std::string_view kOddBits =
    "elements of 3 or 6 bits are not supported; compress to u2, u4 or u8";
constexpr std::string_view kUnknown =
    "types that are only known at run time are not supported; export with static types";

constexpr RefusedType kRefused[] = {
    {"f8e4m3", kFloat8},
    {"f8e5m2", kFloat8},
    {"f8e8m0", kFloat8},
    {"f4e2m1",
     "4-bit floats are not supported; export without MXFP4 compression, nf4 is supported"},
    {"u3", kOddBits},
    {"u6", kOddBits},
    {"string", "tensors of text are not supported; do the work on text outside of the model"},
    {"dynamic", kUnknown},
    {"undefined", kUnknown},
    {"unspecified", kUnknown},
};

}  // namespace

std::string refused_type_reason(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const RefusedType& refused : kRefused) {
        if (refused.name == lower) {
            return fmt::format(": {}", refused.reason);
        }
    }
    return "";
}

std::string refused_type_text(std::string_view name) {
    std::string reason = refused_type_reason(name);
    if (reason.empty()) {
        for (auto type = ElementType::boolean; type <= ElementType::nf4;
             type = static_cast<ElementType>(static_cast<int>(type) + 1)) {
            reason += (reason.empty() ? "; expected one of " : ", ") + to_string(type);
        }
    }
    return fmt::format("'{}' is not a supported element type{}", name, reason);
}

}  // namespace fuseq
