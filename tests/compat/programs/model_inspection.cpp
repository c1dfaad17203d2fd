// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What OpenVINO's guides ask of a model: its layers, ports and shapes; read from memory, saved, and
// compiled from a cache.
// usage: model_inspection MODEL DEVICE FOLDER
#include <fstream>
#include <iostream>
#include <iterator>

#include "openvino/openvino.hpp"

namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::shared_ptr<ov::Model> read_from_memory(ov::Core& core, const std::string& path) {
    std::string weights = bytes_of(path.substr(0, path.size() - 3) + "bin");
    const ov::Tensor tensor(ov::element::u8, {weights.size()}, weights.data());
    return core.read_model(bytes_of(path), tensor)->clone();
}

void layers(const std::shared_ptr<ov::Model>& model) {
    for (const auto& op : model->get_ordered_ops()) {
        std::cout << op->get_type_info().name << ' ' << op->get_friendly_name() << " reads";
        for (const ov::Output<ov::Node>& source : op->input_values()) {
            std::cout << ' ' << source.get_node()->get_friendly_name();
        }
        for (const ov::Output<ov::Node>& output : op->outputs()) {
            std::cout << ' ' << output.get_element_type() << output.get_partial_shape();
        }
        std::cout << std::endl;
    }
    const auto result = model->get_result();
    std::cout << "result " << model->get_result_index(result) << " of "
              << result->get_input_node_shared_ptr(0)->get_type_name() << " parameter "
              << model->get_parameter_index(model->get_parameters()[1]) << std::endl;
}

void shapes(const std::shared_ptr<ov::Model>& model) {
    ov::PartialShape open;
    open.push_back(ov::Dimension::dynamic());
    open.push_back(3);
    model->reshape({{"a", open}, {"b", ov::PartialShape("[1..8,3]")}});
    std::cout << "open " << model->input("a").get_partial_shape() << ' '
              << model->input("b").get_partial_shape() << ' ' << model->is_dynamic() << std::endl;
    for (const auto& parameter : model->get_parameters()) {
        parameter->set_layout("NC");
    }
    ov::set_batch(model, 2);
    std::cout << "batch " << ov::get_batch(model) << ' '
              << model->get_parameters().front()->get_layout() << ' '
              << (model->input("a").get_shape() == ov::Shape("[2,3]")) << std::endl;
}

}  // namespace

int main(int argc, char* argv[]) {
    if (argc != 4) {
        return EXIT_FAILURE;
    }
#if OPENVINO_VERSION_MAJOR < 2023
#error "of another API"
#endif
    try {
        ov::Core core;
        const std::shared_ptr<ov::Model> model = read_from_memory(core, argv[1]);
        layers(model);
        shapes(model);
        std::cout << "added " << model->add_output("twice", 0).get_partial_shape() << ' '
                  << model->get_output_size() << std::endl;
        const std::string copy = std::string(argv[3]) + "/copy.xml";
        ov::save_model(model, copy, false);
        core.set_property(ov::cache_dir(argv[3]));
        for (int i = 0; i < 2; ++i) {
            ov::CompiledModel compiled = core.compile_model(copy, argv[2]);
            std::cout << "cached " << compiled.get_property(ov::loaded_from_cache) << std::endl;
            ov::InferRequest request = compiled.create_infer_request();
            float a[] = {1, 2, 3, 4, 5, 6};
            float b[] = {10, 20, 30, 40, 50, 60};
            request.set_tensor("a", ov::Tensor(compiled.input("a"), a));
            request.set_tensor("b", ov::Tensor(compiled.input("b"), b));
            request.infer();
            const float* values = request.get_output_tensor(0).data<float>();
            std::cout << "values " << values[0] << ' ' << values[5] << std::endl;
            compiled.release_memory();
        }
    } catch (const std::exception& ex) {
        std::cerr << ex.what() << std::endl;
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
