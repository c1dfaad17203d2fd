// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Compile-time work on several threads: tasks that do not depend on each other.
#pragma once

#include <cstddef>
#include <functional>

namespace fuseq {

// Calls task(0) to task(count - 1), on the calling thread and up to threads - 1 more; which thread
// takes which is not fixed. Returns when all are done. When some throw, the exception of the one
// with the smallest number is thrown again, and no new ones are begun after it.
void run_tasks(std::size_t count,
               std::size_t threads,
               const std::function<void(std::size_t)>& task);

}  // namespace fuseq
