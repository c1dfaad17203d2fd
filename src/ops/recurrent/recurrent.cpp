// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of the recurrent operations.
#include "ops/recurrent/recurrent.hpp"

#include "ops/op_list.hpp"

namespace fuseq::recurrent_ops {
namespace {

template <RecurrentKind kind, bool sequence>
void infer(InferContext& context) {
    infer_recurrent(context, {kind, sequence});
}

template <RecurrentKind kind, bool sequence>
void evaluate(EvalContext& context) {
    run_recurrent(context, {kind, sequence});
}

struct Row {
    std::string_view type;
    int version;
    Arity inputs;
    std::unique_ptr<Attributes> (*attributes)();
    std::string_view summary;
};

template <RecurrentKind kind, bool sequence>
OpSpec spec(const Row& row) {
    return {.type = row.type,
            .version = row.version,
            .inputs = row.inputs,
            .make_attributes = row.attributes,
            .infer = infer<kind, sequence>,
            .evaluate = evaluate<kind, sequence>,
            .summary = row.summary,
            .refused =
                "unknown activations, hidden_size below 1, negative clip, peepholes "
                "other than zero, input_forget"};
}

constexpr auto kLstm = RecurrentKind::kLstm;
constexpr auto kGru = RecurrentKind::kGru;
constexpr auto kRnn = RecurrentKind::kRnn;

const OpSpec kOps[] = {
    spec<kLstm, false>(
        {"LSTMCell", 1, {5, 7}, make_attributes<LstmCell1Attrs>, "One step of an LSTM"}),
    spec<kLstm, false>({"LSTMCell",
                        4,
                        {5, 6},
                        make_attributes<RecurrentAttrs>,
                        "The same, gates in the order forget, input, cell, output"}),
    spec<kLstm, true>({"LSTMSequence",
                       1,
                       {7, 8},
                       make_attributes<LstmSequence1Attrs>,
                       "An LSTM over sequences of their own lengths"}),
    spec<kLstm, true>({"LSTMSequence",
                       5,
                       {6, 7},
                       make_attributes<SequenceAttrs>,
                       "The same, gates in the order forget, input, cell, output"}),
    spec<kGru, false>({"GRUCell", 3, {4, 5}, make_attributes<GruCellAttrs>, "One step of a GRU"}),
    spec<kGru, true>({"GRUSequence",
                      5,
                      {5, 6},
                      make_attributes<GruSequenceAttrs>,
                      "A GRU over sequences of their own lengths"}),
    spec<kRnn, false>(
        {"RNNCell", 1, {4, 5}, make_attributes<RecurrentAttrs>, "One step of a plain RNN"}),
    spec<kRnn, true>({"RNNSequence",
                      5,
                      {5, 6},
                      make_attributes<SequenceAttrs>,
                      "A plain RNN over sequences of their own lengths"}),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::recurrent_ops
