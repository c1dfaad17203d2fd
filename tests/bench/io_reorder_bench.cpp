// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Input and output reorders: f32 planes to u8 channels-last with scale and shift, and back.
// Arguments: height = width, channels. Counter: bytes read and written a second.
#include <benchmark/benchmark.h>

#include <dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "bench_data.hpp"
#include "cpu/kernels/eltwise/io_reorder.hpp"

namespace fuseq::bench {
namespace {

struct Tensor {
    std::size_t size, channels;
    std::size_t pixels() const { return size * size; }
    std::size_t elements() const { return pixels() * channels; }
};

void io_reorder_own(benchmark::State& state,
                    ElementType src_type,
                    ElementType dst_type,
                    bool to_last) {
    const Tensor t{argument(state, 0), argument(state, 1)};
    const std::vector<float> scale(t.channels, 30.0f);
    const std::vector<float> shift(t.channels, 128.0f);
    kernels::IoReorderParams params;
    params.channels = t.channels;
    params.pixels = t.pixels();
    params.src_type = src_type;
    params.dst_type = dst_type;
    params.scale = scale;
    params.shift = shift;
    const auto floats = random_floats(t.elements());
    const auto bytes = random_bytes(t.elements());
    const void* src = src_type == ElementType::f32 ? static_cast<const void*>(floats.data())
                                                   : static_cast<const void*>(bytes.data());
    kernels::AlignedVector<std::uint8_t> dst(t.elements() * size_of(dst_type));
    for (auto _ : state) {
        if (to_last) {
            kernels::to_channels_last(params, src, dst.data(), {0, t.pixels()});
        } else {
            kernels::from_channels_last(params, src, dst.data(), {0, t.pixels()});
        }
        benchmark::ClobberMemory();
    }
    count_bytes(state, t.elements() * (size_of(src_type) + size_of(dst_type)));
}

void io_reorder_onednn(benchmark::State& state,
                       dnnl::memory::data_type src_type,
                       dnnl::memory::data_type dst_type,
                       bool to_last) {
    using namespace dnnl;
    const Tensor t{argument(state, 0), argument(state, 1)};
    const engine eng(engine::kind::cpu, 0);
    stream strm(eng);
    const auto side = static_cast<memory::dim>(t.size);
    const memory::dims dims{1, static_cast<memory::dim>(t.channels), side, side};
    const auto tag = [&](bool last) {
        return last ? memory::format_tag::nhwc : memory::format_tag::nchw;
    };
    memory src(memory::desc(dims, src_type, tag(!to_last)), eng);
    memory dst(memory::desc(dims, dst_type, tag(to_last)), eng);
    const auto bytes = random_bytes(src.get_desc().get_size());
    std::copy(bytes.begin(), bytes.end(), static_cast<std::uint8_t*>(src.get_data_handle()));
    primitive_attr attr;
    attr.set_output_scales(0, {30.0f});
    const reorder::primitive_desc pd(src, dst, attr);
    reorder primitive(pd);
    for (auto _ : state) {
        primitive.execute(strm, src, dst);
        strm.wait();
    }
    count_bytes(state, src.get_desc().get_size() + dst.get_desc().get_size());
    state.SetLabel(pd.impl_info_str());
}

using Type = dnnl::memory::data_type;

void images(benchmark::internal::Benchmark* b) {
    b->ArgNames({"hw", "c"})->Args({224, 3})->Args({640, 3})->Unit(benchmark::kMicrosecond);
}

void features(benchmark::internal::Benchmark* b) {
    b->ArgNames({"hw", "c"})->Args({56, 64})->Args({28, 21})->Args({7, 512});
    b->Args({256, 1})->Args({26, 255})->Args({128, 16})->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(io_reorder_own, f32_u8_last, ElementType::f32, ElementType::u8, true)
    ->Apply(images);
BENCHMARK_CAPTURE(io_reorder_onednn, f32_u8_last, Type::f32, Type::u8, true)->Apply(images);
BENCHMARK_CAPTURE(io_reorder_own, u8_u8_last, ElementType::u8, ElementType::u8, true)
    ->Apply(images);
BENCHMARK_CAPTURE(io_reorder_onednn, u8_u8_last, Type::u8, Type::u8, true)->Apply(images);
BENCHMARK_CAPTURE(io_reorder_own, f32_u8_last, ElementType::f32, ElementType::u8, true)
    ->Apply(features);
BENCHMARK_CAPTURE(io_reorder_onednn, f32_u8_last, Type::f32, Type::u8, true)->Apply(features);
BENCHMARK_CAPTURE(io_reorder_own, u8_f32_planar, ElementType::u8, ElementType::f32, false)
    ->Apply(features);
BENCHMARK_CAPTURE(io_reorder_onednn, u8_f32_planar, Type::u8, Type::f32, false)->Apply(features);
BENCHMARK_CAPTURE(io_reorder_own, f32_f32_planar, ElementType::f32, ElementType::f32, false)
    ->Apply(features);
BENCHMARK_CAPTURE(io_reorder_onednn, f32_f32_planar, Type::f32, Type::f32, false)->Apply(features);

}  // namespace
}  // namespace fuseq::bench
