// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/runtime/team.hpp"

#include <chrono>
#include <cstdlib>
#include <string_view>

namespace fuseq::cpu {
namespace {

thread_local Team* current_team = nullptr;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Threads go round a loop for so long before they sleep. Waking one takes 30 to 60 us; but where
// other processes want the cores, each wait takes this long from them and then from us.
std::chrono::microseconds longest_spin() {
    constexpr std::chrono::microseconds kSpin{60};
    const char* const policy = std::getenv("OMP_WAIT_POLICY");
    const char* const count = std::getenv("GOMP_SPINCOUNT");
    const bool passive = (policy != nullptr && (*policy == 'p' || *policy == 'P')) ||
                         (count != nullptr && std::string_view(count) == "0");
    return passive ? std::chrono::microseconds{0} : kSpin;
}

// Until `value` is no longer `old`, or no longer differs from it.
template <class Done>
void wait_for(const std::atomic<int>& value, const Done& done) {
    static const std::chrono::microseconds longest = longest_spin();
    constexpr int kTurns = 64;  // of the loop, for one look at the clock
    using Clock = std::chrono::steady_clock;
    for (auto end = Clock::time_point::max(); Clock::now() < end;) {
        for (int turn = 0; turn < kTurns; ++turn) {
            if (done(value.load(std::memory_order_acquire))) {
                return;
            }
            pause();
        }
        if (end == Clock::time_point::max()) {
            end = Clock::now() + longest;
        }
    }
    for (int seen = value.load(); !done(seen); seen = value.load()) {
        value.wait(seen);
    }
}

}  // namespace

Team* Team::current() {
    return current_team;
}

bool Team::may_open() {
    return current_team == nullptr && omp_get_max_threads() > 1 && omp_in_parallel() == 0;
}

void Team::begin(std::size_t size) {
    size_ = size;
    current_team = this;
}

void Team::end() {
    current_team = nullptr;
    post(nullptr, nullptr);
}

void Team::run(Job job, const void* context) {
    working_.store(static_cast<int>(size_) - 1, std::memory_order_relaxed);
    post(job, context);
    current_team = nullptr;
    job(context, 0, size_);
    current_team = this;
    wait_for(working_, [](int working) { return working == 0; });
}

void Team::post(Job job, const void* context) {
    job_ = job;
    context_ = context;
    posted_.fetch_add(1);
    posted_.notify_all();
}

void Team::serve(std::size_t id, std::size_t size) {
    for (int seen = 0;; ++seen) {
        wait_for(posted_, [seen](int posted) { return posted != seen; });
        if (job_ == nullptr) {
            return;
        }
        job_(context_, id, size);
        if (working_.fetch_sub(1) == 1) {
            working_.notify_one();
        }
    }
}

}  // namespace fuseq::cpu
