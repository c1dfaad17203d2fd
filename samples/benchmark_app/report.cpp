// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/report.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/text_table.hpp"
#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

using Json = nlohmann::ordered_json;

// A number where the text is one, for readers of the JSON.
Json number_or_text(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) {
        return value;
    }
    return text;
}

Json to_json(const Report& report) {
    Json json{{"model", report.model},
              {"device", report.device},
              {"api", report.api},
              {"batch", report.batch},
              {"threads", number_or_text(report.threads)},
              {"streams", number_or_text(report.streams)},
              {"instructions", report.instructions},
              {"requests", report.requests},
              {"iterations", report.iterations},
              {"read_ms", report.read_ms},
              {"compile_ms", report.compile_ms},
              {"first_inference_ms", report.first_inference_ms},
              {"min_ms", report.latencies.min},
              {"median_ms", report.latencies.median},
              {"p90_ms", report.latencies.p90},
              {"p99_ms", report.latencies.p99},
              {"throughput_fps", report.throughput_fps},
              {"peak_rss_mb", report.peak_rss_mb},
              {"loaded_from_cache", report.loaded_from_cache},
              {"average_ms", report.latencies.mean},
              {"max_ms", report.latencies.max},
              {"duration_ms", report.duration_ms},
              {"noise", report.noise.text()},
              {"noise_spread", report.noise.spread}};
    if (!report.noise.medians.empty()) {
        json["block_medians_ms"] = report.noise.medians;
    }
    if (report.convolutions) {
        json["convolutions"] = {{"int8", report.convolutions->int8},
                                {"f32", report.convolutions->f32},
                                {"reference", report.convolutions->reference}};
    }
    return json;
}

// Rows "name;value", nested names joined by a dot.
std::string to_csv(const Json& json) {
    std::string text = "name;value\n";
    const Json flat = json.flatten();
    for (const auto& [path, value] : flat.items()) {
        std::string name = path.substr(1);
        std::replace(name.begin(), name.end(), '/', '.');
        text += name + ";" + (value.is_string() ? value.get<std::string>() : value.dump()) + "\n";
    }
    return text;
}

struct Counter {
    ProfilingInfo info;
    std::size_t run = 0;
};

std::vector<Counter> average(const std::vector<std::vector<ProfilingInfo>>& runs) {
    std::vector<Counter> counters;
    if (runs.empty()) {
        return counters;
    }
    for (std::size_t i = 0; i < runs.front().size(); ++i) {
        std::int64_t sum = 0;
        std::int64_t count = 0;
        for (const std::vector<ProfilingInfo>& run : runs) {
            if (i < run.size() && run[i].node_name == runs.front()[i].node_name) {
                sum += run[i].real_time_us;
                ++count;
            }
        }
        Counter counter{runs.front()[i], 0};
        counter.info.real_time_us = sum / count;
        counters.push_back(std::move(counter));
    }
    return counters;
}

}  // namespace

std::optional<ConvolutionCount> count_convolutions(const std::string& report) {
    const nlohmann::json json = nlohmann::json::parse(report, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json.contains("steps") ||
        !json["steps"].is_array()) {
        return std::nullopt;
    }
    ConvolutionCount count;
    for (const nlohmann::json& step : json["steps"]) {
        if (!step.is_object()) {
            continue;
        }
        std::string kind = step.value("kind", "");
        std::transform(kind.begin(), kind.end(), kind.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (kind.find("convolution") == std::string::npos) {
            continue;
        }
        const std::string src = step.value("src_type", "");
        if (step.value("implementation", "").starts_with("ref")) {
            ++count.reference;
        } else if (src == "u8" || src == "i8" || src == "s8") {
            ++count.int8;
        } else {
            ++count.f32;
        }
    }
    return count;
}

double peak_rss_mb() {
    // Not getrusage() alone: its number begins with what the process that started this one had.
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        double kib = 0;
        if (word == "VmHWM:" && status >> kib) {
            return kib / 1024;
        }
    }
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts KiB
}

void print_report(Console& console, const Report& report, std::int64_t percentile) {
    const Latencies& latencies = report.latencies;
    console.info("Execution device:      ", report.device);
    if (!report.threads.empty()) {
        console.info("Threads:               ", report.threads);
    }
    if (!report.streams.empty()) {
        console.info("Streams:               ", report.streams);
    }
    if (!report.instructions.empty()) {
        console.info("Instructions:          ", report.instructions);
    }
    if (report.convolutions) {
        console.info("Convolutions:          ", report.convolutions->int8, " int8, ",
                     report.convolutions->f32, " f32, ", report.convolutions->reference,
                     " reference");
    }
    console.info("Count:                 ", report.iterations, " iterations");
    console.info("Duration:              ", fixed(report.duration_ms, 2), " ms");
    console.info("Latency:");
    if (percentile != 50) {
        console.info("   ", percentile, "th percentile:    ", fixed(latencies.percentile), " ms");
    }
    console.info("   Median:             ", fixed(latencies.median), " ms");
    console.info("   Average:            ", fixed(latencies.mean), " ms");
    console.info("   90th percentile:    ", fixed(latencies.p90), " ms");
    console.info("   99th percentile:    ", fixed(latencies.p99), " ms");
    console.info("   Min:                ", fixed(latencies.min), " ms");
    console.info("   Max:                ", fixed(latencies.max), " ms");
    console.info("Throughput:            ", fixed(report.throughput_fps, 2), " FPS");
    console.info("Noise:                 ", report.noise.text());
    console.info("Peak memory (RSS):     ", fixed(report.peak_rss_mb, 1), " MB");
}

