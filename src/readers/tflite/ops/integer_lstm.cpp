// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/ops/integer_lstm.hpp"

#include <algorithm>
#include <cmath>

#include "readers/tflite/ops/sequence.hpp"

namespace fuseq::tflite_reader {
namespace {

constexpr std::size_t kGates = 4;  // input, forget, cell, output
constexpr std::size_t kWeights = 1;
constexpr std::size_t kRecurrent = 5;
constexpr std::size_t kPeepholes = 9;  // of input, forget, output gate
constexpr std::size_t kBiases = 12;
constexpr std::size_t kProjection = 16;
constexpr std::size_t kProjectionBias = 17;
constexpr std::size_t kOutputState = 18;
constexpr std::size_t kCell = 19;
constexpr std::size_t kNorms = 20;
constexpr std::size_t kHidden = 4;  // of the intermediates
constexpr std::size_t kIntermediates = 5;

// Places of the inputs that each gate has; coupled gates have no input gate.
using InputList = std::vector<std::size_t>;

float known_scale(const Operator& op, const TensorInfo& info) {
    op.require(info.quantization.known() && !info.quantization.per_channel(), info.title(),
               " has no scale, or several");
    return info.quantization.scale();
}

class IntegerLstm {
public:
    explicit IntegerLstm(Operator& op)
        : op_(op),
          coupled_(!op.has_input(kWeights)),
          peepholes_(has_group(kPeepholes, kGates - 1, "peepholes")),
          norms_(has_group(kNorms, kGates, "weights of the normalization")) {
        op.require(op.intermediate_count() == kIntermediates, "has ", op.intermediate_count(),
                   " intermediate tensors, expected ", kIntermediates,
                   ": gates of 8 bits are not supported");
        op.require(has_group(kWeights, kGates, "weights") &&
                       has_group(kRecurrent, kGates, "weights of the last output") &&
                       has_group(kBiases, kGates, "biases"),
                   "weights or biases are missing");
        op.require(op.has_input(kProjection) || !op.has_input(kProjectionBias),
                   "a bias of the projection is given, and no projection");
    }

    fuseq::Node* node(const Output& x,
                      std::int64_t together,
                      float cell_clip,
                      float projection_clip) {
        together_ = together;
        std::vector<Output> inputs{x,
                                   op_.input(kOutputState),
                                   op_.input(kCell),
                                   joined(kWeights, kGates),
                                   joined(kRecurrent, kGates),
                                   joined(kBiases, kGates)};
        if (peepholes_) {
            inputs.push_back(joined_peepholes());
        }
        if (norms_) {
            inputs.push_back(joined(kNorms, kGates));
        }
        if (op_.has_input(kProjection)) {
            inputs.push_back(op_.input(kProjection));
            const auto size = static_cast<std::size_t>(dimension(op_, kProjection, 0));
            inputs.push_back(op_.has_input(kProjectionBias)
                                 ? op_.input(kProjectionBias)
                                 : op_.constant(Tensor::of<std::int32_t>(
                                       {size}, std::vector<std::int32_t>(size, 0))));
        }
        return op_.node("QuantizedLstm", inputs, attributes(cell_clip, projection_clip));
    }

private:
    InputList places(std::size_t first, std::size_t count) const {
        InputList list;
        for (std::size_t gate = coupled_ ? 1 : 0; gate < count; ++gate) {
            list.push_back(first + gate);
        }
        return list;
    }

    // Whether the gates have these inputs: all or none, and none of a gate that is left out.
    bool has_group(std::size_t first, std::size_t count, const char* what) const {
        const InputList list = places(first, count);
        const auto present =
            std::count_if(list.begin(), list.end(), [&](auto i) { return op_.has_input(i); });
        op_.require(present == 0 || present == static_cast<std::ptrdiff_t>(list.size()), what, ": ",
                    present, " inputs of ", list.size(), " are given");
        op_.require(!coupled_ || !op_.has_input(first), "input ", first,
                    " is given, and coupled gates have none");
        return present > 0;
    }

    // The inputs as one tensor [gates, ...].
    Output joined(std::size_t first, std::size_t count) {
        std::vector<Output> parts;
        for (const std::size_t i : places(first, count)) {
            parts.push_back(op_.unsqueeze(op_.input(i), {0}));
        }
        return op_.add("Concat", parts, {{"axis", std::int64_t{0}}});
    }

    // [gates - 1, 1, cells], or a row for each sequence.
    Output joined_peepholes() {
        const std::int64_t cells = dimension(op_, kCell, 1);
        const std::int64_t outputs = dimension(op_, kOutputState, 1);
        if (outputs == cells) {
            return op_.unsqueeze(joined(kPeepholes, kGates - 1), {1});
        }
        op_.require(outputs < cells, "peepholes with a projection to ", outputs, " values of ",
                    cells, " cells: TFLite reads beyond their weights");
        std::vector<Output> parts;
        for (const std::size_t i : places(kPeepholes, kGates - 1)) {
            parts.push_back(op_.constant(spread_peephole(op_.tensor(i), cells, outputs)));
        }
        return op_.add("Concat", parts, {{"axis", std::int64_t{0}}});
    }

