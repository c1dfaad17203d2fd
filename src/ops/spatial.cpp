// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/spatial.hpp"

#include <algorithm>

namespace fuseq {
namespace {

// Attributes beyond this size are mistakes; it keeps all sums far from overflow.
constexpr std::int64_t kLargest = 1 << 24;

void check_list(const InferContext& context,
                const char* name,
                std::size_t spatial_rank,
                const std::vector<std::int64_t>& values,
                std::int64_t least) {
    context.require(values.empty() || values.size() == spatial_rank, name, " has ", values.size(),
                    " values, expected ", spatial_rank);
    for (const std::int64_t v : values) {
        context.require(v >= least && v <= kLargest, name, " has the value ", v,
                        ", expected one in [", least, ", ", kLargest, "]");
    }
}

}  // namespace

void check_window_lists(const InferContext& context,
                        std::size_t spatial_rank,
                        const std::vector<std::int64_t>& strides,
                        const std::vector<std::int64_t>& dilations,
                        const std::vector<std::int64_t>& pads_begin,
                        const std::vector<std::int64_t>& pads_end) {
    check_list(context, "strides", spatial_rank, strides, 1);
    check_list(context, "dilations", spatial_rank, dilations, 1);
    check_list(context, "pads_begin", spatial_rank, pads_begin, 0);
    check_list(context, "pads_end", spatial_rank, pads_end, 0);
}

void check_kernel_list(const InferContext& context, const std::vector<std::int64_t>& kernel) {
    check_list(context, "kernel", kernel.size(), kernel, 1);
}

void resolve_padding(AutoPad auto_pad, std::int64_t input, Window& window) {
    if (auto_pad == AutoPad::kExplicit || auto_pad == AutoPad::kNotset) {
        return;
    }
    window.pad_begin = 0;
    window.pad_end = 0;
    if (auto_pad == AutoPad::kValid) {
        return;
    }
    const std::int64_t positions = (input + window.stride - 1) / window.stride;
    const std::int64_t total =
        std::max<std::int64_t>(0, (positions - 1) * window.stride + window.extent() - input);
    const std::int64_t smaller = total / 2;
    window.pad_begin = auto_pad == AutoPad::kSameUpper ? smaller : total - smaller;
    window.pad_end = total - window.pad_begin;
}

std::int64_t window_positions(std::int64_t input, const Window& window, bool ceil) {
    const std::int64_t room = input + window.pad_begin + window.pad_end - window.extent();
    if (room < 0) {
        return 0;
    }
    return (room + (ceil ? window.stride - 1 : 0)) / window.stride + 1;
}

}  // namespace fuseq
