// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The C API: errors, cores, models and compiled models.
#include <cstring>
#include <new>

#include <fmt/core.h>

#include "runtime/c_api_internal.hpp"

namespace fuseq::c_api {
namespace {

thread_local std::string last_error;

}  // namespace

fuseq_status failed(fuseq_status status, const char* text) noexcept {
    try {
        last_error = text;
    } catch (...) {
        last_error.clear();  // not even that much memory
    }
    return status;
}

fuseq_status status_of_current_exception() noexcept {
    try {
        throw;
    } catch (const InvalidArgument& error) {
        return failed(FUSEQ_INVALID_ARGUMENT, error.what());
    } catch (const std::bad_alloc&) {
        return failed(FUSEQ_OUT_OF_MEMORY, "out of memory");
    } catch (const std::exception& error) {
        return failed(FUSEQ_ERROR, error.what());
    } catch (...) {
        return failed(FUSEQ_ERROR, "unknown exception");
    }
}

void forget_last_error() noexcept {
    last_error.clear();
}

void require(const void* pointer, const char* what) {
    if (pointer == nullptr) {
        throw InvalidArgument(std::string(what) + " is NULL");
    }
}

fuseq_status copy_text(const std::string& text, char* buffer, size_t capacity, size_t* length) {
    if (length != nullptr) {
        *length = text.size() + 1;
    }
    if (buffer == nullptr || capacity < text.size() + 1) {
        return failed(FUSEQ_BUFFER_TOO_SMALL, "the buffer is too small");
    }
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    return FUSEQ_OK;
}

namespace {

std::string text_or_empty(const char* text) {
    return text == nullptr ? std::string() : std::string(text);
}

fuseq::AnyMap to_properties(const fuseq_property* properties, size_t count) {
    fuseq::AnyMap map;
    if (count != 0) {
        require(properties, "properties");
    }
    for (size_t i = 0; i < count; ++i) {
        require(properties[i].name, "the name of a property");
        require(properties[i].value, "the value of a property");
        map[properties[i].name] = properties[i].value;
    }
    return map;
}

void fill_port(const fuseq::Output& port, const std::string& name, fuseq_port& result) {
    fuseq_port filled{};
    filled.name = name.c_str();
    filled.type = to_c(port.type());
    const fuseq::PartialShape& shape = port.partial_shape();
    filled.rank = shape.rank_is_static() ? shape.rank() : SIZE_MAX;
    if (shape.rank_is_static()) {
        if (shape.rank() > FUSEQ_MAX_RANK) {
            throw Error("c api", fmt::format("port '{}' has rank {}", name, shape.rank()));
        }
        for (std::size_t i = 0; i < shape.rank(); ++i) {
            filled.dims[i] = shape[i].is_static() ? shape[i].get_length() : -1;
        }
    }
    result = filled;
}

std::vector<std::string> names_of(const std::vector<fuseq::Output>& ports) {
    std::vector<std::string> names;
    names.reserve(ports.size());
    for (const fuseq::Output& port : ports) {
        names.push_back(port.get_any_name());
    }
    return names;
}

const char* last_error_text() {
    return last_error.c_str();
}

}  // namespace
}  // namespace fuseq::c_api

using namespace fuseq::c_api;

const char* fuseq_last_error(void) {
    return last_error_text();
}

const char* fuseq_version(void) {
    return FUSEQ_VERSION;
}

fuseq_status fuseq_core_create(const char* plugins_xml, fuseq_core** core) {
    return call([&] {
        require(core, "core");
        *core = new fuseq_core{fuseq::Core(text_or_empty(plugins_xml))};
    });
}

void fuseq_core_free(fuseq_core* core) {
    delete core;
}

fuseq_status fuseq_core_get_available_devices(const fuseq_core* core,
                                              char* buffer,
                                              size_t capacity,
                                              size_t* length) {
    std::string text;
    const fuseq_status status = call([&] {
        require(core, "core");
        text = fuseq::Any(core->value.get_available_devices()).as_string();
    });
    return status == FUSEQ_OK ? copy_text(text, buffer, capacity, length) : status;
}

fuseq_status fuseq_core_register_plugin(fuseq_core* core, const char* library, const char* device) {
    return call([&] {
        require(core, "core");
        require(library, "library");
        require(device, "device");
        core->value.register_plugin(library, device);
    });
}

fuseq_status fuseq_core_set_property(fuseq_core* core,
                                     const char* device,
                                     fuseq_property property) {
    return call([&] {
        require(core, "core");
        const fuseq::AnyMap properties = to_properties(&property, 1);
        device == nullptr ? core->value.set_property(properties)
                          : core->value.set_property(device, properties);
    });
}