void print_sets(Console& console,
                const Measurement& measurement,
                const std::vector<std::string>& names) {
    for (std::size_t set = 0; set < names.size(); ++set) {
        std::vector<double> values;
        for (std::size_t i = 0; i < measurement.sets.size(); ++i) {
            if (measurement.sets[i] == set) {
                values.push_back(measurement.latencies_ms[i]);
            }
        }
        if (values.empty()) {
            console.info("   ", names[set], ": not run");
            continue;
        }
        const Latencies latencies = summarize(values, 50);
        console.info("   ", names[set], ": ", values.size(), " iterations, median ",
                     fixed(latencies.median), " ms, min ", fixed(latencies.min), " ms");
    }
}

void print_counters(std::ostream& out,
                    std::vector<ProfilingInfo> counters,
                    const std::string& order) {
    std::int64_t total = 0;
    for (const ProfilingInfo& counter : counters) {
        total += counter.real_time_us;
    }
    if (order == "simple_sort") {
        std::erase_if(counters, [](const ProfilingInfo& c) { return c.real_time_us == 0; });
    }
    if (order == "sort" || order == "simple_sort") {
        std::stable_sort(counters.begin(), counters.end(),
                         [](const ProfilingInfo& a, const ProfilingInfo& b) {
                             return a.real_time_us > b.real_time_us;
                         });
    }
    for (const ProfilingInfo& counter : counters) {
        const double share = total == 0 ? 0
                                        : 100.0 * static_cast<double>(counter.real_time_us) /
                                              static_cast<double>(total);
        out << fmt::format("{:<40.200} {:<20.60} {:<24.80} {:10.3f} ms {:5.1f} %\n",
                           counter.node_name, counter.node_type, counter.exec_type,
                           static_cast<double>(counter.real_time_us) / 1000, share);
    }
    out << "Total time of the layers: " << fixed(static_cast<double>(total) / 1000) << " ms\n";
}

void write_text(const std::string& path, const std::string& text) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code ignored;
    if (!folder.empty()) {
        std::filesystem::create_directories(folder, ignored);
    }
    std::ofstream out(path);
    out << text;
    out.close();
    if (!out) {
        throw Error("write", fmt::format("'{}' cannot be written", path));
    }
}

void write_report(const std::string& folder, const Report& report, bool json) {
    write_table(folder, "benchmark_report", to_json(report).dump(), json);
}

void write_table(const std::string& folder,
                 const std::string& name,
                 const std::string& text,
                 bool json) {
    const Json content = Json::parse(text);
    const std::filesystem::path path =
        std::filesystem::path(folder) / (name + (json ? ".json" : ".csv"));
    write_text(path.string(), json ? content.dump(2) + "\n" : to_csv(content));
}

void write_counters(const std::string& folder,
                    const std::string& kind,
                    const std::vector<std::vector<ProfilingInfo>>& runs,
                    bool json) {
    std::vector<Counter> counters;
    if (kind == "average_counters") {
        counters = average(runs);
    } else {
        for (std::size_t run = 0; run < runs.size(); ++run) {
            for (const ProfilingInfo& info : runs[run]) {
                counters.push_back({info, run});
            }
        }
    }
    Json list = Json::array();
    std::string csv = "request;layerName;layerType;execType;realTime (ms)\n";
    for (const Counter& counter : counters) {
        const double time = static_cast<double>(counter.info.real_time_us) / 1000;
        list.push_back({{"request", counter.run},
                        {"name", counter.info.node_name},
                        {"type", counter.info.node_type},
                        {"implementation", counter.info.exec_type},
                        {"real_ms", time}});
        csv += fmt::format("{};{};{};{};{}\n", counter.run, counter.info.node_name,
                           counter.info.node_type, counter.info.exec_type, fixed(time));
    }
    const std::string file = "benchmark_" + kind + "_report" + (json ? ".json" : ".csv");
    write_text((std::filesystem::path(folder) / file).string(), json ? list.dump(2) + "\n" : csv);
}

}  // namespace fuseq::samples
