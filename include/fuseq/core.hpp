// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Core: reads models, and finds, loads and configures devices. The start of every program:
//
//   fuseq::Core core;
//   fuseq::CompiledModel model = core.compile_model("model.xml", "CPU");
//   fuseq::InferRequest request = model.create_infer_request();
//   request.set_input_tensor(image);
//   request.infer();
//   fuseq::Tensor scores = request.get_output_tensor();
//
// A Core is a handle: copies share devices and properties. All functions may be called from any
// thread. Device names are not case-sensitive. All failures are fuseq::Error.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fuseq/any.hpp"
#include "fuseq/compiled_model.hpp"
#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

struct Version {
    std::string build_number;  // "0.1.0"
    std::string description;   // of the library or the device
};
// Of the runtime library.
Version get_version();

class Core {
public:
    // Devices are those listed in `plugins_xml` (or, when empty, in plugins.xml beside the runtime
    // library, where there is one), and the libraries libfuseq_<device>_plugin.so beside it.
    //   <fuseq><plugins><plugin name="X" location="libx.so"><properties>
    //       <property key="NAME" value="VALUE"/></properties></plugin></plugins></fuseq>
    explicit Core(const std::string& plugins_xml = {});

    // Told what was odd in a file and could be passed over: one sentence a call.
    using WarningHandler = std::function<void(const std::string&)>;
    // Reads an IR (v10, v11), or by its extension the file of a format whose reader library lies
    // beside the runtime library (.onnx: libfuseq_onnx_reader.so). bin_path has the weights; empty,
    // of an IR the .xml's name with .bin, if there is one, of Caffe2 and MXNet docs/caffe2.md, mxnet.md.
    std::shared_ptr<Model> read_model(const std::string& path,
                                      const std::string& bin_path = {},
                                      const WarningHandler& on_warning = {}) const;
    // The same from memory: the text of the .xml, and the bytes of the .bin as a u8 tensor (empty
    // handle: none), whose memory the model keeps and uses in place; or the bytes of a file of
    // another format, with those of its second file where it has one.
    std::shared_ptr<Model> read_model(const std::string& model,
                                      const Tensor& weights,
                                      const WarningHandler& on_warning = {}) const;

    // The model is copied (constants are shared): later changes to it do not reach the result.
    CompiledModel compile_model(const std::shared_ptr<const Model>& model,
                                const std::string& device = "CPU",
                                const AnyMap& properties = {});
    CompiledModel compile_model(const std::string& path,
                                const std::string& device = "CPU",
                                const AnyMap& properties = {});
    // Reads what CompiledModel::export_model of the same build wrote.
    CompiledModel import_model(std::istream& in,
                               const std::string& device,
                               const AnyMap& properties = {});
    // Layer name -> device for every layer that the device can run.
    std::map<std::string, std::string> query_model(const std::shared_ptr<const Model>& model,
                                                   const std::string& device);

    // `library`: a path, or a name found beside the runtime library or by the system's loader.
    void register_plugin(const std::string& library,
                         const std::string& device,
                         const AnyMap& properties = {});
    // Lets go of a loaded plugin. Objects made by it stay valid; the next use loads it anew.
    void unload_plugin(const std::string& device);
    // Devices whose plugin loads, sorted by name.
    std::vector<std::string> get_available_devices() const;
    std::map<std::string, Version> get_versions(const std::string& device) const;

    // For all devices that know the property, loaded or not.
    void set_property(const AnyMap& properties);
    void set_property(const std::string& device, const AnyMap& properties);
    // A value set for all devices; empty when none was set.
    Any get_property(const std::string& name) const;
    Any get_property(const std::string& device, const std::string& name) const;

private:
    class Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace fuseq
