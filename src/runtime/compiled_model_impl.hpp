// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What CompiledModel handles share.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "model/task_threads.hpp"
#include "runtime/plugin_handle.hpp"

namespace fuseq {

class InferRequestImpl;

class CompiledModelImpl {
public:
    CompiledModelImpl(std::shared_ptr<PluginHandle> plugin, std::shared_ptr<ICompiledModel> device)
        : plugin_(std::move(plugin)), device_(std::move(device)), ports_(device_->ports()) {}

    ICompiledModel& device() const { return *device_; }
    // Inputs and outputs; the rest of the model may be missing.
    const Model& ports() const { return *ports_; }
    // Position of a port of this model, or of one that looks like it (the model before it was
    // copied). `inputs`: among the inputs, else among the outputs. Nothing when there is none.
    std::optional<std::size_t> find_port(const Output& port, bool inputs) const;
    // A request of this model, whose times are asked for later; not kept alive.
    void add_request(const std::shared_ptr<InferRequestImpl>& request);
    // Of the requests that there are and that do not run: the times of their last runs.
    std::vector<std::vector<ProfilingInfo>> last_times();
    // On a stream of the device, else on a thread of this object.
    void submit(const std::function<void()>& task);

private:
    std::shared_ptr<PluginHandle> plugin_;  // declared first: the code outlives the objects
    std::shared_ptr<ICompiledModel> device_;
    std::shared_ptr<const Model> ports_;
    std::mutex requests_mutex_;
    std::vector<std::weak_ptr<InferRequestImpl>> requests_;
    TaskThreads worker_{1};
};

// What the user calls an input or output: its smallest tensor name, else its layer's name.
std::string describe_port(const Output& port);

}  // namespace fuseq
