// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/kernels/eltwise/dynamic_quantize.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/quantized/dynamic_grid.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kBlock = 16384;  // elements

// The range block by block, then the integers.
void quantize_dynamically(const CallMemory& memory, std::size_t count) {
    const auto* src = memory.input<float>(0);
    auto* ranges = memory.work<kernels::ValueRange>(0);
    const std::size_t blocks = (count + kBlock - 1) / kBlock;
    parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            ranges[b] =
                kernels::value_range(src + b * kBlock, std::min(kBlock, count - b * kBlock));
        }
    });
    kernels::ValueRange whole;
    for (std::size_t b = 0; b < blocks; ++b) {
        whole = {std::min(whole.min, ranges[b].min), std::max(whole.max, ranges[b].max)};
    }
    const DynamicGrid grid = dynamic_grid(whole.min, whole.max);
    *memory.output<float>(1) = grid.scale;
    *memory.output<std::uint8_t>(2) = grid.zero_point;
    auto* dst = memory.output<std::uint8_t>(0);
    parallel_for(count, kBlock, [&](std::size_t begin, std::size_t end) {
        kernels::quantize_to_u8(src + begin, end - begin, grid.scale, grid.zero_point, dst + begin);
    });
}

}  // namespace

Verdict make_dynamic_quantize(StepBuilder& builder, Node& node) {
    if (!node.is("DynamicQuantize")) {
        return Verdict::other_kind();
    }
    const TensorId src = builder.tensor_of(node.input(0));
    const std::size_t count = shape_size(node.port(0).shape.to_shape());
    const TensorId values =
        builder.new_tensor(ElementType::u8, node.port(0).shape, builder.tensor(src).layout);
    const TensorId scale = builder.new_tensor(ElementType::f32, node.port(1).shape, Layout::kPlain);
    const TensorId zero = builder.new_tensor(ElementType::u8, node.port(2).shape, Layout::kPlain);
    const TensorId ranges =
        builder.new_scratch((count + kBlock - 1) / kBlock * sizeof(kernels::ValueRange));
    auto step = std::make_unique<CallStep>(
        [count](const CallMemory& memory) { quantize_dynamically(memory, count); },
        CallStep::Tensors{.inputs = {src}, .outputs = {values, scale, zero}, .scratch = {ranges}},
        kernel_info("quantize", "dynamic_quantize", builder.tensor(src), builder.tensor(values)));
    add_node_step(builder, node, std::move(step), values);
    builder.set_tensor(node.output(1), scale);
    builder.set_tensor(node.output(2), zero);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
