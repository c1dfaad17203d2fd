// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Recurrent cells (LSTM, GRU, RNN) and sequences of them: attributes, which input is which, checks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuseq/attributes.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

enum class RecurrentDirection { kForward, kReverse, kBidirectional };
template <>
struct EnumNames<RecurrentDirection> {
    static constexpr const char* kNames[] = {"forward", "reverse", "bidirectional"};
};

// Order of the gates in the weights: forget, input, cell, output.
enum class LstmWeightsFormat { kFico, kIcof, kIfco, kIfoc, kIofc };
template <>
struct EnumNames<LstmWeightsFormat> {
    static constexpr const char* kNames[] = {"fico", "icof", "ifco", "ifoc", "iofc"};
};

// What all of them have. An empty list of activations stands for the default of the operation:
// sigmoid,tanh,tanh (LSTM), sigmoid,tanh (GRU), tanh (RNN).
struct RecurrentAttrs : AttributesOf<RecurrentAttrs> {
    std::int64_t hidden_size = 0;
    std::vector<std::string> activations;
    std::vector<float> activations_alpha;
    std::vector<float> activations_beta;
    float clip = 0.0F;  // 0: no clipping of what goes into the activations of the gates
    // Attributes of some of them only; see visit() of the derived structs.
    RecurrentDirection direction = RecurrentDirection::kForward;
    bool linear_before_reset = false;
    bool input_forget = false;
    LstmWeightsFormat weights_format = LstmWeightsFormat::kFico;

    void visit(AttributeVisitor& v) override {
        v.required("hidden_size", hidden_size);
        v.optional("activations", activations);
        v.optional("activations_alpha", activations_alpha);
        v.optional("activations_beta", activations_beta);
        v.optional("clip", clip);
    }
};

struct LstmCell1Attrs final : RecurrentAttrs {
    void visit(AttributeVisitor& v) override {
        RecurrentAttrs::visit(v);
        v.optional("input_forget", input_forget);
        v.optional("weights_format", weights_format);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<LstmCell1Attrs>(*this);
    }
};

struct GruCellAttrs final : RecurrentAttrs {
    void visit(AttributeVisitor& v) override {
        RecurrentAttrs::visit(v);
        v.optional("linear_before_reset", linear_before_reset);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<GruCellAttrs>(*this);
    }
};

struct LstmSequence1Attrs final : RecurrentAttrs {
    void visit(AttributeVisitor& v) override {
        RecurrentAttrs::visit(v);
        v.required("direction", direction);
        v.optional("input_forget", input_forget);
        v.optional("weights_format", weights_format);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<LstmSequence1Attrs>(*this);
    }
};

// LSTMSequence-5 and RNNSequence.
struct SequenceAttrs final : RecurrentAttrs {
    void visit(AttributeVisitor& v) override {
        RecurrentAttrs::visit(v);
        v.required("direction", direction);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<SequenceAttrs>(*this);
    }
};

struct GruSequenceAttrs final : RecurrentAttrs {
    void visit(AttributeVisitor& v) override {
        RecurrentAttrs::visit(v);
        v.required("direction", direction);
        v.optional("linear_before_reset", linear_before_reset);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<GruSequenceAttrs>(*this);
    }
};

enum class RecurrentKind { kLstm, kGru, kRnn };

// An operation of the family, and its inputs:
//   x [N, I], h [N, H], c [N, H], w [G * H, I], r [G * H, H], b [G * H]          cells
//   x [N, T, I], h [N, D, H], c [N, D, H], lengths [N], w, r, b [D, ...]         sequences
// LSTMCell-1 and LSTMSequence-1 have peepholes p [3 * H] after b, which must be zero.
struct RecurrentForm {
    RecurrentKind kind;
    bool sequence;

    std::size_t gates() const {
        return kind == RecurrentKind::kLstm ? 4 : kind == RecurrentKind::kGru ? 3 : 1;
    }
    bool has_cell_state() const { return kind == RecurrentKind::kLstm; }
    std::size_t x() const { return 0; }
    std::size_t h() const { return 1; }
    std::size_t c() const { return 2; }
    std::size_t lengths() const { return has_cell_state() ? 3 : 2; }
    std::size_t w() const { return lengths() + (sequence ? 1 : 0); }
    std::size_t r() const { return w() + 1; }
    std::size_t b() const { return w() + 2; }
    std::size_t p() const { return w() + 3; }
    // Number of biases: the GRU has one more when the reset gate acts after its matrix.
    std::size_t biases(const RecurrentAttrs& attrs) const {
        return gates() + (kind == RecurrentKind::kGru && attrs.linear_before_reset ? 1 : 0);
    }
};

// An activation of a gate.
struct GateActivation {
    double (*function)(double x, double alpha, double beta);
    double alpha;
    double beta;
    std::string name{};  // in small letters
    double operator()(double x) const { return function(x, alpha, beta); }
};
// The activations of the operation, defaults filled in; nothing when one is not known or the number
// is wrong.
std::optional<std::vector<GateActivation>> gate_activations(const RecurrentAttrs& attrs,
                                                            RecurrentKind kind);

// Lengths of sequences that have `steps` steps at most.
template <class Context>
void check_lengths(const Context& context,
                   const std::vector<std::int64_t>& lengths,
                   std::int64_t steps) {
    for (const std::int64_t length : lengths) {
        context.require(length >= 0 && length <= steps, "sequence_lengths has the value ", length,
                        ", expected one in [0, ", steps, "]");
    }
}

// Checks attributes and inputs and sets the outputs.
void infer_recurrent(InferContext& context, const RecurrentForm& form);
// The reference kernel.
void run_recurrent(EvalContext& context, const RecurrentForm& form);

}  // namespace fuseq
