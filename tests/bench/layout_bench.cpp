// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Concatenation on channels and resize of u8, channels-last. Counter: bytes read and written a
// second.
#include <benchmark/benchmark.h>

#include <dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "bench_data.hpp"
#include "cpu/kernels/common/channel_copy.hpp"
#include "cpu/kernels/resize/resize.hpp"

namespace fuseq::bench {
namespace {

// Arguments: pixels, channels of the first and of the second input.
void concat_own(benchmark::State& state) {
    const std::size_t pixels = argument(state, 0);
    const std::size_t a = argument(state, 1);
    const std::size_t b = argument(state, 2);
    const auto first = random_bytes(pixels * a);
    const auto second = random_bytes(pixels * b);
    kernels::AlignedVector<std::uint8_t> dst(pixels * (a + b));
    const std::vector<kernels::ChannelCopy> copies{{first.data(), dst.data(), a, a + b, a},
                                                   {second.data(), dst.data() + a, b, a + b, b}};
    for (auto _ : state) {
        kernels::copy_channels(copies, {0, pixels});
        benchmark::ClobberMemory();
    }
    count_bytes(state, 2 * dst.size());
}

void concat_onednn(benchmark::State& state) {
    using namespace dnnl;
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const auto md = [&](std::int64_t channels) {
        return memory::desc({1, channels, state.range(0), 1}, memory::data_type::u8,
                            memory::format_tag::nhwc);
    };
    const std::vector<memory::desc> inputs{md(state.range(1)), md(state.range(2))};
    const concat::primitive_desc pd(md(state.range(1) + state.range(2)), 1, inputs, eng);
    memory first(inputs[0], eng), second(inputs[1], eng), dst(pd.dst_desc(), eng);
    const concat primitive(pd);
    const std::unordered_map<int, memory> args{
        {DNNL_ARG_MULTIPLE_SRC, first}, {DNNL_ARG_MULTIPLE_SRC + 1, second}, {DNNL_ARG_DST, dst}};
    for (auto _ : state) {
        primitive.execute(strm, args);
        strm.wait();
    }
    count_bytes(state, 2 * pd.dst_desc().get_size());
    state.SetLabel(pd.impl_info_str());
}

// Arguments: height = width of src, channels; twice the size, u8 to u8.
void resize_own(benchmark::State& state, bool linear) {
    const std::size_t size = argument(state, 0);
    const auto coordinates = kernels::ResizeCoordinates::kHalfPixel;
    kernels::ResizeParams params;
    params.channels = argument(state, 1);
    params.src_height = params.src_width = size;
    params.rows = linear ? kernels::linear_axis(size, 2 * size, 2.0, coordinates)
                         : kernels::nearest_axis(size, 2 * size, 2.0, coordinates,
                                                 kernels::ResizeNearest::kRoundPreferFloor);
    params.columns = params.rows;
    const auto src = random_bytes(size * size * params.channels);
    kernels::AlignedVector<std::uint8_t> dst(4 * src.size());
    for (auto _ : state) {
        kernels::resize(params, src.data(), dst.data(), {0, 2 * size});
        benchmark::ClobberMemory();
    }
    count_bytes(state, src.size() + dst.size());
}

void resize_onednn(benchmark::State& state, dnnl::algorithm algorithm) {
    using namespace dnnl;
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const auto md = [&](std::int64_t size) {
        return memory::desc({1, state.range(1), size, size}, memory::data_type::u8,
                            memory::format_tag::nhwc);
    };
    const resampling_forward::desc desc(prop_kind::forward_inference, algorithm, {2.0f, 2.0f},
                                        md(state.range(0)), md(2 * state.range(0)));
    const resampling_forward::primitive_desc pd(desc, eng);
    memory src(pd.src_desc(), eng), dst(pd.dst_desc(), eng);
    const resampling_forward primitive(pd);
    const std::unordered_map<int, memory> args{{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    for (auto _ : state) {
        primitive.execute(strm, args);
        strm.wait();
    }
    count_bytes(state, src.get_desc().get_size() + dst.get_desc().get_size());
    state.SetLabel(pd.impl_info_str());
}

void concats(benchmark::internal::Benchmark* b) {
    b->ArgNames({"pixels", "a", "b"})->Unit(benchmark::kMicrosecond);
    b->Args({56 * 56, 64, 64})
        ->Args({28 * 28, 128, 32})
        ->Args({104 * 104, 24, 8})
        ->Args({256 * 256, 32, 32});
}

void resizes(benchmark::internal::Benchmark* b) {
    b->ArgNames({"hw", "c"})->Unit(benchmark::kMicrosecond)->Args({28, 128})->Args({64, 32});
}

BENCHMARK(concat_own)->Apply(concats);
BENCHMARK(concat_onednn)->Apply(concats);
BENCHMARK_CAPTURE(resize_own, nearest, false)->Apply(resizes);
BENCHMARK_CAPTURE(resize_onednn, nearest, dnnl::algorithm::resampling_nearest)->Apply(resizes);
BENCHMARK_CAPTURE(resize_own, linear, true)->Apply(resizes);
BENCHMARK_CAPTURE(resize_onednn, linear, dnnl::algorithm::resampling_linear)->Apply(resizes);

}  // namespace
}  // namespace fuseq::bench
