// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/ops/window.hpp"

#include <algorithm>

namespace fuseq::tflite_reader {
namespace {

constexpr std::int64_t kLargestWindow = 1 << 24;

void check_positive(const Operator& op, const char* what, const std::vector<std::int64_t>& values) {
    for (const std::int64_t value : values) {
        op.require(value >= 1 && value <= kLargestWindow, what, " is ", value,
                   ", expected 1 or more");
    }
}

}  // namespace

Window make_window(const Operator& op,
                   ::tflite::Padding padding,
                   const std::vector<std::int64_t>& sizes,
                   const std::vector<std::int64_t>& kernel,
                   const std::vector<std::int64_t>& strides,
                   const std::vector<std::int64_t>& dilations) {
    check_positive(op, "a size of the kernel", kernel);
    check_positive(op, "a stride", strides);
    check_positive(op, "a dilation", dilations);
    op.require(padding == ::tflite::Padding::SAME || padding == ::tflite::Padding::VALID,
               "padding is ", static_cast<int>(padding), ", expected SAME (0) or VALID (1)");
    Window window{kernel, strides, dilations, {}, {}};
    for (std::size_t d = 0; d < kernel.size(); ++d) {
        const std::int64_t results = (sizes[d] + strides[d] - 1) / strides[d];
        const std::int64_t extent = (kernel[d] - 1) * dilations[d] + 1;
        const std::int64_t total =
            padding == ::tflite::Padding::SAME
                ? std::max<std::int64_t>((results - 1) * strides[d] + extent - sizes[d], 0)
                : 0;
        window.begin.push_back(total / 2);
        window.end.push_back(total - total / 2);
    }
    return window;
}

std::vector<std::int64_t> spatial_sizes(const Operator& op, const Output& image) {
    const PartialShape& shape = image.partial_shape();
    op.require(shape.rank_is_static(), "the rank of the input is not known");
    std::vector<std::int64_t> sizes;
    for (std::size_t d = 2; d < shape.rank(); ++d) {
        op.require(shape[d].is_static(), "the size of the input is not known: ", to_string(shape));
        sizes.push_back(shape[d].get_length());
    }
    return sizes;
}

}  // namespace fuseq::tflite_reader
