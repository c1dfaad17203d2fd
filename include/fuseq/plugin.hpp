// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The plugin API: what a device implements. A device is a shared library with one C entry point,
//
//   extern "C" int fuseq_create_plugin(unsigned abi_version, fuseq::IPlugin** plugin,
//                                      char* error, std::size_t error_size);
//
// which returns 0 and a new plugin (the caller deletes it), or another value and a text, for
// instance when `abi_version` is not the kPluginAbiVersion that it was built with. Devices are
// found beside the runtime library (libfuseq_<device in lower case>_plugin.so), listed in a
// plugins.xml, or registered by path. FUSEQ_DEFINE_PLUGIN writes the entry point.
//
// The library of a device is unloaded when the last object made from it is gone: Core, compiled
// models and requests keep it. Tensors and exceptions do not, so a device hands out tensors only
// over memory that Tensor itself has allocated (or that the user gave), never with a deleter of
// its own code. Exceptions are copied by the runtime before they reach the user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fuseq/any.hpp"
#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

inline constexpr unsigned kPluginAbiVersion = 3;
inline constexpr const char* kPluginEntryPoint = "fuseq_create_plugin";

// Time and identity of one executed step, for profiling.
struct ProfilingInfo {
    std::string node_name;  // name of the step
    std::string node_type;  // kind of the step
    std::string exec_type;  // implementation
    std::int64_t real_time_us = 0;
};

// A tensor for a port before its shape is known: open dimensions are 0, and so is an open rank.
Tensor make_port_tensor(const Output& port);

// One request: its inputs and outputs, and a blocking infer(). Used by one thread at a time; the
// runtime adds asynchronous execution. Ports are numbered as in the Model.
class IInferRequest {
public:
    virtual ~IInferRequest() = default;
    // The tensor has the type of the port and a shape that the port allows; memory is used in
    // place and must live as long as the request uses it. Throws Error for a wrong type or shape.
    virtual void set_input(std::size_t index, const Tensor& tensor) = 0;
    virtual void set_output(std::size_t index, const Tensor& tensor) = 0;
    // The current tensor. Before infer() the output of a dynamic model may have no elements.
    virtual Tensor get_input(std::size_t index) = 0;
    virtual Tensor get_output(std::size_t index) = 0;
    virtual void infer() = 0;
    // Asks a running infer() to stop soon by throwing Error; called from another thread. May be
    // ignored.
    virtual void cancel() {}
    virtual std::vector<ProfilingInfo> get_profiling_info() const { return {}; }
    // Integer tensors that FakeQuantize layers left in memory, dequantized, by layer name
    // (property FUSEQ_KEEP_INTERMEDIATES of compile_model).
    virtual std::vector<std::pair<std::string, Tensor>> get_intermediates() { return {}; }
    // The value of a variable, as VariableState says; variables are numbered as in
    // variables_of(*ICompiledModel::ports()). The defaults are for a device that keeps no state:
    // they throw Error.
    virtual Tensor get_state(std::size_t index);
    virtual void set_state(std::size_t index, const Tensor& value);
    virtual void reset_state(std::size_t index);
};

// A compiled model: immutable, thread-safe.
class ICompiledModel {
public:
    virtual ~ICompiledModel() = default;
    // The model that was compiled, as the user gave it: ports, names, shapes.
    virtual std::shared_ptr<const Model> model() const = 0;
    // A model with the same inputs and outputs (names, types, shapes, the layers that feed outputs)
    // and variables that may leave out everything else, where that is ready sooner. Always the same
    // object.
    virtual std::shared_ptr<const Model> ports() const { return model(); }
    virtual std::shared_ptr<IInferRequest> create_infer_request() = 0;
    virtual Any get_property(const std::string& name) const = 0;
    // Runs a task of one request on a thread of a free stream, at once or later. The default of
    // the runtime (a thread of its own a compiled model) is used when this returns false.
    virtual bool submit(std::function<void()> task) {
        (void)task;
        return false;
    }
    // Writes what import_model of the same build reads. Throws Error when not supported.
    virtual void export_model(std::ostream& out) const;
};

class IPlugin {
public:
    virtual ~IPlugin() = default;
    virtual std::string device_name() const = 0;
    // Property of the device, or its default for compiled models. Throws Error when unknown.
    virtual Any get_property(const std::string& name) const = 0;
    virtual void set_property(const AnyMap& properties) = 0;
    // The model is not changed, by the device or by anybody else later: the device may keep it.
    // Unknown properties are refused by name.
    virtual std::shared_ptr<ICompiledModel> compile_model(const std::shared_ptr<const Model>& model,
                                                          const AnyMap& properties) = 0;
    // The same for an IR in files, which a device that keeps compiled models need not read again.
    // Null: the runtime reads the model and calls compile_model.
    virtual std::shared_ptr<ICompiledModel> compile_file(const std::string& xml_path,
                                                         const AnyMap& properties) {
        (void)xml_path;
        (void)properties;
        return nullptr;
    }
    virtual std::shared_ptr<ICompiledModel> import_model(std::istream& in,
                                                         const AnyMap& properties);
    // Layer name -> device for every layer that the device can run.
    virtual std::map<std::string, std::string> query_model(const Model& model) const = 0;
};

namespace detail {

inline int entry_point_failed(char* error, std::size_t error_size, const std::string& text) {
    if (error != nullptr && error_size != 0) {
        const std::size_t length = text.size() < error_size ? text.size() : error_size - 1;
        std::memcpy(error, text.data(), length);
        error[length] = '\0';
    }
    return 1;
}

// The body of an entry point: no exception leaves it.
template <class Plugin>
int create_plugin(unsigned abi_version, IPlugin** plugin, char* error, std::size_t error_size) {
    if (abi_version != kPluginAbiVersion) {
        return entry_point_failed(error, error_size,
                                  cat("built for plugin ABI ", kPluginAbiVersion,
                                      ", the runtime has plugin ABI ", abi_version));
    }
    try {
        *plugin = new Plugin();
        return 0;
    } catch (const std::exception& exception) {
        return entry_point_failed(error, error_size, exception.what());
    }
}

}  // namespace detail
}  // namespace fuseq

#if defined(__GNUC__)
#define FUSEQ_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define FUSEQ_PLUGIN_EXPORT extern "C"
#endif

// Once in a device library, outside of every namespace: FUSEQ_DEFINE_PLUGIN(my::Plugin)
#define FUSEQ_DEFINE_PLUGIN(Class)                                                             \
    FUSEQ_PLUGIN_EXPORT int fuseq_create_plugin(unsigned abi_version, fuseq::IPlugin** plugin, \
                                                char* error, std::size_t error_size) {         \
        return fuseq::detail::create_plugin<Class>(abi_version, plugin, error, error_size);    \
    }
