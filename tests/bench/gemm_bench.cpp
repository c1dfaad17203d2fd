// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Integer matrix products and convolutions, u8 -> u8 with per-channel scale and bias: the plugin's
// own kernel beside oneDNN's convolution. Arguments: width = height of src, its channels, channels
// of dst, kernel size, stride, 1 when a u8 tensor is added, 2 when there is a quantization before
// the addition (own kernel only). A matrix product of M rows is a convolution of one row of M
// pixels ("matmul"). Counter: multiply-accumulates a second. "own" is the form that GemmForm::kBest
// means, "vnni512" and "amx" need a machine that has them, "bytes" and "pairs" are those without
// VNNI. Weights are normally distributed, with their largest at 127, as those of networks.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "bench_data.hpp"
#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "onednn_convolution.hpp"

namespace fuseq::bench {
namespace {

struct Layer {
    std::size_t height, width, src_channels, dst_channels, kernel, stride;
    std::size_t residual;
    std::size_t out_height() const { return (height + stride - 1) / stride; }
    std::size_t out_width() const { return (width + stride - 1) / stride; }
    std::size_t pixels() const { return out_height() * out_width(); }
    double macs() const {
        return static_cast<double>(pixels() * src_channels * dst_channels * kernel * kernel);
    }
};

Layer conv_layer(const benchmark::State& state) {
    return {argument(state, 0), argument(state, 0), argument(state, 1), argument(state, 2),
            argument(state, 3), argument(state, 4), argument(state, 5)};
}

Layer matmul_layer(const benchmark::State& state) {
    return {1, argument(state, 0), argument(state, 1), argument(state, 2), 1, 1, 0};
}

void count_macs(benchmark::State& state, const Layer& layer) {
    state.counters["MAC/s"] =
        benchmark::Counter(layer.macs(), benchmark::Counter::kIsIterationInvariantRate);
}

std::vector<std::int8_t> normal_weights(std::size_t count) {
    constexpr double kDeviation = 36;  // of 127: of a few hundred weights a channel
    std::mt19937 rng(1);
    std::normal_distribution<double> normal(0, kDeviation);
    std::vector<std::int8_t> weights(count);
    for (std::int8_t& w : weights) {
        w = static_cast<std::int8_t>(std::clamp(std::nearbyint(normal(rng)), -127.0, 127.0));
    }
    return weights;
}

void own(benchmark::State& state,
         const Layer& layer,
         kernels::GemmForm form = kernels::GemmForm::kBest) {
    if ((form == kernels::GemmForm::kVnni512 && !kernels::has_avx512_vnni()) ||
        (form == kernels::GemmForm::kAmx && !kernels::has_amx_int8())) {
        state.SkipWithError("this machine lacks the instructions");
        return;
    }
    const std::size_t k = layer.kernel;
    const auto weights = normal_weights(layer.src_channels * layer.dst_channels * k * k);
    const std::vector<float> scale(layer.dst_channels, 0.0001f);
    const std::vector<float> bias(layer.dst_channels, 400000.0f);
    kernels::GemmParams params;
    params.form = form;
    params.shape = {.src_channels = layer.src_channels,
                    .dst_channels = layer.dst_channels,
                    .src_height = layer.height,
                    .src_width = layer.width,
                    .dst_height = layer.out_height(),
                    .dst_width = layer.out_width(),
                    .kernel_height = k,
                    .kernel_width = k,
                    .stride_height = layer.stride,
                    .stride_width = layer.stride,
                    .pad_top = static_cast<std::ptrdiff_t>(k / 2),
                    .pad_left = static_cast<std::ptrdiff_t>(k / 2)};
    params.weights = {.values = weights,
                      .dst_channel = layer.src_channels * k * k,
                      .src_channel = k * k,
                      .row = k,
                      .column = 1};
    params.scale = scale;
    params.bias = bias;
    using Kind = kernels::GemmOp::Kind;
    if (layer.residual > 1) {
        params.ops.push_back({.kind = Kind::kRoundClip, .a = {0.0f}, .b = {255.0f}});
        params.ops.push_back({.kind = Kind::kScale, .a = {0.8446645f}});
        params.ops.push_back({.kind = Kind::kLinear, .a = {1.0592145f}, .b = {-114.51915f}});
    }
    if (layer.residual != 0) {
        const float by = layer.residual > 1 ? 1.0f : 0.5f;
        params.ops.push_back(
            {.kind = Kind::kSum, .binary = {.type = ElementType::u8, .scale = by}});
    }
    if (layer.residual > 1) {
        params.ops.push_back({.kind = Kind::kScale, .a = {0.9440959f}});
    }
    const kernels::GemmVnni gemm(params);
    const auto src = random_bytes(layer.height * layer.width * layer.src_channels);
    kernels::AlignedVector<std::uint8_t> dst(layer.pixels() * layer.dst_channels);
    kernels::AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes());
    const void* binary_sources[] = {dst.data()};
    for (auto _ : state) {
        gemm.run({.src = src.data(),
                  .dst = dst.data(),
                  .binary_sources = binary_sources,
                  .scratch = scratch.data()},
                 0, {});
        benchmark::ClobberMemory();
    }
    count_macs(state, layer);
    state.SetLabel(gemm.implementation());
}

void onednn(benchmark::State& state, const Layer& layer) {
    const auto n = [](std::size_t v) { return static_cast<dnnl::memory::dim>(v); };
    const auto k = n(layer.kernel), s = n(layer.stride);
    OneDnnConvolution convolution{
        .src = {1, n(layer.src_channels), n(layer.height), n(layer.width)},
        .weights = {n(layer.dst_channels), n(layer.src_channels), k, k},
        .dst = {1, n(layer.dst_channels), n(layer.out_height()), n(layer.out_width())},
        .stride = s,
        .before = k / 2,
        .after = {(n(layer.out_height()) - 1) * s + k - n(layer.height) - k / 2,
                  (n(layer.out_width()) - 1) * s + k - n(layer.width) - k / 2},
        .attr = {}};
    convolution.attr.set_output_scales(2, std::vector<float>(layer.dst_channels, 0.0001f));
    if (layer.residual != 0) {
        dnnl::post_ops ops;
        ops.append_sum(0.5f);
        convolution.attr.set_post_ops(ops);
    }
    run_onednn(state, convolution);
    count_macs(state, layer);
}

void gemm_conv_own(benchmark::State& state) {
    own(state, conv_layer(state));
}
void gemm_conv_bytes(benchmark::State& state) {
    own(state, conv_layer(state), kernels::GemmForm::kBytes);
}
void gemm_conv_pairs(benchmark::State& state) {
    own(state, conv_layer(state), kernels::GemmForm::kPairs);
}
void gemm_conv_vnni512(benchmark::State& state) {
    own(state, conv_layer(state), kernels::GemmForm::kVnni512);
}
void gemm_conv_amx(benchmark::State& state) {
    own(state, conv_layer(state), kernels::GemmForm::kAmx);
}
void gemm_conv_onednn(benchmark::State& state) {
    onednn(state, conv_layer(state));
}
void gemm_matmul_own(benchmark::State& state) {
    own(state, matmul_layer(state));
}
void gemm_matmul_bytes(benchmark::State& state) {
    own(state, matmul_layer(state), kernels::GemmForm::kBytes);
}
void gemm_matmul_pairs(benchmark::State& state) {
    own(state, matmul_layer(state), kernels::GemmForm::kPairs);
}
void gemm_matmul_vnni512(benchmark::State& state) {
    own(state, matmul_layer(state), kernels::GemmForm::kVnni512);
}
void gemm_matmul_amx(benchmark::State& state) {
    own(state, matmul_layer(state), kernels::GemmForm::kAmx);
}
void gemm_matmul_onednn(benchmark::State& state) {
    onednn(state, matmul_layer(state));
}

void convolutions(benchmark::internal::Benchmark* b) {
    b->ArgNames({"hw", "ic", "oc", "k", "s", "add"});
    // resnet50
    b->Args({56, 64, 64, 1, 1, 0})->Args({56, 64, 256, 1, 1, 0})->Args({56, 64, 256, 1, 1, 1});
    b->Args({56, 256, 64, 1, 1, 0})->Args({28, 128, 512, 1, 1, 1})->Args({28, 512, 128, 1, 1, 0});
    b->Args({14, 256, 1024, 1, 1, 1})->Args({14, 1024, 256, 1, 1, 0});
    b->Args({7, 512, 2048, 1, 1, 1})->Args({7, 2048, 512, 1, 1, 0});
    b->Args({56, 256, 512, 1, 2, 0})->Args({14, 1024, 2048, 1, 2, 0})->Args({224, 3, 64, 7, 2, 0});
    b->Args({56, 64, 64, 3, 1, 0})->Args({28, 128, 128, 3, 1, 0})->Args({14, 256, 256, 3, 1, 0});
    b->Args({7, 512, 512, 3, 1, 0})->Args({56, 128, 128, 3, 2, 0});
    // mobilenet_v2
    b->Args({112, 32, 16, 1, 1, 0})->Args({112, 16, 96, 1, 1, 0})->Args({56, 24, 144, 1, 1, 0});
    b->Args({56, 144, 24, 1, 1, 1})->Args({28, 32, 192, 1, 1, 0})->Args({14, 64, 384, 1, 1, 0});
    b->Args({14, 576, 96, 1, 1, 1})->Args({7, 160, 960, 1, 1, 0})->Args({7, 960, 320, 1, 1, 0});
    b->Args({224, 3, 32, 3, 2, 0});
    b->Args({7, 64, 256, 1, 1, 0})
        ->Args({7, 64, 256, 1, 1, 1})
        ->Args({14, 64, 256, 1, 1, 0})
        ->Args({14, 64, 256, 1, 1, 1})
        ->Args({28, 64, 256, 1, 1, 0})
        ->Args({28, 64, 256, 1, 1, 1});
    // yolo_tiny, unet_small
    b->Args({256, 32, 32, 3, 1, 0})->Args({256, 64, 32, 3, 1, 0})->Args({128, 32, 64, 3, 1, 0});
    b->Args({128, 64, 64, 3, 1, 0})->Args({128, 128, 64, 3, 1, 0})->Args({64, 64, 128, 3, 1, 0});
    b->Args({64, 128, 128, 3, 1, 0})->Args({64, 256, 128, 3, 1, 0})->Args({32, 256, 256, 3, 1, 0});
    b->Args({208, 16, 32, 3, 1, 0})->Args({104, 32, 64, 3, 1, 0})->Args({52, 64, 128, 3, 1, 0});
    b->Args({416, 3, 16, 3, 1, 0})->Args({26, 128, 256, 3, 1, 0})->Args({13, 512, 1024, 3, 1, 0});
    b->Unit(benchmark::kMicrosecond);
}

void matmuls(benchmark::internal::Benchmark* b) {
    b->ArgNames({"m", "k", "n"});
    b->Args({128, 768, 768})->Args({128, 768, 3072})->Args({128, 3072, 768});  // bert
    b->Args({196, 1536, 384})->Args({196, 384, 384})->Args({49, 768, 768});    // swin_t
    b->Args({64, 512, 768})
        ->Args({64, 1024, 768})
        ->Args({64, 2048, 768})
        ->Args({64, 3072, 768})
        ->Args({64, 4096, 768});
    b->Args({64, 1024, 4096})->Args({64, 4096, 4096})->Args({1, 1024, 4096});  // mlp
    b->Args({1, 4096, 4096})->Args({1, 2048, 1000})->Args({16, 768, 768});
    b->Unit(benchmark::kMicrosecond);
}

// Residual blocks of resnet50.
void blocks(benchmark::internal::Benchmark* b) {
    b->ArgNames({"hw", "ic", "oc", "k", "s", "add"});
    b->Args({56, 64, 256, 1, 1, 2})->Args({28, 64, 256, 1, 1, 2})->Args({14, 64, 256, 1, 1, 2});
    b->Args({28, 128, 512, 1, 1, 2})->Args({14, 256, 1024, 1, 1, 2})->Args({7, 512, 2048, 1, 1, 2});
    b->Unit(benchmark::kMicrosecond);
}

BENCHMARK(gemm_conv_own)->Apply(convolutions)->Apply(blocks);
BENCHMARK(gemm_conv_bytes)->Apply(convolutions)->Apply(blocks);
BENCHMARK(gemm_conv_pairs)->Apply(convolutions)->Apply(blocks);
BENCHMARK(gemm_conv_vnni512)->Apply(convolutions)->Apply(blocks);
BENCHMARK(gemm_conv_amx)->Apply(convolutions)->Apply(blocks);
BENCHMARK(gemm_conv_onednn)->Apply(convolutions);
BENCHMARK(gemm_matmul_own)->Apply(matmuls);
BENCHMARK(gemm_matmul_bytes)->Apply(matmuls);
BENCHMARK(gemm_matmul_pairs)->Apply(matmuls);
BENCHMARK(gemm_matmul_vnni512)->Apply(matmuls);
BENCHMARK(gemm_matmul_amx)->Apply(matmuls);
BENCHMARK(gemm_matmul_onednn)->Apply(matmuls);

}  // namespace
}  // namespace fuseq::bench
