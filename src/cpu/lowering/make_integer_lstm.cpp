// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedLstm with constant weights.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "cpu/kernels/recurrent/integer_lstm.hpp"
#include "cpu/lowering/quantized_rounding.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/quantized/quantized_lstm.hpp"

namespace fuseq::cpu {
namespace {

enum LstmPort : std::size_t { kX, kH, kC, kW, kR, kBias };
constexpr std::int64_t kMaxByte = 128;

struct Gates {
    QuantizedLstmProduct product;
    std::span<const std::int8_t> weights;
    std::size_t depth;

    std::int64_t max_sum() const {
        std::int64_t max = 0;
        for (std::size_t row = 0; row < product.bias.size(); ++row) {
            std::int64_t sum = std::abs(static_cast<std::int64_t>(product.bias[row]));
            for (std::size_t k = 0; k < depth; ++k) {
                sum += kMaxByte * std::abs(static_cast<int>(weights[row * depth + k]));
            }
            max = std::max(max, sum);
        }
        return max;
    }
    bool fits() const {
        const std::int64_t max = max_sum();
        return std::all_of(product.multipliers.begin(), product.multipliers.end(),
                           [&](const rules::QuantizedMultiplier& m) {
                               return kernels::takes_multiplier(fixed_multiplier(m), max);
                           });
    }
    kernels::IntegerGates packed() const {
        std::array<kernels::FixedMultiplier, kernels::kLstmGates> multipliers;
        std::transform(product.multipliers.begin(), product.multipliers.end(), multipliers.begin(),
                       fixed_multiplier);
        return {weights, product.bias, multipliers, depth};
    }
};

std::span<const std::int8_t> constant_bytes(const Node& node, LstmPort port) {
    return node.input_node(port)->constant().values<std::int8_t>();
}

Gates gates_of_input(const Node& node) {
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    const std::span<const std::int8_t> w = constant_bytes(node, kW);
    const std::size_t depth = node.input(kW).shape()[2];
    Gates gates{quantized_lstm_product(w, depth, attrs.input_zero_point, attrs.input_scale,
                                       attrs.weight_scales),
                w, depth};
    const auto bias = node.input_node(kBias)->constant().values<std::int32_t>();
    std::transform(bias.begin(), bias.end(), gates.product.bias.begin(), gates.product.bias.begin(),
                   std::plus<>());
    return gates;
}

Gates gates_of_state(const Node& node) {
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    const std::span<const std::int8_t> r = constant_bytes(node, kR);
    const std::size_t depth = node.input(kR).shape()[2];
    return {quantized_lstm_product(r, depth, attrs.state_zero_point, attrs.state_scale,
                                   attrs.recurrent_scales),
            r, depth};
}

class IntegerLstm {
public:
    IntegerLstm(const QuantizedLstmAttrs& attrs,
                const Shape& x,
                const Gates& of_x,
                const Gates& of_h)
        : batch_(x[0]), steps_(x[1]), of_x_(of_x.packed()), of_h_(of_h.packed()) {
        params_.hidden = of_h.depth;
        params_.cell_exponent = static_cast<int>(attrs.cell_exponent);
        if (attrs.cell_clip > 0) {
            params_.cell_limit =
                static_cast<std::int32_t>(std::min<std::int64_t>(attrs.cell_clip, 32768));
        }
        params_.to_hidden = kernels::shifted_multiplier(
            fixed_multiplier(quantized_lstm_to_hidden(attrs)), kernels::ProductRounding::kHalfAway);
        params_.hidden_grid = byte_grid(-attrs.hidden_zero_point, integer_limits(ElementType::i8));
    }

    void run(const CallMemory& memory) const {
        parallel_for(batch_, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t n = begin; n < end; ++n) {
                sequence(memory, n);
            }
        });
    }

private:
    // Of one thread; what they hold is used again in its next run.
    struct Buffers {
        std::vector<std::int16_t> x, h, next_h, c;
        kernels::AlignedVector<std::int16_t> gates;
    };

