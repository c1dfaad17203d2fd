// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Random chains for the property tests, and what makes their comparison fair.
#pragma once

#include <random>
#include <vector>

#include "cpu/post_ops/basic_ops.hpp"

namespace fuseq::post_ops::testing {

struct RandomOptions {
    std::size_t channels = 5;
    std::size_t max_ops = 9;
    std::vector<ElementType> source_types{ElementType::u8, ElementType::i8, ElementType::f32};
    bool activations = true;  // those without a closed form in simple arithmetic
    bool prelu = true;
};

// A chain of a quantized network: values stay of the order of one to a few hundred.
Chain random_chain(std::mt19937& rng, const RandomOptions& options);

// Raw elements of binary sources, one a type.
std::vector<double> random_binary_sources(std::mt19937& rng, const std::vector<ElementType>& types);

// Whether a rounding of the chain is so near a tie that two faithful computations in float may
// disagree. `slack` multiplies the rounding errors that are followed through the chain.
bool near_a_jump(const Chain& chain,
                 double x,
                 std::size_t channel,
                 const std::vector<double>& binary_sources,
                 double slack = 1.0);

}  // namespace fuseq::post_ops::testing
