// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// infer: runs a model on tensors in .npy files or on pictures, once or several times in a row.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include "common/files.hpp"
#include "common/pictures/picture_file.hpp"
#include "common/tool.hpp"
#include "fuseq/fuseq.hpp"
#include "infer/options.hpp"

namespace fuseq::samples {
namespace {

void set_inputs(InferRequest& request,
                const CompiledModel& model,
                const std::string& path,
                const InferOptions& options) {
    const std::vector<Output> inputs = model.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Tensor given = read_run_input(path, inputs, i, options.pictures);
        const ElementType type = inputs[i].type();
        request.set_input_tensor(i, given.get_element_type() == type ? given : given.to(type));
    }
}

bool is_ir(const std::string& path) {
    return path.ends_with(".xml");
}

// Outputs of an IR have their whole names, those of other formats short ones, as -dump_tensors
// gives them.
void write_outputs(const InferRequest& request,
                   const std::vector<std::string>& names,
                   const std::string& folder) {
    TensorFolder outputs(folder);
    for (std::size_t i = 0; i < names.size(); ++i) {
        outputs.write(names[i], request.get_output_tensor(i));
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
                all_names_.push_back(tensor_names_of(port));
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
        write_list(request, folder + "/names.tsv");
    }

private:
    // Which file holds which tensor: names of files are cut, and a tensor may have several names.
    void write_list(const InferRequest& request, const std::string& path) const {
        std::ofstream list(path);
        list << "file\ttype\tshape\tnames\n";
        for (std::size_t i = 0; i < places_.size(); ++i) {
            const Tensor tensor = request.get_output_tensor(places_[i]);
            list << names_[i] << ".npy\t" << to_string(tensor.get_element_type()) << '\t'
                 << to_string(tensor.get_shape());
            for (const std::string& name : all_names_[i]) {
                list << '\t' << name;
            }
            list << '\n';
        }
        if (!list.flush()) {
            throw Error("infer", "cannot write '" + path + "'");
        }
    }

    // Sorted; the name of the layer where the tensor has none.
    static std::set<std::string> tensor_names_of(const Output& port) {
        const std::set<std::string> known(port.get_names().begin(), port.get_names().end());
        return known.empty() ? std::set<std::string>{port.node->name()} : known;
    }
    static std::string name_of(const Output& port) {
        return short_file_name_of(*tensor_names_of(port).begin());
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

    std::vector<std::string> names_;  // of the files
    std::vector<std::set<std::string>> all_names_;
    std::vector<std::size_t> places_;  // among the results
};

// What is told of results on the screen and in pictures.
class Told {
public:
    explicit Told(const InferOptions& options) : options_(options) {
        if (!options.labels.empty()) {
            labels_ = read_labels(options.labels);
        }
    }

    // `number`: "" or that of the run, as ".2".
    void tell(const InferRequest& request,
              const std::vector<std::string>& names,
              const std::vector<Output>& inputs,
              const std::string& path,
              const std::string& number) const {
        std::vector<NamedTensor> outputs;
        for (std::size_t i = 0; i < names.size(); ++i) {
            outputs.push_back({names[i], request.get_output_tensor(i)});
        }
        if (!number.empty()) {
            std::cout << number.substr(1) << ": " << path << '\n';
        }
        if (options_.top != 0) {
            std::cout << best_classes(outputs, options_.top, labels_);
        }
        if (!options_.picture.empty()) {
            draw(request, outputs, inputs, path, number);
        }
    }

private:
    void draw(const InferRequest& request,
              const std::vector<NamedTensor>& outputs,
              const std::vector<Output>& inputs,
              const std::string& path,
              const std::string& number) const {
        const auto shown = std::find_if(inputs.begin(), inputs.end(), [&](const Output& port) {
            return !picture_of_run(path, port).empty();
        });
        if (shown == inputs.end()) {
            throw Error("draw", "-draw needs a picture at -i; '" + path + "' has none");
        }
        DrawOptions how = options_.draw;
        how.labels = labels_;
        how.bgr = options_.pictures.color == "BGR";
        const auto index = static_cast<std::size_t>(shown - inputs.begin());
        const bool last = channels_are_last(*shown, options_.pictures);
        const Shape shape = request.get_input_tensor(index).get_shape();
        const std::size_t height = shape[shape.size() - (last ? 3 : 2)];
        const std::size_t width = shape[shape.size() - (last ? 2 : 1)];
        const Drawn drawn = draw_result(outputs, read_picture(picture_of_run(path, *shown)),
                                        {last, height, width}, how);
        const std::filesystem::path file = options_.picture;
        const std::string name =
            (file.parent_path() / (file.stem().string() + number + file.extension().string()))
                .string();
        write_picture(name, drawn.picture);
        std::cout << drawn.said << " drawn: " << name << '\n';
    }

    const InferOptions& options_;
    std::vector<std::string> labels_;
};

std::vector<std::string> output_names(const Model& model, const std::string& file) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model.results().size(); ++i) {
        const std::string name = model.output_name(i);
        names.push_back(is_ir(file) ? name : short_file_name_of(name));
    }
    return names;
}

std::vector<std::string> all_runs(const InferOptions& options, const Model& model) {
    std::vector<std::string> runs;
    for (const std::string& input : options.inputs) {
        for (const std::string& run : runs_of(input, model.inputs())) {
            runs.push_back(run);
        }
    }
    return runs;
}

void run(const InferOptions& options) {
    Core core;
    const std::shared_ptr<Model> model =
        core.read_model(options.model, "",
                        [](const std::string& text) { std::cout << "warning: " << text << '\n'; });
    for (const std::string& layer : options.extra_outputs) {
        model->add_output(layer);
    }
    const Told told(options);
    const std::vector<std::string> names = output_names(*model, options.model);
    const TensorDump dump(options.tensor_folder.empty() ? nullptr : model.get());
    const CompiledModel compiled =
        core.compile_model(model, options.device, properties_of(options));
    InferRequest request = compiled.create_infer_request();
    const std::vector<std::string> runs = all_runs(options, *model);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (options.reset) {
            request.reset_state();
        }
        set_inputs(request, compiled, runs[i], options);
        request.infer();
        const std::string number = runs.size() == 1 ? "" : std::to_string(i);
        const std::string folder = number.empty() ? "" : "/" + number;
        if (!options.output_folder.empty()) {
            write_outputs(request, names, options.output_folder + folder);
        }
        told.tell(request, names, compiled.inputs(), runs[i], number.empty() ? "" : "." + number);
        if (!options.tensor_folder.empty()) {
            dump.write(request, options.tensor_folder + folder);
        }
        if (!options.dump_folder.empty()) {
            write_dump(request, options.dump_folder + folder);
        }
    }
}

}  // namespace
}  // namespace fuseq::samples

int main(int argc, char** argv) {
    return fuseq::samples::run_tool([&] {
        fuseq::samples::InferOptions options;
        if (fuseq::samples::parse(options, argc, argv)) {
            fuseq::samples::run(options);
        }
    });
}
