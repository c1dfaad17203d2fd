// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <fstream>

#include "compat/c/objects.hpp"

using namespace fuseq::compat;

namespace {

template <class Find>
ov_status_e give_port(const ov_compiled_model_t* compiled,
                      ov_output_const_port_t** port,
                      const Find& find) {
    return guarded([&] {
        need_all(compiled, port);
        // Ports live as long as the compiled model.
        *port = new ov_output_const_port{find(compiled->model),
                                         std::make_shared<fuseq::CompiledModel>(compiled->model)};
    });
}

}  // namespace

ov_status_e ov_compiled_model_inputs_size(const ov_compiled_model_t* compiled_model, size_t* size) {
    return guarded([&] {
        need_all(compiled_model, size);
        *size = compiled_model->model.inputs().size();
    });
}
ov_status_e ov_compiled_model_input(const ov_compiled_model_t* compiled_model,
                                    ov_output_const_port_t** input_port) {
    return give_port(compiled_model, input_port, [](auto& m) { return m.input(); });
}
ov_status_e ov_compiled_model_input_by_index(const ov_compiled_model_t* compiled_model,
                                             const size_t index,
                                             ov_output_const_port_t** input_port) {
    return give_port(compiled_model, input_port, [&](auto& m) { return m.input(index); });
}
ov_status_e ov_compiled_model_input_by_name(const ov_compiled_model_t* compiled_model,
                                            const char* name,
                                            ov_output_const_port_t** input_port) {
    return give_port(compiled_model, input_port, [&](auto& m) {
        need_all(name);
        return m.input(name);
    });
}
ov_status_e ov_compiled_model_outputs_size(const ov_compiled_model_t* compiled_model,
                                           size_t* size) {
    return guarded([&] {
        need_all(compiled_model, size);
        *size = compiled_model->model.outputs().size();
    });
}
ov_status_e ov_compiled_model_output(const ov_compiled_model_t* compiled_model,
                                     ov_output_const_port_t** output_port) {
    return give_port(compiled_model, output_port, [](auto& m) { return m.output(); });
}
ov_status_e ov_compiled_model_output_by_index(const ov_compiled_model_t* compiled_model,
                                              const size_t index,
                                              ov_output_const_port_t** output_port) {
    return give_port(compiled_model, output_port, [&](auto& m) { return m.output(index); });
}
ov_status_e ov_compiled_model_output_by_name(const ov_compiled_model_t* compiled_model,
                                             const char* name,
                                             ov_output_const_port_t** output_port) {
    return give_port(compiled_model, output_port, [&](auto& m) {
        need_all(name);
        return m.output(name);
    });
}
ov_status_e ov_compiled_model_create_infer_request(const ov_compiled_model_t* compiled_model,
                                                   ov_infer_request_t** infer_request) {
    return guarded([&] {
        need_all(compiled_model, infer_request);
        *infer_request = new ov_infer_request{compiled_model->model.create_infer_request()};
    });
}
ov_status_e ov_compiled_model_get_property(const ov_compiled_model_t* compiled_model,
                                           const char* property_key,
                                           char** property_value) {
    return guarded([&] {
        need_all(compiled_model, property_key, property_value);
        *property_value = copy_of(compiled_model->model.get_property(property_key).as_string());
    });
}
ov_status_e ov_compiled_model_export_model(const ov_compiled_model_t* compiled_model,
                                           const char* export_model_path) {
    return guarded([&] {
        need_all(compiled_model, export_model_path);
        std::ofstream out(export_model_path, std::ios::binary);
        compiled_model->model.export_model(out);
        out.close();
        if (!out) {
            throw fuseq::Error("export", std::string("cannot write '") + export_model_path + "'");
        }
    });
}
ov_status_e ov_compiled_model_get_runtime_model(const ov_compiled_model_t* compiled_model,
                                                ov_model_t** model) {
    return guarded([&] {
        need_all(compiled_model, model);
        *model = new ov_model{compiled_model->model.get_runtime_model()};
    });
}
void ov_compiled_model_free(ov_compiled_model_t* compiled_model) {
    delete compiled_model;
}