fuseq_status fuseq_core_read_model(const fuseq_core* core,
                                   const char* xml_path,
                                   const char* bin_path,
                                   fuseq_model** model) {
    return call([&] {
        require(core, "core");
        require(xml_path, "xml_path");
        require(model, "model");
        *model = new fuseq_model{core->value.read_model(xml_path, text_or_empty(bin_path))};
    });
}

fuseq_status fuseq_core_read_model_from_memory(const fuseq_core* core,
                                               const char* xml_text,
                                               const void* weights,
                                               size_t weights_size,
                                               fuseq_model** model) {
    return call([&] {
        require(core, "core");
        require(xml_text, "xml_text");
        require(model, "model");
        fuseq::Tensor bytes;
        if (weights_size != 0) {
            require(weights, "weights");
            bytes = fuseq::Tensor(fuseq::ElementType::u8, fuseq::Shape{weights_size}, weights,
                                  std::shared_ptr<const void>());
        }
        *model = new fuseq_model{core->value.read_model(std::string(xml_text), bytes)};
    });
}

fuseq_status fuseq_core_compile_model(fuseq_core* core,
                                      const fuseq_model* model,
                                      const char* device,
                                      const fuseq_property* properties,
                                      size_t property_count,
                                      fuseq_compiled_model** compiled) {
    return call([&] {
        require(core, "core");
        require(model, "model");
        require(device, "device");
        require(compiled, "compiled");
        fuseq::CompiledModel value = core->value.compile_model(
            model->value, device, to_properties(properties, property_count));
        std::vector<std::string> inputs = names_of(value.inputs());
        std::vector<std::string> outputs = names_of(value.outputs());
        *compiled =
            new fuseq_compiled_model{std::move(value), std::move(inputs), std::move(outputs)};
    });
}

fuseq_status fuseq_model_save(const fuseq_model* model,
                              const char* xml_path,
                              const char* bin_path) {
    return call([&] {
        require(model, "model");
        require(xml_path, "xml_path");
        fuseq::save_model(*model->value, xml_path, bin_path == nullptr ? "" : bin_path);
    });
}

fuseq_status fuseq_model_reshape_input(fuseq_model* model,
                                       const char* input,
                                       const int64_t* dims,
                                       size_t rank) {
    return call([&] {
        require(model, "model");
        require(input, "input");
        if (rank != 0) {
            require(dims, "dims");
        }
        std::vector<fuseq::Dimension> shape(dims, dims + rank);
        model->value->reshape({{input, fuseq::PartialShape(std::move(shape))}});
    });
}

void fuseq_model_free(fuseq_model* model) {
    delete model;
}

fuseq_status fuseq_compiled_model_input_count(const fuseq_compiled_model* compiled, size_t* count) {
    return call([&] {
        require(compiled, "compiled");
        require(count, "count");
        *count = compiled->input_names.size();
    });
}

fuseq_status fuseq_compiled_model_output_count(const fuseq_compiled_model* compiled,
                                               size_t* count) {
    return call([&] {
        require(compiled, "compiled");
        require(count, "count");
        *count = compiled->output_names.size();
    });
}

fuseq_status fuseq_compiled_model_input(const fuseq_compiled_model* compiled,
                                        size_t index,
                                        fuseq_port* port) {
    return call([&] {
        require(compiled, "compiled");
        require(port, "port");
        const fuseq::Output input = compiled->value.input(index);
        fill_port(input, compiled->input_names.at(index), *port);
    });
}

fuseq_status fuseq_compiled_model_output(const fuseq_compiled_model* compiled,
                                         size_t index,
                                         fuseq_port* port) {
    return call([&] {
        require(compiled, "compiled");
        require(port, "port");
        const fuseq::Output output = compiled->value.output(index);
        fill_port(output, compiled->output_names.at(index), *port);
    });
}

fuseq_status fuseq_compiled_model_get_property(const fuseq_compiled_model* compiled,
                                               const char* name,
                                               char* buffer,
                                               size_t capacity,
                                               size_t* length) {
    std::string text;
    const fuseq_status status = call([&] {
        require(compiled, "compiled");
        require(name, "name");
        text = compiled->value.get_property(name).as_string();
    });
    return status == FUSEQ_OK ? copy_text(text, buffer, capacity, length) : status;
}

fuseq_status fuseq_compiled_model_get_runtime_model(const fuseq_compiled_model* compiled,
                                                    fuseq_model** model) {
    return call([&] {
        require(compiled, "compiled");
        require(model, "model");
        *model = new fuseq_model{compiled->value.get_runtime_model()};
    });
}

fuseq_status fuseq_compiled_model_create_infer_request(const fuseq_compiled_model* compiled,
                                                       fuseq_infer_request** request) {
    return call([&] {
        require(compiled, "compiled");
        require(request, "request");
        *request = new fuseq_infer_request{compiled->value.create_infer_request()};
    });
}

void fuseq_compiled_model_free(fuseq_compiled_model* compiled) {
    delete compiled;
}
