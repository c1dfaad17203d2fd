// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Where QuantizedTable is the sigmoid or tanh of 16 bits of TFLite (rules/sigmoid_16.hpp).
#pragma once

#include <string>

#include "ops/quantized/quantized_run.hpp"
#include "ops/quantized/rules/sigmoid_16.hpp"

namespace fuseq {

inline bool by_sigmoid_16(RoundingRule rule) {
    return rule == RoundingRule::kSigmoids || rule == RoundingRule::kSigmoidsOrFixedPoint;
}

// Why a node whose rule is that has none; empty: it has, or its rule is another one.
std::string sigmoid_16_refusal(const Node& node);

rules::Sigmoid16 make_sigmoid_16(const QuantizedTableAttrs& attrs, RoundingRule rule);

}  // namespace fuseq
