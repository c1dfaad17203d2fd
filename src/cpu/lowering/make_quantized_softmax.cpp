// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedSoftmax whose axis lies in one piece in memory: the rule of the reference kernel, a row at
// a time.
#include <algorithm>

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
    const auto softmax = type == ElementType::i16  ? softmax_of<std::int16_t>
                         : type == ElementType::i8 ? softmax_of<std::int8_t>
                                                   : softmax_of<std::uint8_t>;
    const TensorId src = builder.tensor_of(node.input(0), layout);
    const TensorId dst = builder.new_tensor(type, node.port(0).shape, layout);
    auto kernel = [softmax,
                   row = QuantizedSoftmaxRow(attrs, rule_of(node)->rule, type, axes->length),
                   limits = output_limits(attrs), rows = axes->outer, size = axes->length](
                      const void* x, void* y) { softmax(row, limits, rows, size, x, y); };
    add_node_step(
        builder, node,
        std::make_unique<KernelStep>(
            std::move(kernel), src, dst,
            kernel_info("softmax", "quantized_softmax", builder.tensor(src), builder.tensor(dst))),
        dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
