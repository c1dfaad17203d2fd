// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that run what is submitted to them: streams of a device, and the thread of asynchronous
// requests of a device without streams. They are threads of their own and not those of oneTBB
// (docs/decisions/011_threads_of_requests.md): a task may wait for another one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace fuseq {

// Thread-safe. Tasks begin in the order in which they came, one at a time in each thread; they must
// not throw. What a task holds is destroyed before its thread takes the next one. Threads are
// started with the first task, and sleep while there is none.
class TaskThreads {
public:
    explicit TaskThreads(std::size_t count);
    // Runs what is queued, and what that submits, and ends the threads. It may run in one of them
    // (the last owner of a compiled model may be a request that has just finished): that one ends
    // after its task.
    ~TaskThreads();
    TaskThreads(const TaskThreads&) = delete;
    TaskThreads& operator=(const TaskThreads&) = delete;

    // Throws std::system_error, and takes nothing, where a thread cannot be started.
    void submit(std::function<void()> task);

private:
    struct Queue;
    void start();
    static void work(Queue& queue);

    const std::size_t count_;
    std::shared_ptr<Queue> queue_;  // outlives the object while a thread that destroyed it goes on
    std::mutex starting_;
    std::vector<std::thread> threads_;
};

}  // namespace fuseq
