// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/threading/team.hpp"

#include <sched.h>

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

// Until done(value). `awaited`: the core of the thread that is waited for. A thread that loses its
// core while it goes round the loop has used up its share of it: for some time it sleeps at once,
// after which the system gives it a core as soon as there is something to do.
template <class Done>
void wait_for(const std::atomic<int>& value, const std::atomic<int>& awaited, const Done& done) {
    using Clock = std::chrono::steady_clock;
    static const std::chrono::microseconds longest = longest_spin();
    constexpr std::chrono::microseconds kLost{300};
    constexpr std::chrono::milliseconds kCrowded{20};
    constexpr int kTurns = 64;  // of the loop, for one look at the clock and the cores
    thread_local Clock::time_point crowded_until;
    const Clock::time_point begin = Clock::now();
    const Clock::time_point end = begin < crowded_until ? begin : begin + longest;
    for (Clock::time_point last = begin; last <= end;) {
        for (int turn = 0; turn < kTurns; ++turn) {
            if (done(value.load(std::memory_order_acquire))) {
                return;
            }
            pause();
        }
        if (awaited.load(std::memory_order_relaxed) == sched_getcpu()) {
            break;  // it cannot go on while this thread goes round a loop
        }
        const Clock::time_point now = Clock::now();
        if (now - last > kLost) {
            crowded_until = now + kCrowded;
            break;
        }
        last = now;
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

// Kept from team to team: an inference allocates nothing.
std::vector<Team::Member>& Team::members_of_this_thread() {
    thread_local std::vector<Member> members;
    return members;
}

Team::Team() : members_(members_of_this_thread()) {
    const auto count = static_cast<std::size_t>(omp_get_max_threads());
    if (members_.size() < count) {
        members_ = std::vector<Member>(count);
    }
    for (Member& member : members_) {
        member.begun.store(0, std::memory_order_relaxed);
        member.done.store(0, std::memory_order_relaxed);
        member.core.store(-1, std::memory_order_relaxed);
    }
}

void Team::begin(std::size_t size) {
    size_ = size;
    current_team = this;
}

void Team::end() {
    current_team = nullptr;
    post(kEnd);
}

bool Team::takes(Member& member, int number) {
    int before = number - 1;
    return member.begun.compare_exchange_strong(before, number);
}

void Team::run(Job job, const void* context, Parts parts) {
    job_ = job;
    context_ = context;
    const int number = ++jobs_;
    post(number);
    current_team = nullptr;
    job(context, 0, size_);
    for (std::size_t id = 1; id < size_; ++id) {
        Member& member = members_[id];
        // Looked at first: a line that is only read stays with its thread too.
        if (parts == Parts::kIndependent && member.begun.load() != number &&
            takes(member, number)) {
            job(context, id, size_);
            member.done.store(number, std::memory_order_relaxed);
        }
    }
    for (std::size_t id = 1; id < size_; ++id) {
        wait_for(members_[id].done, members_[id].core,
                 [number](int done) { return done == number; });
    }
    current_team = this;
}

void Team::post(int number) {
    core_.store(sched_getcpu(), std::memory_order_relaxed);
    posted_.store(number);
    posted_.notify_all();
}

void Team::serve(std::size_t id, std::size_t size) {
    Member& member = members_[id];
    for (int seen = 0;;) {
        wait_for(posted_, core_, [seen](int posted) { return posted != seen; });
        seen = posted_.load();
        if (seen == kEnd) {
            return;
        }
        if (takes(member, seen)) {  // else it is done, and there may be others
            member.core.store(sched_getcpu(), std::memory_order_relaxed);
            job_(context_, id, size);
            member.done.store(seen);
            member.done.notify_one();
        }
    }
}

}  // namespace fuseq::cpu
