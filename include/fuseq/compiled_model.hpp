// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// CompiledModel: a model made ready for a device. A handle: copies share the compiled model, which
// lives as long as a handle or a request of it, and keeps its device loaded. Thread-safe.
#pragma once

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/any.hpp"
#include "fuseq/infer_request.hpp"
#include "fuseq/model.hpp"

namespace fuseq {

class CompiledModelImpl;

class CompiledModel {
public:
    // Empty handle; only operator bool and assignment may be used.
    CompiledModel() = default;
    explicit CompiledModel(std::shared_ptr<CompiledModelImpl> impl);
    explicit operator bool() const { return impl_ != nullptr; }

    // Ports of the model as it was given to compile_model, in its order; valid while a handle
    // lives. By name: a tensor name or a layer name. The forms without argument are for models
    // with one input (output) and throw Error for others.
    std::vector<Output> inputs() const;
    std::vector<Output> outputs() const;
    Output input() const;
    Output input(std::size_t index) const;
    Output input(std::string_view name) const;
    Output output() const;
    Output output(std::size_t index) const;
    Output output(std::string_view name) const;
    // The model that was compiled, as it was given.
    std::shared_ptr<const Model> model() const;

    InferRequest create_infer_request() const;
    // Throws Error naming the property when the device does not have it.
    Any get_property(const std::string& name) const;
    // What became of every layer, as JSON text (property FUSEQ_REPORT).
    std::string get_runtime_report() const;
    // What is executed, as a graph: Parameters, Results and nodes of type "ExecutionNode", whose
    // Node::rt_info has OpenVINO's keys: "execTimeMcs" (with PERF_COUNT, the mean of the last runs
    // of the requests that there are; else "not_executed"), "layerType", "primitiveType",
    // "originalLayersNames", "outputPrecisions", "outputLayouts", "runtimePrecision", "execOrder".
    // save_model() writes it as OpenVINO does. A new Model at each call. Of a model with open
    // shapes, of its last run; Error before that.
    std::shared_ptr<Model> get_runtime_model() const;
    void export_model(std::ostream& out) const;

private:
    std::shared_ptr<CompiledModelImpl> impl_;
};

}  // namespace fuseq
