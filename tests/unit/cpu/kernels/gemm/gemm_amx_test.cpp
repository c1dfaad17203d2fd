// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The tiles of AMX against plain loops. Whole products by tiles: expect_exact() runs every case of
// the other tests by them too.
#include "cpu/kernels/gemm/gemm_amx.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/machine/traits.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using gemm::amx_tile_depth;
using gemm::AmxCall;
using gemm::AmxTiles;
using testing::HasSubstr;

constexpr std::size_t kLanes = 16;

class GemmAmx : public testing::Test {
protected:
    void SetUp() override {
        if (!has_amx_int8()) {
            GTEST_SKIP() << "this machine has no AMX";
        }
    }
};

TEST(GemmAmxTileDepth, IsTheLargestDivisorThatATileHolds) {
    EXPECT_EQ(amx_tile_depth(1), 1u);
    EXPECT_EQ(amx_tile_depth(15), 15u);
    EXPECT_EQ(amx_tile_depth(16), 16u);
    EXPECT_EQ(amx_tile_depth(17), 1u);
    EXPECT_EQ(amx_tile_depth(18), 9u);
    EXPECT_EQ(amx_tile_depth(24), 12u);
    EXPECT_EQ(amx_tile_depth(40), 10u);
    EXPECT_EQ(amx_tile_depth(144), 16u);
}

// Bytes, weights and first sums of some pixels and taps.
struct Problem {
    std::size_t rows, vectors, depth4;
    bool is_signed;
    std::ptrdiff_t second = 0;
    std::size_t src_step = 0;
    std::size_t skip = 0;
    std::vector<std::ptrdiff_t> taps{};
    Bytes src{};
    std::vector<std::int8_t> wei{};
    std::vector<std::int32_t> init{};

    AmxCall call(std::int32_t* tile) const {
        return {.src = src.data(),
                .src_step = src_step,
                .rows = rows,
                .second = second,
                .wei = wei.data(),
                .vectors = vectors,
                .depth4 = depth4,
                .taps = taps,
                .skip = skip,
                .init = init.data(),
                .init_step = kLanes,
                .src_signed = is_signed,
                .tile = tile,
                .ahead = wei.data(),
                .ahead_step = 64};
    }

    std::int32_t expected(std::size_t row, std::size_t channel) const {
        const std::size_t half = rows / 2;
        const std::ptrdiff_t begin =
            second != 0 && row >= half
                ? second + static_cast<std::ptrdiff_t>((row - half) * src_step)
                : static_cast<std::ptrdiff_t>(row * src_step);
        const std::size_t tap_bytes = depth4 * 4 * kLanes * vectors + skip;
        std::int32_t sum = init[channel];
        for (std::size_t t = 0; t < taps.size(); ++t) {
            for (std::size_t k = 0; k < 4 * depth4; ++k) {
                const std::uint8_t byte = src[static_cast<std::size_t>(begin + taps[t]) + k];
                const int value = is_signed ? static_cast<std::int8_t>(byte) : byte;
                const std::size_t group = k / 4 * kLanes * vectors + channel;
                sum += value * wei[t * tap_bytes + group * 4 + k % 4];
            }
        }
        return sum;
    }
};

Problem random_problem(std::mt19937& rng) {
    constexpr std::size_t kDepths[] = {1, 2, 7, 9, 16, 17, 24, 32, 48};
    Problem p{.rows = 1 + rng() % gemm::kAmxRows,
              .vectors = 1 + rng() % gemm::kAmxVectors,
              .depth4 = kDepths[rng() % std::size(kDepths)],
              .is_signed = rng() % 2 == 0};
    p.src_step = 4 * p.depth4 + rng() % 9;
    p.skip = rng() % 2 == 0 ? 0 : 64 * p.vectors;
    const std::size_t taps = 1 + rng() % 3;
    for (std::size_t t = 0; t < taps; ++t) {
        p.taps.push_back(static_cast<std::ptrdiff_t>(t * 4 * p.depth4 + rng() % 5));
    }
    const std::size_t row_bytes = (p.rows + 1) * p.src_step + taps * 4 * p.depth4 + 16;
    if (p.rows % 2 == 0 && rng() % 2 == 0) {
        p.second = static_cast<std::ptrdiff_t>(row_bytes);
    }
    p.src = fuseq::test::random_elements(rng, ElementType::u8, 2 * row_bytes);
    p.wei = random_weights(rng, taps * (p.depth4 * 64 * p.vectors + p.skip));
    p.init.resize(kLanes * p.vectors);
    std::generate(p.init.begin(), p.init.end(),
                  [&] { return static_cast<std::int32_t>(rng() % 2000) - 1000; });
    return p;
}

