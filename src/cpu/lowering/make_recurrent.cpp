// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent cells and sequences of f32 with constant weights, on the plugin's own kernel.
#include <algorithm>

#include <fmt/core.h>

#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/recurrent.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

using kernels::GateFunction;
using kernels::kUnits;
using kernels::RecurrentCell;
using kernels::RecurrentParams;

std::optional<RecurrentForm> form_of(const Node& node) {
    constexpr std::pair<const char*, RecurrentForm> kForms[] = {
        {"LSTMCell", {RecurrentKind::kLstm, false}}, {"LSTMSequence", {RecurrentKind::kLstm, true}},
        {"GRUCell", {RecurrentKind::kGru, false}},   {"GRUSequence", {RecurrentKind::kGru, true}},
        {"RNNCell", {RecurrentKind::kRnn, false}},   {"RNNSequence", {RecurrentKind::kRnn, true}}};
    for (const auto& [type, form] : kForms) {
        if (node.is(type)) {
            return form;
        }
    }
    return std::nullopt;
}

bool takes(const Node& node, const RecurrentForm& form) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        const bool lengths = form.sequence && i == form.lengths();
        if (!node.has_input(i)) {
            continue;
        }
        if (i >= form.w() && !node.input_node(i)->is_constant()) {
            return false;
        }
        const ElementType type = node.input(i).type();
        if (lengths ? type != ElementType::i32 && type != ElementType::i64
                    : type != ElementType::f32) {
            return false;
        }
        if (!node.input(i).partial_shape().is_static() || shape_size(node.input(i).shape()) == 0) {
            return false;
        }
    }
    return true;
}

GateFunction function_named(const std::string& name) {
    constexpr std::pair<const char*, GateFunction> kNames[] = {
        {"sigmoid", GateFunction::kSigmoid},
        {"tanh", GateFunction::kTanh},
        {"relu", GateFunction::kRelu},
        {"hardsigmoid", GateFunction::kHardSigmoid},
        {"softsign", GateFunction::kSoftsign},
        {"softplus", GateFunction::kSoftplus},
        {"elu", GateFunction::kElu},
        {"leakyrelu", GateFunction::kLeakyRelu},
        {"thresholdedrelu", GateFunction::kThresholdedRelu},
        {"scaledtanh", GateFunction::kScaledTanh},
        {"affine", GateFunction::kAffine}};
    const auto* const found = std::find_if(std::begin(kNames), std::end(kNames),
                                           [&](const auto& known) { return name == known.first; });
    if (found == std::end(kNames)) {
        throw Error("compile", "activation '" + name + "' has no kernel");
    }
    return found->second;
}

RecurrentParams params_of(const RecurrentAttrs& attrs, const RecurrentForm& form) {
    RecurrentParams params;
    params.cell = form.kind == RecurrentKind::kLstm  ? RecurrentCell::kLstm
                  : form.kind == RecurrentKind::kRnn ? RecurrentCell::kRnn
                  : attrs.linear_before_reset        ? RecurrentCell::kGruLinear
                                                     : RecurrentCell::kGru;
    params.hidden = static_cast<std::size_t>(attrs.hidden_size);
    params.clip = attrs.clip;
    // Validation has checked the names.
    const auto activations = gate_activations(attrs, form.kind).value();
    for (std::size_t i = 0; i < activations.size(); ++i) {
        params.activations[i] = {function_named(activations[i].name),
                                 static_cast<float>(activations[i].alpha),
                                 static_cast<float>(activations[i].beta)};
    }
    return params;
}

// Which gate of the IR's matrices is gate g of the kernel's.
std::vector<std::size_t> gate_order(const RecurrentAttrs& attrs, const RecurrentForm& form) {
    std::vector<std::size_t> order;
    const std::string_view names =
        EnumNames<LstmWeightsFormat>::kNames[static_cast<int>(attrs.weights_format)];
    for (std::size_t g = 0; g < form.gates(); ++g) {
        order.push_back(form.kind == RecurrentKind::kLstm ? names.find("fico"[g]) : g);
    }
    return order;
}

// Values by unit as [block][gate][kUnits], zero where there are none.
kernels::AlignedVector<float> packed_bias(const RecurrentParams& params,
                                          const float* bias,
                                          const std::vector<std::size_t>& order) {
    kernels::AlignedVector<float> packed(params.blocks() * order.size() * kUnits, 0.0f);
    for (std::size_t g = 0; bias != nullptr && g < order.size(); ++g) {
        for (std::size_t unit = 0; unit < params.hidden; ++unit) {
            packed[(unit / kUnits * order.size() + g) * kUnits + unit % kUnits] =
                bias[order[g] * params.hidden + unit];
        }
    }
    return packed;
}

kernels::AlignedVector<float> packed_matrix(const RecurrentParams& params,
                                            const float* matrix,
                                            const std::vector<std::size_t>& order,
                                            std::size_t depth) {
    kernels::AlignedVector<float> packed(kernels::packed_gates_size(params, order.size(), depth));
    kernels::pack_gates(params, matrix, order.data(), order.size(), depth, packed.data());
    return packed;
}

