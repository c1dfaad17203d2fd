// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a framework's rounding rule costs beside the native requantization (scale, bias, rounded
// half to even) of the same product, i8 -> i8. Arguments: width = height of src, its channels,
// channels of dst (gemm), and how the product ends: 0 native, 1 by the rule's scale and shift, 2 by
// two lines, 3 by two lines of a small multiplier, for which floats lack the bits (from a buffer:
// integers), 4 by floors, 5 by products with floats and 6 by floors of one multiply-add
// (depthwise). The kernel stores 1 itself and the others
// where it can (rule_form.hpp). A depthwise kernel is 3x3.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "bench_data.hpp"
#include "cpu/kernels/depthwise/depthwise_conv.hpp"
#include "cpu/kernels/eltwise/requantize_sums.hpp"
#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::bench {
namespace {

enum End { kNative, kOwn, kTwoLines, kSmall, kFloored, kReal, kOneFloor };

constexpr float kScale = 0.0075F;

// Half away from zero: with a relu one line has it, without one two lines have it, unless the
// multiplier is small. Half up and a byte far from 0: floors.
kernels::SumRounding rounding_of(std::size_t channels, End end) {
    const std::vector<std::int32_t> bias(channels, 100);
    if (end == kReal) {
        const std::vector<float> real(channels, kScale);
        return {kernels::SumColumns(kernels::ProductRounding::kReal, bias, {}, real),
                {3, -128, 127},
                ElementType::i8,
                "a rule"};
    }
    const kernels::FixedMultiplier multiplier =
        end == kFloored    ? kernels::FixedMultiplier{1583594044, -10}
        : end == kOneFloor ? kernels::FixedMultiplier{1583594044, -8}
                           : kernels::FixedMultiplier{2061584302, end == kSmall ? -13 : -7};
    const std::vector<kernels::FixedMultiplier> fixed(channels, multiplier);
    const auto rounding =
        end == kFloored ? kernels::ProductRounding::kHalfUp : kernels::ProductRounding::kHalfAway;
    const int zero_point = end == kOwn || end == kOneFloor ? -128 : end == kFloored ? -100 : 0;
    return {kernels::SumColumns(rounding, bias, fixed, {}),
            {zero_point, -128, 127},
            ElementType::i8,
            "a rule"};
}

End end_of(benchmark::State& state, int argument) {
    const auto end = static_cast<End>(state.range(argument));
    constexpr const char* kNames[] = {"native",  "own",  "two lines", "small",
                                      "floored", "real", "one floor"};
    state.SetLabel(kNames[end]);
    return end;
}

void rounded_gemm(benchmark::State& state, kernels::GemmForm form) {
    if ((form == kernels::GemmForm::kVnni512 && !kernels::has_avx512_vnni()) ||
        (form == kernels::GemmForm::kAmx && !kernels::has_amx_int8())) {
        state.SkipWithError("this machine lacks the instructions");
        return;
    }
    const std::size_t size = argument(state, 0);
    const std::size_t depth = argument(state, 1);
    const std::size_t channels = argument(state, 2);
    const End end = end_of(state, 3);
    const auto bytes = random_bytes(depth * channels);
    const std::vector<std::int8_t> weights(bytes.begin(), bytes.end());
    const kernels::SumRounding rounding = rounding_of(channels, end);
    auto own = end == kOwn      ? rounding.bias_first()
               : end != kNative ? rounding.by_rule()
                                : std::nullopt;
    kernels::GemmParams params;
    params.form = form;
    params.shape = {.src_channels = depth,
                    .dst_channels = channels,
                    .src_height = size,
                    .src_width = size,
                    .dst_height = size,
                    .dst_width = size};
    params.weights = {
        .values = weights, .dst_channel = depth, .src_channel = 1, .row = 1, .column = 1};
    params.src_type = ElementType::i8;
    params.dst_type = ElementType::i8;
    params.src_zero_point = -3;
    if (own && end != kOwn && kernels::GemmVnni::stores_rules(params)) {
        params.rule = {*own->rule, own->rest, own->below, own->offset, own->low, own->high};
    } else if (end != kOwn) {
        own = std::nullopt;
    }
    const bool in_kernel = end == kNative || own;
    params.dst_type = in_kernel ? ElementType::i8 : ElementType::f32;
    const std::vector<float> scale =
        own ? own->scale : std::vector<float>(channels, end == kNative ? kScale : 1.0F);
    const std::vector<float> bias =
        own ? own->shift : std::vector<float>(channels, end == kNative ? 100.0F : 0.0F);
    params.scale = scale;
    params.bias = bias;
    const kernels::GemmVnni gemm(params);
    const auto src = random_bytes(size * size * depth);
    kernels::AlignedVector<std::uint8_t> dst(size * size * channels);
    kernels::AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes());
    for (auto _ : state) {
        gemm.run({.src = src.data(),
                  .dst = dst.data(),
                  .scratch = scratch.data(),
                  .rounding = in_kernel ? nullptr : &rounding},
                 0, {});
        benchmark::ClobberMemory();
    }
}

