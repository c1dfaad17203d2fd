// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One thread that runs tasks in the order they are submitted; started with the first task. It
// sleeps when there is nothing to do.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace fuseq {

class Worker {
public:
    Worker() = default;
    // Runs what was submitted, then ends the thread. Not to be called from a task.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // The task must not throw.
    void submit(std::function<void()> task);

private:
    void run();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> tasks_;
    bool stop_ = false;
    std::thread thread_;
};

}  // namespace fuseq
