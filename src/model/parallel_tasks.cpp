// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/parallel_tasks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace fuseq {
namespace {

class Tasks {
public:
    Tasks(std::size_t count, const std::function<void(std::size_t)>& task)
        : count_(count), task_(task), failed_at_(count) {}

    void work() {
        while (true) {
            const std::size_t i = next_.fetch_add(1);
            if (i >= count_ || has_failed_.load()) {
                return;
            }
            try {
                task_(i);
            } catch (...) {
                const std::lock_guard lock(mutex_);
                has_failed_ = true;
                if (i < failed_at_) {
                    failed_at_ = i;
                    failure_ = std::current_exception();
                }
            }
        }
    }

    void rethrow() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

private:
    const std::size_t count_;
    const std::function<void(std::size_t)>& task_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> has_failed_{false};
    std::mutex mutex_;
    std::size_t failed_at_;
    std::exception_ptr failure_;
};

}  // namespace

void run_tasks(std::size_t count,
               std::size_t threads,
               const std::function<void(std::size_t)>& task) {
    Tasks tasks(count, task);
    std::vector<std::thread> helpers;
    for (std::size_t i = 1; i < std::min(count, threads); ++i) {
        try {
            helpers.emplace_back([&] { tasks.work(); });
        } catch (const std::system_error&) {
            break;  // no more threads to be had: those that there are do the work
        }
    }
    tasks.work();
    for (std::thread& helper : helpers) {
        helper.join();
    }
    tasks.rethrow();
}

}  // namespace fuseq
