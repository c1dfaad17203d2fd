// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/benchmark.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "benchmark_app/compare.hpp"
#include "benchmark_app/console.hpp"
#include "benchmark_app/inputs.hpp"
#include "benchmark_app/load.hpp"
#include "benchmark_app/measure.hpp"
#include "benchmark_app/options.hpp"
#include "benchmark_app/report.hpp"
#include "benchmark_app/settings.hpp"
#include "fuseq/fuseq.hpp"

namespace fuseq::samples {
namespace {

// What the tool says about a set of inputs: their shapes.
std::vector<std::string> set_names(const std::vector<InputSet>& sets) {
    std::vector<std::string> names;
    for (const InputSet& set : sets) {
        std::string name;
        for (const Tensor& tensor : set) {
            name += to_string(tensor.get_shape());
        }
        names.push_back(std::move(name));
    }
    return names;
}

std::string limits_text(const Options& options) {
    std::string text;
    if (options.iterations != 0) {
        text = fmt::format("{} iterations", options.iterations);
    }
    if (options.seconds != 0) {
        text += fmt::format("{}{:g} s", text.empty() ? "" : " or ", options.seconds);
    }
    return text;
}

class Benchmark {
public:
    explicit Benchmark(const Options& options) : options_(options) {}

    void run() {
        console_.step("Parsing and validating input arguments");
        console_.step("Loading the Fuseq runtime");
        const Version version = get_version();
        console_.info(version.description, " ", version.build_number);
        Loaded loaded = load(core_, options_, console_);
        properties_ = std::move(loaded.properties);
        report_.batch = loaded.batch;
        report_.read_ms = loaded.read_ms;
        report_.compile_ms = loaded.compile_ms;
        measure_and_report(loaded.compiled);
    }

private:
    void measure_and_report(const CompiledModel& compiled) {
        console_.step("Querying optimal runtime parameters");
        report_.model = options_.model;
        report_.device = options_.device;
        report_.api = options_.api;
        report_.threads = property_or_nothing(compiled, property::kInferenceNumThreads);
        report_.streams = property_or_nothing(compiled, property::kNumStreams);
        report_.instructions = property_or_nothing(compiled, "FUSEQ_ISA");
        console_.step("Creating infer requests and preparing input tensors");
        std::vector<InferRequest> requests = create_requests(compiled, options_);
        report_.requests = requests.size();
        const std::vector<InputSet> sets = make_inputs(*compiled.model(), options_);
        console_.step(fmt::format("Measuring performance ({}, {} requests, limits: {})",
                                  options_.api, requests.size(), limits_text(options_)));
        const Measurement measured = measure(requests, sets, options_);
        report_.first_inference_ms = measured.first_ms;
        console_.info("First inference took ", measured.first_ms, " ms");
        const std::string explain = describe_plan(compiled);
        console_.step("Dumping statistics report");
        report_.latencies = summarize(measured.latencies_ms, double(options_.percentile));
        report_.noise = judge_noise(measured.latencies_ms);
        report_.iterations = measured.latencies_ms.size();
        report_.duration_ms = measured.duration_ms;
        report_.throughput_fps = 1000.0 * double(report_.batch * report_.iterations) /
                                 std::max(measured.duration_ms, 1e-6);
        report_.peak_rss_mb = peak_rss_mb();
        write_files(compiled, requests, explain);
        print_report(console_, report_, options_.percentile);
        if (options_.per_shape) {
            print_sets(console_, measured, set_names(sets));
        }
    }

    // What became of the model; with open shapes that is known after the first inference only.
    std::string describe_plan(const CompiledModel& compiled) {
        report_.loaded_from_cache =
            property_or_nothing(compiled, property::kLoadedFromCache) == "YES";
        const std::string cache = property_or_nothing(compiled, "FUSEQ_CACHE");
        if (!cache.empty() && cache != "off") {
            console_.info("Model cache: ", cache);
        }
        std::string explain = property_or_nothing(compiled, property::kReport);
        report_.convolutions = count_convolutions(explain);
        return explain;
    }

    // FILE.json: the report of the plan; any other name: the execution graph.
    void write_graph(const CompiledModel& compiled, const std::string& explain) {
        if (!options_.exec_graph.ends_with(".json")) {
            save_model(*compiled.get_runtime_model(), options_.exec_graph);
        } else if (explain.empty()) {
            throw Error("write", "-exec_graph_path: " + options_.device + " has no report");
        } else {
            write_text(options_.exec_graph, explain);
        }
    }

    void write_files(const CompiledModel& compiled,
                     const std::vector<InferRequest>& requests,
                     const std::string& explain) {
        if (!options_.exec_graph.empty()) {
            write_graph(compiled, explain);
        }
        if (!options_.dump_config.empty()) {
            dump_properties(options_.dump_config, options_.device, properties_);
        }
        std::vector<std::vector<ProfilingInfo>> runs;
        if (properties_.contains(property::kPerfCount)) {
            for (const InferRequest& request : requests) {
                runs.push_back(request.get_profiling_info());
            }
        }
        if (options_.counters) {
            print_counters(std::cout, runs.front(), options_.counter_order);
        }
        if (options_.report_folder.empty()) {
            return;
        }
        write_report(options_.report_folder, report_, options_.json_stats);
        if (options_.report_type == "average_counters" ||
            options_.report_type == "detailed_counters") {
            write_counters(options_.report_folder, options_.report_type, runs, options_.json_stats);
        }
    }

    const Options& options_;
    Console console_{std::cout};
    Core core_;
    AnyMap properties_;
    Report report_;
};

}  // namespace

void run_benchmark(const Options& options) {
    if (compares_reports(options)) {
        compare_reports(options);
    } else if (!options.compare.empty()) {
        run_comparison(options);
    } else {
        Benchmark(options).run();
    }
}

}  // namespace fuseq::samples
