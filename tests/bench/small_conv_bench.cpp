// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Int8 convolution of few channels, 3x3, u8 -> u8, or to planes of floats that nobody reads.
// Arguments: height, width, channels of src, channels of dst. Counter: multiply-accumulates a
// second.
#include <benchmark/benchmark.h>

#include <vector>

#include "bench_data.hpp"
#include "cpu/kernels/small_conv/small_conv.hpp"

namespace fuseq::bench {
namespace {

void small_conv_own(benchmark::State& state, ElementType dst_type, bool zero_points) {
    const std::size_t height = argument(state, 0);
    const std::size_t width = argument(state, 1);
    const std::size_t from = argument(state, 2);
    const std::size_t to = argument(state, 3);
    const auto weights_bytes = random_bytes(from * to * 9);
    const std::vector<std::int8_t> weights(weights_bytes.begin(), weights_bytes.end());
    const std::vector<float> scale(to, 0.002f);
    const std::vector<float> bias(to, 40.0f);
    const std::vector<float> zero_point(zero_points ? to : 0, 0.5f);
    kernels::SmallConvParams params;
    params.shape = {.src_channels = from,
                    .dst_channels = to,
                    .src_height = height,
                    .src_width = width,
                    .dst_height = height,
                    .dst_width = width,
                    .kernel_height = 3,
                    .kernel_width = 3,
                    .pad_top = 1,
                    .pad_left = 1};
    params.weights = weights;
    params.scale = scale;
    params.bias = bias;
    params.wei_zero_point = zero_point;
    params.dst_type = dst_type;
    params.pixels = dst_type == ElementType::f32 && to > kernels::kSmallConvChannels;
    if (!kernels::SmallConv::takes(params.shape)) {
        state.SkipWithError("not for this machine");
        return;
    }
    const kernels::SmallConv conv(params);
    const auto src = random_bytes(height * width * from);
    kernels::AlignedVector<std::uint8_t> dst(height * width * to);
    const bool stores_floats = dst_type == ElementType::f32 && to > kernels::kSmallConvChannels;
    kernels::AlignedVector<float> floats(stores_floats ? height * width * to : 0);
    for (auto _ : state) {
        if (stores_floats) {
            conv.run(src.data(), {0, height}, floats.data());
        } else if (dst_type == ElementType::f32) {
            conv.run(src.data(), {0, height}, [](const kernels::SmallConvTile&) {});
        } else {
            conv.run(src.data(), {0, height}, dst.data());
        }
        benchmark::ClobberMemory();
    }
    state.counters["MAC/s"] =
        benchmark::Counter(static_cast<double>(height * width * weights.size()),
                           benchmark::Counter::kIsIterationInvariantRate);
}

void layers(benchmark::internal::Benchmark* bench) {
    for (const auto& [height, width] : {std::pair{1080, 1920}, std::pair{64, 256}}) {
        bench->Args({height, width, 3, 8});
        bench->Args({height, width, 8, 3});
        bench->Args({height, width, 8, 1});
        bench->Args({height, width, 3, 3});
    }
    bench->Args({270, 480, 16, 4})->Unit(benchmark::kMicrosecond);
}

void wide_layers(benchmark::internal::Benchmark* bench) {
    bench->Args({270, 480, 16, 8})->Args({64, 256, 16, 8})->Unit(benchmark::kMicrosecond);
}

// Channel-vectorized.
void channel_layers(benchmark::internal::Benchmark* bench) {
    bench->Args({270, 480, 16, 16})->Args({540, 960, 8, 32})->Args({270, 480, 3, 16});
    bench->Args({416, 416, 3, 16})->Args({64, 64, 16, 16})->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(small_conv_own, bytes, ElementType::u8, false)
    ->Apply(layers)
    ->Apply(channel_layers);
BENCHMARK_CAPTURE(small_conv_own, planes, ElementType::f32, false)
    ->Apply(layers)
    ->Apply(wide_layers);
BENCHMARK_CAPTURE(small_conv_own, zero_points, ElementType::f32, true)
    ->Apply(wide_layers)
    ->Apply(channel_layers);

}  // namespace
}  // namespace fuseq::bench
