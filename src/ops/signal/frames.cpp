// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/signal/frames.hpp"

#include <algorithm>

#include "ops/axis_groups.hpp"
#include "ops/scalars.hpp"
#include "ops/signal/spectrum.hpp"

namespace fuseq {
namespace {

template <class Context>
void check_length(const Context& context, std::int64_t value, const char* what) {
    context.require(value >= 1 && value <= kLongestSignal, what, " is ", value,
                    ", expected a value in [1, ", kLongestSignal, "]");
}

template <class Context>
void check_window(const Context& context, std::int64_t length, std::int64_t frame) {
    context.require(length >= 1 && length <= frame, "the window has ", length,
                    " values, expected 1 to ", frame, ", the frame size");
}

}  // namespace

KnownFrames infer_frames(const InferContext& context) {
    require_real(context, 0, "data");
    context.require_same_type(1, 0);
    require_int_scalar(context, 2, "frame_size");
    require_int_scalar(context, 3, "frame_step");
    const PartialShape& window = context.shape(1);
    context.require(window.compatible(PartialShape::dynamic(1)), "the window has shape ",
                    to_string(window), ", expected one dimension");
    const KnownFrames known{known_int(context, 2, 0), known_int(context, 3, 0)};
    if (known.size) {
        check_length(context, *known.size, "frame_size");
        if (window.is_static()) {
            check_window(context, window[0].get_length(), *known.size);
        }
    }
    if (known.step) {
        check_length(context, *known.step, "frame_step");
    }
    return known;
}

Frames read_frames(const EvalContext& context) {
    const std::int64_t size = int_input(context, 2, "frame_size", 0);
    const std::int64_t step = int_input(context, 3, "frame_step", 0);
    check_length(context, size, "frame_size");
    check_length(context, step, "frame_step");
    const Tensor& window = context.input(1);
    context.require(window.get_shape().size() == 1, "the window has shape ",
                    to_string(window.get_shape()), ", expected one dimension");
    check_window(context, static_cast<std::int64_t>(window.get_size()), size);
    return {static_cast<std::size_t>(size), static_cast<std::size_t>(step)};
}

std::vector<double> padded_window(const EvalContext& context, std::size_t size) {
    const Tensor& window = context.input(1);
    const auto begin = static_cast<std::ptrdiff_t>((size - window.get_size()) / 2);
    std::vector<double> padded(size, 0.0);
    dispatch_real(context, window.get_element_type(), [&](auto tag) {
        const auto values = window.values<typename decltype(tag)::type>();
        std::copy(values.begin(), values.end(), padded.begin() + begin);
    });
    return padded;
}

}  // namespace fuseq
