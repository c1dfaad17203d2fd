// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Models and their ports.
#include "compat/c/objects.hpp"

#include <fmt/core.h>

using namespace fuseq::compat;

namespace {

// A port of the model that find() gives.
template <class Port, class Find>
ov_status_e give_port(const ov_model_t* model, Port** port, const Find& find) {
    return guarded([&] {
        need_all(model, port);
        *port = new Port{find(*model->model), model->model};
    });
}

fuseq::Output only(const std::vector<fuseq::Output>& ports, const char* what) {
    if (ports.size() != 1) {
        throw fuseq::Error("model", fmt::format("the model has {} {}s; state an index or a name",
                                                ports.size(), what));
    }
    return ports[0];
}

template <class Port>
ov_status_e shape_of(const Port* port, ov_shape_t* shape) {
    return guarded([&] {
        need_all(port, shape);
        *shape = from_own(port->port.shape());
    });
}

template <class Name>
ov_status_e reshape(const ov_model_t* model,
                    const ov_partial_shape_t* shapes,
                    size_t size,
                    const Name& name) {
    return guarded([&] {
        need_all(model, shapes);
        std::map<std::string, fuseq::PartialShape> wanted;
        for (size_t i = 0; i < size; ++i) {
            wanted[name(i)] = to_own(shapes[i]);
        }
        model->model->reshape(wanted);
    });
}

}  // namespace

void ov_model_free(ov_model_t* model) {
    delete model;
}

ov_status_e ov_model_const_input(const ov_model_t* model, ov_output_const_port_t** input_port) {
    return give_port(model, input_port, [](auto& m) { return only(m.inputs(), "input"); });
}
ov_status_e ov_model_const_input_by_name(const ov_model_t* model,
                                         const char* tensor_name,
                                         ov_output_const_port_t** input_port) {
    return give_port(model, input_port, [&](auto& m) {
        need_all(tensor_name);
        return m.input(tensor_name);
    });
}
ov_status_e ov_model_const_input_by_index(const ov_model_t* model,
                                          const size_t index,
                                          ov_output_const_port_t** input_port) {
    return give_port(model, input_port, [&](auto& m) { return m.input(index); });
}
ov_status_e ov_model_input(const ov_model_t* model, ov_output_port_t** input_port) {
    return give_port(model, input_port, [](auto& m) { return only(m.inputs(), "input"); });
}
ov_status_e ov_model_input_by_name(const ov_model_t* model,
                                   const char* tensor_name,
                                   ov_output_port_t** input_port) {
    return give_port(model, input_port, [&](auto& m) {
        need_all(tensor_name);
        return m.input(tensor_name);
    });
}
ov_status_e ov_model_input_by_index(const ov_model_t* model,
                                    const size_t index,
                                    ov_output_port_t** input_port) {
    return give_port(model, input_port, [&](auto& m) { return m.input(index); });
}
ov_status_e ov_model_const_output(const ov_model_t* model, ov_output_const_port_t** output_port) {
    return give_port(model, output_port, [](auto& m) { return only(m.outputs(), "output"); });
}
ov_status_e ov_model_const_output_by_index(const ov_model_t* model,
                                           const size_t index,
                                           ov_output_const_port_t** output_port) {
    return give_port(model, output_port, [&](auto& m) { return m.output(index); });
}
ov_status_e ov_model_const_output_by_name(const ov_model_t* model,
                                          const char* tensor_name,
                                          ov_output_const_port_t** output_port) {
    return give_port(model, output_port, [&](auto& m) {
        need_all(tensor_name);
        return m.output(tensor_name);
    });
}
ov_status_e ov_model_output(const ov_model_t* model, ov_output_port_t** output_port) {
    return give_port(model, output_port, [](auto& m) { return only(m.outputs(), "output"); });
}
ov_status_e ov_model_output_by_index(const ov_model_t* model,
                                     const size_t index,
                                     ov_output_port_t** output_port) {
    return give_port(model, output_port, [&](auto& m) { return m.output(index); });
}
ov_status_e ov_model_output_by_name(const ov_model_t* model,
                                    const char* tensor_name,
                                    ov_output_port_t** output_port) {
    return give_port(model, output_port, [&](auto& m) {
        need_all(tensor_name);
        return m.output(tensor_name);
    });
}
ov_status_e ov_model_inputs_size(const ov_model_t* model, size_t* input_size) {
    return guarded([&] {
        need_all(model, input_size);
        *input_size = model->model->parameters().size();
    });
}
ov_status_e ov_model_outputs_size(const ov_model_t* model, size_t* output_size) {
    return guarded([&] {
        need_all(model, output_size);
        *output_size = model->model->results().size();
    });
}
bool ov_model_is_dynamic(const ov_model_t* model) {
    bool dynamic = false;
    guarded([&] {
        need_all(model);
        for (const fuseq::Node* node : model->model->ordered_nodes()) {
            for (size_t i = 0; i < node->output_count(); ++i) {
                dynamic = dynamic || node->port(i).shape.is_dynamic();
            }
        }
    });
    return dynamic;
}

