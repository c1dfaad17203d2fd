// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantize/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fmt/core.h>

#include "common/checks.hpp"
#include "common/tool.hpp"

namespace fuseq::samples {
namespace {

// "--num_histogram_bins,--num-histogram-bins".
std::string both_spellings(const std::string& name) {
    std::string dashes = name;
    std::replace(dashes.begin(), dashes.end(), '_', '-');
    return "--" + name + (dashes == name ? "" : ",--" + dashes);
}

// Texts that become values once all options are read.
struct Names {
    std::string schema;
    std::string weights_schema;
    std::string precision;
    std::string weights_precision;
    std::string bias_precision;
    std::string calibration;
    std::string weights_calibration;
    bool calibrate_constants = false;
    bool per_tensor_weights = false;
    bool per_tensor_activations = false;
    bool no_bias_correction = false;
    bool no_equalization = false;
    bool no_channel_scales = false;
    bool no_concat_ranges = false;
    bool no_measured_biases = false;
    bool no_integers_for_time = false;
    bool everything = false;
    std::string max_drop;
    bool channelwise = false;
};

Names default_names(const QuantizerOptions& options) {
    Names names;
    names.schema = to_string(options.schema);
    names.weights_schema = to_string(options.weights_schema);
    names.precision = to_string(options.precision);
    names.weights_precision = to_string(options.weights_precision);
    names.bias_precision = to_string(options.bias_precision);
    names.calibration = to_string(options.calibration);
    names.weights_calibration = to_string(options.weights_calibration);
    return names;
}

void add_files(CLI::App& app, QuantizeOptions& options) {
    app.add_option("-m", options.model,
                   "Float model, an OpenVINO IR (.xml), an ONNX (.onnx) or TFLite file (.tflite), "
                   "a Caffe2 net (.pb) or an MXNet symbol (.json)")
        ->required();
    app.add_option(
        "-i", options.data,
        "Calibration data: a folder of pictures, or of folders with <input name>.npy or a "
        "picture of that name, one folder an input, in the order of their names");
    add_picture_options(app, options.pictures);
    app.add_option("-o", options.output, "Quantized model to write (.xml; the .bin beside it)");
    app.add_option("-n", options.inputs, "Use at most so many inputs")->check(positive());
    app.add_option(both_spellings("dump_profile"), options.dump_profile,
                   "Write what was seen of every tensor to this file (.yaml)");
    app.add_option(both_spellings("load_profile"), options.load_profiles,
                   "Use such a file instead of data; repeated: they are merged")
        ->take_all()
        ->expected(1, -1)
        ->allow_extra_args(false);
    app.add_flag("--resume", options.resume,
                 "Go on where the file of -dump_profile ends: after an interruption");
    app.add_option("--report", options.report_file, "Write a report to this file (.json)");
    app.add_option(both_spellings("ir_version"), options.ir_version, "10 or 11")
        ->check(one_of({"10", "11"}))
        ->capture_default_str();
    app.add_flag("-q,--quiet", options.quiet, "Show no progress");
}

void add_precision(CLI::App& app, Names& names) {
    app.add_option(both_spellings("quantization_schema"), names.schema,
                   "Activations: asymmetric, symmetric, symmetric_with_uint8, "
                   "symmetric_with_power2_scale")
        ->capture_default_str();
    app.add_option(both_spellings("quantization_schema_weights"), names.weights_schema,
                   "Weights: the same names")
        ->capture_default_str();
    app.add_option(both_spellings("quantization_precision"), names.precision,
                   "Activations: Int8, Int16")
        ->capture_default_str();
    app.add_option(both_spellings("quantization_precision_weights"), names.weights_precision,
                   "Weights: Int8, Int16")
        ->capture_default_str();
    app.add_option(both_spellings("quantization_precision_bias"), names.bias_precision,
                   "Biases: Int32, Int16, Int8")
        ->capture_default_str();
}

void add_calibration(CLI::App& app, Names& names, QuantizerOptions& options) {
    app.add_option(both_spellings("quantization_calibration"), names.calibration,
                   "How ranges of activations are narrowed: none, KL, percentile, MSE, or best "
                   "of them on held-back data")
        ->capture_default_str();
    app.add_option("--percentile", options.percentile, "Share of values inside, for percentile")
        ->capture_default_str();
    app.add_option(both_spellings("num_histogram_bins"), options.histogram_bins,
                   "Bins of a histogram at most; KL needs more than 255")
        ->check(positive())
        ->capture_default_str();
    app.add_option(both_spellings("weights_calibration"), names.weights_calibration,
                   "The same for weights: none, MSE")
        ->capture_default_str();
    app.add_flag(both_spellings("calibrate_constants"), names.calibrate_constants,
                 "Short for -weights_calibration MSE");
}

void add_choices(CLI::App& app,
                 Names& names,
                 QuantizerOptions& options,
                 std::string& metric_command) {
    app.add_flag(both_spellings("enable_channelwise"), names.channelwise,
                 "A scale an output channel of the weights (the default)");
    app.add_flag(both_spellings("per_tensor_weights"), names.per_tensor_weights,
                 "One scale for the weights of a layer");
    app.add_flag(both_spellings("enable_rowwise"), options.rowwise,
                 "A scale and an offset a row for the matrices of fully connected layers and the "
                 "tables of embeddings");
    app.add_flag(both_spellings("rows_of_4_bits"), options.rows_of_4_bits,
                 "With -enable_rowwise: tables of embeddings in 4 bits");
    app.add_flag(both_spellings("f16_row_scales"), options.f16_row_scales,
                 "With -enable_rowwise: scales and offsets of such tables in f16");
    app.add_flag(both_spellings("per_tensor_activations"), names.per_tensor_activations,
                 "One range before depthwise convolutions too");
    app.add_flag(both_spellings("weights_of_7_bits"), options.weights_of_7_bits,
                 "Weights in [-64, 63], for CPUs without VNNI");
    app.add_flag(both_spellings("weights_by_fake_quantize"), options.weights_by_fake_quantize,
                 "Write weights as u8 and FakeQuantize in place of i8 and Multiply");
    app.add_flag(both_spellings("no_bias_correction"), names.no_bias_correction,
                 "Leave biases as they are");
    app.add_flag(both_spellings("no_equalization"), names.no_equalization,
                 "Leave the ranges of channels as they are");
    app.add_flag(both_spellings("no_channel_scales"), names.no_channel_scales,
                 "No FakeQuantize layers with input limits a channel before dense layers");
    app.add_flag(both_spellings("no_concat_ranges"), names.no_concat_ranges,
                 "One range for all inputs of a Concat");
    app.add_flag(both_spellings("no_measured_biases"), names.no_measured_biases,
                 "Do not move biases by measured shifts of means");
    app.add_flag(both_spellings("no_integers_for_time"), names.no_integers_for_time,
                 "Leave in float what could be integers for the sake of time alone");
    app.add_option("--headroom", options.headroom, "Widen ranges of activations by this share")
        ->capture_default_str();
    app.add_flag(both_spellings("second_order_rounding"), options.second_order_rounding,
                 "Round weights by what they do to the result of their layer");
    app.add_flag(both_spellings("everything"), names.everything,
                 "All that may bring the model closer to the float one: "
                 "-second_order_rounding and -quantization_calibration best too");
    app.add_option(both_spellings("max_drop"), names.max_drop,
                   "METRIC=VALUE: return the layers that do the most damage to float until the "
                   "bound holds on held-back data. SQNR=<least dB>, cosine, top1, detections, or "
                   "command=<greatest loss>");
    app.add_option(both_spellings("metric_command"), metric_command,
                   "For command: prints a number for the model whose .xml it gets; greater is "
                   "better");
    app.add_option(both_spellings("keep_original_precision_for_nodes"),
                   options.keep_original_precision,
                   "Layers that stay in float: kinds, names, patterns with * and ?, with commas")
        ->delimiter(',');
    app.add_option(both_spellings("do_not_lower_nodes_for_profiling"), options.do_not_lower,
                   "Kinds that are not taken apart, with commas")
        ->delimiter(',');
    app.add_flag(both_spellings("assert_all_nodes_quantized"), options.assert_all_nodes_quantized,
                 "An error where a layer that could be quantized stays in float");
    app.add_option("-d", options.device, "Device that runs the float model")->capture_default_str();
    app.add_option("--nstreams", options.streams,
                   "Inputs in flight; 0: one a core, less where their tensors take more than 1 GB")
        ->check(not_negative());
}

DropBound bound_from(const std::string& text) {
    const std::size_t at = text.find('=');
    char* end = nullptr;
    DropBound bound;
    if (at != std::string::npos && at + 1 < text.size()) {
        bound.metric = metric_from(text.substr(0, at));
        bound.value = std::strtod(text.c_str() + at + 1, &end);
    }
    if (end == nullptr || *end != '\0') {
        throw UsageError("-max_drop is '" + text + "', expected METRIC=VALUE");
    }
    return bound;
}

void apply(const Names& names, QuantizerOptions& options) {
    if (!names.max_drop.empty()) {
        options.max_drop = bound_from(names.max_drop);
    }
    options.schema = schema_from(names.schema);
    options.weights_schema = schema_from(names.weights_schema);
    options.precision = precision_from(names.precision);
    options.weights_precision = precision_from(names.weights_precision);
    options.bias_precision = precision_from(names.bias_precision);
    options.calibration = calibration_from(names.calibration);
    options.weights_calibration =
        names.calibrate_constants ? Calibration::kMse : calibration_from(names.weights_calibration);
    options.channelwise = !names.per_tensor_weights;
    options.depthwise_channels = !names.per_tensor_activations;
    options.bias_correction = !names.no_bias_correction;
    options.equalization = !names.no_equalization;
    options.channel_scales = !names.no_channel_scales;
    options.concat_ranges = !names.no_concat_ranges;
    options.measured_biases = !names.no_measured_biases;
    options.integers_for_time = !names.no_integers_for_time;
    if (names.everything) {
        options.second_order_rounding = true;
        options.calibration = Calibration::kBest;
    }
    if (names.channelwise && names.per_tensor_weights) {
        throw UsageError("-enable_channelwise and -per_tensor_weights contradict each other");
    }
}

// Before hours of work, not after them.
void check_folder(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (!file.empty() && !folder.empty() && !std::filesystem::is_directory(folder)) {
        throw Error("write", fmt::format("'{}' cannot be created: there is no folder '{}'", file,
                                         folder.string()));
    }
}

void check(const QuantizeOptions& options) {
    if (options.data.empty() && options.load_profiles.empty()) {
        throw UsageError("there is no calibration data: give -i or -load_profile");
    }
    if (options.output.empty() && options.dump_profile.empty()) {
        throw UsageError("nothing would be written: give -o or -dump_profile");
    }
    if (options.resume && (options.dump_profile.empty() || options.data.empty())) {
        throw UsageError("-resume goes on with the file of -dump_profile and the data of -i");
    }
    const auto& bound = options.quantizer.max_drop;
    if (bound && options.data.empty()) {
        throw UsageError("-max_drop is measured on data: give -i");
    }
    if ((bound && bound->metric == DropMetric::kOwn) == options.metric_command.empty()) {
        throw UsageError("-max_drop command=VALUE and -metric_command belong together");
    }
    if (!options.report_file.empty() && options.output.empty()) {
        throw UsageError("-report is about a quantized model: give -o");
    }
    for (const std::string& file : {options.output, options.dump_profile, options.report_file}) {
        check_folder(file);
    }
}

}  // namespace

bool parse(QuantizeOptions& options, int argc, const char* const* argv) {
    CLI::App app("Makes an int8 model of a float one.", "quantize");
    Names names = default_names(options.quantizer);
    add_files(app, options);
    add_precision(app, names);
    add_calibration(app, names, options.quantizer);
    add_choices(app, names, options.quantizer, options.metric_command);
    if (!parse_arguments(app, argc, argv)) {
        return false;
    }
    apply(names, options.quantizer);
    check(options);
    return true;
}

}  // namespace fuseq::samples