    void sequence(const CallMemory& memory, std::size_t n) const {
        thread_local Buffers b;
        const std::size_t hidden = params_.hidden;
        const std::size_t units = params_.units();
        const std::size_t depth = of_x_.depth();
        b.x.assign(2 * of_x_.pairs(), 0);
        b.gates.resize(kernels::kLstmGates * units);
        for (auto* values : {&b.h, &b.next_h, &b.c}) {
            values->assign(units, 0);
        }
        std::copy_n(memory.input<std::int8_t>(kH) + n * hidden, hidden, b.h.begin());
        std::copy_n(memory.input<std::int16_t>(kC) + n * hidden, hidden, b.c.begin());
        const auto* x = memory.input<std::int8_t>(kX) + n * steps_ * depth;
        auto* y = memory.output<std::int8_t>(0) + n * steps_ * hidden;
        const auto store = [&](std::int8_t* to) {
            std::transform(b.h.begin(), b.h.begin() + static_cast<std::ptrdiff_t>(hidden), to,
                           [](std::int16_t value) { return static_cast<std::int8_t>(value); });
        };
        for (std::size_t t = 0; t < steps_; ++t, x += depth, y += hidden) {
            std::copy_n(x, depth, b.x.begin());
            kernels::integer_lstm_step(params_, of_x_, of_h_,
                                       {.x = b.x.data(),
                                        .h = b.h.data(),
                                        .next_h = b.next_h.data(),
                                        .c = b.c.data(),
                                        .gates = b.gates.data()});
            b.h.swap(b.next_h);
            store(y);
        }
        store(memory.output<std::int8_t>(1) + n * hidden);
        std::copy_n(b.c.begin(), hidden, memory.output<std::int16_t>(2) + n * hidden);
    }

    std::size_t batch_, steps_;
    kernels::IntegerGates of_x_, of_h_;
    kernels::IntegerLstmParams params_;
};

std::string refusal(const Node& node) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (i >= kW && !node.input_node(i)->is_constant()) {
            return "computed weights";
        }
        if (!node.input(i).partial_shape().is_static() || shape_size(node.input(i).shape()) == 0) {
            return "open dimensions, or nothing in a tensor";
        }
    }
    return "";
}

}  // namespace

Verdict make_integer_lstm(StepBuilder& builder, Node& node) {
    if (!node.is("QuantizedLstm")) {
        return Verdict::other_kind();
    }
    if (const std::string why = refusal(node); !why.empty()) {
        return Verdict::no(why);
    }
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    const Gates of_x = gates_of_input(node);
    const Gates of_h = gates_of_state(node);
    constexpr std::int64_t kMaxProduct = std::int64_t{1} << 30;  // of two values of 16 bits
    if (!of_x.fits() || !of_h.fits() ||
        !kernels::takes_multiplier(fixed_multiplier(quantized_lstm_to_hidden(attrs)),
                                   kMaxProduct)) {
        return Verdict::no("sums and multipliers that 32 bits do not hold");
    }
    auto lstm = std::make_shared<const IntegerLstm>(attrs, node.input(kX).shape(), of_x, of_h);
    CallStep::Tensors tensors;
    for (const LstmPort port : {kX, kH, kC}) {
        tensors.inputs.push_back(builder.tensor_of(node.input(port), Layout::kPlain));
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        tensors.outputs.push_back(
            builder.new_tensor(node.port(i).type, node.port(i).shape, Layout::kPlain));
    }
    const std::vector<TensorId> outputs = tensors.outputs;
    StepInfo info = kernel_info("recurrent", "integer_lstm", builder.tensor(tensors.inputs[kX]),
                                builder.tensor(outputs[0]));
    info.wei_type = to_string(ElementType::i8);
    add_node_step(
        builder, node,
        std::make_unique<CallStep>([lstm](const CallMemory& memory) { lstm->run(memory); },
                                   std::move(tensors), std::move(info)),
        outputs[0]);
    for (std::size_t i = 1; i < outputs.size(); ++i) {
        builder.set_tensor(node.output(i), outputs[i]);
    }
    return Verdict::yes();
}

}  // namespace fuseq::cpu
