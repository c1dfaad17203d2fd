// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/eltwise/dynamic_quantize.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/memory_rows.hpp"
#include "cpu/steps/row_step.hpp"
#include "ops/quantized/quantized_run.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::cpu {

Verdict make_quantize(StepBuilder& builder, Node& node) {
    if (!node.is("Quantize")) {
        return Verdict::other_kind();
    }
    const auto& attrs = node.attrs<QuantizeAttrs>();
    const std::int64_t zero = attrs.zero_points.empty() ? 0 : attrs.zero_points[0];
    const RoundingRule rule = rule_of(node)->rule;
    const bool half_even =
        rule == RoundingRule::kRealHalfEven || (rule == RoundingRule::kRealZeroFirst && zero == 0);
    if (!half_even || attrs.scales.size() != 1 || !is_8_bit(attrs.output_type)) {
        return Verdict::no("for one grid of bytes, half to even");
    }
    const TensorId src = builder.tensor_of(node.input(0));
    const TensorId dst =
        builder.new_tensor(attrs.output_type, node.port(0).shape, builder.tensor(src).layout);
    const MemoryRows rows = memory_rows(builder.tensor(dst));
    auto kernel = [columns = rows.columns, scale = attrs.scales[0], zero,
                   is_signed = attrs.output_type == ElementType::i8](const RowStep::Rows& some) {
        const std::size_t at = some.begin * columns;
        const std::size_t count = some.end * columns - at;
        const float* from = static_cast<const float*>(some.sources[0]) + at;
        if (is_signed) {
            kernels::quantize_to_i8(from, count, scale, static_cast<std::int8_t>(zero),
                                    static_cast<std::int8_t*>(some.dst) + at);
        } else {
            kernels::quantize_to_u8(from, count, scale, static_cast<std::uint8_t>(zero),
                                    static_cast<std::uint8_t*>(some.dst) + at);
        }
    };
    auto step = std::make_unique<RowStep>(
        std::move(kernel), RowStep::Tensors{.inputs = {src}, .output = dst}, rows.rows,
        rows.grain(),
        kernel_info("quantize", "quantize", builder.tensor(src), builder.tensor(dst)));
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
