// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/measure.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <iostream>
#include <mutex>
#include <thread>

#include "benchmark_app/progress.hpp"
#include "fuseq/compiled_model.hpp"

namespace fuseq::samples {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

void set_inputs(InferRequest& request, const InputSet& set) {
    for (std::size_t i = 0; i < set.size(); ++i) {
        // A copy, as a program with its own buffers would make.
        Tensor own = request.get_input_tensor(i);
        if (own.get_shape() == set[i].get_shape() && !own.is_read_only()) {
            set[i].copy_to(own);
        } else {
            Tensor fresh(set[i].get_element_type(), set[i].get_shape());
            set[i].copy_to(fresh);
            request.set_input_tensor(i, fresh);
        }
    }
}

// What is done before each run.
struct Before {
    bool fill = false;   // the inputs, as a part of what is measured
    bool reset = false;  // the variables
};

bool resets_state(const Options& options, const Model& model) {
    return options.reset_state.empty() ? may_grow(variables_of(model))
                                       : options.reset_state == "true";
}

// Says when to stop, and holds back a run that would come too early for -max_irate.
class Limits {
public:
    explicit Limits(const Options& options)
        : options_(options),
          progress_(options.progress ? &std::cout : nullptr),
          begin_(Clock::now()) {}

    bool next() {
        const auto count = static_cast<std::int64_t>(started_);
        show_progress(static_cast<double>(count));
        if (options_.iterations != 0 && count >= options_.iterations) {
            return false;
        }
        if (options_.seconds != 0 && started_ != 0 &&
            milliseconds(Clock::now() - begin_) >= options_.seconds * 1000) {
            return false;
        }
        if (options_.max_rate > 0) {
            const std::chrono::duration<double> due(static_cast<double>(started_) /
                                                    options_.max_rate);
            std::this_thread::sleep_until(begin_ +
                                          std::chrono::duration_cast<Clock::duration>(due));
        }
        ++started_;
        return true;
    }
    std::size_t started() const { return started_; }
    double elapsed_ms() const { return milliseconds(Clock::now() - begin_); }
    void finish() { progress_.finish(); }

private:
    void show_progress(double count) {
        if (!options_.progress) {
            return;
        }
        const auto part = [](double done, double limit) { return limit > 0 ? done / limit : 0; };
        progress_.show(std::max(part(count, static_cast<double>(options_.iterations)),
                                part(elapsed_ms(), options_.seconds * 1000)));
    }

    const Options& options_;
    ProgressBar progress_;
    Clock::time_point begin_;
    std::size_t started_ = 0;
};

void run_sync(InferRequest& request,
              const std::vector<InputSet>& sets,
              const Options& options,
              const Before& before,
              Measurement& result) {
    Limits limits(options);
    while (limits.next()) {
        const std::size_t set = before.fill ? (limits.started() - 1) % sets.size() : 0;
        if (before.reset) {
            request.reset_state();
        }
        const auto begin = Clock::now();
        if (before.fill) {
            set_inputs(request, sets[set]);
        }
        request.infer();
        result.latencies_ms.push_back(milliseconds(Clock::now() - begin));
        result.sets.push_back(set);
    }
    result.duration_ms = limits.elapsed_ms();
    limits.finish();
}

// Requests in flight: which are free, and what the finished ones measured.
class InFlight {
public:
    InFlight(std::vector<InferRequest>& requests, Measurement& result)
        : requests_(requests), result_(result), begin_(requests.size()), set_(requests.size()) {
        for (std::size_t i = 0; i < requests.size(); ++i) {
            free_.push_back(i);
            requests[i].set_callback(
                [this, i](const std::exception_ptr& error) { finish(i, error); });
        }
    }
    // No callback may come after this object is gone.
    ~InFlight() {
        std::unique_lock lock(mutex_);
        freed_.wait(lock, [&] { return free_.size() == requests_.size(); });
        lock.unlock();
        for (InferRequest& request : requests_) {
            try {
                request.wait();
            } catch (const std::exception&) {
                // Kept in error_ already.
            }
            request.set_callback({});
        }
    }
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

