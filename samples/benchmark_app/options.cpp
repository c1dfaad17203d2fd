// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/options.hpp"

#include <CLI/CLI.hpp>

#include "benchmark_app/compare.hpp"
#include "common/checks.hpp"
#include "common/properties.hpp"
#include "common/tool.hpp"

namespace fuseq::samples {
namespace {

constexpr double kDefaultSeconds = 60;

// Options of OpenVINO's tool that mean nothing on a CPU.
struct Ignored {
    std::string gpu_config;
    std::string extensions;
    bool device_memory = false;
};

void add_model_options(CLI::App& app, Options& options) {
    app.add_option("-m", options.model,
                   "Model: an IR (.xml), an ONNX (.onnx) or TFLite file (.tflite), a Caffe2 net "
                   "(.pb), an MXNet symbol (.json), or a compiled "
                   "model (.blob)");
    app.add_option("-d", options.device, "Device")->capture_default_str();
    app.add_option("-i", options.inputs,
                   "Input data: .npy, .bin, .png, .jpg or .bmp files, or folders of them, each may "
                   "be preceded by "
                   "<input>: ; or the word random");
    app.add_option("--shape", options.shape,
                   "Shapes of the inputs: [1,3,224,224] or in1[1,3,?,?],in2[1,4]; ? and 1..8 "
                   "are open sizes");
    app.add_option("--data_shape", options.data_shape,
                   "Shapes of the data for open sizes: in[1,3,64,64][1,3,96,96]");
    app.add_option("--layout", options.layout,
                   "Meaning of the axes, for -b and pictures: [NCHW] or in[NC]");
    app.add_option("-b", options.batch, "Batch size")->check(positive());
    app.add_flag("--load_from_file", options.load_from_file,
                 "Compile from the path, without reading the model first");
    app.add_option("--ip", options.input_precision, "Element type of all inputs");
    app.add_option("--op", options.output_precision, "Element type of all outputs");
    app.add_option("--iop", options.tensor_precision,
                   "Element types by name: in:u8,out:f16; before -ip and -op");
    app.add_option("--mean_values", options.mean_values,
                   "Subtracted from each channel: [104,117,123] or in[104,117,123]");
    app.add_option("--scale_values", options.scale_values, "Divides each channel, after the mean");
    add_look_options(app, options.pictures);
}

void add_run_options(CLI::App& app, Options& options) {
    app.add_option("--hint", options.hint, "Performance hint")
        ->check(
            one_of({"latency", "throughput", "cumulative_throughput", "ctput", "tput", "none"}));
    app.add_option("--api", options.api, "sync or async; the default follows the hint")
        ->check(one_of({"sync", "async"}));
    app.add_option("--niter", options.iterations, "Stop after this many inferences")
        ->check(positive());
    app.add_option("-t", options.seconds, "Stop after this many seconds (60 without -niter)")
        ->check(positive());
    app.add_option("--max_irate", options.max_rate, "At most this many inferences a second")
        ->check(not_negative());
    app.add_option("--nireq", options.requests, "Requests in flight")->check(positive());
    app.add_option("--nstreams", options.streams, "Streams: a number, CPU:<number> or AUTO");
    app.add_option("--nthreads", options.threads, "Threads; 0: the device decides")
        ->check(not_negative());
    app.add_option("--pin", options.pin, "Bind threads to cores, where the device can");
    app.add_option("--infer_precision", options.inference_precision,
                   "Precision hint, where the device has one");
    app.add_option("--inference_only", options.inference_only,
                   "false: filling the inputs is measured too (default for open shapes)")
        ->check(one_of({"true", "false"}));
    app.add_option("--reset_state", options.reset_state,
                   "true: the variables of the model are reset before each inference (default when "
                   "one has open dimensions and may grow)")
        ->check(one_of({"true", "false"}));
    app.add_flag("--no_warmup", options.no_warmup, "No run before the measured ones");
    app.add_option("--cache_dir", options.cache_dir, "Folder for compiled models");
    app.add_option("--load_config", options.load_config, "Read properties from this JSON file");
    add_config_option(app, options.config);
    app.add_option("--compare", options.compare,
                   "Measure in turn with a second side that differs by properties (NAME=VALUE), a "
                   "device or a model file; or compare two reports (a.json b.json)")
        ->expected(1, -1);
}

void add_report_options(CLI::App& app, Options& options) {
    app.add_option("--latency_percentile", options.percentile, "Percentile to print besides")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--report_type", options.report_type, "What else to write")
        ->check(one_of({"no_counters", "average_counters", "detailed_counters"}));
    app.add_option("--report_folder", options.report_folder, "Folder of the reports");
    app.add_flag("--json_stats", options.json_stats, "Reports are JSON, not CSV");
    app.add_flag("--pc", options.counters, "Print the time of each layer");
    app.add_option("--pcsort", options.counter_order, "Order of -pc, turns it on")
        ->check(one_of({"sort", "no_sort", "simple_sort"}));
    app.add_flag("--pcseq", options.per_shape, "Print latencies for each of -data_shape");
    app.add_option("--exec_graph_path", options.exec_graph,
                   "Write the execution graph with the times of its steps to this file (.xml), or "
                   "the report of the plan (.json)");
    app.add_flag("--progress", options.progress, "Show how far the measurement is");
    app.add_option("--dump_config", options.dump_config, "Write the properties to this JSON file");
}

void add_ignored_options(CLI::App& app, Ignored& ignored) {
    app.add_option("-c", ignored.gpu_config, "Ignored (GPU)");
    app.add_flag("--use_device_mem", ignored.device_memory, "Ignored (GPU)");
    app.add_option("--extensions", ignored.extensions, "Refused: there are no such libraries");
}

void complete(Options& options, const Ignored& ignored) {
    if (options.model.empty() && !compares_reports(options)) {
        throw UsageError("-m is required");
    }
    if (!ignored.extensions.empty()) {
        throw UsageError("-extensions: libraries of custom operations are not supported");
    }
    if (!ignored.gpu_config.empty()) {
        options.warnings.emplace_back("-c is ignored: it configures GPU kernels");
    }
    if (ignored.device_memory) {
        options.warnings.emplace_back("-use_device_mem is ignored: all memory is the host's");
    }
    if (options.hint == "tput" || options.hint == "cumulative_throughput" ||
        options.hint == "ctput") {
        options.hint = "throughput";
    }
    if (options.api.empty()) {
        options.api = options.hint == "latency" ? "sync" : "async";
    }
    if (options.hint.empty()) {
        options.hint = options.is_async() ? "throughput" : "latency";
    }
    if (options.hint != "none" && !options.streams.empty()) {
        options.hint = "none";  // streams set by hand
    }
    if (options.iterations == 0 && options.seconds == 0) {
        options.seconds = kDefaultSeconds;
    }
    if (!options.is_async() && options.requests > 1) {
        throw UsageError("-nireq needs -api async");
    }
    if (options.load_from_file &&
        !(options.shape + options.layout + options.input_precision + options.output_precision +
          options.tensor_precision + options.mean_values + options.scale_values)
             .empty()) {
        throw UsageError(
            "-load_from_file leaves the model as it is: no -shape, -layout, -ip, "
            "-op, -iop, -mean_values, -scale_values");
    }
    if (options.load_from_file && options.batch != 0) {
        throw UsageError("-load_from_file leaves the model as it is: no -b");
    }
    options.counters = options.counters || !options.counter_order.empty();
}

}  // namespace

bool parse_options(Options& options, int argc, const char* const* argv) {
    CLI::App app("Measures how fast a model runs.", "benchmark_app");
    Ignored ignored;
    add_model_options(app, options);
    add_run_options(app, options);
    add_report_options(app, options);
    add_ignored_options(app, ignored);
    if (!parse_arguments(app, argc, argv)) {
        return false;
    }
    complete(options, ignored);
    return true;
}

}  // namespace fuseq::samples
