// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/benchmark.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>

#include "benchmark_app/console.hpp"
#include "benchmark_app/inputs.hpp"
#include "benchmark_app/measure.hpp"
#include "benchmark_app/options.hpp"
#include "benchmark_app/prepare_model.hpp"
#include "benchmark_app/report.hpp"
#include "benchmark_app/settings.hpp"
#include "fuseq/fuseq.hpp"

namespace fuseq::samples {
namespace {

// Calls a function and adds the time it takes, in milliseconds.
template <class Function>
auto timed(double& total_ms, Function&& function) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = function();
    total_ms +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return result;
}

// A property of the compiled model as text; empty when it has none of that name.
std::string property_or_nothing(const CompiledModel& compiled, const char* name) {
    const auto supported = compiled.get_property(property::kSupportedProperties).as_list();
    const bool known = std::find(supported.begin(), supported.end(), name) != supported.end();
    const Any value = known ? compiled.get_property(name) : Any();
    return value.empty() ? "" : value.as_string();
}

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
        console_.step("Setting device configuration");
        const Any supported = core_.get_property(options_.device, property::kSupportedProperties);
        properties_ = make_properties(options_, supported.as_list(), options_.warnings);
        for (const std::string& warning : options_.warnings) {
            console_.warning(warning);
        }
        const CompiledModel compiled = compile();
        measure_and_report(compiled);
    }

private:
    CompiledModel compile() {
        console_.step("Reading model files");
        const bool blob = options_.model.ends_with(".blob");
        std::shared_ptr<Model> model;
        if (!blob && !options_.load_from_file) {
            model = timed(report_.read_ms, [&] {
                return core_.read_model(options_.model, "",
                                        [&](const std::string& text) { console_.warning(text); });
            });
            console_.info("Read model took ", report_.read_ms, " ms");
        }
        console_.step("Resizing model to match the shapes and the batch given");
        console_.step("Configuring input of the model");
        if (model) {
            set_shapes(*model, options_);
            report_.batch = batch_of(*model, options_);
            set_preprocessing(*model, options_);
        }
        console_.step("Loading the model to the device");
        const CompiledModel compiled = timed(report_.compile_ms, [&] {
            if (blob) {
                return import_blob();
            }
            return model ? core_.compile_model(model, options_.device, properties_)
                         : core_.compile_model(options_.model, options_.device, properties_);
        });
        console_.info("Compile model took ", report_.compile_ms, " ms");
        report_.batch = batch_of(*compiled.model(), options_);
        return compiled;
    }

    // A stream has no name; the message gets it here.
    CompiledModel import_blob() {
        try {
            std::ifstream in(options_.model, std::ios::binary);
            if (!in) {
                throw Error("import", "there is no such file");
            }
            return core_.import_model(in, options_.device, properties_);
        } catch (const Error& error) {
            Error::Info info = error.info();
            info.file = options_.model;
            throw Error(std::move(info));
        }
    }

    std::vector<InferRequest> create_requests(const CompiledModel& compiled) {
        std::int64_t count = options_.is_async() ? options_.requests : 1;
        if (count == 0) {
            const std::string optimal =
                property_or_nothing(compiled, property::kOptimalNumberOfInferRequests);
            count = optimal.empty() ? 1 : Any(optimal).as_int();
        }
        std::vector<InferRequest> requests;
        for (std::int64_t i = 0; i < count; ++i) {
            requests.push_back(compiled.create_infer_request());
        }
        return requests;
    }

    void measure_and_report(const CompiledModel& compiled) {
        console_.step("Querying optimal runtime parameters");
        report_.model = options_.model;
        report_.device = options_.device;
        report_.api = options_.api;
        report_.threads = property_or_nothing(compiled, property::kInferenceNumThreads);
        report_.streams = property_or_nothing(compiled, property::kNumStreams);
        report_.instructions = property_or_nothing(compiled, "FUSEQ_ISA");
        console_.step("Creating infer requests and preparing input tensors");
        std::vector<InferRequest> requests = create_requests(compiled);
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
        write_files(requests, explain);
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

    void write_files(const std::vector<InferRequest>& requests, const std::string& explain) {
        if (!options_.exec_graph.empty()) {
            if (explain.empty()) {
                throw Error("write", "-exec_graph_path: " + options_.device + " has no report");
            }
            write_text(options_.exec_graph, explain);
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

    Options options_;  // a copy: the device adds warnings
    Console console_{std::cout};
    Core core_;
    AnyMap properties_;
    Report report_;
};

}  // namespace

void run_benchmark(const Options& options) {
    Benchmark(options).run();
}

}  // namespace fuseq::samples