void rounding_gemm_vnni512(benchmark::State& state) {
    rounded_gemm(state, kernels::GemmForm::kVnni512);
}
void rounding_gemm_amx(benchmark::State& state) {
    rounded_gemm(state, kernels::GemmForm::kAmx);
}
void rounding_gemm_vnni256(benchmark::State& state) {
    rounded_gemm(state, kernels::GemmForm::kVnni256);
}
void rounding_gemm_bytes(benchmark::State& state) {
    rounded_gemm(state, kernels::GemmForm::kBytes);
}

// The rows of a rule go through a buffer, as in the step of a plan.
void rounding_depthwise(benchmark::State& state) {
    const std::size_t size = argument(state, 0);
    const std::size_t channels = argument(state, 1);
    const End end = end_of(state, 2);
    const auto bytes = random_bytes(channels * 9);
    const std::vector<std::int8_t> weights(bytes.begin(), bytes.end());
    const kernels::SumRounding rounding = rounding_of(channels, end);
    const bool rules = end != kNative && kernels::DepthwiseConv::stores_rules();
    const auto own = end == kOwn ? rounding.fused()
                     : rules     ? rounding.by_short_rule()
                                 : std::nullopt;
    const bool in_kernel = end == kNative || own;
    const std::vector<float> scale = own ? own->scale : std::vector<float>{in_kernel ? kScale : 1};
    const bool has_bias = own && own->rule != kernels::RuleForm::kReal;
    const std::vector<float> bias = has_bias ? own->shift : std::vector<float>{};
    const std::vector<std::int32_t> zero_point{-3};
    kernels::DepthwiseParams params;
    params.shape = {{.src_channels = channels,
                     .dst_channels = channels,
                     .src_height = size,
                     .src_width = size,
                     .dst_height = size,
                     .dst_width = size,
                     .kernel_height = 3,
                     .kernel_width = 3,
                     .pad_top = 1,
                     .pad_left = 1}};
    params.src_type = ElementType::i8;
    params.dst_type = in_kernel ? ElementType::i8 : ElementType::f32;
    params.src_zero_point = zero_point;
    params.weights = weights;
    params.scale = scale;
    params.bias = bias;
    if (own) {
        params.rule = own->rule;
        params.zero_point = own->zero_point;
        params.rest = own->rest;
        params.below = own->below;
        params.offset = own->offset;
    }
    const kernels::DepthwiseConv conv(params);
    const auto src = random_bytes(size * size * channels);
    kernels::AlignedVector<std::uint8_t> dst(size * size * channels);
    const std::size_t row = size * channels;
    constexpr std::size_t kBufferElements = 6 * 1024;
    const std::size_t rows = std::max<std::size_t>(kBufferElements / row / 2 * 2, 2);
    kernels::AlignedVector<float> buffer(rows * row);
    for (auto _ : state) {
        if (in_kernel) {
            conv.run(src.data(), dst.data());
        }
        for (std::size_t y = 0; !in_kernel && y < size; y += rows) {
            const std::size_t last = std::min(y + rows, size);
            conv.run_to_buffer(src.data(), buffer.data(), {y, last});
            rounding.run(buffer.data(), dst.data() + y * row, {0, (last - y) * row});
        }
        benchmark::ClobberMemory();
    }
}

void gemm_layers(benchmark::internal::Benchmark* b) {
    for (const auto& layer : {std::vector<std::int64_t>{24, 32, 32},
                              {12, 64, 64},
                              {14, 192, 64},
                              {28, 64, 256},
                              {14, 512, 512},
                              {7, 960, 160}}) {
        for (const std::int64_t end : {0, 1, 2, 3, 4, 5}) {
            b->Args({layer[0], layer[1], layer[2], end});
        }
    }
}

void depthwise_layers(benchmark::internal::Benchmark* b) {
    for (const auto& layer :
         {std::vector<std::int64_t>{24, 32}, {12, 64}, {28, 192}, {112, 32}, {14, 384}}) {
        for (const std::int64_t end : {0, 1, 2, 3, 4, 5, 6}) {
            b->Args({layer[0], layer[1], end});
        }
    }
}

}  // namespace

BENCHMARK(rounding_gemm_vnni512)->Apply(gemm_layers);
BENCHMARK(rounding_gemm_amx)->Apply(gemm_layers);
BENCHMARK(rounding_gemm_vnni256)->Apply(gemm_layers);
BENCHMARK(rounding_gemm_bytes)->Apply(gemm_layers);
BENCHMARK(rounding_depthwise)->Apply(depthwise_layers);

}  // namespace fuseq::bench
