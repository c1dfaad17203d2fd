// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace fuseq::cpu {

// Numbers from 0 that threads take in ranges until there are none: long ranges first, because
// taking one costs something, then ever shorter ones, so that all threads end at about the same
// time.
class SharedPieces {
public:
    explicit SharedPieces(std::size_t count) : count_(count) {}

    struct Range {
        std::size_t begin;
        std::size_t end;
    };

    // Half of an even share of what is left, for one of `threads`. Empty when there is nothing.
    Range take(std::size_t threads) {
        std::size_t begin = next_.load(std::memory_order_relaxed);
        while (begin < count_) {
            const std::size_t size = std::max<std::size_t>((count_ - begin) / (2 * threads), 1);
            if (next_.compare_exchange_weak(begin, begin + size, std::memory_order_relaxed)) {
                return {begin, begin + size};
            }
        }
        return {count_, count_};
    }

private:
    const std::size_t count_;
    std::atomic<std::size_t> next_ = 0;
};

}  // namespace fuseq::cpu