TEST_F(GemmAmx, TilesAreThePlainLoops) {
    const auto seed = std::random_device{}();
    std::mt19937 rng(seed);
    AmxTiles tiles;
    for (int i = 0; i < 300 && !HasFailure(); ++i) {
        const Problem p = random_problem(rng);
        SCOPED_TRACE(testing::Message()
                     << "seed " << seed << ", case " << i << ": " << p.rows << " pixels x "
                     << p.vectors << " vectors, depth " << 4 * p.depth4 << ", " << p.taps.size()
                     << " taps" << (p.is_signed ? ", i8" : ", u8"));
        const std::size_t lanes = kLanes * p.vectors;
        AlignedVector<std::int32_t> tile((p.rows + 1) * lanes, 77);
        tiles.sum(p.call(tile.data()));
        for (std::size_t at = 0; at < tile.size(); ++at) {
            const std::size_t row = at / lanes;
            ASSERT_EQ(tile[at], row < p.rows ? p.expected(row, at % lanes) : 77) << "value " << at;
        }
    }
}

TEST_F(GemmAmx, NothingSaturates) {
    for (const bool is_signed : {false, true}) {
        Problem p{.rows = 17, .vectors = 3, .depth4 = 64, .is_signed = is_signed};
        p.src_step = 4 * p.depth4;
        p.taps = {0};
        p.src.assign(p.rows * p.src_step, is_signed ? 0x80 : 0xFF);
        p.wei.assign(p.depth4 * 64 * p.vectors, -128);
        p.init.assign(kLanes * p.vectors, 5);
        AlignedVector<std::int32_t> tile(p.rows * kLanes * p.vectors);
        AmxTiles tiles;
        tiles.sum(p.call(tile.data()));
        const std::int32_t sum = 256 * (is_signed ? 128 * 128 : -255 * 128) + 5;
        EXPECT_THAT(tile, testing::Each(sum));
    }
}

TEST(GemmAmxPool, TakesTheLargestOfFourByHand) {
    // Two windows of one vector: 4 pixels of a row, 4 of the next.
    std::vector<std::int32_t> tile(8 * kLanes, -9);
    tile[0 * kLanes] = 3;        // first window
    tile[5 * kLanes + 1] = -2;   // first window, the row below
    tile[3 * kLanes + 2] = 7;    // second window
    tile[6 * kLanes + 15] = 11;  // second window, the row below
    gemm::max_of_windows(tile.data(), 2, 1);
    EXPECT_EQ(tile[0], 3);
    EXPECT_EQ(tile[1], -2);
    EXPECT_EQ(tile[2], -9);
    EXPECT_EQ(tile[kLanes + 2], 7);
    EXPECT_EQ(tile[kLanes + 15], 11);
    EXPECT_EQ(tile[kLanes], -9);
}

Case product_of(std::size_t depth) {
    std::mt19937 rng(5);
    Case c;
    c.params.shape = {.src_channels = depth, .dst_channels = 32, .src_width = 20, .dst_width = 20};
    c.params.form = GemmForm::kAmx;
    c.weights = random_weights(rng, depth * 32);
    c.scale = {0.01f};
    c.src.assign(depth * 20, 1);
    return c;
}

std::string refusal(const Case& c) {
    try {
        const GemmVnni gemm(c.complete());
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST_F(GemmAmx, RefusesZeroPointsOfWeights) {
    Case c = product_of(64);
    EXPECT_EQ(refusal(c), "");
    c.wei_zero_point.assign(32, 1.0f);
    EXPECT_THAT(refusal(c), HasSubstr("tiles of AMX are not for zero points of weights"));
}

TEST(GemmAmxForm, IsRefusedWithoutAmx) {
    cpu::MachineTraits traits;
    traits.avx512_vnni = true;
    const cpu::ScopedMachineTraits scope(traits);
    EXPECT_THAT(refusal(product_of(64)), HasSubstr("this machine has no AMX"));
}

TEST_F(GemmAmx, NamesItsTiles) {
    const auto name = [](const Case& c) { return GemmVnni(c.complete()).implementation(); };
    Case c = product_of(64);
    EXPECT_EQ(name(c), "gemm_amx:32x64");
    c.params.dst_type = ElementType::f32;
    EXPECT_EQ(name(c), "gemm_amx:32x32");
}

}  // namespace
}  // namespace fuseq::kernels
