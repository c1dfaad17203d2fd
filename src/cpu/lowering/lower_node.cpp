// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/lower_node.hpp"

#include <algorithm>
#include <limits>

#include "cpu/lowering/resize_before.hpp"
#include "cpu/lowering/resize_request.hpp"
#include "cpu/post_ops/activations.hpp"
#include "cpu/post_ops/lower.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/clamp.hpp"
#include "ops/divide.hpp"
#include "ops/elu.hpp"
#include "ops/fake_quantize.hpp"
#include "ops/gelu.hpp"

namespace fuseq::cpu {
namespace {

using post_ops::EltwiseKind;

// A constant as one value, or one a channel of `axis`.
struct ChannelConstant {
    std::vector<double> values;
    std::size_t axis = 0;
    bool per_channel = false;
};

std::vector<double> to_doubles(const Tensor& tensor) {
    const std::vector<float> values = to_floats(tensor);
    return {values.begin(), values.end()};
}

// numpy alignment of the constant with the data; at most one dimension of it may vary, and it must
// not enlarge the data.
std::optional<ChannelConstant> channel_constant(const Output& source, const Shape& data) {
    if (!source || !source.node->is_constant()) {
        return std::nullopt;
    }
    const Tensor& tensor = source.node->constant();
    const Shape& shape = tensor.get_shape();
    if (shape.size() > data.size()) {
        for (std::size_t d = 0; d < shape.size() - data.size(); ++d) {
            if (shape[d] != 1) {
                return std::nullopt;
            }
        }
    }
    ChannelConstant result;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 1) {
            continue;
        }
        const std::size_t axis = d + data.size() - shape.size();
        if (result.per_channel || shape[d] != data[axis]) {
            return std::nullopt;
        }
        result.per_channel = true;
        result.axis = axis;
    }
    result.values = to_doubles(tensor);
    return result;
}

class Lowering {
public:
    Lowering(const Node& node, Output data, const Group& group)
        : node_(node), data_(data), group_(group), shape_(data.shape()) {
        lowered_.channel_axis = group.channel_axis;
        lowered_.axis_fixed = group.axis_fixed;
    }

    std::optional<Lowered> run() {
        if (node_.port(0).shape.to_shape() != shape_) {
            return std::nullopt;
        }
        const bool done = node_.is("Convert")        ? convert()
                          : node_.is("FakeQuantize") ? fake_quantize()
                          : is_arithmetic()          ? arithmetic()
                                                     : activation();
        if (!done) {
            return std::nullopt;
        }
        return std::move(lowered_);
    }

private:
    // What the composer makes of it follows; false when it refuses.
    bool push(const post_ops::Lowered& made) {
        if (made) {
            lowered_.ops.insert(lowered_.ops.end(), made.ops->begin(), made.ops->end());
        }
        return made.ops.has_value();
    }

    // A constant that varies along the axis of the group, or fixes it.
    std::optional<std::vector<double>> constant(std::size_t input) {
        const auto found = channel_constant(node_.input(input), shape_);
        if (!found) {
            return std::nullopt;
        }
        if (found->per_channel) {
            if (lowered_.axis_fixed && lowered_.channel_axis != found->axis) {
                return std::nullopt;
            }
            lowered_.channel_axis = found->axis;
            lowered_.axis_fixed = true;
        }
        return found->values;
    }

    bool convert() {
        // Integers as reals: the same values. Everything else changes them.
        return is_integral(data_.type()) && !is_packed(data_.type()) &&
               node_.port(0).type == ElementType::f32;
    }

    bool fake_quantize() {
        const auto& attrs = node_.attrs<FakeQuantizeAttrs>();
        if (node_.input(0) != data_ || data_.type() != ElementType::f32 ||
            attrs.auto_broadcast == AutoBroadcast::kPdpd) {
            return false;
        }
        post_ops::FakeQuantizeLimits limits;
        limits.levels = attrs.levels;
        std::vector<double>* members[] = {&limits.input_low, &limits.input_high, &limits.output_low,
                                          &limits.output_high};
        for (std::size_t i = 0; i < 4; ++i) {
            auto values = constant(i + 1);
            if (!values) {
                return false;
            }
            *members[i] = std::move(*values);
        }
        return push(post_ops::lower_fake_quantize(limits));
    }

    bool is_arithmetic() const {
        return node_.is("Add") || node_.is("Subtract") || node_.is("Multiply") ||
               node_.is("Divide") || node_.is("Maximum") || node_.is("Minimum");
    }

