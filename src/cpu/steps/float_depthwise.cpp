// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise f32 convolution of three spatial dimensions, a row at a time with all that follows:
// oneDNN computes one channel after the other there, four to seven times as slow.
#include <algorithm>
#include <array>
#include <cstddef>

#include "cpu/kernels/aligned_vector.hpp"
#include "cpu/kernels/chain_kernel.hpp"
#include "cpu/kernels/depthwise_float.hpp"
#include "cpu/plan/step_makers.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/runtime/parallel.hpp"
#include "cpu/steps/anchor.hpp"
#include "cpu/steps/call_step.hpp"
#include "ops/convolution.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMostExtras = 16;

bool takes(const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("GroupConvolution") || node.port(0).shape.rank() != 5 ||
        node.input(0).type() != ElementType::f32 || node.input(1).type() != ElementType::f32 ||
        !node.input_node(1)->is_constant() || group.extras.size() > kMostExtras) {
        return false;
    }
    const Shape wei = node.input(1).shape();
    const auto& ops = group.chain.ops;
    return wei[1] == 1 && wei[2] == 1 &&
           std::none_of(ops.begin(), ops.end(), [](const post_ops::BasicOp& op) {
               const auto* binary = std::get_if<post_ops::Binary>(&op);
               return binary != nullptr && (binary->per_plane || binary->per_pixel);
           });
}

kernels::DepthwiseFloatParams params_of(const Node& node) {
    const Shape src = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    const auto windows =
        convolution_windows(node.attrs<ConvolutionAttrs>(), src, node.input(1).shape());
    kernels::DepthwiseFloatParams params;
    params.batch = src[0];
    params.channels = src[1];
    kernels::DepthwiseAxis* const axes[] = {&params.depth, &params.height, &params.width};
    for (std::size_t d = 0; d < 3; ++d) {
        const Window& w = windows[d];
        *axes[d] = {.src = src[d + 2],
                    .dst = dst[d + 2],
                    .kernel = static_cast<std::size_t>(w.size),
                    .stride = static_cast<std::size_t>(w.stride),
                    .dilation = static_cast<std::size_t>(w.dilation),
                    .pad = w.pad_begin};
    }
    return params;
}

// What the step needs at run time.
struct Work {
    kernels::DepthwiseFloatParams params;
    kernels::AlignedVector<float> weights;
    kernels::ChainKernel chain;
    std::vector<std::size_t> extra_sizes;  // of elements
    std::size_t dst_size = 4;

    void run(const CallMemory& memory) const {
        const std::size_t row_size = params.width.dst * params.channels;
        parallel_for(params.rows(), 1, [&](std::size_t begin, std::size_t end) {
            float* sums =
                memory.work<float>(0) + static_cast<std::size_t>(omp_get_thread_num()) * row_size;
            for (std::size_t row = begin; row < end; ++row) {
                kernels::depthwise_float_row(params, memory.input<float>(0), weights.data(), row,
                                             sums);
                store(memory, row * row_size, sums);
            }
        });
    }

private:
    void store(const CallMemory& memory, std::size_t offset, const float* sums) const {
        std::array<kernels::ChainTensor, kMostExtras> extras;
        for (std::size_t e = 0; e < extra_sizes.size(); ++e) {
            extras[e] = {memory.input<std::byte>(1 + e) + offset * extra_sizes[e], params.channels};
        }
        const kernels::ChainKernelArgs args{.src = {sums, params.channels},
                                            .dst = memory.output<std::byte>(0) + offset * dst_size,
                                            .dst_stride = params.channels,
                                            .extras = {extras.data(), extra_sizes.size()}};
        chain.run(args, 0, params.width.dst);
    }
};

StepInfo describe(const Group& group,
                  const PlanTensor& src,
                  const post_ops::Chain& chain,
                  const ComposedAnchor& composed) {
    const Shape dst = group.anchor->port(0).shape.to_shape();
    const Tensor& weights = group.anchor->input_node(1)->constant();
    StepInfo info;
    info.kind = "convolution";
    info.implementation = "fuseq:depthwise_float";
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

std::optional<TensorId> make_float_depthwise(PlanBuilder& builder, const Group& group) {
    if (!takes(group)) {
        return std::nullopt;
    }
    const Node& node = *group.anchor;
    const post_ops::Chain chain = post_ops::simplified(group.chain, group.laws);
    const kernels::DepthwiseFloatParams params = params_of(node);
    auto work = std::make_shared<Work>(Work{
        params,
        kernels::AlignedVector<float>(params.taps() * params.channels),
        kernels::ChainKernel(chain, ElementType::f32, params.channels, kernels::ChainLayout::kRows),
        {},
        size_of(chain.dst_type)});
    kernels::pack_depthwise_float(params, node.input_node(1)->constant().data<float>(),
                                  work->weights.data());
    CallStep::Tensors tensors;
    tensors.inputs.push_back(builder.tensor_of(node.input(0), Layout::kChannelsLast));
    for (const Output& extra : group.extras) {
        tensors.inputs.push_back(builder.tensor_of(extra, Layout::kChannelsLast));
        work->extra_sizes.push_back(size_of(builder.tensor(tensors.inputs.back()).type));
    }
    const TensorId dst =
        builder.new_tensor(chain.dst_type, node.port(0).shape, Layout::kChannelsLast);
    tensors.outputs = {dst};
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    tensors.scratch = {
        builder.new_scratch(threads * params.width.dst * params.channels * sizeof(float))};
    ComposedAnchor composed;
    composed.complete = true;
    composed.dst_type = chain.dst_type;
    StepInfo info = describe(group, builder.tensor(tensors.inputs[0]), chain, composed);
    const std::size_t bytes = work->weights.size() * sizeof(float);
    auto step = std::make_unique<CallStep>(
        [work = std::move(work)](const CallMemory& memory) { work->run(memory); },
        std::move(tensors), std::move(info));
    step->set_packed_bytes(bytes);
    builder.add_step(std::move(step));
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
