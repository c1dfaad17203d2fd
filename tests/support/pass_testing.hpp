// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of passes: text before, pass, text after; numbers before and after.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "transformations/pass.hpp"

namespace fuseq::testing {

struct PassTest {
    std::shared_ptr<Model> before;  // as parsed
    std::shared_ptr<Model> after;   // after the passes
    PassContext context;
    bool changed = false;
};

// Parses the text and runs one pass, then removes dead nodes and validates.
PassTest run_pass(bool (*pass)(Model&, PassContext&),
                  const std::string& text,
                  PassOptions options = {});
// The same for all passes of transform().
PassTest run_transform(const std::string& text, PassOptions options = {});

// Inputs of random values: reals in [low, high], integers over the range of an 8-bit type.
std::vector<Tensor> random_inputs(const Model& model,
                                  std::uint32_t seed,
                                  float low = -3.0f,
                                  float high = 3.0f);

// Empty when the model after is the one of the text; else what differs first.
std::string differs_from(const PassTest& test, const std::string& text);

// Largest difference between the outputs of both models over random inputs, in real numbers.
double largest_difference(const PassTest& test, std::uint32_t seed = 1, float range = 3.0f);
double largest_difference(const Model& a, const Model& b, std::uint32_t seed, float range);

// "code: text" of the refusal at a layer; empty when there is none.
std::string refusal_at(const PassContext& context, const std::string& layer);

}  // namespace fuseq::testing
