// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Deconvolutions, against the definition: each pixel of src adds its kernel to dst.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::element;
using fuseq::test::random_elements;
using Kind = GemmOp::Kind;

// Where weight (i, j) of pixel (y, x) is added; nothing where that is cut off.
std::optional<std::size_t> pixel_of_dst(
    const GemmShape& s, std::size_t y, std::size_t x, std::size_t i, std::size_t j) {
    const auto row = static_cast<std::ptrdiff_t>(y * s.stride_height + i) - s.pad_top;
    const auto column = static_cast<std::ptrdiff_t>(x * s.stride_width + j) - s.pad_left;
    if (row < 0 || column < 0 || row >= static_cast<std::ptrdiff_t>(s.dst_height) ||
        column >= static_cast<std::ptrdiff_t>(s.dst_width)) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(row) * s.dst_width + static_cast<std::size_t>(column);
}

std::vector<std::int64_t> sums(const Case& c) {
    const GemmShape& s = c.params.shape;
    std::vector<std::int64_t> sums(c.elements());
    for (std::size_t at = 0; at < s.batch * s.src_height * s.src_width; ++at) {
        const std::size_t image = at / s.src_width / s.src_height;
        for (std::size_t tap = 0; tap < s.kernel_height * s.kernel_width; ++tap) {
            const auto to = pixel_of_dst(s, at / s.src_width % s.src_height, at % s.src_width,
                                         tap / s.kernel_width, tap % s.kernel_width);
            for (std::size_t n = 0; to && n < s.dst_channels; ++n) {
                std::int64_t& sum =
                    sums[(image * s.dst_height * s.dst_width + *to) * s.dst_channels + n];
                for (std::size_t k = 0; k < s.src_channels; ++k) {
                    const auto value = static_cast<int>(
                        element(c.src, c.params.src_type, at * s.src_channels + k));
                    sum += (value - c.params.src_zero_point) *
                           c.weights[(k * s.dst_channels + n) * s.kernel_height * s.kernel_width +
                                     tap];
                }
            }
        }
    }
    return sums;
}

// Of a list for element `at` of dst: one value, one a channel, or one a sub-pixel and channel.
float value_of(const std::vector<float>& list, const GemmShape& s, std::size_t at) {
    const std::size_t n = at % s.dst_channels;
    const std::size_t x = at / s.dst_channels % s.dst_width;
    const std::size_t y = at / s.dst_channels / s.dst_width % s.dst_height;
    const std::size_t subpixel = y % s.stride_height * s.stride_width + x % s.stride_width;
    return list.empty() ? 0.0f
                        : list[list.size() == 1                ? 0
                               : list.size() == s.dst_channels ? n
                                                               : subpixel * s.dst_channels + n];
}

float apply(const Case& c, const GemmOp& op, float v, std::size_t at) {
    const GemmShape& s = c.params.shape;
    const float a = value_of(op.a, s, at);
    switch (op.kind) {
        case Kind::kPrelu: return v > 0 ? v : v * a;
        case Kind::kClip: return std::min(std::max(v, a), value_of(op.b, s, at));
        case Kind::kShift: return v + a;
        default: break;
    }
    const float t = element(c.binary_sources[op.binary.input], op.binary.type, at);
    return op.kind == Kind::kSum ? std::fma(t, op.binary.scale, v)
                                 : v + (t - op.binary.zero_point) * op.binary.scale;
}

std::vector<float> expected_values(const Case& c) {
    const std::vector<std::int64_t> all = sums(c);
    const GemmShape& s = c.params.shape;
    std::vector<float> result;
    for (std::size_t at = 0; at < all.size(); ++at) {
        float v =
            (static_cast<float>(all[at]) + value_of(c.bias, s, at)) * value_of(c.scale, s, at);
        for (const GemmOp& op : c.params.ops) {
            v = apply(c, op, v, at);
        }
        result.push_back(c.params.dst_type == ElementType::f32
                             ? v
                             : static_cast<float>(post_ops::store(c.params.dst_type, v)));
    }
    return result;
}

