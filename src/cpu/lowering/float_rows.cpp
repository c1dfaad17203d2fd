// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/float_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "cpu/lowering/anchor.hpp"
#include "cpu/steps/fused_eltwise.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

StepInfo describe(const Group& group,
                  const PlanTensor& src,
                  const post_ops::Chain& chain,
                  const ComposedAnchor& composed) {
    const Shape dst = group.anchor->port(0).shape.to_shape();
    const Tensor& weights = group.anchor->input_node(1)->constant();
    StepInfo info;
    info.kind = "convolution";
    info.src_type = info.wei_type = to_string(ElementType::f32);
    info.dst_type = to_string(chain.dst_type);
    info.layout = to_string(Layout::kChannelsLast);
    info.macs = static_cast<std::int64_t>(shape_size(dst) * (weights.get_size() / dst[1]));
    info.bytes = static_cast<std::int64_t>(src.bytes() + weights.get_byte_size() +
                                           shape_size(dst) * size_of(chain.dst_type));
    describe_anchor(info, group, composed);
    info.post_ops = post_ops::to_text(chain);
    return info;
}

}  // namespace

Verdict supports_float_rows(const Group& group) {
    const Node& node = *group.anchor;
    if (node.input(0).type() != ElementType::f32 || node.input(1).type() != ElementType::f32) {
        return Verdict::no("for f32 only");
    }
    if (!node.input_node(1)->is_constant()) {
        return Verdict::no("computed weights");
    }
    if (group.binary_sources.size() > kMaxBinarySources) {
        return Verdict::no(fmt::format("{} second tensors, at most {}", group.binary_sources.size(),
                                       kMaxBinarySources));
    }
    const auto& ops = group.chain.ops;
    const bool broadcast = std::any_of(ops.begin(), ops.end(), [](const post_ops::BasicOp& op) {
        const auto* binary = std::get_if<post_ops::Binary>(&op);
        return binary != nullptr && (binary->per_plane || binary->per_pixel);
    });
    return broadcast ? Verdict::no("a second tensor that is broadcast") : Verdict::yes();
}

void FloatRows::add_binary_sources(StepBuilder& builder,
                                   const Group& group,
                                   CallStep::Tensors& tensors) {
    for (const Output& source : group.binary_sources) {
        tensors.inputs.push_back(builder.tensor_of(source, Layout::kChannelsLast));
        source_sizes_.push_back(size_of(builder.tensor(tensors.inputs.back()).type));
    }
}

void FloatRows::store(const CallMemory& memory,
                      std::size_t pixel,
                      std::size_t count,
                      const float* sums) const {
    std::array<kernels::EltwiseTensor, kMaxBinarySources> binary_sources;
    for (std::size_t e = 0; e < source_sizes_.size(); ++e) {
        binary_sources[e] = {memory.input<std::byte>(1 + e) + pixel * channels_ * source_sizes_[e],
                             channels_};
    }
    const kernels::EltwiseKernelArgs args{
        .src = {sums, channels_},
        .dst = dst(memory, pixel),
        .dst_stride = channels_,
        .binary_sources = {binary_sources.data(), source_sizes_.size()}};
    chain_->run(args, 0, count);
}

TensorId add_float_rows_step(StepBuilder& builder,
                             const Group& group,
                             const post_ops::Chain& chain,
                             std::string implementation,
                             CallStep::Tensors tensors,
                             std::size_t thread_floats,
                             std::size_t packed_bytes,
                             std::function<void(const CallMemory&)> run) {
    const TensorId dst =
        builder.new_tensor(chain.dst_type, group.anchor->port(0).shape, Layout::kChannelsLast);
    tensors.outputs = {dst};
    if (thread_floats != 0) {
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        tensors.scratch = {builder.new_scratch(threads * thread_floats * sizeof(float))};
    }
    ComposedAnchor composed;
    composed.complete = true;
    composed.dst_type = chain.dst_type;
    StepInfo info = describe(group, builder.tensor(tensors.inputs[0]), chain, composed);
    info.implementation = std::move(implementation);
    auto step = std::make_unique<CallStep>(std::move(run), std::move(tensors), std::move(info));
    step->set_packed_bytes(packed_bytes);
    builder.add_step(std::move(step));
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
