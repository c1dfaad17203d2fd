// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// explain: what became of every FakeQuantize and every layer of a model on the CPU device.
#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <thread>

#include "common/checks.hpp"
#include "common/pictures/picture_input.hpp"
#include "common/properties.hpp"
#include "common/shapes.hpp"
#include "common/tool.hpp"
#include "explain/html.hpp"
#include "explain/profile.hpp"
#include "explain/report.hpp"
#include "explain/shares.hpp"
#include "fuseq/diagnosis.hpp"
#include "fuseq/fuseq.hpp"

namespace fuseq::samples {
namespace {

struct Arguments {
    std::string model;
    std::string device = "CPU";
    std::string json_file;
    std::string html_file;
    std::string shape;
    bool profile = false;
    ReportLook look;
    bool laws = false;
    int runs = 50;
    int threads = 0;
    std::vector<std::string> config;
    std::string input;
    PictureOptions pictures;
};

bool parse(Arguments& arguments, int argc, const char* const* argv) {
    CLI::App app("Says what became of every FakeQuantize and every layer of a model.", "explain");
    app.add_option("-m", arguments.model,
                   "Model: an OpenVINO IR (.xml), an ONNX (.onnx) or TFLite file (.tflite), a "
                   "Caffe2 net (.pb) or an MXNet symbol (.json)")
        ->required();
    app.add_option("-d", arguments.device, "Device")->capture_default_str();
    app.add_option("--json", arguments.json_file, "Write the report to this file too");
    app.add_option("--html", arguments.html_file,
                   "Write the report as a page for a browser; with -profile with times");
    app.add_option("--shape", arguments.shape,
                   "Shapes of the inputs: [1,3,224,224] or in1[1,3,64,64],in2[1,4]");
    app.add_flag("--profile", arguments.profile, "Run the model and show the median time of steps");
    app.add_option("-i", arguments.input,
                   "What -profile runs on: a picture (.png, .jpg, .bmp), or a folder with <input "
                   "name>.npy or pictures, of which the first is taken; without, made-up values");
    add_picture_options(app, arguments.pictures);
    app.add_option("--niter", arguments.runs, "Runs for -profile")
        ->check(positive())
        ->capture_default_str();
    app.add_option("--nthreads", arguments.threads, "Threads; 0: the device decides")
        ->check(not_negative());
    add_config_option(app, arguments.config);
    app.add_flag("--laws", arguments.laws,
                 "Show what the laws of the post-ops composer did in each step, and why not more");
    app.add_flag("--wide", arguments.look.wide, "Do not cut long names");
    app.add_flag("--candidates", arguments.look.candidates,
                 "Show which implementations were asked for each layer, and why they refused");
    if (!parse_arguments(app, argc, argv)) {
        return false;
    }
    if (!arguments.input.empty() && !arguments.profile) {
        throw UsageError("-i is what -profile runs on; a report without times needs no input");
    }
    return true;
}

// What -profile runs on; empty: made-up values.
std::vector<Tensor> given_inputs(const Arguments& arguments, const Model& model) {
    std::vector<Tensor> tensors;
    if (arguments.input.empty()) {
        return tensors;
    }
    const std::vector<Output> inputs = model.inputs();
    const std::vector<std::string> runs = runs_of(arguments.input, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Tensor given = read_run_input(runs.front(), inputs, i, arguments.pictures);
        const ElementType type = inputs[i].type();
        tensors.push_back(given.get_element_type() == type ? given : given.to(type));
    }
    return tensors;
}

void write_text(const std::string& text, const std::string& file) {
    std::ofstream out(file);
    out << text;
    out.close();
    if (!out) {
        throw Error("write", "cannot write '" + file + "'");
    }
}

void run(const Arguments& arguments) {
    Core core;
    const std::shared_ptr<Model> model = core.read_model(arguments.model);
    const auto shapes = parse_input_shapes(arguments.shape, model->inputs());
    if (!shapes.empty()) {
        model->reshape(shapes);
    }
    for (const Output& input : model->inputs()) {
        if (input.partial_shape().is_dynamic()) {
            throw Error("explain", "input '" + input.get_any_name() + "' has open dimensions " +
                                       to_string(input.partial_shape()) +
                                       "; a report is about known sizes: give them with -shape");
        }
    }
    AnyMap properties;
    if (arguments.profile) {
        properties[property::kPerfCount] = true;
    }
    if (arguments.threads > 0) {
        properties[property::kInferenceNumThreads] = arguments.threads;
    }
    set_properties(properties, arguments.config);
    const CompiledModel compiled = core.compile_model(model, arguments.device, properties);
    if (may_grow(variables_of(*model))) {
        compiled.create_infer_request().infer();  // its plan is of the shapes that they begin with
    }
    Report report = Report::parse(compiled.get_runtime_report());
    if (arguments.profile) {
        profile(compiled, arguments.runs, given_inputs(arguments, *model), report);
        add_shares(
            [&](const std::string& level) {
                constexpr int kRounds = 60;
                const int threads = arguments.threads > 0
                                        ? arguments.threads
                                        : static_cast<int>(std::thread::hardware_concurrency());
                return peaks_of_level(level, std::max(threads, 1), kRounds);
            },
            report);
    }
    std::cout << report_text(report, arguments.look);
    for (const BatchNormDiagnosis& diagnosis : diagnose_batch_norms(*model)) {
        std::cout << to_string(diagnosis) << '\n';
    }
    if (arguments.laws) {
        std::cout << laws_text(report, arguments.look.wide);
    }
    if (!arguments.json_file.empty()) {
        write_text(report.dump(1) + "\n", arguments.json_file);
    }
    if (!arguments.html_file.empty()) {
        write_text(html_page(report), arguments.html_file);
    }
}

}  // namespace
}  // namespace fuseq::samples

int main(int argc, char** argv) {
    return fuseq::samples::run_tool([&] {
        fuseq::samples::Arguments arguments;
        if (fuseq::samples::parse(arguments, argc, argv)) {
            fuseq::samples::run(arguments);
        }
    });
}
