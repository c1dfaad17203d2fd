// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fuseq/infer_request.hpp"
#include "openvino/runtime/profiling_info.hpp"
#include "openvino/runtime/tensor.hpp"
#include "openvino/runtime/variable_state.hpp"

namespace ov {

class CompiledModel;

class InferRequest {
public:
    InferRequest() = default;
    explicit InferRequest(fuseq::InferRequest request) : request_(std::move(request)) {}
    explicit operator bool() const { return static_cast<bool>(request_); }
    bool operator!() const { return !request_; }

    void set_tensor(const std::string& name, const Tensor& tensor) {
        call([&] { request_.set_tensor(name, tensor.own()); });
    }
    template <class NodeType>
    void set_tensor(const Output<NodeType>& port, const Tensor& tensor) {
        call([&] { request_.set_tensor(port.port(), tensor.own()); });
    }
    void set_input_tensor(const Tensor& tensor) {
        call([&] { request_.set_input_tensor(tensor.own()); });
    }
    void set_input_tensor(std::size_t index, const Tensor& tensor) {
        call([&] { request_.set_input_tensor(index, tensor.own()); });
    }
    void set_output_tensor(const Tensor& tensor) {
        call([&] { request_.set_output_tensor(tensor.own()); });
    }
    void set_output_tensor(std::size_t index, const Tensor& tensor) {
        call([&] { request_.set_output_tensor(index, tensor.own()); });
    }
    // Many pictures as one batch.
    template <class Port>
    void set_tensors(const Port&, const std::vector<Tensor>&) {
        static_assert(detail::kAbsent<Port>,
                      "Fuseq has no batches of single tensors (docs/openvino_compat.md)");
    }

    Tensor get_tensor(const std::string& name) {
        return got([name](const auto& r) { return r.get_tensor(name); },
                   [name](auto& r, const auto& tensor) { r.set_tensor(name, tensor); });
    }
    template <class NodeType>
    Tensor get_tensor(const Output<NodeType>& port) {
        return got([own = port.port()](const auto& r) { return r.get_tensor(own); },
                   [own = port.port()](auto& r, const auto& tensor) { r.set_tensor(own, tensor); });
    }
    Tensor get_input_tensor(std::size_t index) {
        return got([index](const auto& r) { return r.get_input_tensor(index); },
                   [index](auto& r, const auto& tensor) { r.set_input_tensor(index, tensor); });
    }
    Tensor get_input_tensor() {
        return got([](const auto& r) { return r.get_input_tensor(); },
                   [](auto& r, const auto& tensor) { r.set_input_tensor(tensor); });
    }
    Tensor get_output_tensor(std::size_t index) {
        return got([index](const auto& r) { return r.get_output_tensor(index); },
                   [index](auto& r, const auto& tensor) { r.set_output_tensor(index, tensor); });
    }
    Tensor get_output_tensor() {
        return got([](const auto& r) { return r.get_output_tensor(); },
                   [](auto& r, const auto& tensor) { r.set_output_tensor(tensor); });
    }

    void infer() {
        call([&] { request_.infer(); });
    }
    void start_async() {
        call([&] { request_.start_async(); });
    }
    void wait() {
        call([&] { request_.wait(); });
    }
    bool wait_for(std::chrono::milliseconds timeout) {
        return call([&] { return request_.wait_for(timeout); });
    }
    void cancel() {
        call([&] { request_.cancel(); });
    }
    void set_callback(std::function<void(std::exception_ptr)> callback) {
        call([&] {
            request_.set_callback([callback = std::move(callback)](std::exception_ptr error) {
                callback(converted(error));
            });
        });
    }
    std::vector<ProfilingInfo> get_profiling_info() const {
        return call([&] {
            std::vector<ProfilingInfo> list;
            for (const fuseq::ProfilingInfo& info : request_.get_profiling_info()) {
                list.emplace_back(info);
            }
            return list;
        });
    }
    std::vector<VariableState> query_state() {
        return call([&] {
            std::vector<VariableState> states;
            for (const fuseq::VariableState& state : request_.query_state()) {
                states.emplace_back(state);
            }
            return states;
        });
    }
    void reset_state() {
        call([&] { request_.reset_state(); });
    }
    CompiledModel get_compiled_model();

    bool operator==(const InferRequest&) const = delete;

private:
    template <class Body>
    auto call(Body&& body) const -> decltype(body()) {
        if (!request_) {
            throw Exception("InferRequest was not initialized.");
        }
        return detail::guarded(std::forward<Body>(body));
    }
    // A tensor whose new shape reaches the request, as long as the request uses it.
    template <class Get, class Set>
    Tensor got(Get get, Set set) {
        const fuseq::Tensor tensor = call([&] { return get(request_); });
        return {tensor, [request = request_, get, set,
                         memory = memory_of(tensor)](const fuseq::Tensor& changed) mutable {
                    if (memory_of(get(request)) == memory) {
                        set(request, changed);
                        memory = memory_of(changed);
                    }
                }};
    }
    static const void* memory_of(const fuseq::Tensor& tensor) { return tensor.data(); }
    static std::exception_ptr converted(const std::exception_ptr& error) {
        try {
            if (error) {
                detail::guarded([&] { std::rethrow_exception(error); });
            }
        } catch (...) {
            return std::current_exception();
        }
        return nullptr;
    }

    fuseq::InferRequest request_;
};

}  // namespace ov