RecurrentWeights weights_of(const Node& node,
                            const RecurrentForm& form,
                            const RecurrentParams& params,
                            std::size_t input,
                            std::size_t direction) {
    const auto& attrs = dynamic_cast<const RecurrentAttrs&>(node.attributes());
    const auto values = [&](std::size_t i, std::size_t size) {
        return node.input_node(i)->constant().data<float>() + direction * size;
    };
    const std::vector<std::size_t> order = gate_order(attrs, form);
    const std::size_t rows = form.gates() * params.hidden;
    const float* r = values(form.r(), rows * params.hidden);
    const float* bias =
        node.has_input(form.b()) ? values(form.b(), form.biases(attrs) * params.hidden) : nullptr;
    RecurrentWeights weights;
    weights.input = packed_matrix(params, values(form.w(), rows * input), order, input);
    weights.bias = packed_bias(params, bias, order);
    if (params.cell == RecurrentCell::kGru) {
        weights.state = packed_matrix(params, r, {0, 1}, params.hidden);
        weights.hidden = packed_matrix(params, r, {2}, params.hidden);
    } else {
        weights.state = packed_matrix(params, r, order, params.hidden);
    }
    if (params.cell == RecurrentCell::kGruLinear) {
        weights.linear_bias = packed_bias(params, bias, {3});
    }
    return weights;
}

RecurrentSizes sizes_of(const Node& node, const RecurrentForm& form) {
    const auto& attrs = dynamic_cast<const RecurrentAttrs&>(node.attributes());
    const Shape x = node.input(form.x()).shape();
    RecurrentSizes sizes;
    sizes.batch = x[0];
    sizes.steps = form.sequence ? x[1] : 1;
    sizes.input = x.back();
    sizes.directions = attrs.direction == RecurrentDirection::kBidirectional ? 2 : 1;
    sizes.first_backwards = attrs.direction == RecurrentDirection::kReverse;
    return sizes;
}

// The lengths of the sequences of this run, checked as the reference kernel does.
class Lengths {
public:
    Lengths(const Node& node, const RecurrentForm& form, const RecurrentSizes& sizes)
        : node_(node), type_(node.input(form.lengths()).type()), sizes_(sizes) {}

    void read(const void* data, std::size_t* lengths) const {
        for (std::size_t n = 0; n < sizes_.batch; ++n) {
            const std::int64_t length = type_ == ElementType::i64
                                            ? static_cast<const std::int64_t*>(data)[n]
                                            : static_cast<const std::int32_t*>(data)[n];
            if (length < 0 || length > static_cast<std::int64_t>(sizes_.steps)) {
                throw Error(Error::Info{
                    .stage = "infer",
                    .file = {},
                    .layer_id = node_.layer_id,
                    .layer = node_.name(),
                    .op = node_.type(),
                    .rule =
                        fmt::format("sequence_lengths has the value {}, expected one in [0, {}]",
                                    length, sizes_.steps)});
            }
            lengths[n] = static_cast<std::size_t>(length);
        }
    }

private:
    const Node& node_;
    ElementType type_;
    RecurrentSizes sizes_;
};

CallStep::Call call_of(const Node& node,
                       const RecurrentForm& form,
                       std::shared_ptr<RecurrentRun> run) {
    std::optional<Lengths> lengths;
    if (form.sequence) {
        lengths.emplace(node, form, run->sizes());
    }
    // Inputs: x, h, c of an LSTM, lengths of a sequence. Outputs: all states of a sequence, h, c.
    return [form, lengths, run = std::move(run)](const CallMemory& memory) {
        RecurrentMemory m;
        m.x = memory.input<float>(form.x());
        m.h = memory.input<float>(form.h());
        m.c = form.has_cell_state() ? memory.input<float>(form.c()) : nullptr;
        const std::size_t first = form.sequence ? 1 : 0;
        m.all = form.sequence ? memory.output<float>(0) : nullptr;
        m.last_h = memory.output<float>(first);
        m.last_c = form.has_cell_state() ? memory.output<float>(first + 1) : nullptr;
        m.work = memory.work<float>(0);
        if (lengths) {
            auto* list = memory.work<std::size_t>(1);
            lengths->read(memory.inputs[form.lengths()], list);
            m.lengths = list;
        }
        run->run(m);
    };
}

}  // namespace

Verdict make_recurrent(StepBuilder& builder, Node& node) {
    const auto form = form_of(node);
    if (!form || !takes(node, *form)) {
        return form ? Verdict::no("computed weights, types other than f32, or open dimensions")
                    : Verdict::other_kind();
    }
    const RecurrentParams params =
        params_of(dynamic_cast<const RecurrentAttrs&>(node.attributes()), *form);
    const RecurrentSizes sizes = sizes_of(node, *form);
    std::vector<RecurrentWeights> weights;
    for (std::size_t d = 0; d < sizes.directions; ++d) {
        weights.push_back(weights_of(node, *form, params, sizes.input, d));
    }
    auto run = std::make_shared<RecurrentRun>(params, sizes, std::move(weights));
    CallStep::Tensors tensors;
    for (std::size_t i = 0; i < form->w(); ++i) {
        tensors.inputs.push_back(builder.tensor_of(node.input(i), Layout::kPlain));
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        const OutputPort& port = node.port(i);
        tensors.outputs.push_back(builder.new_tensor(port.type, port.shape, Layout::kPlain));
    }
    tensors.scratch.push_back(builder.new_scratch(run->work_size() * sizeof(float)));
    tensors.scratch.push_back(builder.new_scratch(sizes.batch * sizeof(std::size_t)));
    const std::vector<TensorId> outputs = tensors.outputs;
    StepInfo info = kernel_info("recurrent", "recurrent", builder.tensor(tensors.inputs[0]),
                                builder.tensor(outputs[0]));
    info.wei_type = to_string(ElementType::f32);
    const std::size_t bytes = run->packed_bytes();
    info.bytes += static_cast<std::int64_t>(bytes);
    auto step = std::make_unique<CallStep>(call_of(node, *form, std::move(run)), std::move(tensors),
                                           std::move(info));
    step->set_packed_bytes(bytes);
    add_node_step(builder, node, std::move(step), outputs[0]);
    for (std::size_t i = 1; i < outputs.size(); ++i) {
        builder.set_tensor(node.output(i), outputs[i]);
    }
    return Verdict::yes();
}

}  // namespace fuseq::cpu
