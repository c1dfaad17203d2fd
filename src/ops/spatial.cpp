// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/spatial.hpp"

#include <algorithm>

namespace fuseq {
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
