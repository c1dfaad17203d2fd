// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What convolutions and deconvolutions ask of src [N, C, spatial...] and of the weights, which have
// one dimension more, the number of groups, first where the operation is grouped; and how they
// run on every pair of types.
#pragma once

#include <string>

#include "model/typed.hpp"
#include "ops/op_spec.hpp"
#include "ops/zero_points.hpp"

namespace fuseq {

// Floats give their own type, integers f32. Integers may have zero points: those of src at input
// `zero_point_input`, those of the weights after it.
inline ElementType filter_output_type(const InferContext& context, std::size_t zero_point_input) {
    if (is_integral(context.type(0))) {
        context.require(is_integral(context.type(1)), "src is ", to_string(context.type(0)),
                        " and wei is ", to_string(context.type(1)));
        return ElementType::f32;
    }
    context.require_same_type(0, 1);
    context.require(
        !context.has_input(zero_point_input) && !context.has_input(zero_point_input + 1),
        "a zero point needs an integer src");
    return context.type(0);
}

template <class Context>
void check_filter_ranks(const Context& context,
                        const PartialShape& src,
                        const PartialShape& wei,
                        bool grouped) {
    const std::size_t expected = src.rank() + (grouped ? 1 : 0);
    context.require(src.rank() >= 3 && src.rank() <= 5, "src has rank ", src.rank(),
                    ", expected 3, 4 or 5");
    context.require(wei.rank() == expected, "wei has rank ", wei.rank(), ", expected ", expected);
}

// `channels`: the dimension of the weights that counts the source channels of a group.
template <class Context>
void check_filter_channels(const Context& context,
                           const PartialShape& src,
                           const PartialShape& wei,
                           std::size_t channels,
                           bool grouped) {
    context.require(!grouped || !wei[0].is_static() || wei[0].get_length() >= 1, "wei has ",
                    to_string(wei[0]), " groups, expected 1 or more");
    const Dimension expected = grouped ? wei[0] * wei[channels] : wei[channels];
    context.require(src[1].compatible(expected), "src has ", to_string(src[1]),
                    " channels, wei of shape ", to_string(wei), " expects ", to_string(expected));
}

// Checks both zero points at inference.
inline void check_filter_zero_points(const InferContext& context,
                                     std::size_t zero_point_input,
                                     const Dimension& src_channels,
                                     const Dimension& dst_channels) {
    check_zero_points(context, zero_point_input, src_channels, true);
    check_zero_points(context, zero_point_input + 1, dst_channels, false);
}

// Of src, one a source channel; of the weights, one a channel of dst.
struct FilterZeroPoints {
    ZeroPoints src;
    ZeroPoints wei;
};

// Calls run(const Src*, const Wei*, Dst*, const FilterZeroPoints&) with the types of the operands.
template <class Run>
void dispatch_filter(const EvalContext& context,
                     Tensor& dst,
                     std::size_t zero_point_input,
                     const Run& run) {
    const Tensor& src = context.input(0);
    const Tensor& wei = context.input(1);
    dispatch_numeric(src.get_element_type(), [&](auto src_tag) {
        using Src = typename decltype(src_tag)::type;
        if constexpr (std::is_floating_point_v<Src>) {
            run(src.data<Src>(), wei.data<Src>(), dst.data<Src>(), FilterZeroPoints());
        } else {
            dispatch_numeric(wei.get_element_type(), [&](auto wei_tag) {
                using Wei = typename decltype(wei_tag)::type;
                run(src.data<Src>(), wei.data<Wei>(), dst.data<float>(),
                    FilterZeroPoints{
                        ZeroPoints(context, zero_point_input, src.get_shape()[1]),
                        ZeroPoints(context, zero_point_input + 1, dst.get_shape()[1])});
            });
        }
    });
}

}  // namespace fuseq
