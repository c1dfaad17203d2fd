// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a benchmark has found, as lines on the screen and as files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benchmark_app/console.hpp"
#include "benchmark_app/measure.hpp"
#include "benchmark_app/options.hpp"
#include "benchmark_app/statistics.hpp"
#include "fuseq/plugin.hpp"

namespace fuseq::samples {

// How the convolutions of a compiled model run.
struct ConvolutionCount {
    std::size_t int8 = 0;
    std::size_t f32 = 0;
    std::size_t reference = 0;
};
// From the text of property FUSEQ_REPORT: array "steps" of {kind, implementation, src_type, ...}.
// Nothing when it has no such array.
std::optional<ConvolutionCount> count_convolutions(const std::string& report);

struct Report {
    std::string model;
    std::string device;
    std::string api;
    std::size_t batch = 1;
    std::string threads;  // as the compiled model says; empty when it does not
    std::string streams;
    std::string instructions;  // the level in use, "avx2"
    std::size_t requests = 1;
    std::size_t iterations = 0;
    double read_ms = 0;
    double compile_ms = 0;
    double first_inference_ms = 0;
    double duration_ms = 0;
    double throughput_fps = 0;
    double peak_rss_mb = 0;
    bool loaded_from_cache = false;
    Latencies latencies;
    NoiseVerdict noise;
    std::optional<ConvolutionCount> convolutions;
};

// Largest amount of memory that this process has had so far.
double peak_rss_mb();

void print_report(Console& console, const Report& report, std::int64_t percentile);
// Latencies of the sets apart (-pcseq); `names` says what the sets are.
void print_sets(Console& console,
                const Measurement& measurement,
                const std::vector<std::string>& names);
// Times of the layers; `order`: "sort" by time, "no_sort" or empty as executed, "simple_sort" by
// time without layers that took none.
void print_counters(std::ostream& out,
                    std::vector<ProfilingInfo> counters,
                    const std::string& order);

// FOLDER/benchmark_report.json, or .csv: one row a field.
void write_report(const std::string& folder, const Report& report, bool json);
// FOLDER/<name>.json with the JSON text, or .csv: one row a field.
void write_table(const std::string& folder,
                 const std::string& name,
                 const std::string& text,
                 bool json);
// FOLDER/benchmark_<kind>_report.json or .csv, kind "average_counters" or "detailed_counters".
// `runs`: the counters of each request; average takes the mean over them, detailed has all.
void write_counters(const std::string& folder,
                    const std::string& kind,
                    const std::vector<std::vector<ProfilingInfo>>& runs,
                    bool json);
void write_text(const std::string& path, const std::string& text);

}  // namespace fuseq::samples
