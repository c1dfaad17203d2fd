// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/task_threads.hpp"

#include <utility>

#include <oneapi/tbb/concurrent_queue.h>

namespace fuseq {

// An empty task ends the threads.
struct TaskThreads::Queue {
    tbb::concurrent_bounded_queue<std::function<void()>> tasks;
};

TaskThreads::TaskThreads(std::size_t count) : count_(count), queue_(std::make_shared<Queue>()) {}

TaskThreads::~TaskThreads() {
    if (!threads_.empty()) {
        queue_->tasks.push(nullptr);
    }
    for (std::thread& thread : threads_) {
        if (thread.get_id() == std::this_thread::get_id()) {
            thread.detach();
        } else {
            thread.join();
        }
    }
}

void TaskThreads::start() {
    const std::lock_guard lock(starting_);
    while (threads_.size() < count_) {
        threads_.emplace_back([queue = queue_] { work(*queue); });
    }
}

void TaskThreads::submit(std::function<void()> task) {
    start();
    queue_->tasks.push(std::move(task));
}

void TaskThreads::work(Queue& queue) {
    while (true) {
        std::function<void()> task;
        queue.tasks.pop(task);
        if (task) {
            task();
            continue;
        }
        // Goes round the threads, and after what a task has submitted meanwhile. Threads that
        // wait for a task make the size negative.
        const bool last = queue.tasks.size() <= 0;
        queue.tasks.push(nullptr);
        if (last) {
            return;
        }
    }
}

}  // namespace fuseq
