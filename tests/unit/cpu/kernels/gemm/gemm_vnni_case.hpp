// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Problems for the integer matrix product, with the definition in gemm_vnni.hpp as plain loops.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "unit/cpu/kernels/common/elements.hpp"

namespace fuseq::kernels::test {

using fuseq::test::Bytes;

struct Case {
    GemmParams params;
    std::vector<std::int8_t> weights;  // [OC, IC, height, width]
    std::vector<float> scale, bias, wei_zero_point;
    Bytes src;
    std::vector<Bytes> binary_sources;
    std::vector<GemmRows> rows;  // of the binary_sources too, or none

    // To be called when the vectors have their final places.
    GemmParams complete() const;
    std::size_t elements() const;  // of dst
};

// A 3 x 3 convolution that keeps the size of the image: stride 1, padded by 1.
GemmShape shape_3x3(std::size_t src_channels,
                    std::size_t dst_channels,
                    std::size_t height,
                    std::size_t width);

Case random_case(std::mt19937& rng);
std::vector<std::int8_t> random_weights(std::mt19937& rng, std::size_t count);

std::vector<float> expected(const Case& c);
// In `parts`, the last one first, into memory with a mark after the last element.
Bytes run(const GemmVnni& gemm, const Case& c, std::size_t parts);
// The result is the expected one, for several numbers of parts; by tiles too where suits_amx().
void expect_exact(const Case& c);
// Whether a case of the best form is one of kAmx too, on this machine.
bool suits_amx(const Case& c);

// Kernels on machines without the instructions are refused; there is nothing to test there.
class GemmVnniTest : public testing::Test {
protected:
    void SetUp() override {
        if (!GemmVnni::available()) {
            GTEST_SKIP() << "this machine has no AVX-512 VNNI";
        }
    }
};

}  // namespace fuseq::kernels::test
