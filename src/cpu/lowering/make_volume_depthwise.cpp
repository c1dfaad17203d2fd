// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/core.h>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/volume_depthwise.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/convolution.hpp"

namespace fuseq::cpu {
namespace {

VolumeGeometry geometry_of(const Node& node, const Window& depth) {
    const Shape src = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    VolumeGeometry g;
    g.images = src[0];
    g.channels = src[1];
    g.src_depth = src[2];
    g.dst_depth = dst[2];
    g.stride = static_cast<std::size_t>(depth.stride);
    g.dilation = static_cast<std::size_t>(depth.dilation);
    g.pad = depth.pad_begin;
    g.dst_height = dst[3];
    g.dst_width = dst[4];
    return g;
}

std::vector<kernels::DepthwiseConv> make_taps(const Node& node,
                                              const std::vector<Window>& windows,
                                              ElementType src_type) {
    const Shape src = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    kernels::DepthwiseParams params;
    kernels::DepthwiseShape& s = params.shape;
    s.batch = src[0] * src[2];
    s.src_channels = s.dst_channels = src[1];
    s.src_height = src[3];
    s.src_width = src[4];
    s.dst_height = dst[3];
    s.dst_width = dst[4];
    s.kernel_height = static_cast<std::size_t>(windows[1].size);
    s.kernel_width = static_cast<std::size_t>(windows[2].size);
    s.stride_height = static_cast<std::size_t>(windows[1].stride);
    s.stride_width = static_cast<std::size_t>(windows[2].stride);
    s.dilation_height = static_cast<std::size_t>(windows[1].dilation);
    s.dilation_width = static_cast<std::size_t>(windows[2].dilation);
    s.pad_top = windows[1].pad_begin;
    s.pad_left = windows[2].pad_begin;
    params.src_type = src_type;
    params.dst_type = ElementType::f32;
    std::vector<std::int32_t> zero_point;
    if (node.has_input(2)) {
        for (const std::int64_t z : to_ints(node.input_node(2)->constant())) {
            zero_point.push_back(static_cast<std::int32_t>(z));
        }
    }
    params.src_zero_point = zero_point;
    const float one = 1.0f;
    params.scale = {&one, 1};
    const auto depth = static_cast<std::size_t>(windows[0].size);
    const std::size_t area = s.kernel_height * s.kernel_width;
    const auto all = node.input_node(1)->constant().values<std::int8_t>();
    std::vector<kernels::DepthwiseConv> taps;
    for (std::size_t t = 0; t < depth; ++t) {
        std::vector<std::int8_t> weights;
        for (std::size_t c = 0; c < s.src_channels; ++c) {
            const auto from = all.begin() + static_cast<std::ptrdiff_t>((c * depth + t) * area);
            weights.insert(weights.end(), from, from + static_cast<std::ptrdiff_t>(area));
        }
        params.weights = weights;
        taps.emplace_back(params);
    }
    return taps;
}

// The chain of the group after the additions of all sums but the first.
post_ops::Chain with_sums(const post_ops::Chain& chain,
                          std::size_t binary_sources,
                          std::size_t taps) {
    post_ops::Chain all = chain;
    all.ops.clear();
    for (std::size_t t = 1; t < taps; ++t) {
        post_ops::Binary add;
        add.input = binary_sources + t - 1;
        all.ops.emplace_back(add);
    }
    all.ops.insert(all.ops.end(), chain.ops.begin(), chain.ops.end());
    return all;
}

StepInfo describe(const Group& group, const PlanTensor& src, const post_ops::Chain& chain) {
    const Shape dst = group.anchor->port(0).shape.to_shape();
    const Tensor& weights = group.anchor->input_node(1)->constant();
    StepInfo info;
    info.kind = "convolution";
    info.src_type = to_string(src.type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(chain.dst_type);
    info.layout = to_string(Layout::kChannelsLast);
    info.quantized = true;
    info.macs = static_cast<std::int64_t>(shape_size(dst) * (weights.get_size() / dst[1]));
    info.bytes = static_cast<std::int64_t>(src.bytes() + weights.get_byte_size() +
                                           shape_size(dst) * size_of(chain.dst_type));
    ComposedAnchor composed;
    composed.complete = true;
    composed.dst_type = chain.dst_type;
    describe_anchor(info, group, composed);
    info.post_ops = post_ops::to_text(chain);
    return info;
}

}  // namespace

Verdict volume_depthwise_supports(const StepBuilder&, const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("GroupConvolution") || node.port(0).shape.rank() != 5) {
        return Verdict::other_kind();
    }
    if (node.input(1).type() != ElementType::i8 ||
        (node.input(0).type() != ElementType::u8 && node.input(0).type() != ElementType::i8)) {
        return Verdict::no("for integers only");
    }
    const Shape wei = node.input(1).shape();
    if (wei[1] != 1 || wei[2] != 1) {
        return Verdict::no("not one channel a group");
    }
    // Sums of products beyond are not exact in f32; more positions in depth than there is room for.
    constexpr std::size_t kMaxTaps = 512;
    constexpr std::size_t kMaxTapsOfPlane = 128;
    if (wei[3] * wei[4] * wei[5] > kMaxTaps || wei[4] * wei[5] > kMaxTapsOfPlane) {
        return Verdict::no(fmt::format("kernel {}x{}x{}, at most {} taps and {} of a plane", wei[3],
                                       wei[4], wei[5], kMaxTaps, kMaxTapsOfPlane));
    }
    const bool broadcast = std::any_of(
        group.chain.ops.begin(), group.chain.ops.end(), [](const post_ops::BasicOp& op) {
            const auto* binary = std::get_if<post_ops::Binary>(&op);
            return binary != nullptr && (binary->per_plane || binary->per_pixel);
        });
    if (broadcast) {
        return Verdict::no("a second tensor that is broadcast");
    }
    constexpr double kCost =
        0.05;  // 3x3x3 on 64x8x56x56: 3 of 58 ms (docs/performance/log/kernels.md)
    return group.binary_sources.size() + wei[3] <= VolumeDepthwiseStep::kMaxBinarySources
               ? Verdict::yes(kCost)
               : Verdict::no("too many second tensors and positions in depth");
}

TensorId make_volume_depthwise(StepBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    const auto windows = convolution_windows(node.attrs<ConvolutionAttrs>(), node.input(0).shape(),
                                             node.input(1).shape());
    const VolumeGeometry geometry = geometry_of(node, windows[0]);
    const post_ops::Chain& chain = composer_of(group).chain();
    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    auto taps = make_taps(node, windows, builder.tensor(src).type);
    const std::size_t count = taps.size();
    std::vector<TensorId> binary_sources;
    for (const Output& source : group.binary_sources) {
        binary_sources.push_back(builder.tensor_of(source, Layout::kChannelsLast));
    }
    kernels::EltwiseKernel kernel(with_sums(chain, binary_sources.size(), count), ElementType::f32,
                                  geometry.channels, kernels::EltwiseLayout::kRows);
    StepInfo info = describe(group, builder.tensor(src), chain);
    info.implementation = fmt::format("fuseq:{}*{}", taps[0].implementation(), count);
    const TensorId dst =
        builder.new_tensor(chain.dst_type, node.port(0).shape, Layout::kChannelsLast);
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    const TensorId scratch = builder.new_scratch(
        VolumeDepthwiseStep::scratch_size(geometry, count, threads) * sizeof(float));
    auto step = std::make_unique<VolumeDepthwiseStep>(std::move(taps), std::move(kernel), geometry);
    step->set_tensors(src, std::move(binary_sources), dst, scratch);
    step->info() = std::move(info);
    builder.add_step(std::move(step));
    ComposedAnchor composed;
    composed.complete = true;
    composed.dst_type = chain.dst_type;
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
