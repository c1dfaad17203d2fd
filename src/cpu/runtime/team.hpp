// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One OpenMP region that stays open over many steps: its threads wait for one job after the other.
// A job costs some 0.3 us more than its work, a region of its own 1 to 1.6, and a model has
// hundreds of them. The threads are those of OpenMP, so that there is still one pool
// (parallel.hpp).
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

#include <omp.h>

namespace fuseq::cpu {

class Team {
public:
    using Job = void (*)(const void* context, std::size_t id, std::size_t size) noexcept;

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

    // Calls job(context, id, size) once in every thread of the team. In the leading thread only.
    void run(Job job, const void* context);

private:
    static constexpr std::size_t kCacheLine = 64;

    void begin(std::size_t size);
    void end();
    void serve(std::size_t id, std::size_t size);
    void post(Job job, const void* context);

    Job job_ = nullptr;
    const void* context_ = nullptr;
    std::size_t size_ = 1;
    alignas(kCacheLine) std::atomic<int> posted_ = 0;   // jobs so far
    alignas(kCacheLine) std::atomic<int> working_ = 0;  // threads that have not finished the last
};

}  // namespace fuseq::cpu
