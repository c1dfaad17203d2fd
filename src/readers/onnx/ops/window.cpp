// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/window.hpp"

#include <algorithm>

namespace fuseq::onnx_reader {
namespace {

std::string model_auto_pad(const Operator& op) {
    const std::string name = op.attributes.text("auto_pad", "NOTSET");
    struct Pair {
        const char* onnx;
        const char* model;
    };
    constexpr Pair kNames[] = {{"NOTSET", "explicit"},
                               {"SAME_UPPER", "same_upper"},
                               {"SAME_LOWER", "same_lower"},
                               {"VALID", "valid"}};
    const auto* found = std::find_if(std::begin(kNames), std::end(kNames),
                                     [&](const Pair& pair) { return name == pair.onnx; });
    op.require(found != std::end(kNames), "attribute auto_pad is '", name,
               "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    return found->model;
}

std::vector<std::int64_t> list(const Operator& op,
                               const char* name,
                               std::size_t count,
                               std::int64_t fallback) {
    const auto values = op.attributes.integers(name, std::vector<std::int64_t>(count, fallback));
    op.require(values.size() == count, "attribute ", name, " has ", values.size(),
               " values, expected ", count);
    return values;
}

}  // namespace

Window read_window(const Operator& op,
                   std::size_t spatial,
                   const std::vector<std::int64_t>& kernel) {
    Window window;
    window.kernel = op.attributes.integers("kernel_shape", kernel);
    op.require(window.kernel.size() == spatial, "attribute kernel_shape has ", window.kernel.size(),
               " values, expected ", spatial);
    op.require(kernel.empty() || window.kernel == kernel,
               "attribute kernel_shape is not that of the weights");
    window.strides = list(op, "strides", spatial, 1);
    window.dilations = list(op, "dilations", spatial, 1);
    window.auto_pad = model_auto_pad(op);
    const auto pads = list(op, "pads", 2 * spatial, 0);
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(spatial);
    window.begin.assign(pads.begin(), middle);
    window.end.assign(middle, pads.end());
    return window;
}

Output channel_vector(Operator& op, const Output& vector, std::size_t rank) {
    op.require(rank >= 2, "a vector of channels needs data of rank 2 or more, found rank ", rank);
    std::vector<std::int64_t> sizes(rank, 1);
    sizes[1] = -1;
    if (vector.node->is_constant()) {
        const Tensor& value = vector.node->constant();
        Shape shape(rank, 1);
        shape[1] = value.get_size();
        return op.constant(value.reshaped(shape));
    }
    return op.reshape(vector, sizes);
}

}  // namespace fuseq::onnx_reader
