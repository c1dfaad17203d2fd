// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sliding windows: sizes, strides and padding as arguments state them.
#pragma once

#include "readers/caffe2/operator.hpp"

namespace fuseq::caffe2_reader {

// Height first, as dimensions 2 and 3 of an image.
struct Window {
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> end;
    std::string auto_pad = "explicit";
    bool ceil = false;  // legacy_pad 3: a window may begin where its end lies outside

    ModelAttributes attributes() const;
};

// kernel, kernel_h and kernel_w, or kernels; the same of the others. Without a kernel, `kernel` is
// taken.
Window read_window(const Operator& op, const std::vector<std::int64_t>& kernel);

}  // namespace fuseq::caffe2_reader
