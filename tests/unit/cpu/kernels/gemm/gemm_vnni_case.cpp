// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

#include <algorithm>
#include <cmath>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/machine/instructions.hpp"
#include "unit/cpu/kernels/common/conv_taps.hpp"

namespace fuseq::kernels::test {
namespace {

using fuseq::test::element;
using fuseq::test::random_elements;
using Kind = GemmOp::Kind;

float value_of(const std::vector<float>& list, std::size_t channel) {
    return list[list.size() == 1 ? 0 : channel];
}

// Sums over a window: of the products with the weights, and of src alone.
struct Sums {
    std::int64_t products = 0;
    std::int64_t window = 0;
};

Sums accumulate(const Case& c, std::size_t n, std::size_t y, std::size_t x, std::size_t channel) {
    const GemmShape& s = c.params.shape;
    const std::size_t taps = s.kernel_height * s.kernel_width;
    Sums sums;
    fuseq::test::for_each_tap(s, {n, y, x}, [&](std::size_t pixel, std::size_t tap) {
        for (std::size_t k = 0; k < s.src_channels; ++k) {
            const int value =
                static_cast<int>(element(c.src, c.params.src_type, pixel * s.src_channels + k));
            const std::size_t at = (channel * s.src_channels + k) * taps + tap;
            const std::int64_t shifted = value - c.params.src_zero_point;
            sums.products += shifted * c.weights[at];
            sums.window += shifted;
        }
    });
    return sums;
}

float apply_tensor(const Case& c, const GemmOp& op, float v, std::size_t at) {
    const float e = element(c.binary_sources[op.binary.input], op.binary.type, at);
    if (op.kind == Kind::kSum) {
        return std::fma(e, op.binary.scale, v);
    }
    const float t = (e - op.binary.zero_point) * op.binary.scale;
    switch (op.binary.kind) {
        case post_ops::BinaryKind::kAdd: return v + t;
        case post_ops::BinaryKind::kMul: return v * t;
        case post_ops::BinaryKind::kMax: return std::max(v, t);
        default: return std::min(v, t);
    }
}

// The definition in the header. `at` counts elements of dst.
float apply(const Case& c, const GemmOp& op, float v, std::size_t channel, std::size_t at) {
    const float a = op.a.empty() ? 0.0f : value_of(op.a, channel);
    const float b = op.b.empty() ? 0.0f : value_of(op.b, channel);
    switch (op.kind) {
        case Kind::kLinear: return std::fma(v, a, b);
        case Kind::kScale: return v * a;
        case Kind::kShift: return v + a;
        case Kind::kAffine: return v * a + b;
        case Kind::kRound: return std::nearbyint(v);
        case Kind::kClip: return std::min(std::max(v, a), b);
        case Kind::kRoundClip: return std::min(std::max(std::nearbyint(v), a), b);
        case Kind::kPrelu: return v > 0 ? v : v * a;
        case Kind::kMax: return std::max(v, a);
        case Kind::kMin: return std::min(v, a);
        case Kind::kEltwise: return static_cast<float>(post_ops::apply(op.eltwise, v));
        default: return apply_tensor(c, op, v, at);
    }
}

std::vector<float> random_list(std::mt19937& rng, std::size_t channels, float low, float high) {
    std::uniform_real_distribution<float> real(low, high);
    std::vector<float> list(rng() % 2 == 0 ? 1 : channels);
    for (float& v : list) {
        v = real(rng);
    }
    return list;
}

std::size_t between(std::mt19937& rng, std::size_t low, std::size_t high) {
    return low + rng() % (high - low + 1);
}

// Along one dimension.
struct Extent {
    std::size_t src, dst, kernel, stride, dilation;
    std::ptrdiff_t pad;
};

Extent random_extent(std::mt19937& rng, bool one) {
    Extent e{};
    e.kernel = one ? 1 : between(rng, 1, 5);
    e.stride = between(rng, 1, 3);
    e.dilation = between(rng, 1, 2);
    e.pad = one && rng() % 3 != 0 ? 0 : static_cast<std::ptrdiff_t>(between(rng, 0, e.kernel)) - 1;
    e.src = between(rng, 1, 40);
    const std::size_t extent = (e.kernel - 1) * e.dilation + 1;
    // What is missing at the end is padding too.
    const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(e.src + between(rng, 0, 2)) + e.pad;
    e.dst = reach < static_cast<std::ptrdiff_t>(extent)
                ? 1
                : (static_cast<std::size_t>(reach) - extent) / e.stride + 1;
    return e;
}

GemmShape random_shape(std::mt19937& rng) {
    GemmShape s;
    const bool one = rng() % 2 == 0;
    const Extent y = random_extent(rng, one);
    const Extent x = random_extent(rng, one);
    s.batch = between(rng, 1, 2);
    s.src_channels = between(rng, 1, one ? 70 : 20);
    s.dst_channels = between(rng, 1, 80);
    s.src_height = y.src;
    s.src_width = x.src;
    s.dst_height = y.dst;
    s.dst_width = x.dst;
    s.kernel_height = y.kernel;
    s.kernel_width = x.kernel;
    s.stride_height = y.stride;
    s.stride_width = x.stride;
    s.dilation_height = y.dilation;
    s.dilation_width = x.dilation;
    s.pad_top = y.pad;
    s.pad_left = x.pad;
    return s;
}

// Operations with the same result in every faithful computation.
std::vector<GemmOp> random_ops(std::mt19937& rng, const Case& c) {
    const std::size_t channels = c.params.shape.dst_channels;
    std::vector<GemmOp> ops(rng() % 5);
    for (GemmOp& op : ops) {
        constexpr Kind kKinds[] = {Kind::kLinear, Kind::kScale,     Kind::kShift, Kind::kAffine,
                                   Kind::kRound,  Kind::kRoundClip, Kind::kClip,  Kind::kPrelu,
                                   Kind::kMax,    Kind::kMin,       Kind::kSum,   Kind::kBinary};
        op.kind = kKinds[rng() % std::size(kKinds)];
        op.a = random_list(rng, channels, -2.0f, 1.5f);
        op.b = random_list(rng, channels, 2.0f, 90.0f);
        constexpr post_ops::BinaryKind kBinaries[] = {
            post_ops::BinaryKind::kAdd, post_ops::BinaryKind::kMul, post_ops::BinaryKind::kMax,
            post_ops::BinaryKind::kMin};
        constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8, ElementType::f32};
        const std::size_t input = rng() % 3;
        op.binary = {.kind = kBinaries[rng() % 4],
                     .input = input,
                     .type = kTypes[input],
                     .scale = 0.25f + static_cast<float>(rng() % 8) / 16.0f,
                     .zero_point = static_cast<float>(rng() % 7)};
    }
    return ops;
}

}  // namespace

