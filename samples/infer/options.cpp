// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "infer/options.hpp"

#include <CLI/CLI.hpp>

#include "common/checks.hpp"
#include "common/pictures/picture_file.hpp"
#include "common/properties.hpp"
#include "common/tool.hpp"
#include "fuseq/fuseq.hpp"

namespace fuseq::samples {
namespace {

void add_files(CLI::App& app, InferOptions& options) {
    app.add_option("-m", options.model,
                   "Model: an OpenVINO IR (.xml), an ONNX (.onnx) or TFLite file (.tflite), a "
                   "Caffe2 net (.pb) or an MXNet symbol (.json)")
        ->required();
    app.add_option("-i", options.inputs,
                   "Folder with <input name>.npy or a picture of that name, a picture (.png, .jpg, "
                   ".bmp), an array (.npy), or a folder of pictures; repeated: a run each, in that "
                   "order, which keep "
                   "the variables of the model and write to OUTDIR/0, OUTDIR/1, ...")
        ->required()
        ->take_all()
        ->expected(1, -1)
        ->allow_extra_args(false);
    app.add_flag("--reset_state", options.reset, "Reset the variables before each run");
    app.add_option("-o", options.output_folder, "Folder for <output name>.npy");
    app.add_option("-d", options.device, "Device: CPU or REFERENCE")->capture_default_str();
    app.add_option("--nthreads", options.threads, "Threads; 0: the device decides")
        ->check(not_negative());
    app.add_option("--dump", options.dump_folder,
                   "Folder for <layer>.npy of every FakeQuantize, dequantized to f32");
    app.add_option(
        "--dump_tensors", options.tensor_folder,
        "Folder for <tensor name>.npy of every tensor of the model, in its own type; all "
        "of them are outputs then, so fewer layers fuse");
    app.add_option("--add_output", options.extra_outputs,
                   "Layer whose output becomes an output of the model; may be repeated")
        ->take_all()
        ->expected(1, -1)
        ->allow_extra_args(false);
    add_config_option(app, options.config);
}

void add_results(CLI::App& app, InferOptions& options) {
    app.add_option("--top", options.top, "Print the best N classes of every output of classes")
        ->check(positive());
    app.add_option("--labels", options.labels, "Text file with the name of a class in each line");
    app.add_option("--draw", options.draw.what,
                   "Draw the result: boxes, mask, keypoints, image (the result is a picture), or "
                   "auto, as far as the shape of the result says")
        ->check(one_of({"auto", "boxes", "mask", "keypoints", "image"}));
    app.add_option("--out", options.picture, "File for -draw: .png, .jpg or .bmp");
    app.add_option("--draw_output", options.draw.output,
                   "Output that is drawn; without, the one whose shape suits");
    app.add_option("--threshold", options.draw.threshold,
                   "Least confidence of a box, a key point, or a cell of a mask of one class")
        ->capture_default_str();
    app.add_option("--white", options.draw.white,
                   "For -draw image: the value that is white; without: 1 where all values lie "
                   "between -0.5 and 1.5, else 255")
        ->check(positive());
}

void check(InferOptions& options) {
    if (!options.picture.empty() && options.draw.what.empty()) {
        options.draw.what = "auto";
    }
    if (!options.draw.what.empty() && options.picture.empty()) {
        throw UsageError("-draw needs -out FILE.png");
    }
    if (!options.picture.empty() && !is_picture_file(options.picture)) {
        throw UsageError("-out '" + options.picture + "' is none of .png, .jpg, .bmp");
    }
    if (!options.labels.empty() && options.top == 0 && options.draw.what.empty()) {
        throw UsageError("-labels is for -top N and -draw boxes");
    }
    const bool writes = !options.output_folder.empty() || !options.dump_folder.empty() ||
                        !options.tensor_folder.empty() || !options.picture.empty();
    if (!writes && options.top == 0) {
        throw UsageError(
            "nothing would be told: give -o OUTDIR, -top N, -draw, -dump or -dump_tensors");
    }
}

}  // namespace

bool parse(InferOptions& options, int argc, const char* const* argv) {
    CLI::App app(
        "Runs a model on tensors or pictures: writes its outputs, prints the best classes, draws "
        "what it found.",
        "infer");
    add_files(app, options);
    add_picture_options(app, options.pictures);
    add_results(app, options);
    if (!parse_arguments(app, argc, argv)) {
        return false;
    }
    check(options);
    return true;
}

AnyMap properties_of(const InferOptions& options) {
    AnyMap properties;
    if (options.threads > 0) {
        properties[property::kInferenceNumThreads] = options.threads;
    }
    if (!options.dump_folder.empty()) {
        properties[property::kKeepIntermediates] = "YES";
    }
    set_properties(properties, options.config);
    return properties;
}

}  // namespace fuseq::samples
