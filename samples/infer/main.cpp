// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// infer: runs a model on tensors in .npy files, once or several times in a row.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <set>

#include "common/checks.hpp"
#include "common/files.hpp"
#include "common/properties.hpp"
#include "common/tool.hpp"
#include "fuseq/fuseq.hpp"

namespace fuseq::samples {
namespace {

struct Arguments {
    std::string model;
    std::vector<std::string> input_folders;
    std::string output_folder;
    std::string device = "CPU";
    std::string dump_folder;
    std::string tensor_folder;
    int threads = 0;
    bool reset = false;
    std::vector<std::string> extra_outputs;
    std::vector<std::string> config;
};

bool parse(Arguments& arguments, int argc, const char* const* argv) {
    CLI::App app("Runs a model: reads DIR/<input>.npy, writes OUTDIR/<output>.npy.", "infer");
    app.add_option("-m", arguments.model,
                   "Model: an OpenVINO IR (.xml), an ONNX (.onnx) or a TFLite file (.tflite)")
        ->required();
    app.add_option("-i", arguments.input_folders,
                   "Folder with <input name>.npy; repeated: a run each, in that order, which keep "
                   "the variables of the model and write to OUTDIR/0, OUTDIR/1, ...")
        ->required()
        ->take_all()
        ->expected(1, -1)
        ->allow_extra_args(false);
    app.add_flag("--reset_state", arguments.reset, "Reset the variables before each run");
    app.add_option("-o", arguments.output_folder, "Folder for <output name>.npy")->required();
    app.add_option("-d", arguments.device, "Device: CPU or REFERENCE")->capture_default_str();
    app.add_option("--nthreads", arguments.threads, "Threads; 0: the device decides")
        ->check(not_negative());
    app.add_option("--dump", arguments.dump_folder,
                   "Folder for <layer>.npy of every FakeQuantize, dequantized to f32");
    app.add_option(
        "--dump_tensors", arguments.tensor_folder,
        "Folder for <tensor name>.npy of every tensor of the model, in its own type; all "
        "of them are outputs then, so fewer layers fuse");
    app.add_option("--add_output", arguments.extra_outputs,
                   "Layer whose output becomes an output of the model; may be repeated")
        ->take_all()
        ->expected(1, -1)
        ->allow_extra_args(false);
    add_config_option(app, arguments.config);
    return parse_arguments(app, argc, argv);
}

AnyMap properties_of(const Arguments& arguments) {
    AnyMap properties;
    if (arguments.threads > 0) {
        properties[property::kInferenceNumThreads] = arguments.threads;
    }
    if (!arguments.dump_folder.empty()) {
        properties[property::kKeepIntermediates] = "YES";
    }
    set_properties(properties, arguments.config);
    return properties;
}

void set_inputs(InferRequest& request, const CompiledModel& model, const std::string& folder) {
    const std::vector<Output> inputs = model.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Tensor given = read_input(folder, inputs[i]);
        const ElementType type = inputs[i].type();
        request.set_input_tensor(i, given.get_element_type() == type ? given : given.to(type));
    }
}

void write_outputs(const InferRequest& request,
                   const Model& model,
                   std::size_t count,
                   const std::string& folder) {
    TensorFolder outputs(folder);
    for (std::size_t i = 0; i < count; ++i) {
        outputs.write(model.output_name(i), request.get_output_tensor(i));
    }
}

void write_dump(const InferRequest& request, const std::string& folder) {
    TensorFolder dump(folder);
    for (const auto& [layer, tensor] : request.get_intermediates()) {
        dump.write(layer, tensor);
    }
}

// Every tensor as an output of the model.
class TensorDump {
public:
    // Null: of no model.
    explicit TensorDump(Model* model) {
        if (model == nullptr) {
            return;
        }
        for (Node* node : model->ordered_nodes()) {
            const bool computed = !node->is("Result") && !node->is_constant();
            for (std::size_t i = 0; computed && i < node->output_count(); ++i) {
                const Output port = model->add_output(node->output(i));
                names_.push_back(name_of(port));
                places_.push_back(place_of(*model, port));
            }
        }
        name_by_number_if_ambiguous();
    }

    void write(const InferRequest& request, const std::string& folder) const {
        TensorFolder files(folder);
        for (std::size_t i = 0; i < places_.size(); ++i) {
            files.write(names_[i], request.get_output_tensor(places_[i]));
        }
    }

private:
    static std::string name_of(const Output& port) {
        constexpr std::size_t kLongest = 80;
        const std::set<std::string> known(port.get_names().begin(), port.get_names().end());
        const std::string name = known.empty() ? port.node->name() : *known.begin();
        return file_name_of(name).substr(0, kLongest);
    }
    static std::size_t place_of(const Model& model, const Output& port) {
        const auto& results = model.results();
        const auto found = std::find_if(results.begin(), results.end(), [&](const Node* result) {
            return result->input(0) == port;
        });
        return static_cast<std::size_t>(found - results.begin());
    }
    // A name that is empty or there twice: all are t<position>.
    void name_by_number_if_ambiguous() {
        const std::set<std::string> unique(names_.begin(), names_.end());
        if (unique.size() == names_.size() && !unique.contains("")) {
            return;
        }
        for (std::size_t i = 0; i < names_.size(); ++i) {
            names_[i] = "t" + std::to_string(i);
        }
    }

    std::vector<std::string> names_;
    std::vector<std::size_t> places_;  // among the results
};

void run(const Arguments& arguments) {
    Core core;
    const std::shared_ptr<Model> model =
        core.read_model(arguments.model, "",
                        [](const std::string& text) { std::cout << "warning: " << text << '\n'; });
    for (const std::string& layer : arguments.extra_outputs) {
        model->add_output(layer);
    }
    const std::size_t results = model->results().size();
    const TensorDump dump(arguments.tensor_folder.empty() ? nullptr : model.get());
    const CompiledModel compiled =
        core.compile_model(model, arguments.device, properties_of(arguments));
    InferRequest request = compiled.create_infer_request();
    const std::vector<std::string>& folders = arguments.input_folders;
    for (std::size_t i = 0; i < folders.size(); ++i) {
        if (arguments.reset) {
            request.reset_state();
        }
        set_inputs(request, compiled, folders[i]);
        request.infer();
        const std::string number = folders.size() == 1 ? "" : "/" + std::to_string(i);
        write_outputs(request, *model, results, arguments.output_folder + number);
        if (!arguments.tensor_folder.empty()) {
            dump.write(request, arguments.tensor_folder + number);
        }
        if (!arguments.dump_folder.empty()) {
            write_dump(request, arguments.dump_folder + number);
        }
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
