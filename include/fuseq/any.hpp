// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// AnyMap: properties by name, as OpenVINO's: {{"INFERENCE_NUM_THREADS", 4}, {"CACHE_DIR", "x"}}.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fuseq {

// A property value. Strings are accepted for every property ("YES", "4"), as OpenVINO does.
class Any {
public:
    Any() = default;
    Any(bool value) : value_(value) {}  // NOLINT(google-explicit-constructor)
    Any(int value) : value_(static_cast<std::int64_t>(value)) {}          // NOLINT
    Any(std::int64_t value) : value_(value) {}                            // NOLINT
    Any(std::size_t value) : value_(static_cast<std::int64_t>(value)) {}  // NOLINT
    Any(double value) : value_(value) {}                                  // NOLINT
    Any(const char* value) : value_(std::string(value)) {}                // NOLINT
    Any(std::string value) : value_(std::move(value)) {}                  // NOLINT
    Any(std::vector<std::string> value) : value_(std::move(value)) {}     // NOLINT

    bool empty() const { return std::holds_alternative<std::monostate>(value_); }
    // Conversions; throw Error("property", ...) naming the value when it does not convert.
    bool as_bool() const;  // YES/NO, TRUE/FALSE, 1/0 in either case
    std::int64_t as_int() const;
    double as_double() const;
    std::string as_string() const;             // any value; lists are joined by spaces
    std::vector<std::string> as_list() const;  // a string is split at spaces and commas

    template <class T>
    T as() const {
        if constexpr (std::is_same_v<T, bool>) {
            return as_bool();
        } else if constexpr (std::is_integral_v<T>) {
            return static_cast<T>(as_int());
        } else if constexpr (std::is_floating_point_v<T>) {
            return static_cast<T>(as_double());
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
            return as_list();
        } else {
            return as_string();
        }
    }

private:
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>
        value_;
};

using AnyMap = std::map<std::string, Any>;

// Names of properties, OpenVINO's spelling.
namespace property {
inline constexpr const char* kPerformanceHint = "PERFORMANCE_HINT";  // LATENCY, THROUGHPUT, NONE
inline constexpr const char* kNumStreams = "NUM_STREAMS";            // AUTO or a number
inline constexpr const char* kInferenceNumThreads = "INFERENCE_NUM_THREADS";  // 0: decide
inline constexpr const char* kPerfCount = "PERF_COUNT";
inline constexpr const char* kLogLevel = "LOG_LEVEL";
inline constexpr const char* kCacheDir = "CACHE_DIR";
inline constexpr const char* kSupportedProperties = "SUPPORTED_PROPERTIES";
inline constexpr const char* kFullDeviceName = "FULL_DEVICE_NAME";
inline constexpr const char* kOptimizationCapabilities = "OPTIMIZATION_CAPABILITIES";
inline constexpr const char* kOptimalNumberOfInferRequests = "OPTIMAL_NUMBER_OF_INFER_REQUESTS";
inline constexpr const char* kLoadedFromCache = "LOADED_FROM_CACHE";
inline constexpr const char* kNetworkName = "NETWORK_NAME";
// Fuseq's own.
inline constexpr const char* kFusion = "FUSEQ_FUSION";               // NO: one step an operation
inline constexpr const char* kLowPrecision = "FUSEQ_LOW_PRECISION";  // NO: run every FQ in float
inline constexpr const char* kKeepIntermediates = "FUSEQ_KEEP_INTERMEDIATES";  // for -dump
inline constexpr const char* kReport = "FUSEQ_REPORT";  // read-only: the explain report, JSON text
}  // namespace property

}  // namespace fuseq
