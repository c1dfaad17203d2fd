// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Splits the FakeQuantize of an activation into the integers and what they mean.
//
//   Law:     FQ(x) = (q - zero_point) * scale, q = FQ(x) with output_low = q0,
//            output_high = q0 + levels - 1, scale = (oh - ol) / (levels - 1),
//            zero_point = q0 - ol / scale; the zero point need not be a whole number.
//   Before:  x -> FakeQuantize(il, ih, ol, oh)
//   After:   x -> FakeQuantize(il, ih, q0, q0 + levels - 1) output_type=u8|i8
//              -> Convert -> Subtract(zero_point) -> Multiply(scale)
//            u8 has q0 = 0, i8 has q0 = -(levels / 2). i8 is taken where it makes the zero point
//            vanish (up to one step: symmetric ranges), but not for the source of a deconvolution,
//            where oneDNN is slow with i8; and for the second operand of a MatMul. The inputs of a
//            Concat get one type: i8 where a MatMul needs it, else u8 if one of them is.
//   Refuses: more than 256 levels (levels), limits that are not constant (limits_not_constant) or
//            vary along another dimension than 1 (limits_not_per_channel), an empty input range
//            (degenerate_input_range), an empty output range other than [0, 0] of single channels
//            (degenerate_output_range), input_high < input_low (inverted_input_range), limits that
//            are not finite (limits_not_finite), an FQ that only feeds outputs of the model
//            (feeds_output), a keep_float layer (kept_float).
//   Source:  docs/fake_quantize.md, equations 1 to 3; DESIGN.md sections 4 and 8.
#include "transformations/low_precision/split_fake_quantize.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "ops/fake_quantize.hpp"
#include "transformations/support/activation_limits.hpp"
#include "transformations/support/activation_type.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/dequantize.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace split_fake_quantize_pass {
namespace {

constexpr std::string_view kName = "split_fake_quantize";

// What replaces the four limits, and the DQ.
struct Split {
    ElementType type = ElementType::u8;
    std::int64_t lowest = 0;  // q0
    ChannelValues zero_point;
};

// What the limits of one FQ become: unsigned integers first, moved when their type is known.
struct Candidate {
    Node* fq = nullptr;
    Split split;
    ActivationIntegers integers;
};

// Real limits are rounded to f16, which moves zero points by up to half a step.
bool is_symmetric(const Candidate& candidate) {
    const std::int64_t half = candidate.fq->attrs<FakeQuantizeAttrs>().levels / 2;
    const auto middle = static_cast<double>(half);
    const ActivationIntegers& integers = candidate.integers;
    for (std::size_t c = 0; c < integers.zero.size(); ++c) {
        if (!integers.dead[c] && std::abs(integers.zero[c] - middle) > 1.0) {
            return false;
        }
    }
    return true;
}

void set_type(Candidate& candidate, ElementType type) {
    Split& split = candidate.split;
    const std::int64_t levels = candidate.fq->attrs<FakeQuantizeAttrs>().levels;
    split.type = type;
    split.lowest = type == ElementType::i8 ? -(levels / 2) : 0;
    split.zero_point = {candidate.integers.zero_points(levels, split.lowest), 1};
}

void choose_types(const Model& model, std::vector<Candidate>& candidates) {
    ActivationTypes types(model);
    for (const Candidate& candidate : candidates) {
        types.add(*candidate.fq, is_symmetric(candidate));
    }
    types.unify();
    for (Candidate& candidate : candidates) {
        set_type(candidate, types.of(*candidate.fq));
    }
}

bool only_feeds_results(const Node& fq) {
    const auto& uses = fq.port().uses;
    return std::all_of(uses.begin(), uses.end(),
                       [](const Use& use) { return use.node->is("Result"); });
}

std::optional<LimitsRefusal> refusal_of(Candidate& candidate, const PassOptions& options) {
    const Node& fq = *candidate.fq;
    const std::int64_t levels = fq.attrs<FakeQuantizeAttrs>().levels;
    const auto& keep = options.keep_float;
    if (std::find(keep.begin(), keep.end(), fq.name()) != keep.end()) {
        return LimitsRefusal{"kept_float", "the layer is on the keep-float list"};
    }
    if (levels > 256) {
        return LimitsRefusal{"levels", fmt::format("{} levels do not fit into 8 bits", levels)};
    }
    if (fq.port().type != ElementType::f32) {
        return LimitsRefusal{"type", fmt::format("the output is {}", to_string(fq.port().type))};
    }
    if (only_feeds_results(fq)) {
        return LimitsRefusal{"feeds_output", "only outputs of the model read the result"};
    }
    return read_activation_integers(fq, candidate.integers);
}

void apply(const Candidate& candidate) {
    Node& fq = *candidate.fq;
    const Split& split = candidate.split;
    const ActivationIntegers& integers = candidate.integers;
    Model& model = fq.model();
    const std::size_t rank = fq.input(0).partial_shape().rank();
    auto& attrs = fq.attrs<FakeQuantizeAttrs>();
    const auto low = static_cast<float>(split.lowest);
    const auto high = static_cast<float>(split.lowest + attrs.levels - 1);
    const ChannelValues limits[] = {integers.il, integers.ih, low, high};
    static constexpr const char* kNames[] = {"/input_low", "/input_high", "/output_low",
                                             "/output_high"};
    for (std::size_t i = 0; i < 4; ++i) {
        fq.set_input(i + 1, make_constant(model, fq.name() + kNames[i], limits[i].to_tensor(rank)));
    }
    attrs.output_type = split.type;
    fq.infer();
    Dequantize dq;
    dq.q = fq.output();
    dq.scale = integers.scale;
    dq.zero_point = split.zero_point;
    dq.origins = origins_of(fq);
    const std::vector<Use> uses = fq.port().uses;
    const Output end = build_dequantize(model, fq.name() + "/dq", dq);
    move_uses(uses, fq.output(), end);
}

bool run(Model& model, PassContext& context) {
    std::vector<Candidate> candidates;
    for (Node* node : model.find_all("FakeQuantize")) {
        if (node->attrs<FakeQuantizeAttrs>().output_type != ElementType::undefined ||
            is_constant_expression(node->input(0))) {
            continue;
        }
        Candidate candidate{node, {}, {}};
        if (auto refusal = refusal_of(candidate, context.options())) {
            context.refused(kName, *node, std::move(refusal->code), std::move(refusal->text));
            continue;
        }
        candidates.push_back(std::move(candidate));
    }
    choose_types(model, candidates);
    for (const Candidate& candidate : candidates) {
        apply(candidate);
        context.rewritten(kName, *candidate.fq,
                          fmt::format("to {}", to_string(candidate.split.type)));
    }
    return !candidates.empty();
}

}  // namespace
}  // namespace split_fake_quantize_pass

bool split_fake_quantize(Model& model, PassContext& context) {
    return split_fake_quantize_pass::run(model, context);
}

}  // namespace fuseq
