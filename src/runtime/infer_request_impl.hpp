// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What InferRequest handles share: the request of the device, and the state of its runs.
//
// Runs are numbered. A run is pending from start_async() until it has ended and its callback has
// returned; the request is busy from the start until the end of the run, without the callback.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "fuseq/variable_state.hpp"
#include "runtime/compiled_model_impl.hpp"

namespace fuseq {

class InferRequestImpl {
public:
    // The last owner waits for a pending run, unless it is the thread of that run (the callback
    // held the last handle): then another thread does.
    static std::shared_ptr<InferRequestImpl> create(std::shared_ptr<CompiledModelImpl> model,
                                                    std::shared_ptr<IInferRequest> device);

    const std::shared_ptr<CompiledModelImpl>& model() const { return model_; }

    void set_input(std::size_t index, const Tensor& tensor);
    void set_output(std::size_t index, const Tensor& tensor);
    Tensor get_input(std::size_t index);
    Tensor get_output(std::size_t index);

    void infer();
    void start_async();
    // Nothing: wait without a limit.
    bool wait(std::optional<std::chrono::milliseconds> timeout);
    void cancel();
    void set_callback(std::function<void(std::exception_ptr)> callback);

    // Variables of the model, by their position in variables_of().
    std::size_t variable_count();
    const std::string& variable_name(std::size_t index) const { return variables_.at(index).name; }
    Tensor get_state(std::size_t index);
    void set_state(std::size_t index, const Tensor& value);
    void reset_state(std::size_t index);

    std::vector<ProfilingInfo> get_profiling_info();
    // The same; nothing while a run is on.
    std::vector<ProfilingInfo> profiling_info_if_idle();
    std::vector<std::pair<std::string, Tensor>> get_intermediates();

private:
    using Callback = std::function<void(std::exception_ptr)>;
    using Lock = std::unique_lock<std::mutex>;

    InferRequestImpl(std::shared_ptr<CompiledModelImpl> model,
                     std::shared_ptr<IInferRequest> device);
    static void release(InferRequestImpl* request);

    // Locks; throws Error "busy" when a run is on.
    Lock lock_idle();
    void begin(const Lock& lock);
    void run_and_end(std::uint64_t run);
    void check_open_inputs() const;
    std::exception_ptr run_device();
    void wait_until_unused();
    void call_back(const std::shared_ptr<Callback>& callback, const std::exception_ptr& error);
    bool in_callback() const;

    std::shared_ptr<CompiledModelImpl> model_;  // declared first: the device code outlives us
    std::shared_ptr<IInferRequest> device_;
    std::vector<bool> was_set_;  // inputs, by the user
    std::vector<Variable> variables_;

    std::mutex mutex_;
    std::condition_variable ended_;
    std::shared_ptr<Callback> callback_;
    bool busy_ = false;
    bool cancelled_ = false;
    std::size_t pending_ = 0;      // tasks that still use this object
    std::uint64_t started_ = 0;    // number of the asynchronous run started last
    std::uint64_t completed_ = 0;  // highest number of a run that has ended, callback included
    // Threads that are in the callback: a run started there may end on another one meanwhile.
    std::vector<std::thread::id> callback_threads_;
    std::exception_ptr error_;  // of the run that ended last
};

}  // namespace fuseq