    bool arithmetic() {
        const AutoBroadcast mode = node_.is("Divide") ? node_.attrs<DivideAttrs>().auto_broadcast
                                                      : node_.attrs<BinaryAttrs>().auto_broadcast;
        if (mode == AutoBroadcast::kPdpd || node_.port(0).type != ElementType::f32) {
            return false;
        }
        const std::size_t other = node_.input(0) == data_ ? 1 : 0;
        if (auto values = constant(other)) {
            return with_constant(*values, other == 1);
        }
        return with_tensor(other);
    }

    bool with_constant(const std::vector<double>& values, bool data_first) {
        if (node_.is("Add")) {
            return push(post_ops::lower_add(values));
        }
        if (node_.is("Multiply")) {
            return push(post_ops::lower_multiply(values));
        }
        if (node_.is("Subtract")) {
            return push(data_first ? post_ops::lower_subtract(values)
                                   : post_ops::lower_subtract_from(values));
        }
        if (node_.is("Divide")) {
            return data_first && push(post_ops::lower_divide(values));
        }
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        return push(node_.is("Maximum") ? post_ops::lower_bounds(values, {kInfinity})
                                        : post_ops::lower_bounds({-kInfinity}, values));
    }

    // [images or 1, channels, 1, ...] beside data of the same rank. Only where no primitive stands
    // in front, which would not take it: its own result would be stored as f32 for it.
    bool is_gate(const Shape& shape) {
        if (group_.anchor != nullptr || shape.size() != shape_.size() || shape.size() < 3 ||
            shape[1] != shape_[1] || (shape[0] != shape_[0] && shape[0] != 1) ||
            std::any_of(shape.begin() + 2, shape.end(), [](std::size_t d) { return d != 1; }) ||
            (lowered_.axis_fixed && lowered_.channel_axis != 1)) {
            return false;
        }
        lowered_.channel_axis = 1;
        lowered_.axis_fixed = true;
        return true;
    }

    // [images, 1, ...] with the positions of the data: the same for all channels.
    bool is_mask(const Shape& shape) {
        if (group_.anchor != nullptr || shape.size() != shape_.size() || shape.size() < 3 ||
            shape[0] != shape_[0] || shape[1] != 1 ||
            !std::equal(shape.begin() + 2, shape.end(), shape_.begin() + 2) ||
            (lowered_.axis_fixed && lowered_.channel_axis != 1)) {
            return false;
        }
        lowered_.channel_axis = 1;
        lowered_.axis_fixed = true;
        return true;
    }

    // A mask of scores: make_masked_softmax() takes both in one step.
    bool is_part_of_softmax() const {
        const std::vector<Use>& uses = node_.port(0).uses;
        return node_.is("Add") && uses.size() == 1 && uses[0].node->is("SoftMax");
    }

    // A second tensor of the same shape, of one element a plane or of one a pixel; a dequantize
    // before it is read through.
    bool with_tensor(std::size_t other) {
        const Output source = node_.input(other);
        if (node_.is("Divide")) {
            return false;
        }
        post_ops::ResidualInput residual;
        if (source.shape() != shape_) {
            if (is_part_of_softmax()) {
                return false;
            }
            residual.per_plane = is_gate(source.shape());
            residual.per_pixel = !residual.per_plane && is_mask(source.shape());
            if (!residual.per_plane && !residual.per_pixel) {
                return false;
            }
        }
        residual.input = group_.binary_sources.size();
        residual.kind = node_.is("Multiply")  ? post_ops::BinaryKind::kMul
                        : node_.is("Maximum") ? post_ops::BinaryKind::kMax
                        : node_.is("Minimum") ? post_ops::BinaryKind::kMin
                                              : post_ops::BinaryKind::kAdd;
        const Output raw = read_through_dequantize(source, residual);
        residual.type = raw.type();
        if (node_.is("Subtract") && other == 1) {
            residual.scale = -residual.scale;
        } else if (node_.is("Subtract")) {
            push(post_ops::lower_multiply({-1.0}));
        }
        lowered_.binary_sources.push_back(raw);
        return push(post_ops::lower_residual(residual));
    }

    // min(max(alpha * x + beta, 0), 1)
    bool hard_sigmoid() {
        const auto alpha = scalar(node_.input(1));
        const auto beta = scalar(node_.input(2));
        if (!alpha || !beta) {
            return false;
        }
        return push(post_ops::lower_hard_sigmoid(*alpha, *beta));
    }

    static std::optional<double> scalar(const Output& source) {
        if (!source.node->is_constant() || source.node->constant().get_size() != 1) {
            return std::nullopt;
        }
        return to_doubles(source.node->constant())[0];
    }

