// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/settings.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/properties.hpp"
#include "common/tool.hpp"
#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

std::string upper(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

// "4", "AUTO", "CPU:4" -> "4", "AUTO", "4"
std::string stream_count(const Options& options) {
    std::string value = upper(options.streams);
    const std::string prefix = upper(options.device) + ":";
    if (value.starts_with(prefix)) {
        value.erase(0, prefix.size());
    }
    const bool number = !value.empty() && value.size() < 6 &&
                        std::all_of(value.begin(), value.end(),
                                    [](unsigned char c) { return std::isdigit(c) != 0; });
    if (value != "AUTO" && !number) {
        throw UsageError(
            fmt::format("-nstreams: '{}' is neither a number nor AUTO", options.streams));
    }
    return value;
}

Any value_of(const nlohmann::json& json) {
    if (json.is_string()) {
        return json.get<std::string>();
    }
    if (json.is_boolean()) {
        return json.get<bool>();
    }
    if (json.is_number_integer()) {
        return json.get<std::int64_t>();
    }
    if (json.is_number_float()) {
        return json.get<double>();
    }
    throw Error("read", "a property is a text, a number, or true or false");
}

}  // namespace

AnyMap make_properties(const Options& options,
                       const std::vector<std::string>& supported,
                       std::vector<std::string>& warnings) {
    AnyMap properties;
    if (!options.load_config.empty()) {
        properties = load_properties(options.load_config, options.device);
    }
    const auto knows = [&](const std::string& name) {
        return std::find(supported.begin(), supported.end(), name) != supported.end();
    };
    const auto hint = [&](const char* option, const std::string& name, const std::string& value) {
        if (value.empty()) {
            return;
        }
        if (knows(name)) {
            properties[name] = value;
        } else {
            warnings.push_back(
                fmt::format("{} is ignored: {} has no {}", option, options.device, name));
        }
    };
    if (options.hint != "none" && knows(property::kPerformanceHint) &&
        !properties.contains(property::kPerformanceHint)) {
        properties[property::kPerformanceHint] = upper(options.hint);
    }
    if (!options.streams.empty()) {
        properties[property::kNumStreams] = stream_count(options);
    }
    if (options.threads > 0) {
        properties[property::kInferenceNumThreads] = options.threads;
    }
    if (options.counters || !options.exec_graph.empty() ||
        options.report_type == "average_counters" || options.report_type == "detailed_counters") {
        properties[property::kPerfCount] = "YES";
    }
    if (!options.cache_dir.empty()) {
        properties[property::kCacheDir] = options.cache_dir;
    }
    set_properties(properties, options.config);
    hint("-pin", "ENABLE_CPU_PINNING", options.pin);
    hint("-infer_precision", "INFERENCE_PRECISION_HINT", options.inference_precision);
    return properties;
}

AnyMap load_properties(const std::string& path, const std::string& device) {
    std::ifstream in(path);
    if (!in) {
        throw Error("read", fmt::format("-load_config: '{}' cannot be read", path));
    }
    try {
        const nlohmann::json json = nlohmann::json::parse(in);
        AnyMap properties;
        if (json.contains(device)) {
            for (const auto& [name, value] : json.at(device).items()) {
                properties[name] = value_of(value);
            }
        }
        return properties;
    } catch (const nlohmann::json::exception& error) {
        throw Error("read", fmt::format("-load_config: '{}': {}", path, error.what()));
    }
}

void dump_properties(const std::string& path, const std::string& device, const AnyMap& properties) {
    nlohmann::json values = nlohmann::json::object();
    for (const auto& [name, value] : properties) {
        values[name] = value.as_string();
    }
    std::ofstream out(path);
    out << nlohmann::json{{device, values}}.dump(4) << '\n';
    if (!out) {
        throw Error("write", fmt::format("-dump_config: '{}' cannot be written", path));
    }
}

}  // namespace fuseq::samples
