// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedTable of 16 bits by TFLite's rule: a table of sigmoids, or fixed point in vectors.
#include <algorithm>
#include <array>

#include "cpu/kernels/recurrent/integer_lstm.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/memory_rows.hpp"
#include "cpu/steps/row_step.hpp"
#include "ops/quantized/quantized_sigmoid.hpp"

namespace fuseq::cpu {
namespace {

// By fixed point, as many values at once as a vector of the kernels may have or more.
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

void sigmoid_of(const rules::Sigmoid16& sigmoid,
                const std::int16_t* src,
                std::size_t count,
                std::int16_t* dst) {
    if (sigmoid.left_shift()) {
        by_fixed_point(sigmoid, src, count, dst);
        return;
    }
    std::transform(src, src + count, dst,
                   [&](std::int16_t q) { return static_cast<std::int16_t>(sigmoid(q)); });
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
    auto kernel = [sigmoid = make_sigmoid_16(attrs, rule->rule), limits = output_limits(attrs),
                   columns = rows.columns](const RowStep::Rows& some) {
        const std::size_t at = some.begin * columns;
        const std::size_t count = some.end * columns - at;
        auto* const to = static_cast<std::int16_t*>(some.dst) + at;
        sigmoid_of(sigmoid, static_cast<const std::int16_t*>(some.sources[0]) + at, count, to);
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