    // Multiply(Subtract(Convert(q), zero_point), scale) with scalar constants, innermost optional.
    // Beside a linear Interpolate another one that nobody else reads: one step computes both.
    Output read_through_dequantize(const Output& source, post_ops::ResidualInput& residual) const {
        Output at = source;
        double scale = 1;
        double zero_point = 0;
        if (at.node->is("Multiply")) {
            const auto value = scalar(at.node->input(1));
            if (!value) {
                return source;
            }
            scale = *value;
            at = at.node->input(0);
        }
        if (at.node->is("Subtract")) {
            const auto value = scalar(at.node->input(1));
            if (!value) {
                return source;
            }
            zero_point = *value;
            at = at.node->input(0);
        }
        const bool resized = group_.anchor == nullptr && is_linear_resize(*group_.source.node) &&
                             is_read_once_after_resize(source) &&
                             resize_before(source).resize == at;
        if (!resized && !at.node->is("Convert")) {
            return source;
        }
        const Output raw = resized ? at : at.node->input(0);
        if (!resized && raw.type() != ElementType::u8 && raw.type() != ElementType::i8) {
            return source;
        }
        residual.scale = scale;
        residual.zero_point = zero_point;
        return raw;
    }

    bool activation() {
        if (node_.input_count() == 0 || node_.input(0) != data_) {
            return false;
        }
        if (node_.is("ReLU")) {
            return push(post_ops::lower_relu());
        }
        if (node_.is("Clamp")) {
            const auto& attrs = node_.attrs<ClampAttrs>();
            return push(post_ops::lower_clamp(attrs.min, attrs.max));
        }
        if (data_.type() != ElementType::f32) {
            return false;
        }
        if (node_.is("PReLU")) {
            return prelu();
        }
        if (node_.is("HardSigmoid")) {
            return hard_sigmoid();
        }
        if (node_.is("Power")) {
            return power();
        }
        return simple_activation();
    }

    bool prelu() {
        // The slope of a PReLU is aligned with dimension 1 when it has one dimension.
        const Output& slope = node_.input(1);
        if (!slope.node->is_constant()) {
            return false;
        }
        const Tensor& tensor = slope.node->constant();
        const std::vector<double> values = to_doubles(tensor);
        if (values.size() == 1) {
            return push(post_ops::lower_prelu(values));
        }
        if (shape_.size() < 2 || values.size() != shape_[1] ||
            (lowered_.axis_fixed && lowered_.channel_axis != 1)) {
            return false;
        }
        const bool along_channels =
            tensor.get_shape().size() == 1 ||
            (tensor.get_shape().size() == shape_.size() && tensor.get_shape()[1] == shape_[1]);
        if (!along_channels) {
            return false;
        }
        lowered_.channel_axis = 1;
        lowered_.axis_fixed = true;
        return push(post_ops::lower_prelu(values));
    }

    // x^n of a constant n. Beside a primitive only squares and roots: others are slow there, or not
    // exact.
    bool power() {
        const auto n = scalar(node_.input(1));
        if (!n || node_.attrs<BinaryAttrs>().auto_broadcast == AutoBroadcast::kPdpd) {
            return false;
        }
        const bool has_name = *n == 2 || *n == 0.5;
        return (has_name || group_.anchor == nullptr) && push(post_ops::lower_power(*n));
    }

    bool simple_activation();

    const Node& node_;
    Output data_;
    const Group& group_;
    Shape shape_;
    Lowered lowered_;
};

bool Lowering::simple_activation() {
    if (const auto* row = post_ops::activation_of_layer(node_.type())) {
        return push(post_ops::lower_activation(row->kind));
    }
    if (node_.is("Elu")) {
        return push(post_ops::lower_activation(EltwiseKind::kElu, node_.attrs<EluAttrs>().alpha));
    }
    if (node_.is("Swish")) {
        const bool has_beta = node_.input_count() > 1 && node_.input(1);
        const auto beta = has_beta ? scalar(node_.input(1)) : 1.0;
        return beta && push(post_ops::lower_activation(EltwiseKind::kSwish, *beta));
    }
    if (node_.is("Gelu")) {
        const auto* attrs = dynamic_cast<const GeluAttrs*>(&node_.attributes());  // Gelu-2 has none
        const bool tanh = attrs != nullptr && attrs->approximation_mode == GeluApproximation::kTanh;
        return push(
            post_ops::lower_activation(tanh ? EltwiseKind::kGeluTanh : EltwiseKind::kGeluErf));
    }
    return false;
}

}  // namespace

std::optional<Lowered> lower_node(const Node& node, Output data, const Group& group) {
    if (!data.partial_shape().is_static()) {
        return std::nullopt;
    }
    return Lowering(node, data, group).run();
}

}  // namespace fuseq::cpu
