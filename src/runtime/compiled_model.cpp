// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/compiled_model.hpp"

#include <fmt/core.h>

#include "model/execution_graph_json.hpp"
#include "runtime/compiled_model_impl.hpp"
#include "runtime/execution_graph.hpp"
#include "runtime/infer_request_impl.hpp"

namespace fuseq {
namespace {

Output only(const std::vector<Output>& ports, const char* what) {
    if (ports.size() != 1) {
        throw Error("model", fmt::format("the model has {} {}s: say which one, by index or name",
                                         ports.size(), what));
    }
    return ports.front();
}

}  // namespace

std::string describe_port(const Output& port) {
    return port.get_any_name();
}

std::optional<std::size_t> CompiledModelImpl::find_port(const Output& port, bool inputs) const {
    const std::vector<Output> ports = inputs ? ports_->inputs() : ports_->outputs();
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (ports[i] == port) {
            return i;
        }
    }
    for (std::size_t i = 0; i < ports.size(); ++i) {
        if (port && ports[i].index == port.index && ports[i].node->name() == port.node->name() &&
            ports[i].node->type() == port.node->type()) {
            return i;
        }
    }
    return std::nullopt;
}

void CompiledModelImpl::submit(const std::function<void()>& task) {
    if (!guarded("infer", [&] { return device_->submit(task); })) {
        worker_.submit(task);
    }
}

void CompiledModelImpl::add_request(const std::shared_ptr<InferRequestImpl>& request) {
    const std::lock_guard lock(requests_mutex_);
    std::erase_if(requests_, [](const auto& old) { return old.expired(); });
    requests_.push_back(request);
}

std::vector<std::vector<ProfilingInfo>> CompiledModelImpl::last_times() {
    std::vector<std::shared_ptr<InferRequestImpl>> requests;
    {
        const std::lock_guard lock(requests_mutex_);
        for (const auto& request : requests_) {
            requests.push_back(request.lock());
        }
    }
    std::vector<std::vector<ProfilingInfo>> times;
    for (const auto& request : requests) {
        if (request) {
            times.push_back(request->profiling_info_if_idle());
        }
    }
    return times;
}

CompiledModel::CompiledModel(std::shared_ptr<CompiledModelImpl> impl) : impl_(std::move(impl)) {}

std::vector<Output> CompiledModel::inputs() const {
    return impl_->ports().inputs();
}
std::vector<Output> CompiledModel::outputs() const {
    return impl_->ports().outputs();
}
Output CompiledModel::input() const {
    return only(inputs(), "input");
}
Output CompiledModel::input(std::size_t index) const {
    return impl_->ports().input(index);
}
Output CompiledModel::input(std::string_view name) const {
    return impl_->ports().input(name);
}
Output CompiledModel::output() const {
    return only(outputs(), "output");
}
Output CompiledModel::output(std::size_t index) const {
    return impl_->ports().output(index);
}
Output CompiledModel::output(std::string_view name) const {
    return impl_->ports().output(name);
}
std::shared_ptr<const Model> CompiledModel::model() const {
    return guarded("compile", [&] { return impl_->device().model(); });
}

InferRequest CompiledModel::create_infer_request() const {
    auto device = guarded("compile", [&] { return impl_->device().create_infer_request(); });
    auto request = InferRequestImpl::create(impl_, std::move(device));
    impl_->add_request(request);
    return InferRequest(std::move(request));
}

Any CompiledModel::get_property(const std::string& name) const {
    return guarded("property", [&] { return impl_->device().get_property(name); });
}

std::string CompiledModel::get_runtime_report() const {
    return get_property(property::kReport).as_string();
}

std::shared_ptr<Model> CompiledModel::get_runtime_model() const {
    return execution_graph(get_property(kExecutionGraph).as_string(), impl_->last_times());
}

void CompiledModel::export_model(std::ostream& out) const {
    guarded("export", [&] { impl_->device().export_model(out); });
}

}  // namespace fuseq
