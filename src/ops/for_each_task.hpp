// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels whose tasks do not depend on each other: a plugin may spread them over its threads.
#pragma once

#include <cstddef>
#include <functional>

namespace fuseq {

// Calls task(i) for i of [0, count), in any order.
using ForEachTask = void (*)(std::size_t count, const std::function<void(std::size_t)>& task);

inline void one_task_at_a_time(std::size_t count, const std::function<void(std::size_t)>& task) {
    for (std::size_t i = 0; i < count; ++i) {
        task(i);
    }
}

}  // namespace fuseq
