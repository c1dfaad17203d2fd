// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/caffe2/ops/window.hpp"

namespace fuseq::caffe2_reader {
namespace {

constexpr std::int64_t kLargestWindow = 1 << 20;

// Height and width by the three ways of stating them.
std::vector<std::int64_t> pair(const Operator& op,
                               const std::string& one,
                               const std::string& list,
                               std::vector<std::int64_t> otherwise) {
    std::vector<std::int64_t> values = std::move(otherwise);
    if (op.has(list.c_str())) {
        values = op.integers(list.c_str());
    } else if (op.has(one.c_str())) {
        values.assign(2, op.integer(one.c_str(), 1));
    } else if (op.has((one + "_h").c_str()) || op.has((one + "_w").c_str())) {
        values = {op.integer((one + "_h").c_str(), 1), op.integer((one + "_w").c_str(), 1)};
    }
    op.require(values.size() == 2, "argument ", list, " has ", values.size(),
               " values, expected 2: images are supported");
    for (const std::int64_t value : values) {
        op.require(value >= 1 && value <= kLargestWindow, "argument ", one, " is ", value,
                   ", expected 1 or more");
    }
    return values;
}

void read_pads(const Operator& op, Window& window) {
    std::vector<std::int64_t> pads(4, op.integer("pad", 0));  // top, left, bottom, right
    if (op.has("pads")) {
        pads = op.integers("pads");
        op.require(pads.size() == 4, "argument pads has ", pads.size(), " values, expected 4");
    } else if (!op.has("pad")) {
        pads = {op.integer("pad_t", 0), op.integer("pad_l", 0), op.integer("pad_b", 0),
                op.integer("pad_r", 0)};
    }
    for (const std::int64_t pad : pads) {
        op.require(pad >= 0 && pad <= kLargestWindow, "a padding is ", pad, ", expected 0 or more");
    }
    window.begin = {pads[0], pads[1]};
    window.end = {pads[2], pads[3]};
    const std::int64_t legacy = op.integer("legacy_pad", 0);
    op.require(legacy >= 0 && legacy <= 3, "legacy_pad is ", legacy, ", expected 0 to 3");
    if (legacy == 1) {
        window.begin = window.end = {0, 0};
    }
    // What is missing is split, the odd one at the end.
    window.auto_pad = legacy == 2 ? "same_upper" : "explicit";
    window.ceil = legacy == 3;
}

}  // namespace

ModelAttributes Window::attributes() const {
    return {{"strides", strides},
            {"dilations", dilations},
            {"pads_begin", begin},
            {"pads_end", end},
            {"auto_pad", auto_pad}};
}

Window read_window(const Operator& op, const std::vector<std::int64_t>& kernel) {
    Window window{.kernel = pair(op, "kernel", "kernels", kernel),
                  .strides = pair(op, "stride", "strides", {1, 1}),
                  .dilations = pair(op, "dilation", "dilations", {1, 1}),
                  .begin = {},
                  .end = {}};
    read_pads(op, window);
    return window;
}

}  // namespace fuseq::caffe2_reader
