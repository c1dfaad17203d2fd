// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/post_ops/chain_head.hpp"
#include "cpu/steps/depthwise.hpp"
#include "cpu/steps/depthwise_fold.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

bool has_integers(const Node& node) {
    const ElementType src = node.input(0).type();
    return (src == ElementType::u8 || src == ElementType::i8) &&
           node.input(1).type() == ElementType::i8;
}

// What the kernel does not compute, as part of its step. Nothing when a row has no room in the
// buffer, or a binary source is not of the size of dst.
std::optional<DepthwiseRemainder> make_remainder(StepBuilder& builder,
                                                 const Group& group,
                                                 const ComposedAnchor& composed,
                                                 const kernels::ConvGeometry& dst) {
    const auto& ops = composed.remainder.ops;
    const bool per_plane = std::any_of(ops.begin(), ops.end(), [](const post_ops::BasicOp& op) {
        const auto* binary = std::get_if<post_ops::Binary>(&op);
        return binary != nullptr && binary->per_plane;
    });
    if (composed.complete || per_plane ||
        dst.dst_channels * dst.dst_width > DepthwiseStep::kMaxRowElements ||
        group.binary_sources.size() > DepthwiseStep::kMaxBinarySources) {
        return std::nullopt;
    }
    std::vector<TensorId> binary_sources;
    std::vector<DedupRows> dedup_rows;
    for (const Output& source : group.binary_sources) {
        TensorId id = builder.tensor_of(source, Layout::kChannelsLast);
        dedup_rows.emplace_back();
        if (const Tensor& value = builder.tensor(id).constant;
            builder.tensor(id).storage == Storage::kConstant) {
            dedup_rows.back() =
                DedupRows::of({static_cast<const std::byte*>(value.data()), value.get_byte_size()},
                              dst.batch * dst.dst_height);
            id = dedup_rows.back().offsets.empty() ? id : kNoTensor;
        }
        binary_sources.push_back(id);
    }
    return DepthwiseRemainder{
        kernels::EltwiseKernel(composed.remainder, ElementType::f32, dst.dst_channels,
                               kernels::EltwiseLayout::kRows),
        std::move(binary_sources), std::move(dedup_rows), dst.dst_channels, dst.dst_width};
}

// Of the source: none, one, or one a channel.
std::vector<std::int32_t> weight_zero_points_of(const Node& node) {
    std::vector<std::int32_t> zero_point;
    if (node.has_input(2)) {
        for (const std::int64_t z : to_ints(node.input_node(2)->constant())) {
            zero_point.push_back(static_cast<std::int32_t>(z));
        }
    }
    return zero_point;
}

// The kernel with the rounding of its sums as its epilogue. params: those of the kernel.
DepthwiseStep::Remake remake_of(const kernels::DepthwiseParams& params,
                                const std::vector<std::int32_t>& zero_point,
                                const Tensor& weights) {
    return [params, zero_point, weights](const kernels::OwnRounding& own) {
        kernels::DepthwiseParams rounded = params;
        rounded.src_zero_point = zero_point;
        rounded.weights = weights.values<std::int8_t>();
        rounded.scale = own.scale;
        rounded.bias = own.rule == kernels::RuleForm::kReal ? std::span<const float>() : own.shift;
        rounded.rule = own.rule;
        rounded.zero_point = own.zero_point;
        rounded.rest = own.rest;
        rounded.below = own.below;
        rounded.offset = own.offset;
        rounded.dst_type = own.dst;
        if (own.clips) {
            rounded.low = own.low;
            rounded.high = own.high;
        }
        return kernels::DepthwiseConv(rounded);
    };
}

// The same of some channels, without the rounding.
DepthwiseStep::SumsOf sums_of(const kernels::DepthwiseParams& params,
                              const std::vector<std::int32_t>& zero_point,
                              const Tensor& weights) {
    return [params, zero_point, weights](kernels::Range channels) {
        const std::size_t count = channels.end - channels.begin;
        const std::size_t taps = params.shape.kernel_height * params.shape.kernel_width;
        const float one = 1.0F;
        kernels::DepthwiseParams some = params;
        some.shape.src_pixel_stride = params.shape.src_channels;
        some.shape.src_channels = some.shape.dst_channels = count;
        some.weights = weights.values<std::int8_t>().subspan(channels.begin * taps, count * taps);
        some.src_zero_point = zero_point;
        if (zero_point.size() > 1) {
            some.src_zero_point = some.src_zero_point.subspan(channels.begin, count);
        }
        some.scale = {&one, 1};
        some.bias = some.slope = {};
        return kernels::DepthwiseConv(some);
    };
}

