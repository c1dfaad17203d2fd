// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedSoftmax whose axis lies in one piece in memory: the rule of the reference kernel, a row at
// a time.
#include <algorithm>
#include <span>

#include "cpu/kernels/reduce/softmax_16.hpp"
#include "cpu/lowering/axes_in_memory.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/quantized/quantized_softmax.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::cpu {
namespace {

template <class Integer>
void softmax_of(const QuantizedSoftmaxRow& row,
                const IntegerLimits& limits,
                std::size_t rows,
                std::size_t size,
                const void* src,
                void* dst) {
    constexpr std::size_t kValuesAtOnce = 2048;
    parallel_for(rows, 1 + kValuesAtOnce / size, [&](std::size_t begin, std::size_t end) {
        thread_local std::vector<std::int32_t> values;
        thread_local std::vector<std::int64_t> results;
        values.resize(std::max(values.size(), size));
        results.resize(std::max(results.size(), size));
        for (std::size_t r = begin; r < end; ++r) {
            std::copy_n(static_cast<const Integer*>(src) + r * size, size, values.begin());
            row(values.data(), results.data(), 1);
            auto* to = static_cast<Integer*>(dst) + r * size;
            for (std::size_t i = 0; i < size; ++i) {
                to[i] = static_cast<Integer>(std::clamp(results[i], limits.lowest, limits.highest));
            }
        }
    });
}

using Kernel = KernelStep::Kernel;

// Rows of i16 in fixed point, in vectors.
Kernel fixed_point_kernel(const rules::Softmax16& softmax,
                          const IntegerLimits& limits,
                          std::size_t rows,
                          std::size_t size) {
    std::vector<std::int16_t> powers = softmax.powers();
    powers.push_back(0);  // which a vector reads
    return [=, powers = std::move(powers)](const void* src, void* dst) {
        const std::span<const std::int16_t> table(powers.data(), powers.size() - 1);
        constexpr std::size_t kValuesAtOnce = 4096;
        parallel_for(rows, 1 + kValuesAtOnce / size, [&](std::size_t begin, std::size_t end) {
            for (std::size_t r = begin; r < end; ++r) {
                auto* const to = static_cast<std::int16_t*>(dst) + r * size;
                const std::int32_t sum = kernels::softmax_16_powers(
                    table, static_cast<const std::int16_t*>(src) + r * size, size, to);
                const rules::Reciprocal16 by =
                    rules::reciprocal_16(static_cast<std::uint32_t>(sum));
                kernels::softmax_16_shares({.factor = static_cast<std::int32_t>(by.factor),
                                            .shift = by.shift,
                                            .lowest = static_cast<std::int32_t>(limits.lowest),
                                            .highest = static_cast<std::int32_t>(limits.highest)},
                                           size, to);
            }
        });
    };
}

Kernel kernel_of(const QuantizedSoftmaxAttrs& attrs,
                 RoundingRule rule,
                 ElementType type,
                 std::size_t rows,
                 std::size_t size) {
    const QuantizedSoftmaxRow row(attrs, rule, type, size);
    const IntegerLimits limits = output_limits(attrs);
    if (row.fixed_point() && size <= kernels::kSoftmax16Row) {
        return fixed_point_kernel(*row.fixed_point(), limits, rows, size);
    }
    const auto softmax = type == ElementType::i16  ? softmax_of<std::int16_t>
                         : type == ElementType::i8 ? softmax_of<std::int8_t>
                                                   : softmax_of<std::uint8_t>;
    return [=](const void* src, void* dst) { softmax(row, limits, rows, size, src, dst); };
}

}  // namespace

Verdict make_quantized_softmax(StepBuilder& builder, Node& node) {
    if (!node.is("QuantizedSoftmax")) {
        return Verdict::other_kind();
    }
    const auto& attrs = node.attrs<QuantizedSoftmaxAttrs>();
    const ElementType type = node.port(0).type;
    if (node.input(0).type() != type || (!is_8_bit(type) && type != ElementType::i16) ||
        rule_of(node) == nullptr || !softmax_16_refusal(node).empty()) {
        return Verdict::no("for u8, i8 or i16 in and out, by a method with a rule for it");
    }
    const Shape dims = node.input(0).shape();
    const Layout layout = dims.size() >= 3 && !builder.available(node.input(0), Layout::kPlain)
                              ? Layout::kChannelsLast
                              : Layout::kPlain;
    const auto axes = axes_in_memory(dims, layout, marked_axes({attrs.axis}, dims.size()));
    if (!axes || axes->inner != 1 || shape_size(dims) == 0) {
        return Verdict::no("an axis whose elements lie apart in memory");
    }
    const TensorId src = builder.tensor_of(node.input(0), layout);
    const TensorId dst = builder.new_tensor(type, node.port(0).shape, layout);
    auto kernel = kernel_of(attrs, rule_of(node)->rule, type, axes->outer, axes->length);
    add_node_step(
        builder, node,
        std::make_unique<KernelStep>(
            std::move(kernel), src, dst,
            kernel_info("softmax", "quantized_softmax", builder.tensor(src), builder.tensor(dst))),
        dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
