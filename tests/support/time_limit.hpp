// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace fuseq::test {

// Far more than anything here takes on a machine that does other work too.
inline constexpr std::chrono::seconds kLongEnough{60};

// For what cannot be given up waiting for, a destructor say: ends the program, as a failure that
// says what did not happen, when it is not destroyed in time.
class TimeLimit {
public:
    explicit TimeLimit(std::string what, std::chrono::seconds limit = kLongEnough)
        : thread_([this, what = std::move(what), limit] {
              std::unique_lock lock(mutex_);
              if (!ended_.wait_for(lock, limit, [this] { return done_; })) {
                  std::fprintf(stderr, "time limit: %s: not within %lld s\n", what.c_str(),
                               static_cast<long long>(limit.count()));
                  std::_Exit(EXIT_FAILURE);
              }
          }) {}
    ~TimeLimit() {
        {
            const std::lock_guard lock(mutex_);
            done_ = true;
        }
        ended_.notify_one();
        thread_.join();
    }
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

private:
    std::mutex mutex_;
    std::condition_variable ended_;
    bool done_ = false;
    std::thread thread_;
};

}  // namespace fuseq::test
