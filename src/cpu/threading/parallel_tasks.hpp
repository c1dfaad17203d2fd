// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>

#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {

// task(i) for i < count, on the threads of the team; for tasks that take memory from the heap. No
// exception may leave a thread of the team: the last one is thrown here when all have ended, and
// what its thread had still to do is not done.
template <class Task>
void parallel_tasks(std::size_t count, const Task& task) {
    std::exception_ptr failure;
    std::mutex mutex;
    parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
        try {
            for (std::size_t i = begin; i < end; ++i) {
                task(i);
            }
        } catch (...) {
            const std::scoped_lock lock(mutex);
            failure = std::current_exception();
        }
    });
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace fuseq::cpu
