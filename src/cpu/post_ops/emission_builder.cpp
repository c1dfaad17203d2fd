// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/emission_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/core.h>

#include "cpu/post_ops/distinct_eltwise.hpp"
#include "cpu/post_ops/values.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

// oneDNN takes 32 post-ops; one basic operation makes up to four,
// and make_distinct() writes some of them as two.
constexpr std::size_t kMaxPostOps = 16;
// A channel whose scale is 0 has no bias that could stand for a shift. This scale makes any
// accumulator vanish beside the bias, and being a power of two it gives the shift back exactly.
constexpr double kVanishing = 0x1p-100;

float finite(float bound) {
    constexpr float kMaxFloat = std::numeric_limits<float>::max();
    return std::min(std::max(bound, -kMaxFloat), kMaxFloat);
}

}  // namespace

EmissionBuilder::EmissionBuilder(const Anchor& anchor, ElementType dst_type)
    : anchor_(anchor), can_(capabilities_of(anchor)) {
    out_.dst_type = dst_type;
    scale_after_ =
        anchor.whole_numbers && !can_.output_scales && can_.bias && can_.binary_per_channel;
}

std::string EmissionBuilder::append(const BasicOp& op, bool last) {
    if (out_.post_ops.size() > kMaxPostOps) {
        return "more post-ops than oneDNN takes";
    }
    Emission before = out_;
    const bool sum_before = sum_used_;
    std::string reason = std::visit([&](const auto& o) { return append_op(o, last); }, op);
    if (reason.empty()) {
        reason = make_distinct(out_.post_ops).refused;
    }
    if (!reason.empty()) {
        out_ = std::move(before);
        sum_used_ = sum_before;
    }
    return reason;
}

Emission EmissionBuilder::emission() const {
    Emission out = out_;
    out.post_ops = make_distinct(out_.post_ops).post_ops;
    if (scale_after_ && !out.output_scales.all_equal_to(1.0f)) {
        out.post_ops.insert(out.post_ops.begin(),
                            ConstantPostOp{BinaryKind::kMul, out.output_scales});
        out.output_scales = Values(1.0f);
    }
    return out;
}

// A scale joins what already multiplies; it can do so before any post-op is there, or when the
// last one has a factor of its own.
std::string EmissionBuilder::append_op(const Scale& op, bool) {
    return scale_by(op.by);
}

std::string EmissionBuilder::append_op(const Shift& op, bool last) {
    const bool integer = op.by.per_tensor() && all_integers(op.by) && std::abs(op.by[0]) < 1e6f;
    if (!can_.eltwise && !can_.bias && can_.dst_zero_point && last && integer) {
        out_.dst_zero_point += static_cast<std::int32_t>(op.by[0]);
        return {};
    }
    return shift_by(op.by);
}

std::string EmissionBuilder::append_op(const Round&, bool) {
    return push_eltwise({.algorithm = EltwiseAlgorithm::kRound});
}

std::string EmissionBuilder::append_op(const Clip& op, bool) {
    if (op.low.per_tensor() && op.high.per_tensor()) {
        float scale = 1.0f;
        if (take_linear_scale(scale)) {  // clip(s * x, a, b) == s * clip(x, a / s, b / s)
            return push_eltwise({EltwiseAlgorithm::kClip, finite(op.low[0] / scale),
                                 finite(op.high[0] / scale), scale});
        }
        return push_eltwise({EltwiseAlgorithm::kClip, finite(op.low[0]), finite(op.high[0])});
    }
    std::string reason;
    if (op.low.max() > -std::numeric_limits<float>::infinity()) {
        reason = push_constant(BinaryKind::kMax, map(op.low, finite));
    }
    if (reason.empty() && op.high.min() < std::numeric_limits<float>::infinity()) {
        reason = push_constant(BinaryKind::kMin, map(op.high, finite));
    }
    return reason;
}

std::string EmissionBuilder::append_op(const Eltwise& op, bool) {
    const std::optional<EltwiseAlgorithm> algorithm = activation(op.kind).algorithm;
    if (!algorithm) {
        return to_text(op) + " has no post-op of its own";
    }
    EltwisePostOp post_op{*algorithm, op.alpha, op.beta, op.scale};
    if (op.kind == EltwiseKind::kRelu) {
        float scale = 1.0f;
        if (take_linear_scale(scale)) {  // relu(s * x) == s * relu(x)
            post_op.scale *= scale;
        }
    }
    return push_eltwise(post_op);
}

