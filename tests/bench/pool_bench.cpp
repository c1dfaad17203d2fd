// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Average pooling u8 to u8, with a re-scale, and maximum pooling. Arguments: height = width of src,
// channels, kernel, stride. Counter: bytes of src read a second.
#include <benchmark/benchmark.h>

#include <dnnl.hpp>
#include <unordered_map>

#include "bench_data.hpp"
#include "cpu/kernels/pool/average_pool.hpp"
#include "cpu/kernels/pool/max_pool.hpp"

namespace fuseq::bench {
namespace {

struct Layer {
    std::size_t size, channels, kernel, stride;
    std::size_t out() const { return (size - kernel) / stride + 1; }
};

Layer layer_of(const benchmark::State& state) {
    return {argument(state, 0), argument(state, 1), argument(state, 2), argument(state, 3)};
}

void average_pool_own(benchmark::State& state) {
    const Layer l = layer_of(state);
    kernels::AveragePoolParams params;
    params.channels = l.channels;
    params.src_height = params.src_width = l.size;
    params.dst_height = params.dst_width = l.out();
    params.kernel_height = params.kernel_width = l.kernel;
    params.stride_height = params.stride_width = l.stride;
    params.scale = 1.25f;
    kernels::check_average_pool(params);
    const auto src = random_bytes(l.size * l.size * l.channels);
    kernels::AlignedVector<std::uint8_t> dst(l.out() * l.out() * l.channels);
    for (auto _ : state) {
        kernels::average_pool(params, src.data(), dst.data(), {0, l.out() * l.out()},
                              {0, l.channels});
        benchmark::ClobberMemory();
    }
    count_bytes(state, src.size());
}

template <class T>
void max_pool_own(benchmark::State& state) {
    const Layer l = layer_of(state);
    kernels::MaxPoolParams params;
    params.type = sizeof(T) == 1 ? ElementType::u8 : ElementType::f32;
    params.channels = l.channels;
    params.height = {.src = l.size, .dst = l.out(), .kernel = l.kernel, .stride = l.stride};
    params.width = params.height;
    kernels::check_max_pool(params);
    const auto src = random_bytes(l.size * l.size * l.channels * sizeof(T));
    kernels::AlignedVector<std::uint8_t> dst(l.out() * l.out() * l.channels * sizeof(T));
    for (auto _ : state) {
        kernels::max_pool(params, src.data(), dst.data(), {0, l.out()});
        benchmark::ClobberMemory();
    }
    count_bytes(state, src.size());
}

void pool_onednn(benchmark::State& state, dnnl::algorithm algorithm, dnnl::memory::data_type type) {
    using namespace dnnl;
    const Layer l = layer_of(state);
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const auto n = [](std::size_t v) { return static_cast<memory::dim>(v); };
    const auto md = [&](std::size_t size) {
        return memory::desc({1, n(l.channels), n(size), n(size)}, type, memory::format_tag::nhwc);
    };
    primitive_attr attr;
    if (algorithm != algorithm::pooling_max) {
        post_ops ops;
        ops.append_eltwise(1.0f, algorithm::eltwise_linear, 1.25f, 0.0f);
        attr.set_post_ops(ops);
    }
    const pooling_forward::desc desc(prop_kind::forward_inference, algorithm, md(l.size),
                                     md(l.out()), {n(l.stride), n(l.stride)},
                                     {n(l.kernel), n(l.kernel)}, {0, 0}, {0, 0});
    const pooling_forward::primitive_desc pd(desc, attr, eng);
    memory src(pd.src_desc(), eng), dst(pd.dst_desc(), eng);
    const auto bytes = random_bytes(src.get_desc().get_size());
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(src.get_data_handle()));
    const pooling_forward primitive(pd);
    const std::unordered_map<int, memory> args{{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    for (auto _ : state) {
        primitive.execute(strm, args);
        strm.wait();
    }
    count_bytes(state, bytes.size());
    state.SetLabel(pd.impl_info_str());
}

void layers(benchmark::internal::Benchmark* b) {
    b->ArgNames({"hw", "c", "k", "s"})->Unit(benchmark::kMicrosecond);
    b->Args({7, 1280, 7, 1})->Args({7, 2048, 7, 1})->Args({56, 64, 2, 2})->Args({28, 192, 3, 1});
}

BENCHMARK(average_pool_own)->Apply(layers);
BENCHMARK_CAPTURE(pool_onednn,
                  average,
                  dnnl::algorithm::pooling_avg_exclude_padding,
                  dnnl::memory::data_type::u8)
    ->Apply(layers);

// yolo_tiny's pool1, pool2, pool3; unet's pool0, pool1, pool2; resnet50's; a pyramid of a detector.
void max_layers(benchmark::internal::Benchmark* b) {
    b->ArgNames({"hw", "c", "k", "s"})->Unit(benchmark::kMicrosecond);
    b->Args({416, 16, 2, 2})->Args({208, 32, 2, 2})->Args({104, 64, 2, 2});
    b->Args({256, 32, 2, 2})->Args({128, 64, 2, 2})->Args({64, 128, 2, 2});
    b->Args({113, 64, 3, 2})->Args({17, 512, 5, 1})->Args({25, 256, 13, 1})->Args({112, 4, 2, 2});
}
BENCHMARK(max_pool_own<std::uint8_t>)->Apply(max_layers);
BENCHMARK_CAPTURE(pool_onednn, max_u8, dnnl::algorithm::pooling_max, dnnl::memory::data_type::u8)
    ->Apply(max_layers);
BENCHMARK(max_pool_own<float>)->Apply(max_layers);
BENCHMARK_CAPTURE(pool_onednn, max_f32, dnnl::algorithm::pooling_max, dnnl::memory::data_type::f32)
    ->Apply(max_layers);

}  // namespace
}  // namespace fuseq::bench
