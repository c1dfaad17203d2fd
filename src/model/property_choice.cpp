// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/property_choice.hpp"

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq {

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
        names += fmt::format("{}{}", names.empty() ? "" : ", ", choice.empty() ? "''" : choice);
    }
    throw Error("property", fmt::format("{} is '{}', expected one of {}", property, text, names));
}

}  // namespace fuseq
