// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/compare.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "benchmark_app/inputs.hpp"
#include "benchmark_app/load.hpp"
#include "benchmark_app/measure.hpp"
#include "benchmark_app/progress.hpp"
#include "benchmark_app/ratio.hpp"
#include "benchmark_app/report.hpp"
#include "common/tool.hpp"

namespace fuseq::samples {
namespace {

constexpr int kRounds = 20;

bool is_model_file(const std::string& text) {
    const std::initializer_list<const char*> endings{".xml", ".onnx", ".tflite",
                                                     ".pb",  ".json", ".blob"};
    return std::any_of(endings.begin(), endings.end(),
                       [&](const char* ending) { return text.ends_with(ending); });
}

// One side: what it is called, its compiled model, and a number a round.
struct Side {
    Side(Core& core, std::string side_name, Options side_options, Console& console)
        : name(std::move(side_name)),
          options(std::move(side_options)),
          loaded(load(core, options, console)),
          requests(create_requests(loaded.compiled, options)),
          inputs(make_inputs(*loaded.compiled.model(), options)) {}

    // Milliseconds an inference: the median of the latencies of one request at a time, else the
    // time of all that were in flight.
    void run_round() {
        const Measurement measured = measure(requests, inputs, options);
        const auto count = static_cast<double>(measured.latencies_ms.size());
        latencies.insert(latencies.end(), measured.latencies_ms.begin(),
                         measured.latencies_ms.end());
        round_ms.push_back(options.is_async() ? measured.duration_ms / count
                                              : summarize(measured.latencies_ms, 50).median);
        options.no_warmup = true;  // from the second round on
    }

