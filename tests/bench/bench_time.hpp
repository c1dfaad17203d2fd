// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Wall time and processor time of a piece of work.
#pragma once

#include <sys/resource.h>

#include <chrono>

namespace fuseq::bench {

struct Time {
    double wall_ms = 0;
    double cpu_ms = 0;
};

inline double cpu_ms() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto ms = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) * 1e-3;
    };
    return ms(usage.ru_utime) + ms(usage.ru_stime);
}

template <class Work>
Time time_of(Work&& work) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const double cpu_begin = cpu_ms();
    work();
    return {std::chrono::duration<double, std::milli>(Clock::now() - begin).count(),
            cpu_ms() - cpu_begin};
}

}  // namespace fuseq::bench
