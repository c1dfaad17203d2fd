// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise f32 convolution of three spatial dimensions, a row at a time with all that follows:
// oneDNN computes one channel after the other there, four to seven times as slow.
#include <cstddef>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/depthwise/depthwise_float.hpp"
#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/float_rows.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/convolution.hpp"

namespace fuseq::cpu {
namespace {

kernels::DepthwiseFloatParams depthwise_params_of(const Node& node) {
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
struct DepthwiseWork {
    kernels::DepthwiseFloatParams params;
    kernels::AlignedVector<float> weights;
    FloatRows rows;

    void run(const CallMemory& memory) const {
        const std::size_t row_size = params.width.dst * params.channels;
        parallel_for(params.rows(), 1, [&](std::size_t begin, std::size_t end) {
            float* sums =
                memory.work<float>(0) + static_cast<std::size_t>(omp_get_thread_num()) * row_size;
            for (std::size_t row = begin; row < end; ++row) {
                kernels::depthwise_float_row(params, memory.input<float>(0), weights.data(), row,
                                             sums);
                rows.store(memory, row * params.width.dst, params.width.dst, sums);
            }
        });
    }
};

}  // namespace

Verdict float_depthwise_supports(const StepBuilder&, const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("GroupConvolution") || node.port(0).shape.rank() != 5) {
        return Verdict::other_kind();
    }
    const Shape wei = node.input(1).shape();
    if (wei[1] != 1 || wei[2] != 1) {
        return Verdict::no("not one channel a group");
    }
    constexpr double kCost = 0.2;  // 0.15 of 3x3x3, 0.28 of 1x3x3 (docs/performance/log/kernels.md)
    Verdict rows = supports_float_rows(group);
    return rows ? Verdict::yes(kCost) : rows;
}

TensorId make_float_depthwise(StepBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    const post_ops::Chain& chain = composer_of(group).chain();
    const kernels::DepthwiseFloatParams params = depthwise_params_of(node);
    auto work = std::make_shared<DepthwiseWork>(
        DepthwiseWork{params, kernels::AlignedVector<float>(params.taps() * params.channels),
                      FloatRows(kernels::EltwiseKernel(chain, ElementType::f32, params.channels,
                                                       kernels::EltwiseLayout::kRows),
                                params.channels, size_of(chain.dst_type))});
    kernels::pack_depthwise_float(params, node.input_node(1)->constant().data<float>(),
                                  work->weights.data());
    CallStep::Tensors tensors;
    tensors.inputs.push_back(builder.tensor_of(node.input(0), Layout::kChannelsLast));
    work->rows.add_binary_sources(builder, group, tensors);
    const std::size_t bytes = work->weights.size() * sizeof(float);
    return add_float_rows_step(builder, group, chain, "fuseq:depthwise_float", std::move(tensors),
                               params.width.dst * params.channels, bytes,
                               [work](const CallMemory& memory) { work->run(memory); });
}

}  // namespace fuseq::cpu
