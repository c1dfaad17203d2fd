// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Compile-time work on several threads: tasks that do not depend on each other (decision 011).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fuseq {

// Calls task(0) to task(count - 1), begun in this order, on this thread and up to threads - 1 that
// oneTBB has. Returns when all are done. When some throw, the exception of the one with the
// smallest number is thrown again, and no new ones are begun after it. Tasks start no OpenMP
// regions.
void run_tasks(std::size_t count,
               std::size_t threads,
               const std::function<void(std::size_t)>& task);

// For tasks that become known one by one and may start OpenMP regions: helpers, threads of this
// object, begin with them while the thread goes on that adds them, and that alone calls the rest.
class BackgroundTasks {
public:
    // Up to threads - 1 helpers, the first of which is started with the first task.
    explicit BackgroundTasks(std::size_t threads) : most_helpers_(threads == 0 ? 0 : threads - 1) {}
    // Waits for tasks that have begun; the others are dropped.
    ~BackgroundTasks();
    BackgroundTasks(const BackgroundTasks&) = delete;
    BackgroundTasks& operator=(const BackgroundTasks&) = delete;

    // Without helpers the task waits for finish().
    void add(std::function<void()> task);
    // Helps, returns when all are done, and throws as run_tasks() does. Once.
    void finish();

private:
    struct Task {
        std::size_t number;
        std::function<void()> work;
    };
    void help();
    bool run_next(std::unique_lock<std::mutex>& lock);
    void stop();

    const std::size_t most_helpers_;
    std::vector<std::thread> helpers_;
    std::mutex mutex_;
    std::condition_variable wake_;  // a task has come, or no more will
    std::deque<Task> deferred_;
    std::size_t added_ = 0;
    bool closed_ = false;
    std::size_t failed_at_ = 0;
    std::exception_ptr failure_;
};

}  // namespace fuseq
