// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm_vnni.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "cpu/kernels/aligned_vector.hpp"
#include "cpu/kernels/gemm_vnni_detail.hpp"
#include "elements.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

using test::Bytes;
using Kind = GemmOp::Kind;

struct Case {
    GemmParams params;
    std::vector<std::int8_t> weights;  // [OC, IC, height, width]
    std::vector<float> scale, bias;
    Bytes src;
    std::vector<Bytes> extras;

    // To be called when the vectors have their final places.
    GemmParams complete() const {
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
        return p;
    }
    std::size_t elements() const {
        const GemmShape& s = params.shape;
        return s.batch * s.dst_height * s.dst_width * s.dst_channels;
    }
};

float value_of(const std::vector<float>& list, std::size_t channel) {
    return list[list.size() == 1 ? 0 : channel];
}

std::int64_t accumulate(
    const Case& c, std::size_t n, std::size_t y, std::size_t x, std::size_t channel) {
    const GemmShape& s = c.params.shape;
    std::int64_t acc = 0;
    for (std::size_t ky = 0; ky < s.kernel_height; ++ky) {
        for (std::size_t kx = 0; kx < s.kernel_width; ++kx) {
            const auto iy =
                static_cast<std::ptrdiff_t>(y * s.stride_height + ky * s.dilation_height) -
                s.pad_top;
            const auto ix =
                static_cast<std::ptrdiff_t>(x * s.stride_width + kx * s.dilation_width) -
                s.pad_left;
            if (iy < 0 || ix < 0 || iy >= static_cast<std::ptrdiff_t>(s.src_height) ||
                ix >= static_cast<std::ptrdiff_t>(s.src_width)) {
                continue;
            }
            const std::size_t pixel =
                (n * s.src_height + static_cast<std::size_t>(iy)) * s.src_width +
                static_cast<std::size_t>(ix);
            for (std::size_t k = 0; k < s.src_channels; ++k) {
                const int value = static_cast<int>(
                    test::element(c.src, c.params.src_type, pixel * s.src_channels + k));
                const std::size_t at =
                    ((channel * s.src_channels + k) * s.kernel_height + ky) * s.kernel_width + kx;
                acc += static_cast<std::int64_t>(value - c.params.src_zero_point) * c.weights[at];
            }
        }
    }
    return acc;
}

