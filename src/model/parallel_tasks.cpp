// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/parallel_tasks.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

namespace fuseq {

void run_tasks(std::size_t count,
               std::size_t threads,
               const std::function<void(std::size_t)>& task) {
    BackgroundTasks tasks(std::min(count, threads));
    for (std::size_t i = 0; i < count; ++i) {
        tasks.add([&task, i] { task(i); });
    }
    tasks.finish();
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
