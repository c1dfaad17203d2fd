// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Puts the threads of a stream on its processors.
#pragma once

#include <vector>

#include "cpu/machine/placement.hpp"

namespace fuseq::cpu {

// While it lives, this thread and the OpenMP threads that it starts run where `place` says. The
// caller's own thread is put back at the end. The others stay, as they are this thread's: the next
// stream that runs in it with so many threads finds them in place. After ThreadCount.
class PlacedThreads {
public:
    explicit PlacedThreads(const StreamPlace& place);
    ~PlacedThreads();
    PlacedThreads(const PlacedThreads&) = delete;
    PlacedThreads& operator=(const PlacedThreads&) = delete;

private:
    std::vector<int> before_;  // of this thread; empty: it was not moved
};

}  // namespace fuseq::cpu
