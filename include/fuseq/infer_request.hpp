// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// InferRequest: one run of a compiled model, with its tensors. A handle: copies share the request.
// One thread at a time uses a request; while it runs, only wait(), wait_for() and cancel() may be
// called, and everything else throws Error "busy". The last handle waits for a running request.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuseq/plugin.hpp"
#include "fuseq/tensor.hpp"
#include "fuseq/variable_state.hpp"

namespace fuseq {

class CompiledModel;
class InferRequestImpl;

class InferRequest {
public:
    // Empty handle; only operator bool and assignment may be used.
    InferRequest() = default;
    explicit InferRequest(std::shared_ptr<InferRequestImpl> impl);
    explicit operator bool() const { return impl_ != nullptr; }

    // The tensor has the element type of the port and a shape that the port allows; its memory is
    // used in place. An output tensor of a dynamic port gets its shape at infer(): read it with
    // get_tensor() afterwards. `name` is a tensor name or a layer name, of an input or an output.
    // A port is one of the compiled model or of the model that was compiled.
    void set_tensor(std::string_view name, const Tensor& tensor);
    void set_tensor(const Output& port, const Tensor& tensor);
    void set_input_tensor(const Tensor& tensor);  // for models with one input
    void set_input_tensor(std::size_t index, const Tensor& tensor);
    void set_output_tensor(const Tensor& tensor);  // for models with one output
    void set_output_tensor(std::size_t index, const Tensor& tensor);

    // The tensor in use: set by the user, or made by the device. Inputs may be filled in place.
    // For a dynamic input that was not set yet the open dimensions are 0.
    Tensor get_tensor(std::string_view name) const;
    Tensor get_tensor(const Output& port) const;
    Tensor get_input_tensor() const;
    Tensor get_input_tensor(std::size_t index) const;
    Tensor get_output_tensor() const;
    Tensor get_output_tensor(std::size_t index) const;

    // Runs in this thread, and returns when the outputs are there.
    void infer();
    // Runs in a thread of the device (or of the runtime) and returns at once.
    void start_async();
    // Waits for the run started last and its callback; throws what it threw. Returns at once when
    // nothing was started.
    void wait();
    // The same with a limit; false when the run has not ended by then, or nothing was started.
    bool wait_for(std::chrono::milliseconds timeout);
    // A run that has not begun yet will not begin, one that runs may stop early: wait() then
    // throws Error "cancelled". Does not wait. Nothing happens when nothing runs.
    void cancel();
    // Called after each asynchronous run, in the thread that ran it, with what it threw or null.
    // The request is idle then: the callback may use it and start it again. What it throws,
    // wait() throws.
    void set_callback(std::function<void(std::exception_ptr)> callback);

    // The variables of the model (ReadValue, Assign), sorted by name, with the values that they
    // have in this request: a value lasts from one run to the next, and no other request sees it. A
    // run that throws leaves them as they were. Empty for a model without variables.
    std::vector<VariableState> query_state() const;
    // Resets all variables: they are as before the first run. Random numbers continue.
    void reset_state();

    // Steps of the last run; needs PERF_COUNT=YES.
    std::vector<ProfilingInfo> get_profiling_info() const;
    // FakeQuantize results of the last run, by layer name; needs FUSEQ_KEEP_INTERMEDIATES=YES.
    std::vector<std::pair<std::string, Tensor>> get_intermediates() const;
    CompiledModel get_compiled_model() const;

private:
    std::shared_ptr<InferRequestImpl> impl_;
};

}  // namespace fuseq