GemmParams deconvolution(const Case& c) {
    GemmParams params = c.complete();
    const GemmShape& s = params.shape;
    const std::size_t taps = s.kernel_height * s.kernel_width;
    params.weights.dst_channel = taps;
    params.weights.src_channel = s.dst_channels * taps;
    params.transposed = true;
    return params;
}

// Into the channels from `first` on of pixels of `pitch` elements, of which the others stay.
void expect_slice(const Case& c, std::size_t pitch, std::size_t first) {
    constexpr std::uint8_t kMark = 0xA5;
    const std::vector<float> want = expected_values(c);
    const GemmVnni gemm(deconvolution(c));
    const std::size_t channels = c.params.shape.dst_channels;
    const std::size_t size = size_of(c.params.dst_type);
    std::vector<const void*> sources;
    for (const Bytes& source : c.binary_sources) {
        sources.push_back(source.data());
    }
    for (const std::size_t parts : {1, 2, 3, 8}) {
        Bytes dst(want.size() / channels * pitch * size, kMark);
        AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes() * parts, 0x3C);
        const GemmSplit split = gemm.split(parts);
        for (std::size_t part = parts; part-- > 0;) {
            gemm.run({.src = c.src.data(),
                      .dst = dst.data() + first * size,
                      .binary_sources = sources,
                      .rows = c.rows,
                      .scratch = scratch.data(),
                      .dst_pitch = pitch},
                     part, split);
        }
        std::size_t wrong = 0;
        std::size_t touched = 0;
        for (std::size_t i = 0; i < dst.size() / size; ++i) {
            const std::size_t n = i % pitch;
            if (n >= first && n < first + channels) {
                const float got = element(dst, c.params.dst_type, i);
                wrong += got != want[i / pitch * channels + n - first] ? 1 : 0;
                continue;
            }
            const auto at = dst.begin() + static_cast<std::ptrdiff_t>(i * size);
            touched += std::count(at, at + static_cast<std::ptrdiff_t>(size), kMark) !=
                               static_cast<std::ptrdiff_t>(size)
                           ? 1
                           : 0;
        }
        EXPECT_EQ(wrong, 0u) << "of " << want.size() << " in " << parts << " parts";
        EXPECT_EQ(touched, 0u) << "in " << parts << " parts";
    }
}

std::size_t between(std::mt19937& rng, std::size_t low, std::size_t high) {
    return low + rng() % (high - low + 1);
}

// Of any kernel that is as large as the stride at least, and a size of dst that its multiple is.
Case random_deconvolution(std::mt19937& rng) {
    Case c;
    GemmShape& s = c.params.shape;
    s.batch = between(rng, 1, 2);
    s.src_channels = between(rng, 1, 70);
    s.dst_channels = between(rng, 1, 100);
    s.src_height = between(rng, 1, 7);
    s.src_width = between(rng, 1, 30);
    s.stride_height = between(rng, 1, 3);
    s.stride_width = between(rng, 1, 3);
    const bool exact = rng() % 2 == 0;
    s.kernel_height = s.stride_height + (exact ? 0 : between(rng, 0, 3));
    s.kernel_width = s.stride_width + (exact ? 0 : between(rng, 0, 3));
    s.pad_top = exact ? 0 : static_cast<std::ptrdiff_t>(between(rng, 0, 2));
    s.pad_left = exact ? 0 : static_cast<std::ptrdiff_t>(between(rng, 0, 2));
    const bool longer = rng() % 4 == 0;
    s.dst_height = s.stride_height * (s.src_height + (longer ? 1 : 0));
    s.dst_width = s.stride_width * (s.src_width + (longer ? 1 : 0));
    c.params.src_type = rng() % 2 == 0 ? ElementType::u8 : ElementType::i8;
    constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8, ElementType::f32};
    c.params.dst_type = kTypes[rng() % 3];
    c.params.src_zero_point = rng() % 2 == 0 ? 0 : static_cast<int>(rng() % 100);
    const std::size_t depth = s.src_channels * s.kernel_height * s.kernel_width;
    c.weights = random_weights(rng, s.dst_channels * depth);
    std::uniform_real_distribution<float> real(0.2f, 1.0f);
    const auto list = [&](float by) {
        const std::size_t sizes[] = {1, s.dst_channels,
                                     s.dst_channels * s.stride_height * s.stride_width};
        std::vector<float> values(sizes[rng() % 3]);
        std::generate(values.begin(), values.end(), [&] { return by * real(rng); });
        return values;
    };
    c.scale = list(0.02f / std::sqrt(static_cast<float>(depth)));
    if (rng() % 3 != 0) {
        c.bias = list(4000.0f);
    }
    if (rng() % 3 == 0) {
        c.params.ops.push_back({.kind = Kind::kPrelu, .a = list(0.5f)});
    } else if (rng() % 2 == 0) {
        c.params.ops.push_back({.kind = Kind::kClip, .a = {0.0f}, .b = list(90.0f)});
    }
    c.src = random_elements(rng, c.params.src_type,
                            s.batch * s.src_height * s.src_width * s.src_channels);
    return c;
}

