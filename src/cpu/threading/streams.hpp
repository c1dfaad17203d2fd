// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams: threads that run asynchronous requests, one request at a time each.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace fuseq::cpu {

// Thread-safe. Tasks are started in the order in which they came; they must not throw. Idle
// streams sleep. The destructor runs what is queued and joins; it may run on a stream itself (the
// last owner of a compiled model may be a request that has just finished).
class Streams {
public:
    explicit Streams(std::size_t count);
    ~Streams();
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;

    void submit(std::function<void()> task);
    std::size_t count() const { return threads_.size(); }

private:
    // Outlives the object while a stream that destroyed it returns from its task.
    struct State {
        std::mutex mutex;
        std::condition_variable wake;
        std::deque<std::function<void()>> tasks;
        bool closing = false;
    };
    static void work(const std::shared_ptr<State>& state);

    std::shared_ptr<State> state_ = std::make_shared<State>();
    std::vector<std::thread> threads_;
};

}  // namespace fuseq::cpu
