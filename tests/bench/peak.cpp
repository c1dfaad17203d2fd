// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_peak [THREADS]: the ceilings of this machine, as one line of JSON. What a model reaches is
// judged by them. The best of several rounds: a ceiling is what the silicon did at least once.
//   level       of instructions, for the next two: FUSEQ_MAX_ISA, else the machine's highest
//   int8_gmacs  multiply-accumulates of bytes, exact, in 1e9 a second, all threads together
//   f32_gmacs   the same in f32
//   read_24mb   reading 24 MB a thread again and again, in 1e9 bytes a second: weights of a model
//   read_1gb    reading 1 GB a thread: beyond the caches
//   levels      for each level, each form of multiplying that it brought (samples/common/peak.hpp);
//               null where the machine has not the instructions
#include <immintrin.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "common/peak.hpp"

namespace fuseq::samples {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 20;
constexpr int kShortRounds = 100;  // of peak_of()

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// By vectors of 16 bytes, which every machine has: two loads a cycle are faster than any memory.
std::uint64_t read_all(const std::uint8_t* data, std::size_t bytes) {
    constexpr std::size_t kVector = 16;
    __m128i sums[4] = {};
    for (std::size_t i = 0; i < bytes; i += 4 * kVector) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const auto* const from = reinterpret_cast<const __m128i*>(data + i + lane * kVector);
            sums[lane] = _mm_xor_si128(sums[lane], _mm_load_si128(from));
        }
    }
    std::uint64_t words[2];
    _mm_storeu_si128(
        reinterpret_cast<__m128i*>(words),
        _mm_xor_si128(_mm_xor_si128(sums[0], sums[1]), _mm_xor_si128(sums[2], sums[3])));
    return words[0] ^ words[1];
}

// Runs `work` on every thread at once and counts `amount` for each; the best rate of all rounds.
template <class Work>
double best_rate(double amount, const Work& work) {
    double best = 0;
    for (int round = 0; round < kRounds; ++round) {
        double slowest = 0;
#pragma omp parallel reduction(max : slowest)
        {
#pragma omp barrier
            const Clock::time_point start = Clock::now();
            work(omp_get_thread_num());
            slowest = seconds_since(start);
        }
        best = std::max(best, amount * omp_get_max_threads() / slowest);
    }
    return best / 1e9;
}

struct Free {
    void operator()(std::uint8_t* data) const { std::free(data); }
};

double read_speed(std::size_t bytes, int passes) {
    using Buffer = std::unique_ptr<std::uint8_t, Free>;
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    const auto buffers = std::make_unique<Buffer[]>(threads);
#pragma omp parallel
    {
        constexpr std::size_t kPage = 4096;
        auto* data = static_cast<std::uint8_t*>(std::aligned_alloc(kPage, bytes));
        std::fill_n(data, bytes, std::uint8_t{1});
        buffers[static_cast<std::size_t>(omp_get_thread_num())].reset(data);
    }
    return best_rate(static_cast<double>(bytes) * passes, [&](int thread) {
        std::uint64_t sum = 0;
        for (int pass = 0; pass < passes; ++pass) {
            __asm__ volatile("" ::: "memory");  // each pass reads again
            sum += read_all(buffers[static_cast<std::size_t>(thread)].get(), bytes);
        }
        volatile const std::uint64_t sink = sum;
        (void)sink;
    });
}

// Of FUSEQ_MAX_ISA, else the highest of which this machine has a form.
std::string level_to_judge_by() {
    const char* const limit = std::getenv("FUSEQ_MAX_ISA");
    if (limit != nullptr && *limit != '\0') {
        return limit;
    }
    std::string highest;
    for (const PeakForm& form : peak_forms()) {
        // 256 bits in the EVEX form are no machine's best.
        if (form.is_here() && std::string(form.name) != "int8_dots_evex") {
            highest = form.level;
        }
    }
    return highest;
}

std::string levels_json(int threads) {
    std::string text;
    for (const char* const level : peak_levels()) {
        text += fmt::format("{}\"{}\": {{", text.empty() ? "" : ", ", level);
        std::string forms;
        for (const PeakForm& form : peak_forms()) {
            if (std::string(form.level) == level) {
                const std::string rate =
                    form.is_here() ? fmt::format("{:.1f}", peak_of(form, threads, kShortRounds))
                                   : "null";
                forms += fmt::format("{}\"{}\": {}", forms.empty() ? "" : ", ", form.name, rate);
            }
        }
        text += forms + "}";
    }
    return text;
}

}  // namespace
}  // namespace fuseq::samples

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
    if (argc > 2 || threads < 1) {
        std::fprintf(stderr, "usage: bench_peak [THREADS]\n");
        return 2;
    }
    using namespace fuseq::samples;  // NOLINT(google-build-using-namespace)
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    constexpr std::size_t kMegabyte = std::size_t{1} << 20;
    const std::string level = level_to_judge_by();
    const LevelPeaks peaks = peaks_of_level(level, threads, kShortRounds);
    const double near = read_speed(24 * kMegabyte, 16);
    const double far = read_speed(1024 * kMegabyte, 1);
    fmt::print(
        "{{\"threads\": {}, \"level\": \"{}\", \"int8_gmacs\": {:.1f}, \"f32_gmacs\": {:.1f}, "
        "\"read_24mb\": {:.1f}, \"read_1gb\": {:.1f}, \"levels\": {{{}}}}}\n",
        threads, level, peaks.int8, peaks.f32, near, far, levels_json(threads));
    return 0;
}
