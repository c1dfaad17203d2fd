// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products with weights of 8 and 4 bits beside oneDNN's product with the same weights in f32, and
// beside reading as many bytes. Arguments: rows, depth, channels, groups of the depth. Threads:
// OMP_NUM_THREADS. Counters: bytes of the weights and multiply-accumulates a second.
#include <benchmark/benchmark.h>

#include <dnnl.hpp>
#include <numeric>
#include <vector>

#include "bench_data.hpp"
#include "cpu/kernels/gemm/compressed_matrix.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::bench {
namespace {

struct Product {
    std::size_t rows, depth, channels, groups;
};

Product product_of(const benchmark::State& state) {
    return {argument(state, 0), argument(state, 1), argument(state, 2), argument(state, 3)};
}

void count(benchmark::State& state, const Product& p, std::size_t weight_bytes) {
    count_bytes(state, weight_bytes);
    state.counters["MAC/s"] = benchmark::Counter(static_cast<double>(p.rows * p.depth * p.channels),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

kernels::CompressedMatrix matrix_of(const Product& p, ElementType type) {
    kernels::CompressedMatrix matrix({type, p.channels, p.depth, p.groups});
    const auto codes = random_bytes(byte_size_of(type, p.channels * p.depth));
    const std::vector<float> scales(p.channels * p.groups, 0.01f);
    std::vector<float> zero_points;
    if (type == ElementType::u8 || type == ElementType::u4) {
        zero_points.assign(scales.size(), 7.0f);
        zero_points[0] = 8.0f;
    }
    matrix.pack({codes.data(), true, scales, zero_points});
    return matrix;
}

void own(benchmark::State& state, ElementType type) {
    const Product p = product_of(state);
    const kernels::CompressedMatrix matrix = matrix_of(p, type);
    const auto src = random_floats(p.rows * p.depth);
    std::vector<float> dst(p.rows * p.channels);
    std::vector<float> work(matrix.work_size(p.rows));
    const bool few = p.rows <= kernels::CompressedMatrix::kMaxStreamedRows;
    for (auto _ : state) {
        if (few) {
            matrix.prepare(src.data(), p.rows, work.data());
        }
        cpu::parallel_for(matrix.panels(), 1, [&](std::size_t begin, std::size_t end) {
            if (few) {
                matrix.stream(src.data(), p.rows, work.data(), dst.data(), {begin, end});
            } else {
                matrix.multiply(src.data(), p.rows, dst.data(), {begin, end});
            }
        });
        benchmark::ClobberMemory();
    }
    count(state, p, matrix.bytes());
}

// The ceiling of few rows: as many bytes, read and added up.
std::uint64_t sum_of(const std::uint64_t* words, std::size_t count) {
    constexpr std::size_t kSums = 16;  // one would wait for itself
    std::uint64_t sums[kSums] = {};
    for (std::size_t i = 0; i + kSums <= count; i += kSums) {
        for (std::size_t s = 0; s < kSums; ++s) {
            sums[s] += words[i + s];
        }
    }
    return std::accumulate(sums, sums + kSums, std::uint64_t{0});
}

void read_bytes(benchmark::State& state) {
    const Product p = product_of(state);
    const std::vector<std::uint64_t> words(p.depth * p.channels / sizeof(std::uint64_t), 1);
    for (auto _ : state) {
        cpu::parallel_for(words.size(), 1024, [&](std::size_t begin, std::size_t end) {
            benchmark::DoNotOptimize(sum_of(words.data() + begin, end - begin));
        });
    }
    count(state, p, words.size() * sizeof(std::uint64_t));
}

void onednn(benchmark::State& state) {
    using dnnl::memory;
    const Product p = product_of(state);
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    dnnl::stream stream(engine);
    const auto dim = [](std::size_t size) { return static_cast<memory::dim>(size); };
    const auto f32 = memory::data_type::f32;
    const memory::desc src({dim(p.rows), dim(p.depth)}, f32, memory::format_tag::ab);
    const memory::desc any({dim(p.depth), dim(p.channels)}, f32, memory::format_tag::any);
    const memory::desc dst({dim(p.rows), dim(p.channels)}, f32, memory::format_tag::ab);
    const dnnl::matmul::primitive_desc desc({src, any, dst}, engine);
    const auto filled = [&](const memory::desc& layout) {
        memory values(layout, engine);
        auto* begin = static_cast<float*>(values.get_data_handle());
        std::fill(begin, begin + layout.get_size() / sizeof(float), 0.5f);
        return values;
    };
    const std::unordered_map<int, memory> arguments{{DNNL_ARG_SRC, filled(src)},
                                                    {DNNL_ARG_WEIGHTS, filled(desc.weights_desc())},
                                                    {DNNL_ARG_DST, filled(dst)}};
    const dnnl::matmul primitive(desc);
    for (auto _ : state) {
        primitive.execute(stream, arguments);
        stream.wait();
    }
    state.SetLabel(desc.impl_info_str());
    count(state, p, desc.weights_desc().get_size());
}

void sizes(benchmark::internal::Benchmark* bench) {
    for (const std::int64_t rows : {1, 2, 4, 8, 32, 128}) {
        bench->Args({rows, 4096, 4096, 32});
    }
    bench->Args({1, 4096, 4096, 1});
}

BENCHMARK(read_bytes)->Name("compressed/read")->Args({1, 4096, 4096, 1})->UseRealTime();
BENCHMARK_CAPTURE(own, i8, ElementType::i8)->Name("compressed/i8")->Apply(sizes)->UseRealTime();
BENCHMARK_CAPTURE(own, u8, ElementType::u8)->Name("compressed/u8")->Apply(sizes)->UseRealTime();
BENCHMARK_CAPTURE(own, i4, ElementType::i4)->Name("compressed/i4")->Apply(sizes)->UseRealTime();
BENCHMARK_CAPTURE(own, u4, ElementType::u4)->Name("compressed/u4")->Apply(sizes)->UseRealTime();
BENCHMARK_CAPTURE(own, nf4, ElementType::nf4)->Name("compressed/nf4")->Apply(sizes)->UseRealTime();
BENCHMARK(onednn)->Name("compressed/onednn_f32")->Apply(sizes)->UseRealTime();

}  // namespace
}  // namespace fuseq::bench
