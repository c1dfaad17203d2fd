// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What convolutions and poolings share: strides, dilations, padding.
#pragma once

#include <vector>

#include "fuseq/attributes.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

enum class AutoPad { kExplicit, kSameUpper, kSameLower, kValid, kNotset };
template <>
struct EnumNames<AutoPad> {
    static constexpr const char* kNames[] = {"explicit", "same_upper", "same_lower", "valid",
                                             "notset"};
};

// A window sliding over one spatial dimension.
struct Window {
    std::int64_t size = 1;  // of the kernel, before dilation
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t pad_begin = 0;
    std::int64_t pad_end = 0;
    std::int64_t extent() const { return (size - 1) * dilation + 1; }
};

// One list of a window: one value a spatial dimension, none below `least`. An empty list stands for
// the default. Context is an InferContext or an EvalContext.
template <class Context>
void check_window_list(const Context& context,
                       const char* name,
                       std::size_t spatial_rank,
                       const std::vector<std::int64_t>& values,
                       std::int64_t least) {
    // Attributes beyond this size are mistakes; it keeps all sums far from overflow.
    constexpr std::int64_t kLargest = 1 << 24;
    context.require(values.empty() || values.size() == spatial_rank, name, " has ", values.size(),
                    " values, expected ", spatial_rank);
    for (const std::int64_t v : values) {
        context.require(v >= least && v <= kLargest, name, " has the value ", v,
                        ", expected one in [", least, ", ", kLargest, "]");
    }
}

// The lists of a convolution or pooling: strides and dilations are at least 1, pads at least 0.
template <class Context, class Attrs>
void check_window_lists(const Context& context, std::size_t spatial_rank, const Attrs& attrs) {
    check_window_list(context, "strides", spatial_rank, attrs.strides, 1);
    check_window_list(context, "dilations", spatial_rank, attrs.dilations, 1);
    check_window_list(context, "pads_begin", spatial_rank, attrs.pads_begin, 0);
    check_window_list(context, "pads_end", spatial_rank, attrs.pads_end, 0);
}

// Pads of one dimension by `auto_pad` (input size known), or the explicit ones.
void resolve_padding(AutoPad auto_pad, std::int64_t input, Window& window);

// Number of window positions; ceil rounding counts a window that begins inside the padded input
// (poolings). Negative or zero sizes are returned as they come, for the caller to refuse.
std::int64_t window_positions(std::int64_t input, const Window& window, bool ceil = false);

// One element of a list with its default for an empty list.
inline std::int64_t at_or(const std::vector<std::int64_t>& values,
                          std::size_t i,
                          std::int64_t otherwise) {
    return i < values.size() ? values[i] : otherwise;
}

}  // namespace fuseq