GemmParams Case::complete() const {
    GemmParams p = params;
    const GemmShape& s = p.shape;
    const std::size_t taps = s.kernel_height * s.kernel_width;
    p.weights = {.values = weights,
                 .dst_channel = s.src_channels * taps,
                 .src_channel = taps,
                 .row = s.kernel_width,
                 .column = 1};
    p.scale = scale;
    p.bias = bias;
    p.wei_zero_point = wei_zero_point;
    return p;
}

std::size_t Case::elements() const {
    const GemmShape& s = params.shape;
    return s.batch * s.dst_height * s.dst_width * s.dst_channels;
}

std::vector<float> expected(const Case& c) {
    const GemmShape& s = c.params.shape;
    std::vector<float> result(c.elements());
    for (std::size_t at = 0; at < result.size(); ++at) {
        const std::size_t channel = at % s.dst_channels;
        const std::size_t pixel = at / s.dst_channels;
        const std::size_t row = pixel / s.dst_width;
        const Sums sums =
            accumulate(c, row / s.dst_height, row % s.dst_height, pixel % s.dst_width, channel);
        auto v = static_cast<float>(sums.products);
        if (!c.wei_zero_point.empty()) {
            v = std::fma(static_cast<float>(sums.window), -value_of(c.wei_zero_point, channel), v);
        }
        if (!c.bias.empty()) {
            v += value_of(c.bias, channel);
        }
        v *= value_of(c.scale, channel);
        for (const GemmOp& op : c.params.ops) {
            v = apply(c, op, v, channel, at);
        }
        if (c.params.dst_type != ElementType::f32) {
            v = static_cast<float>(post_ops::store(c.params.dst_type, v));
        }
        result[at] = v;
    }
    return result;
}