// With tensors of each type, perhaps two, at a random place among the operations.
Case with_tensors(std::mt19937& rng) {
    Case c = random_deconvolution(rng);
    constexpr ElementType kTypes[] = {ElementType::u8, ElementType::i8, ElementType::f32};
    for (const ElementType type : kTypes) {
        c.binary_sources.push_back(random_elements(rng, type, c.elements()));
    }
    for (std::size_t i = between(rng, 1, 2); i > 0; --i) {
        const std::size_t input = rng() % 3;
        GemmOp op{.kind = rng() % 2 == 0 ? Kind::kSum : Kind::kBinary};
        op.binary = {.input = input,
                     .type = kTypes[input],
                     .scale = 0.25f + static_cast<float>(rng() % 8) / 16.0f,
                     .zero_point = op.kind == Kind::kSum ? 0.0f : static_cast<float>(rng() % 7)};
        const std::size_t at = between(rng, 0, c.params.ops.size());
        c.params.ops.insert(c.params.ops.begin() + static_cast<std::ptrdiff_t>(at), op);
    }
    return c;
}

using GemmVnniDeconvolutionTest = GemmVnniTest;

TEST_F(GemmVnniDeconvolutionTest, RandomOnesAreExact) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        const Case c = random_deconvolution(rng);
        expect_slice(c, c.params.shape.dst_channels, 0);
    }
}

TEST_F(GemmVnniDeconvolutionTest, SlicesOfAnotherTensorAreWritten) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        const Case c = random_deconvolution(rng);
        expect_slice(c, c.params.shape.dst_channels + 1 + rng() % 70, rng() % 2);
    }
}

TEST_F(GemmVnniDeconvolutionTest, TensorsAreRead) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        Case c = with_tensors(rng);
        std::vector<GemmForm> forms{GemmForm::kVnni512, GemmForm::kVnni256, GemmForm::kBytes,
                                    GemmForm::kPairs};
        if (suits_amx(c)) {
            forms.push_back(GemmForm::kAmx);
        }
        for (const GemmForm form : forms) {
            SCOPED_TRACE(detail::cat("form ", static_cast<int>(form)));
            c.params.form = form;
            expect_slice(c, c.params.shape.dst_channels, 0);
        }
    }
}

// Rows that differ are stored once: here two of each image, which alternate.
TEST_F(GemmVnniDeconvolutionTest, TensorsOfFewRowsAreRead) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(detail::cat("seed ", seed));
        std::mt19937 rng(seed);
        Case c = random_deconvolution(rng);
        const GemmShape& s = c.params.shape;
        const std::size_t bytes = s.dst_width * s.dst_channels * sizeof(float);
        const Bytes few = random_elements(rng, ElementType::f32, 2 * bytes / sizeof(float));
        std::vector<std::size_t> offsets;
        Bytes whole(s.batch * s.dst_height * bytes);
        for (std::size_t row = 0; row < s.batch * s.dst_height; ++row) {
            offsets.push_back(row % s.dst_height % 2 * bytes);
            std::copy_n(few.begin() + static_cast<std::ptrdiff_t>(offsets[row]), bytes,
                        whole.begin() + static_cast<std::ptrdiff_t>(row * bytes));
        }
        c.params.ops.push_back({.kind = Kind::kBinary});
        c.binary_sources = {whole};
        for (const GemmForm form : {GemmForm::kVnni512, GemmForm::kBytes}) {
            c.params.form = form;
            c.rows = {{few.data(), offsets.data()}};
            expect_slice(c, s.dst_channels, 0);
        }
    }
}

