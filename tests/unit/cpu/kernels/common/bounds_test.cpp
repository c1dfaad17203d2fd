// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// No kernel touches a byte outside of its tensors: they lie between pages that may not be read, up
// against the one before them and then against the one after them.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>

#include "cpu/kernels/common/channel_copy.hpp"
#include "cpu/kernels/depthwise/depthwise_conv.hpp"
#include "cpu/kernels/eltwise/io_reorder.hpp"
#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/kernels/pool/average_pool.hpp"
#include "cpu/kernels/pool/max_pool.hpp"
#include "cpu/kernels/reduce/reduce.hpp"
#include "cpu/kernels/reduce/rows.hpp"
#include "cpu/kernels/resize/resize.hpp"
#include "cpu/machine/instructions.hpp"
#include "unit/cpu/kernels/common/elements.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"

namespace fuseq::kernels {
namespace {

using test::on_every_target;

enum class Place { kFirst, kLast };

class Guarded {
public:
    Guarded(std::size_t size, Place place, std::size_t alignment) {
        const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        const std::size_t inner = (size + page - 1) / page * page;
        mapped_ = inner + 2 * page;
        void* at = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) {
            throw std::bad_alloc();
        }
        base_ = static_cast<std::uint8_t*>(at);
        if (mprotect(base_ + page, inner, PROT_READ | PROT_WRITE) != 0) {
            throw std::bad_alloc();
        }
        const std::size_t back = place == Place::kFirst ? inner : size;
        data_ = base_ + page + (inner - back) / alignment * alignment;
    }
    ~Guarded() { munmap(base_, mapped_); }
    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;
    std::uint8_t* data() { return data_; }

private:
    std::uint8_t* base_ = nullptr;
    std::uint8_t* data_ = nullptr;
    std::size_t mapped_ = 0;
};

using Run = std::function<void(const void* src, void* dst)>;

// Runs once on plain memory and twice between guards: the same bytes, and no fault.
void expect_within(std::size_t src_bytes,
                   std::size_t dst_bytes,
                   std::size_t element,
                   const Run& run) {
    std::mt19937 rng(5);
    const test::Bytes src = element == 4
                                ? test::random_elements(rng, ElementType::f32, src_bytes / 4)
                                : test::random_elements(rng, ElementType::u8, src_bytes);
    test::Bytes want(dst_bytes);
    run(src.data(), want.data());
    for (const Place place : {Place::kFirst, Place::kLast}) {
        Guarded guarded_src(src_bytes, place, element);
        Guarded guarded_dst(dst_bytes, place, 1);
        std::copy(src.begin(), src.end(), guarded_src.data());
        run(guarded_src.data(), guarded_dst.data());
        EXPECT_EQ(test::Bytes(guarded_dst.data(), guarded_dst.data() + dst_bytes), want);
    }
}

// Tails of depth, of channels and of pixels; in place, gathered, and with padding.
TEST(Bounds, GemmVnni) {
    if (!GemmVnni::available()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    for (const ElementType type : {ElementType::u8, ElementType::i8}) {
        for (const std::size_t channels : {3, 8, 17}) {
            for (const std::size_t kernel : {1, 3}) {
                SCOPED_TRACE(testing::Message() << to_string(type) << ", " << channels
                                                << " channels, kernel " << kernel);
                constexpr std::size_t kSize = 15;
                constexpr std::size_t kOut = 41;
                const std::vector<std::int8_t> weights(kOut * channels * kernel * kernel, 3);
                const std::vector<float> scale{0.01f};
                GemmParams params;
                params.shape = {.src_channels = channels,
                                .dst_channels = kOut,
                                .src_height = kSize,
                                .src_width = kSize,
                                .dst_height = kSize,
                                .dst_width = kSize,
                                .kernel_height = kernel,
                                .kernel_width = kernel,
                                .pad_top = static_cast<std::ptrdiff_t>(kernel / 2),
                                .pad_left = static_cast<std::ptrdiff_t>(kernel / 2)};
                params.weights = {.values = weights,
                                  .dst_channel = channels * kernel * kernel,
                                  .src_channel = kernel * kernel,
                                  .row = kernel,
                                  .column = 1};
                params.src_type = type;
                params.scale = scale;
                params.ops = {{.kind = GemmOp::Kind::kSum, .binary = {.type = ElementType::u8}}};
                const GemmVnni gemm(params);
                const std::size_t dst_bytes = kSize * kSize * kOut;
                const test::Bytes added(dst_bytes, 7);
                for (const Place place : {Place::kFirst, Place::kLast}) {
                    Guarded scratch(gemm.scratch_bytes(), place, 64);
                    Guarded extra(dst_bytes, place, 1);
                    std::copy(added.begin(), added.end(), extra.data());
                    const void* binary_sources[] = {extra.data()};
                    expect_within(kSize * kSize * channels, dst_bytes, 1,
                                  [&](const void* src, void* dst) {
                                      gemm.run({.src = src,
                                                .dst = dst,
                                                .binary_sources = binary_sources,
                                                .scratch = scratch.data()},
                                               0, {});
                                  });
                }
            }
        }
    }
}

// Rows of src that are read where they are: with kernels that reach over the edges, and with none.
TEST(Bounds, GemmVnniDirect) {
    if (!GemmVnni::available()) {
        GTEST_SKIP() << "this machine has no AVX-512 VNNI";
    }
    constexpr std::size_t kWidth = 130;
    constexpr std::size_t kHeight = 12;
    constexpr std::size_t kChannels = 4;
    for (const std::size_t kernel : {3, 5}) {
        for (const std::size_t stride : {1, 2}) {
            for (const std::size_t pad : {std::size_t{0}, kernel / 2}) {
                for (const std::size_t out : {16, 41, 64}) {
                    SCOPED_TRACE(testing::Message() << "kernel " << kernel << ", stride " << stride
                                                    << ", pad " << pad << ", " << out);
                    const std::vector<std::int8_t> weights(out * kChannels * kernel * kernel, 3);
                    const std::vector<float> scale{0.01f};
                    GemmParams params;
                    params.shape = {.src_channels = kChannels,
                                    .dst_channels = out,
                                    .src_height = kHeight,
                                    .src_width = kWidth,
                                    .dst_height = (kHeight + 2 * pad - kernel) / stride + 1,
                                    .dst_width = (kWidth + 2 * pad - kernel) / stride + 1,
                                    .kernel_height = kernel,
                                    .kernel_width = kernel,
                                    .stride_height = stride,
                                    .stride_width = stride,
                                    .pad_top = static_cast<std::ptrdiff_t>(pad),
                                    .pad_left = static_cast<std::ptrdiff_t>(pad)};
                    params.weights = {.values = weights,
                                      .dst_channel = kChannels * kernel * kernel,
                                      .src_channel = kernel * kernel,
                                      .row = kernel,
                                      .column = 1};
                    params.scale = scale;
                    const GemmVnni gemm(params);
                    const GemmShape& s = params.shape;
                    EXPECT_EQ(GemmVnni::is_direct(s), s.dst_height > 4);
                    for (const Place place : {Place::kFirst, Place::kLast}) {
                        Guarded scratch(gemm.scratch_bytes(), place, 64);
                        expect_within(
                            kHeight * kWidth * kChannels, s.dst_height * s.dst_width * out, 1,
                            [&](const void* src, void* dst) {
                                gemm.run({.src = src, .dst = dst, .scratch = scratch.data()}, 0,
                                         {});
                            });
                    }
                }
            }
        }
    }
}

void expect_depthwise_within(DepthwisePath path, bool elus = false) {
    for (const std::size_t channels : {1, 5, 8, 16, 24, 32, 63, 64, 80, 96, 130}) {
        for (const std::size_t kernel : {3, 5, 4}) {
            for (const std::size_t stride : {1, 2}) {
                const std::vector<std::int8_t> weights(channels * kernel * kernel, 3);
                const std::vector<float> scale{0.01f};
                DepthwiseParams params;
                params.shape = {{.src_channels = channels,
                                 .dst_channels = channels,
                                 .src_height = 5,
                                 .src_width = 5,
                                 .dst_height = 5 / stride,
                                 .dst_width = 5 / stride,
                                 .kernel_height = kernel,
                                 .kernel_width = kernel,
                                 .stride_height = stride,
                                 .stride_width = stride,
                                 .pad_top = 1,
                                 .pad_left = 1}};
                params.weights = weights;
                params.scale = scale;
                params.path = path;
                if (elus) {
                    params.elu = DepthwiseElu{};
                    if (!DepthwiseConv::stores_elu(params)) {
                        continue;
                    }
                }
                const DepthwiseConv conv(params);
                SCOPED_TRACE(conv.implementation());
                const std::size_t dst = channels * (5 / stride) * (5 / stride);
                expect_within(25 * channels, dst, 1,
                              [&](const void* s, void* d) { conv.run(s, d); });
            }
        }
    }
}

TEST(Bounds, DepthwiseConv) {
    on_every_target([](const std::string&) {
        expect_depthwise_within(DepthwisePath::kAuto);
        expect_depthwise_within(DepthwisePath::kPortable);
    });
    if (has_avx512_vnni()) {
        for (const bool elus : {false, true}) {
            expect_depthwise_within(DepthwisePath::kStrips, elus);
            expect_depthwise_within(DepthwisePath::kFlat, elus);
        }
    }
}

TEST(Bounds, IoReorder) {
    on_every_target([](const std::string&) {
        for (const std::size_t channels : {1, 3, 7, 16, 33}) {
            IoReorderParams params;
            params.channels = channels;
            params.pixels = 131;
            const std::size_t count = channels * params.pixels;
            expect_within(4 * count, count, 4, [&](const void* s, void* d) {
                to_channels_last(params, s, d, {0, params.pixels});
            });
            params.src_type = ElementType::u8;
            expect_within(count, count, 1, [&](const void* s, void* d) {
                from_channels_last(params, s, d, {0, params.pixels});
            });
        }
    });
}

TEST(Bounds, ChannelCopy) {
    on_every_target([](const std::string&) {
        for (const std::size_t bytes : {1, 3, 7, 15, 17, 40, 64, 100}) {
            expect_within(9 * bytes, 9 * bytes, 1, [&](const void* s, void* d) {
                const auto* src = static_cast<const std::uint8_t*>(s);
                auto* dst = static_cast<std::uint8_t*>(d);
                const std::size_t half = bytes / 2;
                const std::vector<ChannelCopy> copies{
                    {src, dst, bytes, bytes, half},
                    {src + half, dst + half, bytes, bytes, bytes - half}};
                copy_channels(copies, {0, 9});
            });
        }
    });
}

TEST(Bounds, MaxPool) {
    on_every_target([](const std::string&) {
        for (const std::size_t channels : {1, 3, 17, 64, 100}) {
            for (const ElementType type : {ElementType::u8, ElementType::f32}) {
                for (const std::size_t stride : {1, 2}) {
                    MaxPoolParams p;
                    p.type = type;
                    p.channels = channels;
                    p.height = {.src = 9, .dst = 8 / stride, .kernel = 3, .stride = stride};
                    p.height.pad = 1;
                    p.width = p.height;
                    check_max_pool(p);
                    const std::size_t pixel = channels * size_of(type);
                    expect_within(81 * pixel, p.height.dst * p.width.dst * pixel, size_of(type),
                                  [&](const void* src, void* dst) {
                                      max_pool(p, src, dst, {0, max_pool_rows(p)});
                                  });
                }
            }
        }
    });
}

TEST(Bounds, Normalize) {
    on_every_target([](const std::string&) {
        for (const std::size_t inner : {2, 15, 16, 37}) {
            NormalizeParams p{.length = 11, .inner = inner};
            p.src_type = ElementType::u8;
            p.dst_type = ElementType::i8;
            const std::size_t count = 2 * p.length * inner;
            expect_within(count, count, 1, [&](const void* src, void* dst) {
                normalize(p, src, dst, {0, 2}, {0, inner});
            });
        }
    });
}

TEST(Bounds, SoftmaxOfColumnsAndShortRows) {
    on_every_target([](const std::string&) {
        for (const std::size_t inner : {1, 2, 19}) {
            for (const std::size_t length : {3, 20}) {
                SoftmaxParams p{.length = length, .inner = inner};
                p.dst_type = ElementType::u8;
                const std::size_t rows = 7 * inner;
                expect_within(rows * length * 4, rows * length, 4, [&](const void* src, void* dst) {
                    softmax(p, static_cast<const float*>(src), dst, {0, rows});
                });
            }
        }
    });
}

TEST(Bounds, PoolAndResize) {
    on_every_target([](const std::string&) {
        for (const std::size_t channels : {1, 15, 33, 64}) {
            AveragePoolParams pool;
            pool.channels = channels;
            pool.src_height = pool.src_width = 6;
            pool.dst_height = pool.dst_width = 3;
            pool.kernel_height = pool.kernel_width = pool.stride_height = pool.stride_width = 2;
            expect_within(36 * channels, 9 * channels, 1, [&](const void* s, void* d) {
                average_pool(pool, s, d, {0, 9}, {0, channels});
            });
            ResizeParams resized;
            resized.channels = channels;
            resized.src_height = resized.src_width = 6;
            resized.rows = linear_axis(6, 9, 1.5, ResizeCoordinates::kHalfPixel);
            resized.columns = resized.rows;
            expect_within(36 * channels, 81 * channels, 1, [&](const void* s, void* d) {
                resize(resized, s, d, {0, 9});
            });
            resized.rows =
                nearest_axis(6, 9, 1.5, ResizeCoordinates::kAsymmetric, ResizeNearest::kFloor);
            resized.columns = resized.rows;
            expect_within(36 * channels, 81 * channels, 1, [&](const void* s, void* d) {
                resize(resized, s, d, {0, 9});
            });
        }
    });
}

TEST(Bounds, Rows) {
    on_every_target([](const std::string&) {
        for (const std::size_t n : {1, 5, 15, 17, 33, 127}) {
            SoftmaxParams softmax_params{.length = n, .dst_type = ElementType::u8};
            expect_within(8 * n, 2 * n, 4, [&](const void* s, void* d) {
                softmax(softmax_params, static_cast<const float*>(s), d, {0, 2});
            });
            LayerNormParams norm_params{.length = n, .dst_type = ElementType::i8};
            expect_within(8 * n, 2 * n, 4, [&](const void* s, void* d) {
                layer_norm(norm_params, static_cast<const float*>(s), d, {0, 2});
            });
        }
    });
}

}  // namespace
}  // namespace fuseq::kernels