std::string EmissionBuilder::append_op(const Prelu& op, bool) {
    return to_text(op) + " falls to a reference implementation";
}

std::string EmissionBuilder::append_op(const Binary& op, bool) {
    if (op.per_plane) {  // oneDNN broadcasts a tensor over the images as well, or not at all
        return fmt::format("input #{} has one element a plane, no post-op takes that", op.input);
    }
    if (op.per_pixel) {
        return fmt::format("input #{} has one element a pixel, no post-op takes that", op.input);
    }
    const bool add = op.kind == BinaryKind::kAdd;
    if (add && sum_fits(op)) {
        std::string reason;
        if (op.zero_point != 0.0f) {
            reason = shift_by(Values(-op.zero_point * op.scale));
        }
        if (reason.empty()) {
            out_.post_ops.emplace_back(SumPostOp{op.input, op.type, op.scale});
            sum_used_ = true;
        }
        return reason;
    }
    return push_tensor(op);
}

bool EmissionBuilder::sum_fits(const Binary& op) const {
    const auto& inputs = anchor_.sum_inputs;
    const bool allowed = std::find(inputs.begin(), inputs.end(), op.input) != inputs.end();
    const bool first =
        out_.post_ops.empty() && (!scale_after_ || out_.output_scales.all_equal_to(1.0f));
    const bool in_place =
        can_.sum == SumSupport::kAnywhere || (can_.sum == SumSupport::kFirst && first);
    const bool alone = can_.sum_beside_binary || !has_tensor();
    const bool eight_bit = size_of(op.type) == 1 && size_of(out_.dst_type) == 1;
    const bool type_fits = op.type == out_.dst_type || (eight_bit && can_.sum_of_other_sign);
    return allowed && in_place && alone && type_fits && !sum_used_ &&
           (can_.sum_any_scale || op.scale == 1.0f);
}

bool EmissionBuilder::has_tensor() const {
    return std::any_of(out_.post_ops.begin(), out_.post_ops.end(),
                       [](const PostOp& op) { return std::holds_alternative<TensorPostOp>(op); });
}

// x + e * s == (x / s + e) * s: the raw elements are added, the scale goes around them.
std::string EmissionBuilder::push_tensor(const Binary& op) {
    if (!can_.binary_full) {
        return fmt::format("a binary post-op with a full tensor is slow after {}",
                           to_string(anchor_.kind));
    }
    if (sum_used_ && !can_.sum_beside_binary) {
        return fmt::format(
            "a binary post-op with a full tensor beside a sum is a reference implementation after "
            "{}",
            to_string(anchor_.kind));
    }
    const TensorPostOp tensor{op.kind, op.input, op.type};
    if (op.kind == BinaryKind::kMul) {
        if (op.zero_point != 0.0f) {
            return fmt::format("input #{} of a multiply has zero point {:g}", op.input,
                               op.zero_point);
        }
        std::string reason = scale_by(Values(op.scale));
        if (reason.empty()) {
            out_.post_ops.emplace_back(tensor);
        }
        return reason;
    }
    if (op.scale <= 0.0f && op.kind != BinaryKind::kAdd) {
        return fmt::format("input #{} has scale {:g} in {}", op.input, op.scale, to_text(op));
    }
    const float inverse = 1.0f / op.scale;
    if (!std::isfinite(inverse) || inverse == 0.0f) {
        return fmt::format("scale {:g} of input #{} has no reciprocal", op.scale, op.input);
    }
    std::string reason = scale_by(Values(inverse));
    if (reason.empty()) {
        reason = shift_by(Values(op.kind == BinaryKind::kAdd ? -op.zero_point : op.zero_point));
    }
    if (!reason.empty()) {
        return reason;
    }
    out_.post_ops.emplace_back(tensor);
    if (op.kind != BinaryKind::kAdd) {
        reason = shift_by(Values(-op.zero_point));
    }
    return reason.empty() ? scale_by(Values(op.scale)) : reason;
}

