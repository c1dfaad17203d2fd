// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/resize_before.hpp"

#include <algorithm>

#include "cpu/lowering/group.hpp"
#include "cpu/lowering/resize_request.hpp"

namespace fuseq::cpu {
namespace {

bool read_once(const Output& output) {
    return output.node->port(output.index).uses.size() == 1;
}

}  // namespace

ResizeBefore resize_before(const Output& at) {
    ResizeBefore found{at, {}};
    for (const char* type : {"Multiply", "Subtract"}) {
        Node& node = *found.resize.node;
        if (node.is(type) && node.input_node(1)->is_constant()) {
            found.dequantize.insert(found.dequantize.begin(), &node);
            found.resize = node.input(0);
            if (!read_once(found.resize)) {
                return {};
            }
        }
    }
    Node& resize = *found.resize.node;
    kernels::ResizeParams params;
    const bool taken = is_linear_resize(resize) && has_static_shapes(resize) &&
                       shape_size(resize.port(0).shape.to_shape()) != 0 &&
                       resize_request(resize, params);
    return taken ? found : ResizeBefore{};
}

bool is_read_once_after_resize(const Output& at) {
    return read_once(at) && resize_before(at).resize;
}

bool is_sum_of_resized(const Output& at) {
    if (!at.node->is("Add") || !read_once(at)) {
        return false;
    }
    const auto& terms = at.node->inputs();
    return std::any_of(terms.begin(), terms.end(), [](const Output& term) {
        return is_read_once_after_resize(term) || is_sum_of_resized(term);
    });
}

}  // namespace fuseq::cpu