float apply_tensor(const Case& c, const GemmOp& op, float v, std::size_t at) {
    const float e = test::element(c.extras[op.binary.input], op.binary.type, at);
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

std::vector<float> expected(const Case& c) {
    const GemmShape& s = c.params.shape;
    std::vector<float> result(c.elements());
    for (std::size_t at = 0; at < result.size(); ++at) {
        const std::size_t channel = at % s.dst_channels;
        const std::size_t pixel = at / s.dst_channels;
        const std::size_t row = pixel / s.dst_width;
        float v = static_cast<float>(
            accumulate(c, row / s.dst_height, row % s.dst_height, pixel % s.dst_width, channel));
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

// In `parts`, the last one first, into memory with a mark behind the last element.
Bytes run(const GemmVnni& gemm, const Case& c, std::size_t parts) {
    constexpr std::size_t kMarks = 64;
    constexpr std::uint8_t kMark = 0xA5;
    const std::size_t bytes = c.elements() * size_of(c.params.dst_type);
    Bytes dst(bytes + kMarks, kMark);
    AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes(parts) * parts, 0x3C);
    std::vector<const void*> extras;
    for (const Bytes& extra : c.extras) {
        extras.push_back(extra.data());
    }
    for (std::size_t part = parts; part-- > 0;) {
        gemm.run(
            {.src = c.src.data(), .dst = dst.data(), .extras = extras, .scratch = scratch.data()},
            part, parts);
    }
    EXPECT_EQ(Bytes(dst.begin() + static_cast<std::ptrdiff_t>(bytes), dst.end()),
              Bytes(kMarks, kMark));
    dst.resize(bytes);
    return dst;
}

void expect_exact(const Case& c) {
    const GemmVnni gemm(c.complete());
    const Bytes got = run(gemm, c, 1);
    const std::vector<float> want = expected(c);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (test::element(got, c.params.dst_type, i) != want[i] && ++wrong < 5) {
            ADD_FAILURE() << "element " << i << " is " << test::element(got, c.params.dst_type, i)
                          << ", expected " << want[i];
        }
    }
    EXPECT_EQ(wrong, 0u);
    for (const std::size_t parts : {2, 3, 4, 7}) {
        EXPECT_EQ(run(gemm, c, parts), got) << parts << " parts";
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
    c.weights.resize(s.dst_channels * depth);
    for (std::int8_t& w : c.weights) {
        w = static_cast<std::int8_t>(rng());
    }
    const float usual = 0.02f / std::sqrt(static_cast<float>(depth));
    c.scale = random_list(rng, s.dst_channels, usual / 4, usual);
    if (rng() % 3 != 0) {
        c.bias = random_list(rng, s.dst_channels, -5000.0f, 5000.0f);
    }
    c.src = test::random_elements(rng, c.params.src_type,
                                  s.batch * s.src_height * s.src_width * s.src_channels);
    for (const ElementType type : kTypes) {
        c.extras.push_back(test::random_elements(rng, type, c.elements()));
    }
    c.params.ops = random_ops(rng, c);
    return c;
}

// Kernels on machines without the instructions are refused; there is nothing to test there.
class GemmVnniTest : public testing::Test {
protected:
    void SetUp() override {
        if (!GemmVnni::available()) {
            GTEST_SKIP() << "this machine has no AVX-512 VNNI";
        }
    }
};

TEST_F(GemmVnniTest, RandomCasesAreExact) {
    for (unsigned seed = 0; seed < 250; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        expect_exact(random_case(rng));
    }
}

// A matrix product of weights [K, N], larger than one block and one group of panels.
TEST_F(GemmVnniTest, MatrixProductOfSeveralBlocks) {
    for (const std::size_t rows : {1, 13, 29, 700}) {
        SCOPED_TRACE(detail::cat(rows, " rows"));
        std::mt19937 rng(static_cast<unsigned>(rows));
        Case c;
        c.params.shape = {
            .src_channels = 1028, .dst_channels = 83, .src_width = rows, .dst_width = rows};
        c.params.src_type = ElementType::i8;
        c.params.src_zero_point = -3;
        c.params.dst_type = ElementType::f32;
        c.weights.resize(1028 * 83);
        for (std::int8_t& w : c.weights) {
            w = static_cast<std::int8_t>(rng());
        }
        c.scale = {0.5f};
        c.src = test::random_elements(rng, ElementType::i8, rows * 1028);
        expect_exact(c);
    }
}

TEST_F(GemmVnniTest, WeightsMayBeTransposed) {
    std::mt19937 rng(3);
    Case c;
    c.params.shape = {.src_channels = 20, .dst_channels = 33, .src_width = 5, .dst_width = 5};
    c.params.dst_type = ElementType::f32;
    c.weights.resize(20 * 33);
    for (std::int8_t& w : c.weights) {
        w = static_cast<std::int8_t>(rng());
    }
    c.scale = {1.0f};
    c.src = test::random_elements(rng, ElementType::u8, 5 * 20);
    const Bytes want = run(GemmVnni(c.complete()), c, 1);
    std::vector<std::int8_t> transposed(c.weights.size());
    for (std::size_t n = 0; n < 33; ++n) {
        for (std::size_t k = 0; k < 20; ++k) {
            transposed[k * 33 + n] = c.weights[n * 20 + k];
        }
    }
    GemmParams params = c.complete();
    params.weights = {.values = transposed, .dst_channel = 1, .src_channel = 33};
    EXPECT_EQ(run(GemmVnni(params), c, 1), want);
}

// 1 * 2 + 2 * 3 = 8; (8 - 1) * 0.5 = 3.5, which rounds to even.
TEST_F(GemmVnniTest, HandWrittenNumbers) {
    Case c;
    c.params.shape = {.src_channels = 2, .dst_channels = 1, .src_width = 2, .dst_width = 2};
    c.weights = {2, 3};
    c.scale = {0.5f};
    c.bias = {-1.0f};
    c.src = {1, 2, 255, 0};
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{4, 254}));
    c.params.dst_type = ElementType::i8;
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{4, 127}));
    c.params.src_zero_point = 2;  // (-1 * 2 - 1) * 0.5 = -1.5; (253 * 2 - 2 * 3 - 1) / 2 = 249.5
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{0xFE, 127}));
}

