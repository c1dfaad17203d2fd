// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Names of schemas, precisions, calibrations and metrics.
#include <array>
#include <utility>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "fuseq/quantizer.hpp"

namespace fuseq {
namespace {

using Schema = QuantizationSchema;
using Precision = QuantizationPrecision;

constexpr std::array<std::pair<Schema, std::string_view>, 4> kSchemas{{
    {Schema::kAsymmetric, "asymmetric"},
    {Schema::kSymmetric, "symmetric"},
    {Schema::kSymmetricWithUint8, "symmetric_with_uint8"},
    {Schema::kSymmetricWithPower2Scale, "symmetric_with_power2_scale"},
}};
constexpr std::array<std::pair<Precision, std::string_view>, 3> kPrecisions{{
    {Precision::kInt8, "Int8"},
    {Precision::kInt16, "Int16"},
    {Precision::kInt32, "Int32"},
}};
constexpr std::array<std::pair<Calibration, std::string_view>, 5> kCalibrations{{
    {Calibration::kNone, "none"},
    {Calibration::kKl, "KL"},
    {Calibration::kPercentile, "percentile"},
    {Calibration::kMse, "MSE"},
    {Calibration::kBest, "best"},
}};
constexpr std::array<std::pair<DropMetric, std::string_view>, 5> kMetrics{{
    {DropMetric::kSqnr, "SQNR"},
    {DropMetric::kCosine, "cosine"},
    {DropMetric::kTop1, "top1"},
    {DropMetric::kDetections, "detections"},
    {DropMetric::kOwn, "command"},
}};

template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
    for (const auto& [known, name] : table) {
        if (known == value) {
            return name;
        }
    }
    throw Error("quantize", "a value of an enumeration that has no name");
}

template <class Table>
auto value_in(const Table& table, std::string_view name, std::string_view what) {
    std::string names;
    for (const auto& [value, known] : table) {
        if (known == name) {
            return value;
        }
        names += fmt::format("{}{}", names.empty() ? "" : ", ", known);
    }
    throw Error("quantize", fmt::format("there is no {} '{}', only {}", what, name, names));
}

}  // namespace

std::string_view to_string(Schema schema) {
    return name_in(kSchemas, schema);
}
std::string_view to_string(Precision precision) {
    return name_in(kPrecisions, precision);
}
std::string_view to_string(Calibration calibration) {
    return name_in(kCalibrations, calibration);
}
Schema schema_from(std::string_view name) {
    return value_in(kSchemas, name, "schema");
}
Precision precision_from(std::string_view name) {
    return value_in(kPrecisions, name, "precision");
}
Calibration calibration_from(std::string_view name) {
    return value_in(kCalibrations, name, "calibration");
}
std::string_view to_string(DropMetric metric) {
    return name_in(kMetrics, metric);
}
DropMetric metric_from(std::string_view name) {
    return value_in(kMetrics, name, "metric");
}

}  // namespace fuseq
