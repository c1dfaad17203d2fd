// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedTable of 16 bits by TFLite's rule: a table of sigmoids, or fixed point in vectors.
#include <algorithm>
#include <array>
#include <functional>

#include "cpu/kernels/eltwise/sigmoid_lines.hpp"
#include "cpu/kernels/recurrent/integer_lstm.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/memory_rows.hpp"
#include "cpu/steps/row_step.hpp"
#include "ops/quantized/quantized_sigmoid.hpp"

namespace fuseq::cpu {
namespace {

// By fixed point. The kernels take whole multiples of kLstmUnits values.
void by_fixed_point(const rules::Sigmoid16& sigmoid,
                    const std::int16_t* src,
                    std::size_t count,
                    std::int16_t* dst) {
    constexpr std::size_t kAtOnce = 16 * kernels::kLstmUnits;
    constexpr int kIntegerBits = 3;
    const auto function = sigmoid.is_tanh() ? kernels::fixed_16_tanh : kernels::fixed_16_logistic;
    const std::int32_t factor = 1 << *sigmoid.left_shift();
    std::array<std::int16_t, kAtOnce> values{};
    for (std::size_t i = 0; i < count; i += kAtOnce) {
        const std::size_t some = std::min(kAtOnce, count - i);
        std::transform(src + i, src + i + some, values.begin(), [&](std::int16_t q) {
            return static_cast<std::int16_t>(std::clamp(q * factor, -32768, 32767));
        });
        const std::size_t whole =
            (some + kernels::kLstmUnits - 1) / kernels::kLstmUnits * kernels::kLstmUnits;
        function(values.data(), whole, kIntegerBits, values.data());
        std::copy_n(values.begin(), some, dst + i);
    }
}

// Sigmoids have one bit more than results, and 9 (tanh: 8) of the line.
kernels::SigmoidLines lines_of(const rules::Sigmoid16& sigmoid) {
    constexpr int kSigmoidBits = 16;
    const rules::SigmoidTable& table = rules::sigmoid_table();
    kernels::SigmoidLines lines;
    for (std::size_t i = 0; i + 1 < table.size(); ++i) {
        const auto slope = static_cast<std::uint32_t>(table[i + 1] - table[i]);
        lines.lines[i] = table[i] | slope << kSigmoidBits;
    }
    lines.lines.back() = sigmoid.is_tanh() ? 0xFFFF : 0xFFFE;
    lines.multiplier = sigmoid.multiplier();
    lines.right_shift = sigmoid.right_shift();
    lines.nudge = lines.right_shift == 0 ? 0 : 1 << (lines.right_shift - 1);
    lines.bits = sigmoid.is_tanh() ? 8 : 9;
    lines.dropped = sigmoid.is_tanh() ? lines.bits : lines.bits + 1;
    const std::int32_t half = 1 << (lines.dropped - 1);
    const std::int32_t one = 1 << (kSigmoidBits + lines.bits);
    lines.offset = sigmoid.is_tanh() ? half - one / 2 : half;
    lines.negative_offset = (sigmoid.is_tanh() ? one / 2 : one) + half - 1;
    return lines;
}

using Function = std::function<void(const std::int16_t*, std::size_t, std::int16_t*)>;

Function function_of(const rules::Sigmoid16& sigmoid) {
    if (sigmoid.left_shift()) {
        return [sigmoid](const std::int16_t* src, std::size_t count, std::int16_t* dst) {
            by_fixed_point(sigmoid, src, count, dst);
        };
    }
    return
        [lines = lines_of(sigmoid)](const std::int16_t* src, std::size_t count, std::int16_t* dst) {
            kernels::sigmoid_by_lines(lines, src, count, dst);
        };
}

}  // namespace

Verdict make_quantized_sigmoid(StepBuilder& builder, Node& node) {
    if (!node.is("QuantizedTable")) {
        return Verdict::other_kind();
    }
    const RuleChoice* rule = rule_of(node);
    if (rule == nullptr || !by_sigmoid_16(rule->rule) || !sigmoid_16_refusal(node).empty()) {
        return Verdict::no("for i16 by TFLite's rules");
    }
    const auto& attrs = node.attrs<QuantizedTableAttrs>();
    const TensorId src = builder.tensor_of(node.input(0));
    const TensorId dst =
        builder.new_tensor(node.port(0).type, node.port(0).shape, builder.tensor(src).layout);
    const MemoryRows rows = memory_rows(builder.tensor(dst));
    auto kernel = [function = function_of(make_sigmoid_16(attrs, rule->rule)),
                   limits = output_limits(attrs),
                   columns = rows.columns](const RowStep::Rows& some) {
        const std::size_t at = some.begin * columns;
        const std::size_t count = some.end * columns - at;
        auto* const to = static_cast<std::int16_t*>(some.dst) + at;
        function(static_cast<const std::int16_t*>(some.sources[0]) + at, count, to);
        if (limits.lowest > -32768 || limits.highest < 32767) {
            std::transform(to, to + count, to, [&](std::int16_t q) {
                return static_cast<std::int16_t>(
                    std::clamp<std::int64_t>(q, limits.lowest, limits.highest));
            });
        }
    };
    auto step = std::make_unique<RowStep>(
        std::move(kernel), RowStep::Tensors{.inputs = {src}, .output = dst}, rows.rows,
        rows.grain(),
        kernel_info("eltwise", "quantized_sigmoid", builder.tensor(src), builder.tensor(dst)));
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
