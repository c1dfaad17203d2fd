// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Softmax and layer normalisation of f32 rows to f32 or u8. Arguments: rows, length. Counter: f32
// bytes read and written a second (u8 results count as if they were f32, to compare times).
#include <benchmark/benchmark.h>

#include <dnnl.hpp>
#include <unordered_map>

#include "bench_data.hpp"
#include "cpu/kernels/reduce/rows.hpp"

namespace fuseq::bench {
namespace {

void softmax_own(benchmark::State& state, ElementType dst_type) {
    const std::size_t rows = argument(state, 0);
    const std::size_t length = argument(state, 1);
    const auto src = random_floats(rows * length);
    kernels::AlignedVector<float> dst(src.size());
    const kernels::SoftmaxParams params{.length = length, .dst_type = dst_type, .scale = 255.0f};
    for (auto _ : state) {
        kernels::softmax(params, src.data(), dst.data(), {0, rows});
        benchmark::ClobberMemory();
    }
    count_bytes(state, 8 * src.size());
}

void layer_norm_own(benchmark::State& state, ElementType dst_type) {
    const std::size_t rows = argument(state, 0);
    const std::size_t length = argument(state, 1);
    const auto src = random_floats(rows * length);
    kernels::AlignedVector<float> dst(src.size());
    const auto gamma = random_floats(length);
    const auto beta = random_floats(length);
    kernels::LayerNormParams params;
    params.length = length;
    params.dst_type = dst_type;
    params.gamma = gamma;
    params.beta = beta;
    for (auto _ : state) {
        kernels::layer_norm(params, src.data(), dst.data(), {0, rows});
        benchmark::ClobberMemory();
    }
    count_bytes(state, 8 * src.size());
}

struct Matrices {
    explicit Matrices(const benchmark::State& state)
        : md({static_cast<dnnl::memory::dim>(state.range(0)),
              static_cast<dnnl::memory::dim>(state.range(1))},
             dnnl::memory::data_type::f32,
             dnnl::memory::format_tag::ab) {
        const auto values = random_floats(md.get_size() / sizeof(float));
        std::copy(values.begin(), values.end(), static_cast<float*>(src.get_data_handle()));
    }
    dnnl::engine eng{dnnl::engine::kind::cpu, 0};
    dnnl::stream strm{eng};
    dnnl::memory::desc md;
    dnnl::memory src{md, eng};
    dnnl::memory dst{md, eng};
};

void softmax_onednn(benchmark::State& state) {
    using namespace dnnl;
    Matrices m(state);
    const softmax_forward::desc desc(prop_kind::forward_inference, m.md, 1);
    const softmax_forward::primitive_desc pd(desc, m.eng);
    const softmax_forward primitive(pd);
    const std::unordered_map<int, memory> args{{DNNL_ARG_SRC, m.src}, {DNNL_ARG_DST, m.dst}};
    for (auto _ : state) {
        primitive.execute(m.strm, args);
        m.strm.wait();
    }
    count_bytes(state, 2 * m.md.get_size());
    state.SetLabel(pd.impl_info_str());
}

void layer_norm_onednn(benchmark::State& state) {
    using namespace dnnl;
    Matrices m(state);
    const auto flags = normalization_flags::use_scale_shift;
    const layer_normalization_forward::desc desc(prop_kind::forward_inference, m.md, 1e-5f, flags);
    const layer_normalization_forward::primitive_desc pd(desc, m.eng);
    memory weights(pd.weights_desc(), m.eng);
    std::fill_n(static_cast<float*>(weights.get_data_handle()), 2 * argument(state, 1), 1.5f);
    const layer_normalization_forward primitive(pd);
    const std::unordered_map<int, memory> args{
        {DNNL_ARG_SRC, m.src}, {DNNL_ARG_DST, m.dst}, {DNNL_ARG_SCALE_SHIFT, weights}};
    for (auto _ : state) {
        primitive.execute(m.strm, args);
        m.strm.wait();
    }
    count_bytes(state, 2 * m.md.get_size());
    state.SetLabel(pd.impl_info_str());
}

void shapes(benchmark::internal::Benchmark* b) {
    b->ArgNames({"rows", "n"})->Unit(benchmark::kMicrosecond);
    b->Args({12 * 128, 128})
        ->Args({128, 768})
        ->Args({1, 1000})
        ->Args({4096, 21})
        ->Args({4096, 2})
        ->Args({20000, 4});
}

BENCHMARK_CAPTURE(softmax_own, f32, ElementType::f32)->Apply(shapes);
BENCHMARK_CAPTURE(softmax_own, u8, ElementType::u8)->Apply(shapes);
BENCHMARK(softmax_onednn)->Apply(shapes);
BENCHMARK_CAPTURE(layer_norm_own, f32, ElementType::f32)->Apply(shapes);
BENCHMARK_CAPTURE(layer_norm_own, u8, ElementType::u8)->Apply(shapes);
BENCHMARK(layer_norm_onednn)->Apply(shapes);

}  // namespace
}  // namespace fuseq::bench
