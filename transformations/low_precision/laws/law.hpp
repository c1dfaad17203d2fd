// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A law of move_dequantize_down: how a DQ passes one operation. Each is one file with its block.
#pragma once

#include <string>

#include "fuseq/model.hpp"
#include "transformations/support/dequantize.hpp"

namespace fuseq {

struct LawResult {
    enum class Kind { kMoved, kRefused, kNotWanted };
    Kind kind = Kind::kMoved;
    std::string code;  // of a refusal
    std::string text;

    static LawResult moved() { return {}; }
    static LawResult refused(std::string code, std::string text) {
        return {Kind::kRefused, std::move(code), std::move(text)};
    }
    // The law may hold, but nothing is gained: no remark.
    static LawResult not_wanted() { return {Kind::kNotWanted, {}, {}}; }
    explicit operator bool() const { return kind == Kind::kMoved; }
};

// `dq` ends at input 0 of the node. A law that holds rewrites the node in place and puts the DQ
// after it; one that refuses leaves the model as it was.
using Law = LawResult (*)(Node& node, const Dequantize& dq);

LawResult cancel_scale_of_mvn(Node& node, const Dequantize& dq);
LawResult cancel_scale_of_normalize_l2(Node& node, const Dequantize& dq);
LawResult move_through_arithmetic(Node& node, const Dequantize& dq);
LawResult move_through_avg_pool(Node& node, const Dequantize& dq);
LawResult move_through_clamp(Node& node, const Dequantize& dq);
LawResult move_through_concat(Node& node, const Dequantize& dq);
LawResult move_through_data_movement(Node& node, const Dequantize& dq);
LawResult move_through_interpolate(Node& node, const Dequantize& dq);
LawResult move_through_max_pool(Node& node, const Dequantize& dq);
LawResult move_through_pad(Node& node, const Dequantize& dq);
LawResult move_through_prelu(Node& node, const Dequantize& dq);
LawResult move_through_reduce_max(Node& node, const Dequantize& dq);
LawResult move_through_reduce_mean(Node& node, const Dequantize& dq);
LawResult move_through_relu(Node& node, const Dequantize& dq);
LawResult move_through_space_to_batch(Node& node, const Dequantize& dq);

// Lets the node read dq.q and infers it.
void read_integers(Node& node, const Dequantize& dq);
// Lets the node read the integers as f32, by a Convert of its own, and infers it.
void read_converted(Node& node, const Dequantize& dq);
// Puts a DQ like `dq` after an output of a node that gives integers now. Readers move to its end.
void put_dequantize_after(Node& node, std::size_t port, const Dequantize& dq);
// Puts the Subtract and the Multiply of a DQ after a node whose only result is in steps of the
// integers, but no integer. Readers move to their end.
void put_arithmetic_after(Node& node, const Dequantize& dq);

// Dimension of the result of a reduction (axes in input 1, attribute keep_dims) that holds what
// `axis` held before; nothing when it is reduced or the axes are not known.
std::optional<std::size_t> axis_after_reduction(const Node& node, std::size_t axis);

// Nothing but a Convert: the values are the integers.
bool is_conversion(const Dequantize& dq);
// Scale above zero in every channel: the order of integers is the order of values.
bool keeps_order(const Dequantize& dq);
// "scale <= 0" refusal.
LawResult order_refused();

}  // namespace fuseq