    // TFLite takes the cells of all sequences that it computes together for rows of `outputs` values,
    // as many as there are sequences: the weights begin again after so many cells, and the last cells
    // have none.
    Tensor spread_peephole(const TensorInfo& info, std::int64_t cells, std::int64_t outputs) const {
        op_.require(info.constant() && info.type == ElementType::i16 &&
                        shape_size(info.shape) == static_cast<std::size_t>(cells),
                    info.title(), " is no constant of i16 with ", cells, " values");
        const auto weights = info.value.values<std::int16_t>();
        std::vector<std::int16_t> spread(static_cast<std::size_t>(together_ * cells), 0);
        for (std::int64_t i = 0; i < together_ * outputs; ++i) {
            spread[static_cast<std::size_t>(i)] = weights[static_cast<std::size_t>(i % outputs)];
        }
        return Tensor::of<std::int16_t>(
            {1, static_cast<std::size_t>(together_), static_cast<std::size_t>(cells)}, spread);
    }

    float weight_scale(std::size_t i, ElementType type) const {
        const TensorInfo& info = op_.tensor(i);
        op_.require(info.type == type, info.title(), " is ", to_string(info.type), ", expected ",
                    to_string(type));
        const float scale = known_scale(op_, info);
        op_.require(info.quantization.zero_point() == 0, info.title(), " has zero point ",
                    info.quantization.zero_point(), ", expected 0");
        return scale;
    }

    std::vector<float> scales(std::size_t first, std::size_t count, ElementType type) const {
        std::vector<float> list;
        for (const std::size_t i : places(first, count)) {
            list.push_back(weight_scale(i, type));
        }
        return list;
    }

    std::vector<float> gate_scales() const {
        std::vector<float> list;
        for (const std::size_t gate : places(0, kGates)) {
            list.push_back(known_scale(op_, op_.intermediate(gate)));
        }
        return list;
    }

    std::int64_t cell_exponent(float scale) const {
        int exponent = 0;
        const float fraction = std::frexp(scale, &exponent);
        op_.require(fraction == 0.5F, "the scale of the cells is ", scale,
                    ", expected a power of two");
        return exponent - 1;
    }

    ModelAttributes attributes(float cell_clip, float projection_clip) const {
        const TensorInfo& x = op_.tensor(0);
        const TensorInfo& state = op_.tensor(kOutputState);
        const TensorInfo& hidden = op_.intermediate(kHidden);
        const float cells = known_scale(op_, op_.tensor(kCell));
        const float input_scale = known_scale(op_, x);
        const float state_scale = known_scale(op_, state);
        const float hidden_scale = known_scale(op_, hidden);
        op_.require(state.quantization == op_.output_tensor().quantization,
                    "the output and its state have different scales or zero points");
        const auto steps = [](float clip, float scale, float most) {
            return static_cast<std::int64_t>(std::clamp(clip / scale, 0.0F, most));
        };
        ModelAttributes all{{"input_scale", input_scale},
                            {"input_zero_point", x.quantization.zero_point()},
                            {"state_scale", state_scale},
                            {"state_zero_point", state.quantization.zero_point()},
                            {"hidden_scale", hidden_scale},
                            {"hidden_zero_point", hidden.quantization.zero_point()},
                            {"cell_exponent", cell_exponent(cells)},
                            {"cell_clip", steps(cell_clip, cells, 32767.0F)},
                            {"weight_scales", scales(kWeights, kGates, ElementType::i8)},
                            {"recurrent_scales", scales(kRecurrent, kGates, ElementType::i8)}};
        if (peepholes_) {
            all.push_back({"peephole_scales", scales(kPeepholes, kGates - 1, ElementType::i16)});
        }
        if (norms_) {
            all.push_back({"norm_scales", scales(kNorms, kGates, ElementType::i16)});
            all.push_back({"gate_scales", gate_scales()});
        }
        if (op_.has_input(kProjection)) {
            all.push_back({"projection_scale", weight_scale(kProjection, ElementType::i8)});
            all.push_back({"projection_clip", steps(projection_clip, state_scale, 127.0F)});
        }
        return all;
    }

    Operator& op_;
    bool coupled_;
    bool peepholes_;
    bool norms_;
    std::int64_t together_ = 1;
};

}  // namespace

Output integer_lstm(Operator& op, const Output& x, const IntegerLstmOptions& options) {
    op.require(options.activation == ::tflite::ActivationFunctionType::TANH, "fused activation ",
               static_cast<int>(options.activation), " of integers is not supported");
    for (const float clip : {options.cell_clip, options.projection_clip}) {
        op.require(std::isfinite(clip) && clip >= 0, "cell_clip or proj_clip is ", clip);
    }
    fuseq::Node* node =
        IntegerLstm(op).node(x, options.together, options.cell_clip, options.projection_clip);
    op.assign(kOutputState, node->output(1));
    op.assign(kCell, node->output(2));
    return node->output(0);
}

}  // namespace fuseq::tflite_reader