ov_status_e ov_model_reshape(const ov_model_t* model,
                             const char** tensor_names,
                             const ov_partial_shape_t* partial_shapes,
                             size_t size) {
    return reshape(model, partial_shapes, size, [&](size_t i) {
        need_all(tensor_names, tensor_names[i]);
        return std::string(tensor_names[i]);
    });
}
ov_status_e ov_model_reshape_input_by_name(const ov_model_t* model,
                                           const char* tensor_name,
                                           const ov_partial_shape_t partial_shape) {
    return ov_model_reshape(model, &tensor_name, &partial_shape, 1);
}
ov_status_e ov_model_reshape_single_input(const ov_model_t* model,
                                          const ov_partial_shape_t partial_shape) {
    return guarded([&] {
        need_all(model);
        model->model->reshape(to_own(partial_shape));
    });
}
ov_status_e ov_model_reshape_by_port_indexes(const ov_model_t* model,
                                             const size_t* port_indexes,
                                             const ov_partial_shape_t* partial_shape,
                                             size_t size) {
    return reshape(model, partial_shape, size, [&](size_t i) {
        need_all(port_indexes);
        return model->model->input(port_indexes[i]).node->name();
    });
}
ov_status_e ov_model_reshape_by_ports(const ov_model_t* model,
                                      const ov_output_port_t** output_ports,
                                      const ov_partial_shape_t* partial_shapes,
                                      size_t size) {
    return reshape(model, partial_shapes, size, [&](size_t i) {
        need_all(output_ports, output_ports[i]);
        return output_ports[i]->port.node->name();
    });
}
ov_status_e ov_model_get_friendly_name(const ov_model_t* model, char** friendly_name) {
    return guarded([&] {
        need_all(model, friendly_name);
        *friendly_name = copy_of(model->model->name());
    });
}

ov_status_e ov_const_port_get_shape(const ov_output_const_port_t* port, ov_shape_t* tensor_shape) {
    return shape_of(port, tensor_shape);
}
ov_status_e ov_port_get_shape(const ov_output_port_t* port, ov_shape_t* tensor_shape) {
    return shape_of(port, tensor_shape);
}
ov_status_e ov_port_get_any_name(const ov_output_const_port_t* port, char** tensor_name) {
    return guarded([&] {
        need_all(port, tensor_name);
        *tensor_name = copy_of(port->port.get_any_name());
    });
}
ov_status_e ov_port_get_partial_shape(const ov_output_const_port_t* port,
                                      ov_partial_shape_t* partial_shape) {
    return guarded([&] {
        need_all(port, partial_shape);
        *partial_shape = from_own(port->port.partial_shape());
    });
}
ov_status_e ov_port_get_element_type(const ov_output_const_port_t* port,
                                     ov_element_type_e* tensor_type) {
    return guarded([&] {
        need_all(port, tensor_type);
        *tensor_type = from_own(port->port.type());
    });
}
void ov_output_port_free(ov_output_port_t* port) {
    delete port;
}
void ov_output_const_port_free(ov_output_const_port_t* port) {
    delete port;
}
