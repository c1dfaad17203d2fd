// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

namespace fuseq::cpu {

// Which stream a request runs as: requests that run at the same time have different ones while
// there are any, and a thread gets the one that it had last if that is free, where its caches are
// warm. Thread-safe.
class StreamSlots {
public:
    explicit StreamSlots(std::size_t streams) : running_(streams, 0) {}

    std::size_t take() {
        const std::lock_guard lock(mutex_);
        const auto idlest = std::min_element(running_.begin(), running_.end());
        const bool again = last_ < running_.size() && running_[last_] == *idlest;
        last_ = again ? last_ : static_cast<std::size_t>(idlest - running_.begin());
        ++running_[last_];
        return last_;
    }
    void give_back(std::size_t stream) {
        const std::lock_guard lock(mutex_);
        --running_[stream];
    }

private:
    std::mutex mutex_;
    std::vector<int> running_;  // requests, by stream
    static inline thread_local std::size_t last_ = 0;
};

// The stream of one run.
class StreamSlot {
public:
    explicit StreamSlot(StreamSlots& slots) : slots_(slots), stream_(slots.take()) {}
    ~StreamSlot() { slots_.give_back(stream_); }
    StreamSlot(const StreamSlot&) = delete;
    StreamSlot& operator=(const StreamSlot&) = delete;

    std::size_t stream() const { return stream_; }

private:
    StreamSlots& slots_;
    std::size_t stream_;
};

}  // namespace fuseq::cpu
