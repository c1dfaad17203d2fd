// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise int8 convolution, u8 -> u8 with per-channel scale and bias. Arguments: height = width
// of src, channels, kernel size, stride. Counter: multiply-accumulates a second.
#include <benchmark/benchmark.h>

#include <vector>

#include "bench_data.hpp"
#include "cpu/kernels/depthwise/depthwise_conv.hpp"
#include "onednn_convolution.hpp"

namespace fuseq::bench {
namespace {

struct Layer {
    std::size_t size, channels, kernel, stride;
    std::size_t out() const { return (size + stride - 1) / stride; }
    double macs() const { return static_cast<double>(out() * out() * channels * kernel * kernel); }
};

// With it all blocks of channels have sums that are floats (float_sum.hpp), as nearly all blocks of
// models do.
constexpr float kScale = 0.0019f;

Layer layer_of(const benchmark::State& state) {
    const auto arg = [&](int i) { return static_cast<std::size_t>(state.range(i)); };
    return {arg(0), arg(1), arg(2), arg(3)};
}

void count_macs(benchmark::State& state, const Layer& layer) {
    state.counters["MAC/s"] =
        benchmark::Counter(layer.macs(), benchmark::Counter::kIsIterationInvariantRate);
}

void depthwise_with(benchmark::State& state, kernels::DepthwisePath path) {
    const Layer layer = layer_of(state);
    const auto weights_bytes = random_bytes(layer.channels * layer.kernel * layer.kernel);
    const std::vector<std::int8_t> weights(weights_bytes.begin(), weights_bytes.end());
    const std::vector<float> scale(layer.channels, kScale);
    const std::vector<float> bias(layer.channels, 40.0f);
    kernels::DepthwiseParams params;
    params.shape = {{.src_channels = layer.channels,
                     .dst_channels = layer.channels,
                     .src_height = layer.size,
                     .src_width = layer.size,
                     .dst_height = layer.out(),
                     .dst_width = layer.out(),
                     .kernel_height = layer.kernel,
                     .kernel_width = layer.kernel,
                     .stride_height = layer.stride,
                     .stride_width = layer.stride,
                     .pad_top = static_cast<std::ptrdiff_t>(layer.kernel / 2),
                     .pad_left = static_cast<std::ptrdiff_t>(layer.kernel / 2)}};
    params.weights = weights;
    params.scale = scale;
    params.bias = bias;
    params.path = path;
    const kernels::DepthwiseConv conv(params);
    const auto src = random_bytes(layer.size * layer.size * layer.channels);
    kernels::AlignedVector<std::uint8_t> dst(layer.out() * layer.out() * layer.channels);
    for (auto _ : state) {
        conv.run(src.data(), dst.data());
        benchmark::ClobberMemory();
    }
    count_macs(state, layer);
    state.SetLabel(conv.implementation());
}

void depthwise_own(benchmark::State& state) {
    depthwise_with(state, kernels::DepthwisePath::kAuto);
}

// One form, wherever it runs.
void depthwise_strips(benchmark::State& state) {
    depthwise_with(state, kernels::DepthwisePath::kStrips);
}

void depthwise_portable(benchmark::State& state) {
    depthwise_with(state, kernels::DepthwisePath::kPortable);
}

void depthwise_columns(benchmark::State& state) {
    depthwise_with(state, kernels::DepthwisePath::kColumns);
}

void depthwise_quads(benchmark::State& state) {
    depthwise_with(state, kernels::DepthwisePath::kQuads);
}

void depthwise_onednn(benchmark::State& state) {
    const Layer layer = layer_of(state);
    const auto n = [](std::size_t v) { return static_cast<dnnl::memory::dim>(v); };
    const auto c = n(layer.channels), k = n(layer.kernel), in = n(layer.size), out = n(layer.out());
    OneDnnConvolution convolution{.src = {1, c, in, in},
                                  .weights = {c, 1, 1, k, k},
                                  .dst = {1, c, out, out},
                                  .stride = n(layer.stride),
                                  .before = k / 2,
                                  .after = {},
                                  .attr = {}};
    const auto after = (out - 1) * convolution.stride + k - in - convolution.before;
    convolution.after = {after, after};
    convolution.attr.set_output_scales(2, std::vector<float>(layer.channels, kScale));
    run_onednn(state, convolution);
    count_macs(state, layer);
}

void layers(benchmark::internal::Benchmark* b) {
    b->ArgNames({"hw", "c", "k", "s"});
    // mobilenet_v2, in order.
    b->Args({112, 32, 3, 1})->Args({112, 96, 3, 2})->Args({56, 144, 3, 1})->Args({56, 144, 3, 2});
    b->Args({28, 192, 3, 1})->Args({28, 192, 3, 2})->Args({14, 384, 3, 1})->Args({14, 576, 3, 1});
    b->Args({14, 576, 3, 2})->Args({7, 960, 3, 1});
    // Others.
    b->Args({112, 96, 3, 1})->Args({56, 64, 3, 1})->Args({14, 240, 5, 1})->Args({28, 120, 5, 2});
    b->Args({7, 960, 5, 1})->Args({56, 64, 7, 1});
    // Channels that do not fill blocks of 64 or parts of a vector.
    for (const std::int64_t channels : {24, 56, 104, 120, 232}) {
        b->Args({64, channels, 3, 1})->Args({64, channels, 3, 2});
    }
    // Larger than the second cache, as in detectors.
    b->Args({192, 64, 3, 1})
        ->Args({192, 64, 3, 2})
        ->Args({300, 32, 3, 1})
        ->Unit(benchmark::kMicrosecond);
}

BENCHMARK(depthwise_own)->Apply(layers);
BENCHMARK(depthwise_strips)->Apply(layers);
BENCHMARK(depthwise_portable)->Apply(layers);
BENCHMARK(depthwise_columns)->Apply(layers);
BENCHMARK(depthwise_quads)->Apply(layers);
BENCHMARK(depthwise_onednn)->Apply(layers);

}  // namespace
}  // namespace fuseq::bench
