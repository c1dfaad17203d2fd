// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/property_choice.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

struct Range {
    const char* property;
    std::int64_t most;  // from 0 on
    bool may_be_auto;
};

constexpr std::int64_t kMostThreads = 4096;
constexpr Range kRanges[] = {{property::kInferenceNumThreads, kMostThreads, false},
                             {"COMPILATION_NUM_THREADS", kMostThreads, false},
                             {"FUSEQ_COMPILE_THREADS", kMostThreads, false},
                             {property::kNumStreams, 1024, true},
                             {"PERFORMANCE_HINT_NUM_REQUESTS", 65536, false}};

const Range* range_of(const std::string& property) {
    const auto* const found =
        std::find_if(std::begin(kRanges), std::end(kRanges),
                     [&](const Range& range) { return property == range.property; });
    return found == std::end(kRanges) ? nullptr : found;
}

std::optional<std::int64_t> whole_number(const Any& value) {
    try {
        return value.as_int();
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace

std::vector<std::string> choices_of(const std::string& property) {
    static const std::map<std::string, std::vector<std::string>> kChoices = {
        {property::kPerformanceHint,
         {"LATENCY", "THROUGHPUT", "CUMULATIVE_THROUGHPUT", "NONE", ""}},
        {"EXECUTION_MODE_HINT", {"PERFORMANCE", "ACCURACY"}},
        {"INFERENCE_PRECISION_HINT", {"f32", "bf16", "f16", "undefined", "dynamic", ""}},
        {"SCHEDULING_CORE_TYPE", {"ANY_CORE", "PCORE_ONLY", "ECORE_ONLY"}},
        {property::kLogLevel,
         {"LOG_NONE", "LOG_ERROR", "LOG_WARNING", "LOG_INFO", "LOG_DEBUG", "LOG_TRACE"}}};
    const auto found = kChoices.find(property);
    return found == kChoices.end() ? std::vector<std::string>{} : found->second;
}

std::string checked_choice(const std::string& property, const Any& value) {
    const std::string text = value.as_string();
    const std::vector<std::string> choices = choices_of(property);
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) {
        return text;
    }
    std::string names;
    for (const std::string& choice : choices) {
        names += choice.empty() ? "" : (names.empty() ? "" : ", ") + choice;
    }
    throw Error("property", fmt::format("{} is '{}', expected one of {}", property, text, names));
}

bool takes_number(const std::string& property) {
    return range_of(property) != nullptr;
}

std::int64_t checked_number(const std::string& property, const Any& value) {
    const Range& range = *range_of(property);
    const std::string text = value.empty() ? "" : value.as_string();
    if (range.may_be_auto && (text == "AUTO" || text == "-1")) {
        return 0;
    }
    const std::optional<std::int64_t> number = whole_number(value);
    if (!number || *number < 0 || *number > range.most) {
        throw Error("property", fmt::format("{} is {}, expected {}a value in [0, {}]", property,
                                            number ? text : "'" + text + "'",
                                            range.may_be_auto ? "AUTO or " : "", range.most));
    }
    return *number;
}

}  // namespace fuseq
