// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/infer_request_impl.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace fuseq {
namespace {

void check_tensor(const char* what, const Output& port, const Tensor& tensor) {
    const std::string name = fmt::format("{} '{}'", what, describe_port(port));
    if (!tensor) {
        throw Error("infer", fmt::format("{}: the tensor is an empty handle", name));
    }
    if (tensor.get_element_type() != port.type()) {
        throw Error("infer",
                    fmt::format("{}: got a tensor of {}, expected {}", name,
                                to_string(tensor.get_element_type()), to_string(port.type())));
    }
    if (!port.partial_shape().contains(tensor.get_shape())) {
        throw Error("infer",
                    fmt::format("{}: got shape {}, expected {}", name,
                                to_string(tensor.get_shape()), to_string(port.partial_shape())));
    }
}

}  // namespace

InferRequestImpl::InferRequestImpl(std::shared_ptr<CompiledModelImpl> model,
                                   std::shared_ptr<IInferRequest> device)
    : model_(std::move(model)),
      device_(std::move(device)),
      was_set_(model_->ports().inputs().size(), false),
      variables_(variables_of(model_->ports())) {}

std::shared_ptr<InferRequestImpl> InferRequestImpl::create(std::shared_ptr<CompiledModelImpl> model,
                                                           std::shared_ptr<IInferRequest> device) {
    return {new InferRequestImpl(std::move(model), std::move(device)), release};
}

void InferRequestImpl::release(InferRequestImpl* request) {
    bool own_thread = false;
    {
        const std::lock_guard lock(request->mutex_);
        own_thread = request->in_callback();
    }
    if (!own_thread) {
        request->wait_until_unused();
        delete request;
        return;
    }
    std::thread([request] {
        request->wait_until_unused();
        delete request;
    }).detach();
}

void InferRequestImpl::wait_until_unused() {
    Lock lock(mutex_);
    ended_.wait(lock, [&] { return pending_ == 0; });
}

InferRequestImpl::Lock InferRequestImpl::lock_idle() {
    Lock lock(mutex_);
    if (busy_) {
        throw Error("infer", "the request is busy: wait() for the run that was started");
    }
    return lock;
}

void InferRequestImpl::set_input(std::size_t index, const Tensor& tensor) {
    const Lock lock = lock_idle();
    check_tensor("input", model_->ports().input(index), tensor);
    guarded("infer", [&] { device_->set_input(index, tensor); });
    was_set_[index] = true;
}

void InferRequestImpl::set_output(std::size_t index, const Tensor& tensor) {
    const Lock lock = lock_idle();
    const Output port = model_->ports().output(index);
    check_tensor("output", port, tensor);
    if (tensor.is_read_only()) {
        throw Error("infer", fmt::format("output '{}': the memory of the tensor is read-only",
                                         describe_port(port)));
    }
    guarded("infer", [&] { device_->set_output(index, tensor); });
}

Tensor InferRequestImpl::get_input(std::size_t index) {
    const Lock lock = lock_idle();
    (void)model_->ports().input(index);  // checks the index
    return guarded("infer", [&] { return device_->get_input(index); });
}

Tensor InferRequestImpl::get_output(std::size_t index) {
    const Lock lock = lock_idle();
    (void)model_->ports().output(index);
    return guarded("infer", [&] { return device_->get_output(index); });
}

void InferRequestImpl::begin(const Lock&) {
    busy_ = true;
    cancelled_ = false;
    error_ = nullptr;
}

bool InferRequestImpl::in_callback() const {
    return std::find(callback_threads_.begin(), callback_threads_.end(),
                     std::this_thread::get_id()) != callback_threads_.end();
}

// Without a tensor of the user's nobody knows the sizes.
void InferRequestImpl::check_open_inputs() const {
    for (std::size_t i = 0; i < was_set_.size(); ++i) {
        const Output port = model_->ports().input(i);
        if (!was_set_[i] && port.partial_shape().is_dynamic()) {
            throw Error(
                "infer",
                fmt::format("input '{}' has open dimensions, {}, and no tensor was set for it",
                            describe_port(port), to_string(port.partial_shape())));
        }
    }
}