// An elu after the head, where the kernel has it. The operations that it then computes.
std::size_t add_elu(kernels::DepthwiseParams& params,
                    const post_ops::Chain& chain,
                    const post_ops::PiecewiseLinearHead& head) {
    const bool is_affine = head.slope.empty() && head.shift == 0.0f && !std::isfinite(head.low) &&
                           !std::isfinite(head.high);
    const auto tail = post_ops::elu_tail(chain, head.consumed);
    if (!is_affine || !tail || size_of(chain.dst_type) != 1) {
        return head.consumed;
    }
    kernels::DepthwiseParams with_elu = params;
    with_elu.elu = {.alpha = tail->alpha, .scale = tail->scale};
    with_elu.shift = tail->shift;
    with_elu.dst_type = chain.dst_type;
    if (!kernels::DepthwiseConv::stores_elu(with_elu)) {
        return head.consumed;
    }
    params = with_elu;
    return chain.ops.size();
}

// Whether the result is the sums themselves, as floats.
bool has_plain_sums(const post_ops::Chain& chain) {
    return chain.ops.empty() && chain.dst_type == ElementType::f32;
}

}  // namespace

Verdict depthwise_supports(const StepBuilder&, const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("GroupConvolution")) {
        return Verdict::other_kind();
    }
    if (!has_integers(node)) {
        return Verdict::no("for integers only");
    }
    return folded_depthwise(node) ? Verdict::yes()
                                  : Verdict::no("not one channel a group, or no two dimensions");
}

TensorId make_depthwise(StepBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    const auto geometry = folded_depthwise(node);
    const post_ops::Chain& chain = composer_of(group).chain();
    const post_ops::PiecewiseLinearHead head = post_ops::piecewise_linear_head(chain);
    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    const Tensor& weights = node.input_node(1)->constant();
    kernels::DepthwiseParams params;
    params.shape = {*geometry};
    params.src_type = builder.tensor(src).type;
    const std::vector<std::int32_t> zero_point = weight_zero_points_of(node);
    params.src_zero_point = zero_point;
    params.weights = weights.values<std::int8_t>();
    params.scale = head.scale;
    params.bias = head.bias;
    params.slope = head.slope;
    params.shift = head.shift;
    params.low = head.low;
    params.high = head.high;
    const std::size_t consumed = add_elu(params, chain, head);
    ComposedAnchor composed = ComposedAnchor::of_own_kernel(chain, consumed);
    params.dst_type = composed.dst_type;
    kernels::DepthwiseConv kernel(params);
    auto remainder = make_remainder(builder, group, composed, *geometry);
    composed.complete = composed.complete || remainder;
    composed.dst_type = composed.complete ? chain.dst_type : ElementType::f32;

    StepInfo info;
    info.kind = "convolution";
    info.implementation = std::string("fuseq:") + kernel.implementation();
    info.src_type = to_string(params.src_type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(composed.dst_type);
    info.layout = to_string(Layout::kChannelsLast);
    info.quantized = true;
    const Shape dst_dims = node.port(0).shape.to_shape();
    info.macs =
        static_cast<std::int64_t>(shape_size(dst_dims) * (weights.get_size() / dst_dims[1]));
    info.bytes = static_cast<std::int64_t>(builder.tensor(src).bytes() + weights.get_byte_size() +
                                           shape_size(dst_dims) * size_of(composed.dst_type));
    describe_anchor(info, group, composed);
    info.post_ops = post_ops::to_text(post_ops::chain_until(
        chain, composed.complete ? chain.ops.size() : consumed, composed.dst_type));
    if (consumed != chain.ops.size()) {
        info.notes.push_back("its epilogue is a scale, a bias, a slope, a shift and bounds; " +
                             post_ops::to_text(chain.ops[consumed]) + " comes after them");
    }

    const TensorId dst = builder.new_tensor(composed.dst_type, dst_dims, Layout::kChannelsLast);
    auto step = std::make_unique<DepthwiseStep>(std::move(kernel), *geometry, std::move(remainder),
                                                src, dst, std::move(info));
    if (has_plain_sums(chain)) {
        step->set_plain_sums(remake_of(params, zero_point, weights),
                             sums_of(params, zero_point, weights));
    }
    builder.add_step(std::move(step));
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
