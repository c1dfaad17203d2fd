// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of activations: all that is known of each beside its vector code, which is in
// kernels/eltwise/eltwise-inl.h. How to add one: docs/adding_an_activation.md.
#pragma once

#include <optional>
#include <string_view>

namespace fuseq::post_ops {

enum class EltwiseKind {
    kRelu,  // x > 0 ? x : alpha * x
    kTanh,
    kElu,  // x > 0 ? x : alpha * (exp(x) - 1)
    kSigmoid,
    kSwish,        // x * sigmoid(alpha * x)
    kHswish,       // x * min(max(x + 3, 0), 6) / 6
    kHsigmoid,     // min(max(x + 3, 0), 6) / 6
    kHardSigmoid,  // min(max(alpha * x + beta, 0), 1)
    kMish,         // x * tanh(log(1 + exp(x)))
    kSoftplus,     // log(1 + exp(x))
    kGeluErf,
    kGeluTanh,
    kAbs,
    kSqrt,
    kSquare,
    kExp,
    kLog,
    kPower,     // alpha * x^beta
    kSoftsign,  // x / (1 + |x|)
};

struct Eltwise {  // scale * f(x)
    EltwiseKind kind = EltwiseKind::kRelu;
    float alpha = 0.0f;
    float beta = 0.0f;
    float scale = 1.0f;
    friend bool operator==(const Eltwise&, const Eltwise&) = default;
};

// Algorithms of oneDNN's eltwise post-op; linear, clip and round stand for Scale, Shift, Clip and
// Round.
enum class EltwiseAlgorithm {
    kLinear,  // alpha * x + beta
    kClip,    // to [alpha, beta]
    kClipV2,  // the same; another algorithm to oneDNN
    kRound,
    kRelu,
    kTanh,
    kElu,
    kLogistic,
    kSwish,
    kHardswish,
    kMish,
    kSoftRelu,
    kGeluErf,
    kGeluTanh,
    kAbs,
    kSqrt,
    kSquare,
    kExp,
    kLog,
    kPow,  // alpha * x^beta
};
const char* to_string(EltwiseAlgorithm algorithm);

struct Interval {
    double low;
    double high;
};

struct Activation {
    EltwiseKind kind;
    const char* name;  // in texts of chains
    // Parameters in texts: none, alpha, or alpha and beta.
    int parameters = 0;
    // Type of the IR layer that is this activation and nothing else. Empty: the layer has
    // attributes or inputs that decide, and lower_node.cpp knows it.
    std::string_view layer{};
    // What it is as a post-op; nothing: oneDNN has none, and what follows the anchor computes it.
    std::optional<EltwiseAlgorithm> algorithm{};
    // Before a store of bytes the matrix product of Fuseq, which computes it to what bytes need, is
    // faster with it than oneDNN.
    bool is_costly = false;
    // f(x) without the scale, in double: the definition.
    double (*value)(const Eltwise& op, double x);
    // A superset of f(x), without the scale, for all x of the interval.
    Interval (*image)(const Eltwise& op, Interval x);
};

// The row of an activation.
const Activation& activation(EltwiseKind kind);
// The one that is this oneDNN algorithm, or that layers of this type are; null: none.
const Activation* activation_of(EltwiseAlgorithm algorithm);
const Activation* activation_of_layer(std::string_view type);

}  // namespace fuseq::post_ops
