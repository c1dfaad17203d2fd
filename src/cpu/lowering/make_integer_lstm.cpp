// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedLstm with constant weights, in all its forms.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "cpu/kernels/recurrent/integer_lstm.hpp"
#include "cpu/lowering/quantized_rounding.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/quantized/quantized_lstm.hpp"
#include "ops/quantized/rules/layer_norm_16.hpp"

namespace fuseq::cpu {
namespace {

enum LstmPort : std::size_t { kX, kH, kC, kW, kR, kBias };
constexpr std::int64_t kMaxByte = 128;
constexpr std::int64_t kMaxProduct = std::int64_t{1} << 30;  // of two values of 16 bits

struct Gates {
    QuantizedLstmProduct product;
    std::span<const std::int8_t> weights;
    std::size_t depth = 0;
    std::size_t gates = 0;

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
        return std::all_of(product.multipliers.begin(), product.multipliers.begin() + gates,
                           [&](const rules::QuantizedMultiplier& m) {
                               return kernels::takes_multiplier(fixed_multiplier(m), max);
                           });
    }
    kernels::IntegerGates packed() const {
        std::vector<kernels::FixedMultiplier> multipliers;
        for (std::size_t gate = 0; gate < gates; ++gate) {
            multipliers.push_back(fixed_multiplier(product.multipliers[gate]));
        }
        return {weights, product.bias, multipliers, depth};
    }
};

template <class T>
std::span<const T> constant_values(const Node& node, std::size_t port) {
    return node.input_node(port)->constant().values<T>();
}

Gates gates_of_input(const Node& node) {
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    const auto w = constant_values<std::int8_t>(node, kW);
    const Shape& shape = node.input(kW).shape();
    Gates gates{quantized_lstm_product(w, shape[0] * shape[1], attrs.input_zero_point,
                                       attrs.input_scale, attrs.weight_scales, attrs.gate_scales),
                w, shape[2], shape[0]};
    const auto bias = constant_values<std::int32_t>(node, kBias);
    if (!attrs.has_norms()) {
        std::transform(bias.begin(), bias.end(), gates.product.bias.begin(),
                       gates.product.bias.begin(), std::plus<>());
    }
    return gates;
}

Gates gates_of_state(const Node& node) {
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    const auto r = constant_values<std::int8_t>(node, kR);
    const Shape& shape = node.input(kR).shape();
    return {quantized_lstm_product(r, shape[0] * shape[1], attrs.state_zero_point,
                                   attrs.state_scale, attrs.recurrent_scales, attrs.gate_scales),
            r, shape[2], shape[0]};
}

// As a product with one gate. No weights: no projection.
Gates projection_of(const Node& node) {
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    if (!attrs.has_projection()) {
        return {};
    }
    const std::size_t port = attrs.projection_input();
    const auto weights = constant_values<std::int8_t>(node, port);
    const auto terms =
        quantized_lstm_projection(attrs, weights, constant_values<std::int32_t>(node, port + 1));
    Gates gates{{.bias = terms.bias, .multipliers = {}}, weights, node.input(port).shape()[1], 1};
    gates.product.multipliers[0] = terms.multiplier;
    return gates;
}

// Rows of whole blocks, by the gate; coupled gates leave the first out, and there is none of the
// cell gate.
std::vector<std::int16_t> packed_peepholes(const Node& node, std::size_t units) {
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    const auto values = constant_values<std::int16_t>(node, attrs.peepholes_input());
    const Shape& shape = node.input(attrs.peepholes_input()).shape();
    const std::size_t hidden = shape[2];
    std::vector<std::int16_t> packed(shape[1] * kernels::kLstmGates * units, 0);
    for (std::size_t i = 0; i < shape[0]; ++i) {
        const bool last = i + 1 == shape[0];
        const std::size_t gate = last ? kernels::kLstmGates - 1 : i + (attrs.coupled() ? 1 : 0);
        for (std::size_t n = 0; n < shape[1]; ++n) {
            std::copy_n(values.data() + (i * shape[1] + n) * hidden, hidden,
                        packed.data() + (n * kernels::kLstmGates + gate) * units);
        }
    }
    return packed;
}

std::vector<kernels::ShiftedMultiplier> peephole_multipliers(const QuantizedLstmAttrs& attrs) {
    const auto multipliers = quantized_lstm_peepholes(attrs);
    std::vector<kernels::ShiftedMultiplier> by_gate(kernels::kLstmGates);
    for (std::size_t i = 0; i < multipliers.size(); ++i) {
        const bool last = i + 1 == multipliers.size();
        by_gate[last ? kernels::kLstmGates - 1 : i + (attrs.coupled() ? 1 : 0)] =
            kernels::shifted_multiplier(fixed_multiplier(multipliers[i]),
                                        kernels::ProductRounding::kHalfAway);
    }
    return by_gate;
}

// The weights are copied: the model may be gone when the step runs.
std::function<void(std::size_t, std::int16_t*)> normalization(const Node& node) {
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    const auto weights = constant_values<std::int16_t>(node, attrs.norms_input());
    const auto bias = constant_values<std::int32_t>(node, kBias);
    const std::size_t hidden = node.input(kBias).shape()[1];
    const std::size_t first = kernels::kLstmGates - attrs.gates();
    return [hidden, first, norms = quantized_lstm_norms(attrs),
            w = std::vector<std::int16_t>(weights.begin(), weights.end()),
            b = std::vector<std::int32_t>(bias.begin(), bias.end())](std::size_t gate,
                                                                     std::int16_t* values) {
        const QuantizedLstmNorm& norm = norms[gate - first];
        const std::size_t row = (gate - first) * hidden;
        const auto moments = rules::layer_norm_16::moments({values, hidden}, norm.least_variance);
        for (std::size_t j = 0; j < hidden; ++j) {
            values[j] = rules::layer_norm_16::normalized(values[j], moments, w[row + j], b[row + j],
                                                         norm.to_steps);
        }
    };
}

kernels::ByteGrid grid_of_outputs(const QuantizedLstmAttrs& attrs) {
    kernels::ByteGrid grid = byte_grid(attrs.state_zero_point, integer_limits(ElementType::i8));
    if (attrs.projection_clip > 0) {
        const auto clip = static_cast<std::int32_t>(attrs.projection_clip);
        grid.lowest = std::max(grid.lowest, -clip);
        grid.highest = std::min(grid.highest, clip);
    }
    return grid;
}

kernels::IntegerLstmParams params_of(const Node& node, const Gates& projection) {
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    kernels::IntegerLstmParams params;
    params.hidden = node.input(kC).shape()[1];
    params.cell_exponent = static_cast<int>(attrs.cell_exponent);
    if (attrs.cell_clip > 0) {
        params.cell_limit =
            static_cast<std::int32_t>(std::min<std::int64_t>(attrs.cell_clip, 32768));
    }
    params.to_hidden = kernels::shifted_multiplier(
        fixed_multiplier(quantized_lstm_to_hidden(attrs)), kernels::ProductRounding::kHalfAway);
    params.hidden_grid = byte_grid(-attrs.hidden_zero_point, integer_limits(ElementType::i8));
    params.coupled = attrs.coupled();
    if (attrs.has_peepholes()) {
        params.peepholes = peephole_multipliers(attrs);
    }
    if (attrs.has_norms()) {
        params.normalize = normalization(node);
    }
    if (attrs.has_projection()) {
        params.projection = std::make_shared<const kernels::IntegerGates>(projection.packed());
        params.projection_grid = grid_of_outputs(attrs);
    }
    return params;
}

class IntegerLstm {
public:
    IntegerLstm(const Node& node, const Gates& of_x, const Gates& of_h, const Gates& projection)
        : batch_(node.input(kX).shape()[0]),
          steps_(node.input(kX).shape()[1]),
          outputs_(node.input(kH).shape()[1]),
          of_x_(of_x.packed()),
          of_h_(of_h.packed()),
          params_(params_of(node, projection)) {
        const auto& attrs = node.attrs<QuantizedLstmAttrs>();
        if (attrs.has_peepholes()) {
            peepholes_ = packed_peepholes(node, params_.units());
            own_peepholes_ = node.input(attrs.peepholes_input()).shape()[1] > 1;
        }
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
        const std::size_t depth = of_x_.depth();
        b.x.assign(2 * of_x_.pairs(), 0);
        b.gates.resize(kernels::kLstmGates * params_.units());
        b.c.assign(params_.units(), 0);
        for (auto* values : {&b.h, &b.next_h}) {
            values->assign(kernels::whole_lstm_blocks(outputs_), 0);
        }
        std::copy_n(memory.input<std::int8_t>(kH) + n * outputs_, outputs_, b.h.begin());
        std::copy_n(memory.input<std::int16_t>(kC) + n * hidden, hidden, b.c.begin());
        const auto* x = memory.input<std::int8_t>(kX) + n * steps_ * depth;
        auto* y = memory.output<std::int8_t>(0) + n * steps_ * outputs_;
        const auto store = [&](std::int8_t* to) {
            std::transform(b.h.begin(), b.h.begin() + static_cast<std::ptrdiff_t>(outputs_), to,
                           [](std::int16_t value) { return static_cast<std::int8_t>(value); });
        };
        const std::size_t row = own_peepholes_ ? n : 0;
        for (std::size_t t = 0; t < steps_; ++t, x += depth, y += outputs_) {
            std::copy_n(x, depth, b.x.begin());
            kernels::integer_lstm_step(
                params_, of_x_, of_h_,
                {.x = b.x.data(),
                 .h = b.h.data(),
                 .peepholes = peepholes_.data() + row * kernels::kLstmGates * params_.units(),
                 .next_h = b.next_h.data(),
                 .c = b.c.data(),
                 .gates = b.gates.data()});
            b.h.swap(b.next_h);
            store(y);
        }
        store(memory.output<std::int8_t>(1) + n * outputs_);
        std::copy_n(b.c.begin(), hidden, memory.output<std::int16_t>(2) + n * hidden);
    }