std::exception_ptr InferRequestImpl::run_device() {
    {
        const std::lock_guard lock(mutex_);
        if (cancelled_) {
            return std::make_exception_ptr(Error("infer", "the run was cancelled"));
        }
    }
    try {
        check_open_inputs();
        guarded("infer", [&] { device_->infer(); });
        return nullptr;
    } catch (...) {
        return std::current_exception();
    }
}

void InferRequestImpl::infer() {
    begin(lock_idle());
    const std::exception_ptr error = run_device();
    {
        const std::lock_guard lock(mutex_);
        busy_ = false;
    }
    if (error) {
        std::rethrow_exception(error);
    }
}

void InferRequestImpl::start_async() {
    std::uint64_t run = 0;
    {
        const Lock lock = lock_idle();
        begin(lock);
        ++pending_;
        run = ++started_;
    }
    try {
        model_->submit([this, run] { run_and_end(run); });
    } catch (...) {
        const std::lock_guard lock(mutex_);
        busy_ = false;
        --pending_;
        --started_;
        ended_.notify_all();
        throw;
    }
}

void InferRequestImpl::run_and_end(std::uint64_t run) {
    const std::exception_ptr error = run_device();
    std::shared_ptr<Callback> callback;
    {
        const std::lock_guard lock(mutex_);
        error_ = error;
        busy_ = false;
        callback = callback_;
        callback_threads_.push_back(std::this_thread::get_id());
    }
    if (callback) {
        call_back(callback, error);
    }
    // What the callback captured may hold the last handle: it goes while this thread is known.
    callback.reset();
    const std::lock_guard lock(mutex_);
    std::erase(callback_threads_, std::this_thread::get_id());
    completed_ = std::max(completed_, run);
    --pending_;
    // Under the lock: whoever waits may delete this object as soon as the lock is free.
    ended_.notify_all();
}

void InferRequestImpl::call_back(const std::shared_ptr<Callback>& callback,
                                 const std::exception_ptr& error) {
    try {
        (*callback)(error);
    } catch (...) {
        // No place else to report it: wait() throws it.
        const std::lock_guard lock(mutex_);
        error_ = std::current_exception();
    }
}

bool InferRequestImpl::wait(std::optional<std::chrono::milliseconds> timeout) {
    Lock lock(mutex_);
    const std::uint64_t run = started_;
    if (run == 0) {
        return false;
    }
    // In the callback the run has ended; waiting for the callback would never end.
    const auto ended = [&] { return completed_ >= run || (in_callback() && !busy_); };
    if (!timeout) {
        ended_.wait(lock, ended);
    } else if (!ended_.wait_for(lock, *timeout, ended)) {
        return false;
    }
    if (error_) {
        std::rethrow_exception(error_);
    }
    return true;
}

void InferRequestImpl::cancel() {
    const std::lock_guard lock(mutex_);
    if (busy_) {
        cancelled_ = true;
        guarded("infer", [&] { device_->cancel(); });
    }
}

void InferRequestImpl::set_callback(Callback callback) {
    const Lock lock = lock_idle();
    callback_ = callback ? std::make_shared<Callback>(std::move(callback)) : nullptr;
}

std::size_t InferRequestImpl::variable_count() {
    const Lock lock = lock_idle();
    return variables_.size();
}

Tensor InferRequestImpl::get_state(std::size_t index) {
    const Lock lock = lock_idle();
    return guarded("infer", [&] { return device_->get_state(index); });
}

void InferRequestImpl::set_state(std::size_t index, const Tensor& value) {
    const Lock lock = lock_idle();
    guarded("infer", [&] { device_->set_state(index, value); });
}

void InferRequestImpl::reset_state(std::size_t index) {
    const Lock lock = lock_idle();
    guarded("infer", [&] { device_->reset_state(index); });
}

std::vector<ProfilingInfo> InferRequestImpl::get_profiling_info() {
    const Lock lock = lock_idle();
    return guarded("infer", [&] { return device_->get_profiling_info(); });
}

std::vector<ProfilingInfo> InferRequestImpl::profiling_info_if_idle() {
    const Lock lock(mutex_);
    return busy_ ? std::vector<ProfilingInfo>()
                 : guarded("infer", [&] { return device_->get_profiling_info(); });
}

std::vector<std::pair<std::string, Tensor>> InferRequestImpl::get_intermediates() {
    const Lock lock = lock_idle();
    return guarded("infer", [&] { return device_->get_intermediates(); });
}

}  // namespace fuseq
