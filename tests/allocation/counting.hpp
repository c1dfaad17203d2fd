// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Counts what the process asks of the heap, and the mutexes that it locks, between two points. The
// program that links counting.cpp has its own malloc and pthread_mutex_lock, which count and call
// those of the C library.
#pragma once

#include <cstddef>
#include <string>

namespace fuseq::test {

struct Counts {
    std::size_t allocations = 0;  // malloc, calloc, realloc, aligned forms; operator new calls them
    std::size_t locks = 0;        // pthread_mutex_lock, which std::mutex calls
    std::size_t in_onednn = 0;    // allocations and locks with a function of oneDNN on the stack
    std::string first;            // the stack of the first allocation that is not oneDNN's
};

// Of all threads. One at a time.
class Counting {
public:
    Counting();
    ~Counting();
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;
    // Ends it.
    Counts stop();
};

}  // namespace fuseq::test
