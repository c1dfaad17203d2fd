// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot-13: integers bit by bit. Booleans are one bit, so
// there they are the logical operations.
#include <algorithm>

#include "ops/bitwise/integers.hpp"
#include "ops/op_list.hpp"
#include "ops/unary_elementwise.hpp"

namespace fuseq::bitwise_ops {
namespace {

void require_bits(const InferContext& context) {
    const ElementType type = context.type(0);
    context.require(is_integral(type) || type == ElementType::boolean, "input 0 is ",
                    to_string(type), ", expected an integer type or boolean");
}

void infer_binary(InferContext& context) {
    context.require_same_type(0, 1);
    require_bits(context);
    context.set_output(0, context.type(0), binary_shape(context));
}

void infer_not(InferContext& context) {
    require_bits(context);
    context.set_output(0, context.type(0), context.shape(0));
}

// function(a, b) of 64 bits without sign: the low bits are those of the narrower type, signed or
// not. Of booleans it sees 0 and 1.
template <class Function>
void combine(EvalContext& context, Function function) {
    if (context.output_type() == ElementType::boolean) {
        return evaluate_truth(context, [&](bool x, bool y) {
            return function(std::uint64_t{x}, std::uint64_t{y}) != 0;
        });
    }
    evaluate_integers(context, [&](auto x, auto y) {
        return function(static_cast<std::uint64_t>(x), static_cast<std::uint64_t>(y));
    });
}

void bitwise_and(EvalContext& context) {
    combine(context, [](std::uint64_t x, std::uint64_t y) { return x & y; });
}
void bitwise_or(EvalContext& context) {
    combine(context, [](std::uint64_t x, std::uint64_t y) { return x | y; });
}
void bitwise_xor(EvalContext& context) {
    combine(context, [](std::uint64_t x, std::uint64_t y) { return x ^ y; });
}
void bitwise_not(EvalContext& context) {
    if (context.output_type() == ElementType::boolean) {
        return evaluate_not(context);
    }
    const Tensor& in = context.input(0);
    Tensor& out = context.output(0, in.get_shape());
    dispatch_integral(in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        std::transform(in.data<T>(), in.data<T>() + in.get_size(), out.data<T>(),
                       [](T x) { return static_cast<T>(~static_cast<std::uint64_t>(x)); });
    });
}

constexpr int kVersion = 13;

const OpSpec kOps[] = {
    binary_row("BitwiseAnd", infer_binary, bitwise_and, "a & b, bit by bit", kVersion),
    binary_row("BitwiseOr", infer_binary, bitwise_or, "a | b, bit by bit", kVersion),
    binary_row("BitwiseXor", infer_binary, bitwise_xor, "a ^ b, bit by bit", kVersion),
    {.type = "BitwiseNot",
     .version = kVersion,
     .inputs = {1, 1},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_not,
     .evaluate = bitwise_not,
     .summary = "Every bit inverted"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::bitwise_ops
