// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// BitwiseLeftShift-15 and BitwiseRightShift-15. The definition leaves counts below 0 and from the
// width of the type on open. Here, as in numpy and PyTorch, they shift every bit out: 0 remains,
// or -1 when a negative number is shifted to the right.
#include "ops/bitwise/integers.hpp"
#include "ops/op_list.hpp"

namespace fuseq::bitwise_shift_ops {
namespace {

void infer(InferContext& context) {
    context.require_same_type(0, 1);
    context.require(is_integral(context.type(0)), "input 0 is ", to_string(context.type(0)),
                    ", expected an integer type");
    context.set_output(0, context.type(0), binary_shape(context));
}

template <class T>
bool shifts_all_out(T count) {
    constexpr std::uint64_t kBits = sizeof(T) * 8;
    // A negative count is huge without its sign.
    return static_cast<std::uint64_t>(count) >= kBits;
}

void left_shift(EvalContext& context) {
    evaluate_integers(context, []<class T>(T x, T count) {
        // The bits are shifted without the sign: overflow of a signed type would be undefined.
        return shifts_all_out(count) ? std::uint64_t{0} : static_cast<std::uint64_t>(x) << count;
    });
}

void right_shift(EvalContext& context) {
    evaluate_integers(context, []<class T>(T x, T count) {
        if (shifts_all_out(count)) {
            return static_cast<T>(x < T{0} ? -1 : 0);
        }
        return static_cast<T>(x >> count);
    });
}

constexpr int kVersion = 15;

const OpSpec kOps[] = {
    binary_row("BitwiseLeftShift",
               infer,
               left_shift,
               "a << b; counts outside of the type's width give 0",
               kVersion),
    binary_row("BitwiseRightShift",
               infer,
               right_shift,
               "a >> b, keeps the sign; counts outside of the type's width give 0 or -1",
               kVersion),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::bitwise_shift_ops