    // A request that does not run; throws what one of the finished runs threw.
    std::size_t acquire() {
        std::unique_lock lock(mutex_);
        freed_.wait(lock, [&] { return !free_.empty(); });
        rethrow();
        const std::size_t index = free_.front();
        free_.pop_front();
        return index;
    }
    // For a request that acquire() gave.
    void start(std::size_t index, std::size_t set, Clock::time_point begin) {
        begin_[index] = begin;
        set_[index] = set;
        requests_[index].start_async();
    }
    void release(std::size_t index) {
        const std::lock_guard lock(mutex_);
        free_.push_back(index);
        freed_.notify_all();
    }
    void wait_for_all() {
        std::unique_lock lock(mutex_);
        freed_.wait(lock, [&] { return free_.size() == requests_.size(); });
        rethrow();
    }

private:
    void finish(std::size_t index, const std::exception_ptr& error) {
        const auto end = Clock::now();
        const std::lock_guard lock(mutex_);
        if (error) {
            error_ = error;
        } else {
            result_.latencies_ms.push_back(milliseconds(end - begin_[index]));
            result_.sets.push_back(set_[index]);
        }
        free_.push_back(index);
        freed_.notify_all();
    }
    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

    std::vector<InferRequest>& requests_;
    Measurement& result_;
    std::mutex mutex_;
    std::condition_variable freed_;
    std::deque<std::size_t> free_;
    std::vector<Clock::time_point> begin_;
    std::vector<std::size_t> set_;
    std::exception_ptr error_;
};

void run_async(std::vector<InferRequest>& requests,
               const std::vector<InputSet>& sets,
               const Options& options,
               const Before& before,
               Measurement& result) {
    InFlight flight(requests, result);
    Limits limits(options);
    while (true) {
        const std::size_t index = flight.acquire();
        try {
            if (!limits.next()) {
                flight.release(index);
                break;
            }
            std::size_t set = index % sets.size();
            if (before.reset) {
                requests[index].reset_state();
            }
            const auto begin = Clock::now();
            if (before.fill) {
                set = (limits.started() - 1) % sets.size();
                set_inputs(requests[index], sets[set]);
            }
            flight.start(index, set, begin);
        } catch (...) {
            flight.release(index);
            throw;
        }
    }
    flight.wait_for_all();
    result.duration_ms = limits.elapsed_ms();
    limits.finish();
}

}  // namespace

bool measures_inputs(const Options& options, bool static_shapes) {
    return options.inference_only.empty() ? !static_shapes : options.inference_only == "false";
}

Measurement measure(std::vector<InferRequest>& requests,
                    const std::vector<InputSet>& sets,
                    const Options& options) {
    Measurement result;
    bool static_shapes = true;
    const CompiledModel model = requests.front().get_compiled_model();
    for (const Output& port : model.inputs()) {
        static_shapes = static_shapes && port.partial_shape().is_static();
    }
    const Before before{.fill = measures_inputs(options, static_shapes),
                        .reset = resets_state(options, *model.model())};
    for (std::size_t i = 0; i < requests.size(); ++i) {
        set_inputs(requests[i], sets[i % sets.size()]);
    }
    if (!options.no_warmup) {
        const auto begin = Clock::now();
        requests.front().infer();
        result.first_ms = milliseconds(Clock::now() - begin);
    }
    const std::size_t expected = options.iterations > 0 && options.iterations < 1 << 24
                                     ? static_cast<std::size_t>(options.iterations)
                                     : 0;
    result.latencies_ms.reserve(expected);
    result.sets.reserve(expected);
    if (options.is_async()) {
        run_async(requests, sets, options, before, result);
    } else {
        run_sync(requests.front(), sets, options, before, result);
    }
    if (options.no_warmup && !result.latencies_ms.empty()) {
        result.first_ms = result.latencies_ms.front();
    }
    return result;
}

}  // namespace fuseq::samples
