// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The one way in which the plugin's own kernels use threads: the OpenMP team that oneDNN uses too,
// so that two pools never fight for the cores (DESIGN section 8).
#pragma once

#include <algorithm>
#include <cstddef>

#include <omp.h>

#include "cpu/threading/shared_pieces.hpp"
#include "cpu/threading/team.hpp"

namespace fuseq::cpu {

// Calls function(id, size) for every thread: of the team that this thread leads, or of a region.
template <class Function>
void in_every_thread(const Function& function, Team::Parts parts = Team::Parts::kIndependent) {
    if (Team* team = Team::current()) {
        // As out of a region of OpenMP: what a job threw would leave the others at work on it.
        team->run(
            [](const void* context, std::size_t id, std::size_t size) noexcept {
                (*static_cast<const Function*>(context))(id, size);
            },
            &function, parts);
        return;
    }
#pragma omp parallel
    function(static_cast<std::size_t>(omp_get_thread_num()),
             static_cast<std::size_t>(omp_get_num_threads()));
}

// Whether what is started here has no other threads.
inline bool is_alone() {
    return omp_get_max_threads() <= 1 || (omp_in_parallel() != 0 && Team::current() == nullptr);
}

// Whether the threads that this one starts have cores of different speed (ThreadCount).
inline thread_local bool uneven_cores = false;

// How many shares work is cut into that is cut beforehand: one a thread or, where cores differ,
// some more, of which a fast one takes more.
inline std::size_t work_shares() {
    constexpr std::size_t kSharesOfAThread = 4;
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    return threads > 1 && uneven_cores ? kSharesOfAThread * threads : threads;
}

// Splits [0, count) into one contiguous range a thread, each a multiple of `grain` but for the
// last, and calls function(begin, end). The split does not change any result: a range is worked
// on as it would be alone. Where cores differ the ranges are shared out while they are worked on,
// so that a slow core holds the others for one short range at most.
//
// The team is always the whole one, even where it has more threads than there are pieces: libgomp
// ends the threads that a smaller team leaves over and makes new ones for the next larger team,
// which costs hundreds of microseconds. oneDNN does the same.
template <class Function>
void parallel_for(std::size_t count, std::size_t grain, const Function& function) {
    const std::size_t pieces = (count + grain - 1) / (grain == 0 ? 1 : grain);
    if (pieces <= 1 || is_alone()) {
        if (count != 0) {
            function(std::size_t{0}, count);
        }
        return;
    }
    if (uneven_cores) {
        SharedPieces left(pieces);
        in_every_thread([&](std::size_t, std::size_t size) {
            for (auto range = left.take(size); range.begin != range.end; range = left.take(size)) {
                function(range.begin * grain, std::min(range.end * grain, count));
            }
        });
        return;
    }
    in_every_thread([&](std::size_t id, std::size_t size) {
        const std::size_t first = pieces * id / size * grain;
        const std::size_t last = pieces * (id + 1) / size * grain;
        if (first < count && first < last) {
            function(first, last < count ? last : count);
        }
    });
}

// Calls function(id, size, wait) in every thread of the team, where wait() returns when all of them
// have called it: for work in steps that need each other's results. `alone`: one thread does it.
template <class Function>
void parallel_team(bool alone, const Function& function) {
    if (alone || is_alone()) {
        function(std::size_t{0}, std::size_t{1}, [] {});
        return;
    }
    const auto part = [&](std::size_t id, std::size_t size) {
        const auto wait = [] {
#pragma omp barrier
        };
        function(id, size, wait);
    };
    in_every_thread(part, Team::Parts::kTogether);
}

// Uses `threads` OpenMP threads for what this thread starts, until destroyed; 0: as many as before.
class ThreadCount {
public:
    explicit ThreadCount(int threads) : ThreadCount(threads, uneven_cores) {}
    // `uneven`: on cores of different speed.
    ThreadCount(int threads, bool uneven)
        : before_(omp_get_max_threads()), uneven_before_(uneven_cores) {
        if (threads > 0 && threads != before_) {
            omp_set_num_threads(threads);
        }
        uneven_cores = uneven;
    }
    ~ThreadCount() {
        uneven_cores = uneven_before_;
        if (omp_get_max_threads() != before_) {
            omp_set_num_threads(before_);
        }
    }
    ThreadCount(const ThreadCount&) = delete;
    ThreadCount& operator=(const ThreadCount&) = delete;

private:
    int before_;
    bool uneven_before_;
};

}  // namespace fuseq::cpu