TEST_F(GemmVnniTest, LargeValuesSaturate) {
    Case c;
    c.params.shape = {.src_channels = 4, .dst_channels = 2, .src_width = 1, .dst_width = 1};
    c.weights = {127, 127, 127, 127, -127, -127, -127, -127};
    c.scale = {1e20f};
    c.src = {255, 255, 255, 255};
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{255, 0}));
    c.params.dst_type = ElementType::i8;
    EXPECT_EQ(run(GemmVnni(c.complete()), c, 1), (Bytes{0x7F, 0x80}));
}

TEST_F(GemmVnniTest, Activations) {
    using K = post_ops::EltwiseKind;
    for (const K kind : {K::kRelu, K::kTanh, K::kElu, K::kSigmoid, K::kSwish, K::kHswish,
                         K::kHsigmoid, K::kHardSigmoid, K::kMish, K::kSoftplus, K::kGeluErf,
                         K::kGeluTanh, K::kAbs, K::kSquare, K::kExp}) {
        const post_ops::Eltwise eltwise{.kind = kind, .alpha = 0.3f, .beta = 0.4f, .scale = 1.5f};
        SCOPED_TRACE(post_ops::to_text(eltwise));
        std::mt19937 rng(7);
        Case c;
        c.params.shape = {.src_channels = 8, .dst_channels = 40, .src_width = 50, .dst_width = 50};
        c.params.src_zero_point = 128;
        c.params.dst_type = ElementType::f32;
        c.weights.resize(8 * 40);
        for (std::int8_t& w : c.weights) {
            w = static_cast<std::int8_t>(rng());
        }
        c.scale = {1.5e-4f};  // values from -8 to 8
        c.src = test::random_elements(rng, ElementType::u8, 8 * 50);
        c.params.ops = {{.kind = Kind::kEltwise, .eltwise = eltwise}};
        const Bytes got = run(GemmVnni(c.complete()), c, 1);
        const std::vector<float> want = expected(c);
        for (std::size_t i = 0; i < want.size(); ++i) {
            ASSERT_NEAR(test::element(got, ElementType::f32, i), want[i],
                        2e-6 * (1 + std::abs(want[i])))
                << "element " << i;
        }
    }
}

// Where it is rounded to 8 bits, gelu_erf comes from a table.
TEST_F(GemmVnniTest, TableOfTheNormalDistribution) {
    for (double t = 0; t < 9; t += 0.001) {
        ASSERT_NEAR(gemm::normal_table().value(t), 0.5 * std::erf(t / std::sqrt(2.0)), 6e-8) << t;
    }
}

