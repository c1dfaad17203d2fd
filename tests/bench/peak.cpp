// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_peak [THREADS]: the ceilings of this machine, as one line of JSON. What a model reaches is
// judged by them. The best of several rounds: a ceiling is what the silicon did at least once.
//   int8_gmacs          multiply-accumulates of u8 x s8 with AVX-512 VNNI, in 1e9 a second, all
//                       threads together
//   int8_vnni256_gmacs  the same with AVX-VNNI, or AVX-512 VNNI in 256 bits
//   int8_bytes_gmacs    with AVX2: vpmaddubsw, vpmaddwd, vpaddd
//   int8_signed_gmacs   the same of weights that could saturate: vpxor before them
//   int8_pairs_gmacs    with AVX2 on 16-bit integers: vpmaddwd, vpaddd
//   f32_gmacs           the same in f32 with AVX-512
//   f32_avx2_gmacs      with AVX2 and FMA
//   read_24mb           reading 24 MB a thread again and again, in 1e9 bytes a second: weights of a
//                       model
//   read_1gb            reading 1 GB a thread: beyond the caches
// A figure is null on a machine without the instructions.
#include <immintrin.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 20;
constexpr long kLoops = 5'000'000;
constexpr int kAccumulators = 12;  // enough to hide the latency of two ports

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Twelve independent accumulators, as operands of one statement so that they stay in registers.
#define FUSEQ_TWELVE(I)                                                           \
    I " %12, %13, %0;" I " %12, %13, %1;" I " %12, %13, %2;" I " %12, %13, %3;" I \
      " %12, %13, %4;" I " %12, %13, %5;" I " %12, %13, %6;" I " %12, %13, %7;" I \
      " %12, %13, %8;" I " %12, %13, %9;" I " %12, %13, %10;" I " %12, %13, %11;"
#define FUSEQ_OPERANDS                                                                  \
    "+v"(c[0]), "+v"(c[1]), "+v"(c[2]), "+v"(c[3]), "+v"(c[4]), "+v"(c[5]), "+v"(c[6]), \
        "+v"(c[7]), "+v"(c[8]), "+v"(c[9]), "+v"(c[10]), "+v"(c[11])

__attribute__((target("avx512f"))) void dot_products() {
    __m512i c[kAccumulators];
    for (auto& accumulator : c) {
        accumulator = _mm512_setzero_si512();
    }
    const __m512i a = _mm512_setzero_si512();
    for (long i = 0; i < kLoops; ++i) {
        __asm__ volatile(FUSEQ_TWELVE("vpdpbusd") : FUSEQ_OPERANDS : "v"(a), "v"(a));
    }
}

__attribute__((target("avx512f"))) void multiply_adds() {
    __m512 c[kAccumulators];
    for (auto& accumulator : c) {
        accumulator = _mm512_setzero_ps();
    }
    const __m512 a = _mm512_setzero_ps();
    for (long i = 0; i < kLoops; ++i) {
        __asm__ volatile(FUSEQ_TWELVE("vfmadd231ps") : FUSEQ_OPERANDS : "v"(a), "v"(a));
    }
}

// The same with 256 bits: twelve sums, one temporary vector, one source and ones.
#define FUSEQ_EACH(F) \
    F("%0")           \
    F("%1") F("%2") F("%3") F("%4") F("%5") F("%6") F("%7") F("%8") F("%9") F("%10") F("%11")
#define FUSEQ_DOT_VEX(SUM) "%{vex%} vpdpbusd %13, %13, " SUM ";"
#define FUSEQ_DOT_EVEX(SUM) "%{evex%} vpdpbusd %13, %13, " SUM ";"
#define FUSEQ_FMA(SUM) "vfmadd231ps %13, %13, " SUM ";"
#define FUSEQ_PAIRS(SUM) "vpmaddwd %13, %13, %12; vpaddd %12, " SUM ", " SUM ";"
#define FUSEQ_BYTES(SUM) \
    "vpmaddubsw %13, %13, %12; vpmaddwd %12, %14, %12; vpaddd %12, " SUM ", " SUM ";"
#define FUSEQ_SIGNED(SUM)                                                            \
    "vpxor %13, %14, %12; vpmaddubsw %12, %13, %12; vpmaddwd %12, %14, %12; vpaddd " \
    "%12, " SUM ", " SUM ";"
#define FUSEQ_LOOP(NAME, INSTRUCTIONS)                         \
    __attribute__((target("avx2,fma"))) void NAME() {          \
        __m256i c[kAccumulators];                              \
        for (auto& accumulator : c) {                          \
            accumulator = _mm256_setzero_si256();              \
        }                                                      \
        __m256i temporary = _mm256_setzero_si256();            \
        const __m256i a = _mm256_setzero_si256();              \
        const __m256i ones = _mm256_set1_epi16(1);             \
        for (long i = 0; i < kLoops; ++i) {                    \
            __asm__ volatile(FUSEQ_EACH(INSTRUCTIONS)          \
                             : FUSEQ_OPERANDS, "+x"(temporary) \
                             : "x"(a), "x"(ones));             \
        }                                                      \
    }

