// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/infer_request.hpp"

#include <fmt/core.h>

#include "fuseq/compiled_model.hpp"
#include "model/nearest_name.hpp"
#include "runtime/infer_request_impl.hpp"

namespace fuseq {
namespace {

// An input or an output of the model.
struct Place {
    bool is_input = true;
    std::size_t index = 0;
};

bool has_name(const Model& model, const Output& port, std::string_view name, std::size_t output) {
    return port.get_names().contains(std::string(name)) ||
           (output == SIZE_MAX
                ? port.node->name() == name
                : model.output_name(output) == name || model.results()[output]->name() == name);
}

Place find(const Model& model, std::string_view name) {
    const std::vector<Output> inputs = model.inputs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (has_name(model, inputs[i], name, SIZE_MAX)) {
            return {true, model.input_index(name)};
        }
    }
    const std::vector<Output> outputs = model.outputs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (has_name(model, outputs[i], name, i)) {
            return {false, model.output_index(name)};
        }
    }
    std::string names;
    std::vector<std::string> all;
    for (const auto* list : {&inputs, &outputs}) {
        names += list == &inputs ? "inputs:" : "; outputs:";
        for (const Output& port : *list) {
            names += fmt::format(" '{}'", describe_port(port));
            all.push_back(port.node->name());
            all.insert(all.end(), port.get_names().begin(), port.get_names().end());
        }
    }
    throw Error("infer", fmt::format("there is no input or output '{}'; {}{}", name, names,
                                     did_you_mean(name, all)));
}

Place find(const CompiledModelImpl& model, const Output& port) {
    if (!port) {
        throw Error("infer", "the port is an empty handle");
    }
    if (const auto input = model.find_port(port, true)) {
        return {true, *input};
    }
    if (const auto output = model.find_port(port, false)) {
        return {false, *output};
    }
    throw Error("infer", fmt::format("port '{}' is no input and no output of the compiled model",
                                     describe_port(port)));
}

void set(InferRequestImpl& request, const Place& place, const Tensor& tensor) {
    place.is_input ? request.set_input(place.index, tensor)
                   : request.set_output(place.index, tensor);
}

Tensor get(InferRequestImpl& request, const Place& place) {
    return place.is_input ? request.get_input(place.index) : request.get_output(place.index);
}

void require_one(std::size_t count, const char* what) {
    if (count != 1) {
        throw Error("infer", fmt::format("the model has {} {}s: say which one, by index or name",
                                         count, what));
    }
}

}  // namespace

InferRequest::InferRequest(std::shared_ptr<InferRequestImpl> impl) : impl_(std::move(impl)) {}

void InferRequest::set_tensor(std::string_view name, const Tensor& tensor) {
    set(*impl_, find(impl_->model()->ports(), name), tensor);
}
void InferRequest::set_tensor(const Output& port, const Tensor& tensor) {
    set(*impl_, find(*impl_->model(), port), tensor);
}
void InferRequest::set_input_tensor(const Tensor& tensor) {
    require_one(impl_->model()->ports().parameters().size(), "input");
    impl_->set_input(0, tensor);
}
void InferRequest::set_input_tensor(std::size_t index, const Tensor& tensor) {
    impl_->set_input(index, tensor);
}
void InferRequest::set_output_tensor(const Tensor& tensor) {
    require_one(impl_->model()->ports().results().size(), "output");
    impl_->set_output(0, tensor);
}
void InferRequest::set_output_tensor(std::size_t index, const Tensor& tensor) {
    impl_->set_output(index, tensor);
}

Tensor InferRequest::get_tensor(std::string_view name) const {
    return get(*impl_, find(impl_->model()->ports(), name));
}
Tensor InferRequest::get_tensor(const Output& port) const {
    return get(*impl_, find(*impl_->model(), port));
}
Tensor InferRequest::get_input_tensor() const {
    require_one(impl_->model()->ports().parameters().size(), "input");
    return impl_->get_input(0);
}
Tensor InferRequest::get_input_tensor(std::size_t index) const {
    return impl_->get_input(index);
}
Tensor InferRequest::get_output_tensor() const {
    require_one(impl_->model()->ports().results().size(), "output");
    return impl_->get_output(0);
}
Tensor InferRequest::get_output_tensor(std::size_t index) const {
    return impl_->get_output(index);
}

void InferRequest::infer() {
    impl_->infer();
}
void InferRequest::start_async() {
    impl_->start_async();
}
void InferRequest::wait() {
    impl_->wait(std::nullopt);
}
bool InferRequest::wait_for(std::chrono::milliseconds timeout) {
    return impl_->wait(timeout);
}
void InferRequest::cancel() {
    impl_->cancel();
}
void InferRequest::set_callback(std::function<void(std::exception_ptr)> callback) {
    impl_->set_callback(std::move(callback));
}

std::vector<VariableState> InferRequest::query_state() const {
    const std::size_t count = impl_->variable_count();
    std::vector<VariableState> states;
    for (std::size_t i = 0; i < count; ++i) {
        states.emplace_back(impl_, i);
    }
    return states;
}
void InferRequest::reset_state() {
    for (VariableState& state : query_state()) {
        state.reset();
    }
}

std::vector<ProfilingInfo> InferRequest::get_profiling_info() const {
    return impl_->get_profiling_info();
}
std::vector<std::pair<std::string, Tensor>> InferRequest::get_intermediates() const {
    return impl_->get_intermediates();
}
CompiledModel InferRequest::get_compiled_model() const {
    return CompiledModel(impl_->model());
}

}  // namespace fuseq
