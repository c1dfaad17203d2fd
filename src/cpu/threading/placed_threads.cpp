// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/placed_threads.hpp"

#include <omp.h>

namespace fuseq::cpu {
namespace {

// Where the OpenMP threads of this thread are.
struct Placed {
    StreamPlace place;
    int threads = 0;
};
thread_local Placed placed;

void move_thread(const StreamPlace& place, int thread) {
    const auto count = static_cast<int>(place.processors.size());
    // A system that refuses, because the process lost a processor meanwhile, decides by itself.
    move_this_thread(
        place.pinned ? std::vector<int>{place.processors[static_cast<std::size_t>(thread % count)]}
                     : place.processors);
}

void move_team(const StreamPlace& place) {
#pragma omp parallel
    if (omp_get_thread_num() != 0) {
        move_thread(place, omp_get_thread_num());
    }
}

}  // namespace

PlacedThreads::PlacedThreads(const StreamPlace& place) {
    if (omp_in_parallel() != 0) {
        return;  // in a region of the user's, who has placed its threads
    }
    const int threads = omp_get_max_threads();
    if (place.processors.empty()) {
        if (!placed.place.processors.empty()) {
            move_team({.processors = processors_of_this_thread()});
            placed = {};
        }
        return;
    }
    before_ = processors_of_this_thread();
    move_thread(place, 0);
    // Threads that OpenMP starts anew are where this one is, all on one processor.
    if (placed.place != place || placed.threads != threads) {
        move_team(place);
        placed = {place, threads};
    }
}

PlacedThreads::~PlacedThreads() {
    if (!before_.empty()) {
        move_this_thread(before_);
    }
}

}  // namespace fuseq::cpu
