// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Drops the FakeQuantize of what a FakeQuantize of the same limits has given.
//
//   Law:     FQ(FQ(x)) = FQ(x) when both have the same limits and levels and the output range is
//            the input range; so too with operations between them that only move or select
//            elements.
//   Before:  FakeQuantize -> [MaxPool, Reshape, Transpose, ...] -> FakeQuantize
//   After:   FakeQuantize -> [MaxPool, Reshape, Transpose, ...]
//   Refuses: other limits, an output range that is another one, limits per channel (silently: the
//            second one quantizes anew).
//   Source:  a level of the quantizer is its own nearest level.
#include "transformations/low_precision/drop_repeated_fake_quantize.hpp"

#include <algorithm>

#include "ops/fake_quantize.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace drop_repeated_fake_quantize_pass {
namespace {

constexpr std::string_view kName = "drop_repeated_fake_quantize";

// The four limits, when each is one number; empty otherwise.
std::vector<double> limits_of(const Node& fq) {
    std::vector<double> limits;
    for (std::size_t i = 1; i < 5; ++i) {
        const auto number = constant_number(fq.input(i));
        if (!number) {
            return {};
        }
        limits.push_back(*number);
    }
    return limits;
}

const Node* quantizer_before(const Node& fq) {
    const Node* node = fq.input_node(0);
    while (is_one_of(
        *node, {"MaxPool", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Split", "VariadicSplit",
                "Tile", "ShuffleChannels", "DepthToSpace", "SpaceToDepth"})) {
        node = node->input_node(0);
    }
    return node->is("FakeQuantize") ? node : nullptr;
}

bool repeats(const Node& fq, const Node& before) {
    const std::vector<double> limits = limits_of(fq);
    return !limits.empty() && limits == limits_of(before) && limits[0] == limits[2] &&
           limits[1] == limits[3] && limits[0] < limits[1] &&
           fq.attrs<FakeQuantizeAttrs>().levels == before.attrs<FakeQuantizeAttrs>().levels;
}

bool is_kept(const Node& fq, const PassOptions& options) {
    const auto& keep = options.keep_float;
    return std::find(keep.begin(), keep.end(), fq.name()) != keep.end();
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.find_all("FakeQuantize")) {
        const Node* before = quantizer_before(*node);
        if (before == nullptr || is_kept(*node, context.options()) || !repeats(*node, *before)) {
            continue;
        }
        context.rewritten(kName, *node);
        add_origins(*node->input_node(0), *node);
        redirect(node->output(), node->input(0));
        changed = true;
    }
    return changed;
}

}  // namespace
}  // namespace drop_repeated_fake_quantize_pass

bool drop_repeated_fake_quantize(Model& model, PassContext& context) {
    return drop_repeated_fake_quantize_pass::run(model, context);
}

}  // namespace fuseq
