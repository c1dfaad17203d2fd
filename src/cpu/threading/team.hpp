// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One OpenMP region that stays open over many steps: its threads wait for one job after the other.
// A job costs some 0.3 us more than its work, a region of its own 1 to 1.6, and a model has
// hundreds of them. The threads are those of OpenMP, so that there is still one pool
// (parallel.hpp).
//
// A machine may have other work for its cores. The part of a thread that has not begun when the
// leading one has done its own is done by that one, and a thread that waits for another on its own
// core leaves it the core at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <vector>

#include <omp.h>

namespace fuseq::cpu {

class Team {
public:
    using Job = void (*)(const void* context, std::size_t id, std::size_t size) noexcept;

    // Whether the parts of a job may be done in any order, or wait for each other.
    enum class Parts { kIndependent, kTogether };

    // The team that this thread leads; null while it has none, and while it works on a job.
    static Team* current();
    // Whether open() would make a team of several threads.
    static bool may_open();

    // Calls lead() in this thread, which then leads a team: jobs are run by all its threads. What
    // lead() calls may not start OpenMP regions of its own: they would have one thread.
    template <class Lead>
    static void open(const Lead& lead) {
        Team team;
        std::exception_ptr failure;
#pragma omp parallel
        {
            if (omp_get_thread_num() == 0) {
                team.begin(static_cast<std::size_t>(omp_get_num_threads()));
                try {
                    lead();
                } catch (...) {
                    failure = std::current_exception();
                }
                team.end();
            } else {
                team.serve(static_cast<std::size_t>(omp_get_thread_num()),
                           static_cast<std::size_t>(omp_get_num_threads()));
            }
        }
        if (failure) {
            std::rethrow_exception(failure);
        }
    }

    // Calls job(context, id, size) once for every thread of the team: in that thread or, where the
    // parts are independent, in the leading one if that has nothing else to do and the other has
    // not begun. Returns when all have returned. In the leading thread only.
    void run(Job job, const void* context, Parts parts = Parts::kIndependent);

private:
    static constexpr std::size_t kCacheLine = 64;
    static constexpr int kEnd = -1;  // instead of the number of a job

    // What a thread and the leading one tell each other. Jobs are numbered from 1.
    struct alignas(kCacheLine) Member {
        std::atomic<int> begun = 0;  // the last job of which somebody has begun the part
        std::atomic<int> done = 0;   // the last job of which the part is done
        std::atomic<int> core = -1;  // where the thread was when it began
    };

    static std::vector<Member>& members_of_this_thread();

    Team();
    void begin(std::size_t size);
    void end();
    void serve(std::size_t id, std::size_t size);
    void post(int number);
    // Whether the part of `member` is the caller's to do.
    static bool takes(Member& member, int number);

    std::vector<Member>& members_;  // by number of the thread
    std::size_t size_ = 1;
    Job job_ = nullptr;
    const void* context_ = nullptr;
    int jobs_ = 0;                                     // so far
    alignas(kCacheLine) std::atomic<int> posted_ = 0;  // the number of the last one
    std::atomic<int> core_ = -1;                       // where the leading thread was then
};

}  // namespace fuseq::cpu