    std::size_t batch_, steps_, outputs_;
    kernels::IntegerGates of_x_, of_h_;
    kernels::IntegerLstmParams params_;
    std::vector<std::int16_t> peepholes_;  // of all sequences, or of each
    bool own_peepholes_ = false;
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

// Multipliers of products of two values of 16 bits.
bool elements_fit(const Node& node) {
    const auto& attrs = node.attrs<QuantizedLstmAttrs>();
    std::vector<rules::QuantizedMultiplier> multipliers = quantized_lstm_peepholes(attrs);
    multipliers.push_back(quantized_lstm_to_hidden(attrs));
    return std::all_of(multipliers.begin(), multipliers.end(), [](const auto& m) {
        return kernels::takes_multiplier(fixed_multiplier(m), kMaxProduct);
    });
}

}  // namespace

Verdict make_integer_lstm(StepBuilder& builder, Node& node) {
    if (!node.is("QuantizedLstm")) {
        return Verdict::other_kind();
    }
    if (const std::string why = refusal(node); !why.empty()) {
        return Verdict::no(why);
    }
    const Gates of_x = gates_of_input(node);
    const Gates of_h = gates_of_state(node);
    const Gates projection = projection_of(node);
    if (!of_x.fits() || !of_h.fits() || !projection.fits() || !elements_fit(node)) {
        return Verdict::no("sums and multipliers that 32 bits do not hold");
    }
    auto lstm = std::make_shared<const IntegerLstm>(node, of_x, of_h, projection);
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
