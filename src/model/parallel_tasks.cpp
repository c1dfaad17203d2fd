// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/parallel_tasks.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace fuseq {

namespace {

// What the threads of one run_tasks() share.
class TaskLoop {
public:
    TaskLoop(std::size_t count, const std::function<void(std::size_t)>& task)
        : count_(count), task_(task) {}

    // Takes one task after the other.
    void run() noexcept {
        for (std::size_t i = next_++; i < count_; i = next_++) {
            try {
                task_(i);
            } catch (...) {
                keep(i, std::current_exception());
                next_ = count_;
            }
        }
    }

    void rethrow() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

private:
    void keep(std::size_t number, std::exception_ptr failure) {
        const std::lock_guard lock(mutex_);
        if (!failure_ || number < failed_at_) {
            failed_at_ = number;
            failure_ = std::move(failure);
        }
    }

    const std::size_t count_;
    const std::function<void(std::size_t)>& task_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex mutex_;
    std::size_t failed_at_ = 0;
    std::exception_ptr failure_;
};

// oneTBB prints a warning where an arena asks for more threads than this.
std::size_t allowed_threads() {
    return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
}

}  // namespace

void run_tasks(std::size_t count,
               std::size_t threads,
               const std::function<void(std::size_t)>& task) {
    TaskLoop loop(count, task);
    const std::size_t used = std::min({count, threads, allowed_threads()});
    if (used <= 1) {
        loop.run();
    } else {
        tbb::task_arena arena(static_cast<int>(used));
        arena.execute([&] {
            tbb::task_group helpers;
            for (std::size_t i = 1; i < used; ++i) {
                helpers.run([&] { loop.run(); });
            }
            loop.run();
            helpers.wait();
        });
    }
    loop.rethrow();
}

BackgroundTasks::~BackgroundTasks() {
    {
        const std::lock_guard lock(mutex_);
        deferred_.clear();
    }
    stop();
}

void BackgroundTasks::stop() {
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
    }
    wake_.notify_all();
    for (std::thread& helper : helpers_) {
        helper.join();
    }
    helpers_.clear();
}

// The lock is held on entry and on return, and not while the task runs.
bool BackgroundTasks::run_next(std::unique_lock<std::mutex>& lock) {
    if (deferred_.empty() || failure_) {
        return false;
    }
    Task task = std::move(deferred_.front());
    deferred_.pop_front();
    lock.unlock();
    std::exception_ptr failure;
    try {
        task.work();
    } catch (...) {
        failure = std::current_exception();
    }
    task.work = nullptr;  // what it holds may be large
    lock.lock();
    if (failure && (!failure_ || task.number < failed_at_)) {
        failed_at_ = task.number;
        failure_ = std::move(failure);
    }
    return true;
}

void BackgroundTasks::help() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [&] { return closed_ || !deferred_.empty(); });
        if (!run_next(lock) && (closed_ || failure_)) {
            return;
        }
    }
}

void BackgroundTasks::add(std::function<void()> task) {
    std::size_t after = 0;
    {
        const std::lock_guard lock(mutex_);
        deferred_.push_back({added_++, std::move(task)});
        after = deferred_.size();
    }
    wake_.notify_one();
    if (helpers_.size() < most_helpers_ && after > helpers_.size()) {
        try {
            helpers_.emplace_back([this] { help(); });
        } catch (const std::system_error&) {
            return;  // no more threads to be had: those that there are do the work
        }
    }
}

void BackgroundTasks::finish() {
    {
        std::unique_lock lock(mutex_);
        while (run_next(lock)) {
        }
    }
    stop();
    if (failure_) {
        deferred_.clear();
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

}  // namespace fuseq