    std::string name;
    Options options;
    Loaded loaded;
    std::vector<InferRequest> requests;
    std::vector<InputSet> inputs;
    std::vector<double> latencies;
    std::vector<double> round_ms;
};

// A share of the limits for each round.
Options for_a_round(Options options) {
    if (options.iterations != 0) {
        options.iterations = std::max<std::int64_t>(1, options.iterations / kRounds);
    }
    options.seconds /= 2 * kRounds;
    options.progress = false;
    return options;
}

nlohmann::ordered_json to_json(const Side& side) {
    return {{"name", side.name},
            {"model", side.options.model},
            {"device", side.options.device},
            {"iterations", side.latencies.size()},
            {"median_ms", summarize(side.latencies, 50).median},
            {"ms_of_rounds", side.round_ms}};
}

nlohmann::ordered_json to_json(const Ratio& ratio) {
    nlohmann::ordered_json json{{"value", ratio.value}};
    if (ratio.known) {
        json["low"] = ratio.low;
        json["high"] = ratio.high;
    }
    return json;
}

void write_comparison(const Options& options,
                      const nlohmann::ordered_json& first,
                      const nlohmann::ordered_json& second,
                      const Ratio& ratio,
                      const std::string& text) {
    if (!options.report_folder.empty()) {
        write_table(
            options.report_folder, "benchmark_compare",
            nlohmann::ordered_json{
                {"first", first}, {"second", second}, {"ratio", to_json(ratio)}, {"text", text}}
                .dump(),
            options.json_stats);
    }
}

struct SavedReport {
    nlohmann::ordered_json json;
    std::vector<double> blocks;
};

SavedReport read_report(const std::string& path) {
    std::ifstream in(path);
    if (!in) {
        throw Error("read", fmt::format("-compare: '{}' cannot be read", path));
    }
    try {
        SavedReport report;
        report.json = nlohmann::ordered_json::parse(in);
        report.json.at("median_ms").get<double>();
        report.blocks = report.json.value("block_medians_ms", std::vector<double>());
        return report;
    } catch (const nlohmann::json::exception& error) {
        throw Error("read", fmt::format("-compare: '{}' is no report of benchmark_app "
                                        "(-json_stats -report_folder): {}",
                                        path, error.what()));
    }
}

}  // namespace

bool compares_reports(const Options& options) {
    return options.compare.size() == 2 && options.compare[0].ends_with(".json") &&
           options.compare[1].ends_with(".json");
}

Options options_of_second_side(const Options& options, const std::vector<std::string>& change) {
    Options second = options;
    bool device = false;
    for (const std::string& text : change) {
        if (text.ends_with(".json")) {
            throw UsageError(
                "-compare: two reports (a.json b.json), or what the second side "
                "changes, not both");
        }
        if (is_model_file(text)) {
            second.model = text;
        } else if (text.find('=') != std::string::npos) {
            second.config.push_back(text);
        } else if (!device) {
            second.device = text;
            device = true;
        } else {
            throw UsageError(
                fmt::format("-compare: '{}' and '{}' are two devices", second.device, text));
        }
    }
    return second;
}

void run_comparison(const Options& options) {
    Console console(std::cout);
    console.step("Parsing and validating input arguments");
    console.step("Loading the Fuseq runtime");
    Core core;
    const Options round = for_a_round(options);
    Side first(core, "the first", round, console);
    std::ostream nowhere(nullptr);  // the steps are numbered once
    Console silent(nowhere);
    Side second(core, fmt::format("'{}'", fmt::join(options.compare, " ")),
                options_of_second_side(round, options.compare), silent);
    console.step("Querying optimal runtime parameters");
    console.step("Creating infer requests and preparing input tensors");
    console.step(
        fmt::format("Measuring performance ({}, {} rounds in turn)", options.api, kRounds));
    ProgressBar progress(options.progress ? &std::cout : nullptr);
    for (int i = 0; i < kRounds; ++i) {
        // Neither side is always the one that comes after the other.
        Side& leader = i % 2 == 0 ? first : second;
        leader.run_round();
        (i % 2 == 0 ? second : first).run_round();
        progress.show(static_cast<double>(i + 1) / kRounds);
    }
    progress.finish();
    console.step("Dumping statistics report");
    for (const Side* side : {&first, &second}) {
        console.info(side->name, ": ", fmt::format("{:.4f}", summarize(side->round_ms, 50).median),
                     options.is_async() ? " ms an inference, " : " ms latency, ",
                     side->latencies.size(), " iterations");
    }
    const Ratio ratio = ratio_of_rounds(first.round_ms, second.round_ms);
    const std::string text = ratio.text(first.name, second.name);
    console.info("Comparison: ", text);
    write_comparison(options, to_json(first), to_json(second), ratio, text);
}

void compare_reports(const Options& options) {
    Console console(std::cout);
    const SavedReport first = read_report(options.compare[0]);
    const SavedReport second = read_report(options.compare[1]);
    for (const SavedReport* report : {&first, &second}) {
        console.info(report == &first ? options.compare[0] : options.compare[1], ": ",
                     fmt::format("{:.4f}", report->json["median_ms"].get<double>()), " ms median, ",
                     report->json.value("throughput_fps", 0.0), " FPS");
    }
    for (const char* key :
         {"model", "device", "api", "batch", "threads", "streams", "instructions", "requests"}) {
        if (first.json.value(key, nlohmann::ordered_json()) !=
            second.json.value(key, nlohmann::ordered_json())) {
            console.warning("they differ in ", key, ": ", first.json[key].dump(), " and ",
                            second.json[key].dump());
        }
    }
    Ratio ratio;
    if (!first.blocks.empty() && !second.blocks.empty()) {
        ratio = ratio_of_runs(first.blocks, second.blocks);
    } else {
        ratio.value =
            first.json["median_ms"].get<double>() / second.json["median_ms"].get<double>();
    }
    const std::string text = ratio.text(options.compare[0], options.compare[1]);
    console.info("Comparison of the median latencies: ", text);
    write_comparison(options, first.json, second.json, ratio, text);
}

}  // namespace fuseq::samples
