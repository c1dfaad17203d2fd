// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Several results of one value, in the forms of the integer product with panels of 16 channels:
// each is what scaling, shifting and rounding the floats would give.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"
#include "unit/cpu/kernels/common/on_every_target.hpp"
#include "unit/cpu/kernels/gemm/gemm_vnni_case.hpp"

namespace fuseq::kernels {
namespace {

using namespace test;  // NOLINT(google-build-using-namespace)
using fuseq::test::element;
using Kind = GemmOp::Kind;
using post_ops::EpilogueProgram;

void on_every_form(const std::function<void(GemmForm)>& body) {
    if (has_avx_vnni() || has_avx_vnni_in_evex() || has_avx512_vnni()) {
        SCOPED_TRACE("256 bits with VNNI");
        body(GemmForm::kVnni256);
    }
    fuseq::test::on_every_target([&](const std::string& target) {
        for (const GemmForm form : {GemmForm::kBytes, GemmForm::kPairs}) {
            SCOPED_TRACE(target + (form == GemmForm::kBytes ? " bytes" : " pairs"));
            body(form);
        }
    });
}

using Results = std::array<Bytes, 3>;

// The results, in `parts`.
Results run_several(const GemmVnni& gemm, const Case& c, std::size_t parts) {
    Results dst{Bytes(c.elements()), Bytes(c.elements()), Bytes(c.elements() * sizeof(float))};
    void* const places[] = {dst[0].data(), dst[1].data(), dst[2].data()};
    std::vector<const void*> sources;
    for (const Bytes& source : c.binary_sources) {
        sources.push_back(source.data());
    }
    AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes() * parts);
    const GemmSplit split = gemm.split(parts);
    for (std::size_t part = 0; part < parts; ++part) {
        gemm.run({.src = c.src.data(),
                  .dst = dst[2].data(),
                  .binary_sources = sources,
                  .scratch = scratch.data(),
                  .results = places},
                 part, split);
    }
    return dst;
}

float byte_of(float v, float low, float high) {
    return std::clamp(std::nearbyint(v), low, high);
}

TEST(GemmNarrowResults, AreTheFloatsRequantized) {
    on_every_form([](GemmForm form) {
        for (unsigned seed = 0; seed < 25; ++seed) {
            SCOPED_TRACE(testing::Message() << "seed " << seed);
            std::mt19937 rng(seed);
            Case c = random_case(rng);
            c.params.form = form;
            c.params.dst_type = ElementType::f32;
            const std::size_t channels = c.params.shape.dst_channels;
            const std::vector<float> scale = fuseq::test::random_floats(rng, channels, -2, 2);
            const std::vector<EpilogueProgram> programs = {
                {.ops = {{.kind = Kind::kScale, .a = scale}, {.kind = Kind::kShift, .a = {3.25f}}},
                 .dst_type = ElementType::u8},
                {.ops = {{.kind = Kind::kShift, .a = {-7.5f}}}, .dst_type = ElementType::i8},
                {.ops = {}, .dst_type = ElementType::f32}};
            GemmVnni gemm(c.complete());
            const Bytes floats = run(gemm, c, 1);
            if (!gemm.takes_results()) {
                continue;
            }
            gemm.set_results(programs, false);
            for (const std::size_t parts : {1, 3}) {
                const Results got = run_several(gemm, c, parts);
                for (std::size_t i = 0; i < c.elements(); ++i) {
                    const float v = element(floats, ElementType::f32, i);
                    const float scaled = v * scale[i % channels];
                    ASSERT_EQ(element(got[0], ElementType::u8, i), byte_of(scaled + 3.25f, 0, 255))
                        << i;
                    ASSERT_EQ(element(got[1], ElementType::i8, i), byte_of(v - 7.5f, -128, 127))
                        << i;
                    ASSERT_EQ(element(got[2], ElementType::f32, i), v) << i;
                }
            }
        }
    });
}

// 3x3 on 17 x 70 pixels of two images, 32 channels: each half of a pixel goes to a row of its own.
TEST(GemmNarrowResults, HalvesOfPixelsAreRowsOfAnImage) {
    on_every_form([](GemmForm form) {
        std::mt19937 rng(5);
        constexpr std::size_t kHeight = 17, kWidth = 70, kChannels = 32, kHalf = 16;
        Case c;
        c.params.shape = shape_3x3(8, kChannels, kHeight, kWidth);
        c.params.shape.batch = 2;
        c.params.form = form;
        c.weights = random_weights(rng, std::size_t{8} * kChannels * 9);
        c.scale = {0.01f};
        c.bias = {5000.0f};
        c.src = fuseq::test::random_elements(rng, ElementType::u8, 2 * kHeight * kWidth * 8);
        GemmVnni gemm(c.complete());
        const Bytes pixels = run(gemm, c, 1);
        ASSERT_TRUE(gemm.can_write_rows());
        const std::vector<EpilogueProgram> bytes = {{.ops = {}, .dst_type = ElementType::u8}};
        gemm.set_results(bytes, true);
        Bytes rows(c.elements());
        void* const places[] = {rows.data()};
        AlignedVector<std::uint8_t> scratch(gemm.scratch_bytes());
        gemm.run({.src = c.src.data(), .scratch = scratch.data(), .results = places}, 0, {});
        for (std::size_t y = 0; y < 2 * kHeight; ++y) {
            for (std::size_t x = 0; x < kWidth; ++x) {
                for (std::size_t k = 0; k < kChannels; ++k) {
                    const std::size_t row = 2 * y + k / kHalf;
                    ASSERT_EQ(rows[(row * kWidth + x) * kHalf + k % kHalf],
                              pixels[(y * kWidth + x) * kChannels + k])
                        << "row " << y << ", column " << x << ", channel " << k;
                }
            }
        }
    });
}

TEST(GemmNarrowResults, RefusesWhatItCannotStore) {
    Case c;
    c.params.shape = {.src_channels = 4, .dst_channels = 16, .src_width = 6, .dst_width = 6};
    c.params.form = GemmForm::kBytes;
    c.weights.assign(64, 1);
    c.scale = {1.0f};
    GemmVnni gemm(c.complete());
    const auto refused = [&](const EpilogueProgram& program, bool rows) {
        try {
            gemm.set_results(std::vector{program}, rows);
        } catch (const Error& e) {
            return std::string(e.what());
        }
        return std::string("none");
    };
    EXPECT_NE(refused({.ops = {{.kind = Kind::kSum}}, .dst_type = ElementType::u8}, false)
                  .find("reads a tensor"),
              std::string::npos);
    EXPECT_NE(refused({.ops = {}, .dst_type = ElementType::u8}, true).find("it stores one result"),
              std::string::npos);  // no rows of an image
    EXPECT_EQ(refused({.ops = {}, .dst_type = ElementType::u8}, false), "none");
}

}  // namespace
}  // namespace fuseq::kernels