Bytes run(const GemmVnni& gemm, const Case& c, std::size_t parts) {
    constexpr std::size_t kMarks = 64;
    constexpr std::uint8_t kMark = 0xA5;
    const std::size_t bytes = c.elements() * size_of(c.params.dst_type);
    Bytes dst(bytes + kMarks, kMark);
    AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes() * parts, 0x3C);
    std::vector<const void*> binary_sources;
    const GemmSplit split = gemm.split(parts);
    EXPECT_EQ(split.parts(), parts);
    for (const Bytes& source : c.binary_sources) {
        binary_sources.push_back(source.data());
    }
    const std::vector<std::int8_t> others(5000);
    for (std::size_t part = parts; part-- > 0;) {
        const WeightSpan own = gemm.weights(part, split);
        const WeightSpan next[] = {own.subspan(own.size() / 3), WeightSpan(others).first(100),
                                   others};
        const bool has_own = part % 2 == 0;
        gemm.run({.src = c.src.data(),
                  .dst = dst.data(),
                  .binary_sources = binary_sources,
                  .rows = c.rows,
                  .scratch = scratch.data(),
                  .next = std::span(next).subspan(has_own ? 0 : 1),
                  .next_has_own = has_own},
                 part, split);
    }
    EXPECT_EQ(Bytes(dst.begin() + static_cast<std::ptrdiff_t>(bytes), dst.end()),
              Bytes(kMarks, kMark));
    dst.resize(bytes);
    return dst;
}

namespace {

void expect_exact(const Case& c, const GemmVnni& gemm) {
    SCOPED_TRACE(gemm.implementation());
    const Bytes got = run(gemm, c, 1);
    const std::vector<float> want = expected(c);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (element(got, c.params.dst_type, i) != want[i] && ++wrong < 5) {
            ADD_FAILURE() << "element " << i << " is " << element(got, c.params.dst_type, i)
                          << ", expected " << want[i];
        }
    }
    EXPECT_EQ(wrong, 0u);
    for (const std::size_t parts : {2, 3, 4, 7}) {
        EXPECT_EQ(run(gemm, c, parts), got) << parts << " parts";
    }
}

}  // namespace

void expect_exact(const Case& c) {
    expect_exact(c, GemmVnni(c.complete()));
    if (suits_amx(c)) {
        GemmParams params = c.complete();
        params.form = GemmForm::kAmx;
        expect_exact(c, GemmVnni(params));
    }
}

bool suits_amx(const Case& c) {
    return has_amx_int8() && c.params.form == GemmForm::kBest && c.wei_zero_point.empty();
}

std::vector<std::int8_t> random_weights(std::mt19937& rng, std::size_t count) {
    std::vector<std::int8_t> weights(count);
    std::generate(weights.begin(), weights.end(), [&] { return static_cast<std::int8_t>(rng()); });
    return weights;
}

GemmShape shape_3x3(std::size_t src_channels,
                    std::size_t dst_channels,
                    std::size_t height,
                    std::size_t width) {
    return {.src_channels = src_channels,
            .dst_channels = dst_channels,
            .src_height = height,
            .src_width = width,
            .dst_height = height,
            .dst_width = width,
            .kernel_height = 3,
            .kernel_width = 3,
            .pad_top = 1,
            .pad_left = 1};
}

Case random_case(std::mt19937& rng) {
    Case c;
    c.params.shape = random_shape(rng);
    const GemmShape& s = c.params.shape;
    c.params.src_type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
    constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8, ElementType::f32};
    c.params.dst_type = kTypes[rng() % 3];
    const int zero_point = rng() % 2 == 0 ? 0 : static_cast<int>(rng() % 256);
    c.params.src_zero_point =
        c.params.src_type == ElementType::u8 ? zero_point : (zero_point + 128) % 256 - 128;
    const std::size_t depth = s.src_channels * s.kernel_height * s.kernel_width;
    c.weights = random_weights(rng, s.dst_channels * depth);
    const float usual = 0.02f / std::sqrt(static_cast<float>(depth));
    c.scale = random_list(rng, s.dst_channels, usual / 4, usual);
    if (rng() % 3 != 0) {
        c.bias = random_list(rng, s.dst_channels, -5000.0f, 5000.0f);
    }
    c.src = random_elements(rng, c.params.src_type,
                            s.batch * s.src_height * s.src_width * s.src_channels);
    for (const ElementType type : kTypes) {
        c.binary_sources.push_back(random_elements(rng, type, c.elements()));
    }
    c.params.ops = random_ops(rng, c);
    if (rng() % 2 == 0) {
        c.wei_zero_point = random_list(rng, s.dst_channels, -20.0f, 20.0f);
    }
    return c;
}

}  // namespace fuseq::kernels::test