// Blocks of several rows, panels of 64 channels, rows of more pixels than a tile.
TEST_F(GemmVnniDeconvolutionTest, LayersOfSegmentationNetworks) {
    struct Layer {
        std::size_t side, src_channels, dst_channels, kernel;
        std::ptrdiff_t pad;
    };
    for (const Layer& layer : {Layer{24, 64, 32, 2, 0}, Layer{17, 128, 64, 4, 1},
                               Layer{12, 256, 128, 2, 0}, Layer{9, 132, 72, 3, 1}}) {
        SCOPED_TRACE(detail::cat(layer.src_channels, " to ", layer.dst_channels));
        std::mt19937 rng(static_cast<unsigned>(layer.side));
        Case c;
        c.params.shape = {.src_channels = layer.src_channels,
                          .dst_channels = layer.dst_channels,
                          .src_height = layer.side,
                          .src_width = layer.side,
                          .dst_height = 2 * layer.side,
                          .dst_width = 2 * layer.side,
                          .kernel_height = layer.kernel,
                          .kernel_width = layer.kernel,
                          .stride_height = 2,
                          .stride_width = 2,
                          .pad_top = layer.pad,
                          .pad_left = layer.pad};
        c.weights = random_weights(
            rng, layer.kernel * layer.kernel * layer.src_channels * layer.dst_channels);
        c.scale = {0.0003f};
        c.bias = {1000.0f};
        c.src = random_elements(rng, ElementType::u8, layer.side * layer.side * layer.src_channels);
        expect_slice(c, layer.dst_channels, 0);
        expect_slice(c, 2 * layer.dst_channels, layer.dst_channels);
    }
}

TEST_F(GemmVnniDeconvolutionTest, OthersAreRefused) {
    std::mt19937 rng(1);
    Case c = random_deconvolution(rng);
    GemmShape& s = c.params.shape;
    s.stride_height = s.stride_width = 2;
    s.kernel_height = s.kernel_width = 2;
    s.dst_height = 2 * s.src_height;
    s.dst_width = 2 * s.src_width;
    c.weights = random_weights(rng, s.src_channels * s.dst_channels * 4);
    c.params.ops.clear();
    c.scale = {0.001f};
    c.bias.clear();
    GemmParams good = deconvolution(c);
    EXPECT_NO_THROW(GemmVnni{good});
    const auto expect_refused = [&](auto&& change) {
        GemmParams params = deconvolution(c);
        change(params);
        EXPECT_THROW(GemmVnni{params}, Error);
    };
    expect_refused([](GemmParams& p) { p.shape.dst_width += 1; });
    expect_refused([](GemmParams& p) { p.shape.stride_height = 4; });
    expect_refused([](GemmParams& p) { p.shape.dilation_width = 2; });
    expect_refused([](GemmParams& p) { p.pool = true; });
    expect_refused([](GemmParams& p) {
        p.ops = {{.kind = Kind::kSum}};
        p.ops[0].binary.input = 32;  // at most so many tensors
    });
    const std::vector<float> of_three(3 * c.params.shape.dst_channels, 1.0f);
    expect_refused([&](GemmParams& p) { p.bias = of_three; });  // of four sub-pixels
    const std::vector<float> zero_point{1.0f};
    expect_refused([&](GemmParams& p) { p.wei_zero_point = zero_point; });
}

}  // namespace
}  // namespace fuseq::kernels