// Results of 8 bits take shorter ways to the activations; they may differ where the exact value is
// a tie to within a few times 1e-5.
TEST_F(GemmVnniTest, RoundedActivations) {
    using K = post_ops::EltwiseKind;
    for (const K kind : {K::kGeluErf, K::kElu, K::kSigmoid, K::kSwish, K::kTanh, K::kMish,
                         K::kSoftplus, K::kGeluTanh, K::kHswish}) {
        for (const float range : {1e-4f, 3e-3f}) {  // values up to 6, up to 180
            const post_ops::Eltwise eltwise{.kind = kind, .alpha = 1.1f, .scale = 40.0f};
            SCOPED_TRACE(testing::Message() << post_ops::to_text(eltwise) << " " << range);
            std::mt19937 rng(5);
            Case c;
            c.params.shape = {
                .src_channels = 8, .dst_channels = 40, .src_width = 500, .dst_width = 500};
            c.params.src_zero_point = 128;
            c.params.dst_type = ElementType::i8;
            c.weights.resize(8 * 40);
            for (std::int8_t& w : c.weights) {
                w = static_cast<std::int8_t>(rng());
            }
            c.scale = {range};
            c.src = test::random_elements(rng, ElementType::u8, 8 * 500);
            c.params.ops = {{.kind = Kind::kEltwise, .eltwise = eltwise}};
            const Bytes got = run(GemmVnni(c.complete()), c, 1);
            c.params.dst_type = ElementType::f32;
            const std::vector<float> exact = expected(c);
            for (std::size_t i = 0; i < exact.size(); ++i) {
                const float limited = std::min(std::max(exact[i], -128.0f), 127.0f);
                ASSERT_LE(std::abs(test::element(got, ElementType::i8, i) - limited), 0.50005f)
                    << "element " << i << " is " << exact[i];
            }
        }
    }
}

// dst in the memory of an extra input.
TEST_F(GemmVnniTest, AddsInPlace) {
    std::mt19937 rng(11);
    Case c;
    c.params.shape = {.src_channels = 16, .dst_channels = 57, .src_width = 33, .dst_width = 33};
    c.weights.assign(16 * 57, 1);
    c.scale = {0.03f};
    c.src = test::random_elements(rng, ElementType::u8, 16 * 33);
    c.extras = {test::random_elements(rng, ElementType::u8, c.elements())};
    c.params.ops = {{.kind = Kind::kSum, .binary = {.type = ElementType::u8, .scale = 0.5f}}};
    const GemmVnni gemm(c.complete());
    const Bytes want = run(gemm, c, 1);
    Bytes both = c.extras[0];
    const void* extras[] = {both.data()};
    gemm.run({.src = c.src.data(), .dst = both.data(), .extras = extras}, 0, 1);
    EXPECT_EQ(both, want);
}

void expect_refused(const Case& c, const std::string& message) {
    try {
        const GemmVnni gemm(c.complete());
        ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr(message));
    }
}

TEST_F(GemmVnniTest, Refusals) {
    Case good;
    good.params.shape = {.src_channels = 2, .dst_channels = 3, .src_width = 1, .dst_width = 1};
    good.weights.assign(6, 1);
    good.scale = {1.0f};
    const GemmVnni accepted(good.complete());
    Case c = good;
    c.weights.pop_back();
    expect_refused(c, "there are 5 weights, the last one used is number 5");
    c = good;
    c.scale = {1.0f, 2.0f};
    expect_refused(c, "scale has 2 values, expected 1 or 3");
    c = good;
    c.scale.clear();
    expect_refused(c, "there is no scale");
    c = good;
    c.bias = {1.0f, 2.0f};
    expect_refused(c, "bias has 2 values, expected 1 or 3");
    c = good;
    c.params.src_type = ElementType::f32;
    expect_refused(c, "src is f32, expected u8 or i8");
    c = good;
    c.params.dst_type = ElementType::i32;
    expect_refused(c, "dst is i32, expected u8, i8 or f32");
    c = good;
    c.params.src_zero_point = -1;
    expect_refused(c, "the zero point of src is -1, expected 0 to 255");
    c = good;
    c.params.shape.src_channels = 0;
    expect_refused(c, "a size is 0");
    c = good;
    c.params.ops = {{.kind = Kind::kEltwise, .eltwise = {.kind = post_ops::EltwiseKind::kLog}}};
    expect_refused(c, "it has no log");
    c = good;
    c.params.ops = {{.kind = Kind::kSum, .binary = {.type = ElementType::i32}}};
    expect_refused(c, "an extra input is i32, expected u8, i8 or f32");
}

}  // namespace
}  // namespace fuseq::kernels