// Before any post-op: int8 anchors multiply by output scales, f32 anchors by their weights.
bool EmissionBuilder::scale_head(const Values& by) {
    if (!out_.post_ops.empty() ||
        (!by.per_tensor() && can_.output_scales && !can_.per_channel_output_scales)) {
        return false;
    }
    if (has_output_scales()) {
        const std::optional<Values> scales = product(out_.output_scales, by);
        if (scales && all_finite(*scales)) {
            out_.output_scales = *scales;
        }
        return scales && all_finite(*scales);
    }
    if (!can_.weight_scale) {
        return false;
    }
    const std::optional<Values> scales = product(out_.weight_scale, by);
    if (!scales || !all_finite(*scales)) {
        return false;
    }
    out_.weight_scale = *scales;
    for (std::size_t c = 0; c < out_.bias.size(); ++c) {
        out_.bias[c] *= by[c];
    }
    return true;
}

bool EmissionBuilder::shift_head(const Values& by) {
    if (!out_.post_ops.empty() || !can_.bias) {
        return false;
    }
    std::vector<float> scales(anchor_.oc, 1.0f);
    std::vector<float> bias(anchor_.oc, 0.0f);
    for (std::size_t c = 0; c < anchor_.oc; ++c) {
        const bool vanishing = out_.output_scales[c] == 0.0f && by[c] != 0.0f;
        const double scale = vanishing ? kVanishing : out_.output_scales[c];
        const double had = out_.bias.empty() || vanishing ? 0.0 : out_.bias[c];
        scales[c] = static_cast<float>(scale);
        const double shift = by[c];
        bias[c] = static_cast<float>(shift == 0.0 ? had : had + shift / scale);
        if (!std::isfinite(bias[c])) {
            return false;
        }
    }
    out_.bias = std::move(bias);
    out_.output_scales = Values(std::move(scales));
    return true;
}

std::string EmissionBuilder::scale_by(const Values& by) {
    if (by.all_equal_to(1.0f) || scale_head(by)) {
        return {};
    }
    if (!by.per_tensor()) {
        return push_constant(BinaryKind::kMul, by);
    }
    EltwisePostOp* last = last_eltwise();
    // A round without a factor may occur twice.
    if (last != nullptr && last->algorithm != EltwiseAlgorithm::kRound) {
        if (last->algorithm == EltwiseAlgorithm::kLinear) {
            last->alpha *= by[0];
            last->beta *= by[0];
            return {};
        }
        if (const auto both = product(last->scale, by)) {
            last->scale = (*both)[0];
            return {};
        }
    }
    return push_eltwise({.algorithm = EltwiseAlgorithm::kLinear, .alpha = by[0]});
}

std::string EmissionBuilder::shift_by(const Values& by) {
    if (by.all_equal_to(0.0f) || shift_head(by)) {
        return {};
    }
    if (!by.per_tensor()) {
        return push_constant(BinaryKind::kAdd, by);
    }
    EltwisePostOp* last = last_eltwise();
    if (last != nullptr && last->algorithm == EltwiseAlgorithm::kLinear) {
        last->beta += by[0];
        return {};
    }
    return push_eltwise({EltwiseAlgorithm::kLinear, 1.0f, by[0]});
}

std::string EmissionBuilder::push_eltwise(EltwisePostOp op) {
    if (!can_.eltwise) {
        return fmt::format("an eltwise post-op is slow or refused after {}",
                           to_string(anchor_.kind));
    }
    out_.post_ops.emplace_back(op);
    return {};
}

std::string EmissionBuilder::push_constant(BinaryKind kind, const Values& values) {
    if (!can_.binary_per_channel) {
        return fmt::format("a per-channel binary post-op is slow or refused after {}",
                           to_string(anchor_.kind));
    }
    out_.post_ops.emplace_back(ConstantPostOp{kind, values});
    return {};
}

EltwisePostOp* EmissionBuilder::last_eltwise() {
    return out_.post_ops.empty() ? nullptr : std::get_if<EltwisePostOp>(&out_.post_ops.back());
}

// Removes a last linear(s, 0) with s > 0; its factor is to go after a relu or clip.
bool EmissionBuilder::take_linear_scale(float& scale) {
    const EltwisePostOp* last = last_eltwise();
    if (last == nullptr || last->algorithm != EltwiseAlgorithm::kLinear || last->beta != 0.0f ||
        !(last->alpha > 0.0f) || last->scale != 1.0f) {
        return false;
    }
    scale = last->alpha;
    out_.post_ops.pop_back();
    return true;
}

}  // namespace fuseq::post_ops