FUSEQ_LOOP(dot_products_vex, FUSEQ_DOT_VEX)
FUSEQ_LOOP(dot_products_evex, FUSEQ_DOT_EVEX)
FUSEQ_LOOP(multiply_adds_256, FUSEQ_FMA)
FUSEQ_LOOP(pairs, FUSEQ_PAIRS)
FUSEQ_LOOP(bytes, FUSEQ_BYTES)
FUSEQ_LOOP(signed_bytes, FUSEQ_SIGNED)

__attribute__((target("avx2"))) std::uint64_t read_all_256(const std::uint8_t* data,
                                                           std::size_t bytes) {
    constexpr std::size_t kVector = 32;
    __m256i sums[4] = {};
    for (std::size_t i = 0; i < bytes; i += 4 * kVector) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const auto* from = reinterpret_cast<const __m256i*>(data + i + lane * kVector);
            sums[lane] = _mm256_xor_si256(sums[lane], _mm256_load_si256(from));
        }
    }
    std::uint64_t words[kVector / sizeof(std::uint64_t)];
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(words),
        _mm256_xor_si256(_mm256_xor_si256(sums[0], sums[1]), _mm256_xor_si256(sums[2], sums[3])));
    return std::accumulate(std::begin(words), std::end(words), std::uint64_t{0});
}

__attribute__((target("avx512f"))) std::uint64_t read_all(const std::uint8_t* data,
                                                          std::size_t bytes) {
    constexpr std::size_t kVector = 64;
    __m512i sums[4] = {};
    for (std::size_t i = 0; i < bytes; i += 4 * kVector) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            sums[lane] = _mm512_xor_si512(sums[lane], _mm512_load_si512(data + i + lane * kVector));
        }
    }
    std::uint64_t words[kVector / sizeof(std::uint64_t)];
    _mm512_storeu_si512(words, _mm512_xor_si512(_mm512_xor_si512(sums[0], sums[1]),
                                                _mm512_xor_si512(sums[2], sums[3])));
    return std::accumulate(std::begin(words), std::end(words), std::uint64_t{0});
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
            const std::uint8_t* data = buffers[static_cast<std::size_t>(thread)].get();
            sum += __builtin_cpu_supports("avx512f") != 0 ? read_all(data, bytes)
                                                          : read_all_256(data, bytes);
        }
        volatile const std::uint64_t sink = sum;
        (void)sink;
    });
}

void print(const char* name, const std::optional<double>& value, const char* end) {
    if (value) {
        std::printf("\"%s\": %.1f%s", name, *value, end);
    } else {
        std::printf("\"%s\": null%s", name, end);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
    if (argc > 2 || threads < 1) {
        std::fprintf(stderr, "usage: bench_peak [THREADS]\n");
        return 2;
    }
    omp_set_dynamic(0);
    omp_set_num_threads(threads);
    const bool wide = __builtin_cpu_supports("avx512f") != 0;
    const bool vnni = wide && __builtin_cpu_supports("avx512vnni") != 0;
    constexpr std::size_t kMegabyte = std::size_t{1} << 20;
    constexpr double kInt8 = 64.0 * kAccumulators * kLoops;
    constexpr double kF32 = 16.0 * kAccumulators * kLoops;
    const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    const bool vex = avx2 && __builtin_cpu_supports("avxvnni") != 0;
    std::optional<double> int8, f32, near, far, vnni256, of_bytes, of_signed, of_pairs, f32_avx2;
    if (vnni) {
        int8 = best_rate(kInt8, [](int) { dot_products(); });
    }
    if (wide) {
        f32 = best_rate(kF32, [](int) { multiply_adds(); });
    }
    if (vex) {
        vnni256 = best_rate(kInt8 / 2, [](int) { dot_products_vex(); });
    } else if (vnni && __builtin_cpu_supports("avx512vl") != 0) {
        vnni256 = best_rate(kInt8 / 2, [](int) { dot_products_evex(); });
    }
    if (avx2) {
        of_bytes = best_rate(kInt8 / 2, [](int) { bytes(); });
        of_signed = best_rate(kInt8 / 2, [](int) { signed_bytes(); });
        of_pairs = best_rate(kInt8 / 4, [](int) { pairs(); });
        f32_avx2 = best_rate(kF32 / 2, [](int) { multiply_adds_256(); });
        near = read_speed(24 * kMegabyte, 16);
        far = read_speed(1024 * kMegabyte, 1);
    }
    std::printf("{\"threads\": %d, ", threads);
    print("int8_gmacs", int8, ", ");
    print("int8_vnni256_gmacs", vnni256, ", ");
    print("int8_bytes_gmacs", of_bytes, ", ");
    print("int8_signed_gmacs", of_signed, ", ");
    print("int8_pairs_gmacs", of_pairs, ", ");
    print("f32_gmacs", f32, ", ");
    print("f32_avx2_gmacs", f32_avx2, ", ");
    print("read_24mb", near, ", ");
    print("read_1gb", far, "}\n");
    return 0;
}
