// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/matmul_operands.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cpu/steps/transpose.hpp"

namespace fuseq::cpu {
namespace {

using dnnl::memory;

// The dimension of a plain tensor for each of a matrix.
using Order = std::vector<std::size_t>;

Order unmoved(std::size_t rank) {
    Order order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

// Nothing reads the strides of dimensions of size 1, but descriptors that differ in them ask for other
// scratchpads, while the primitive cache of oneDNN 2.6.3 holds them for equal: a primitive of the
// other one writes beyond its scratchpad. So they follow from the other strides alone.
void normalize_unit_strides(memory::desc& desc) {
    auto* strides = desc.data.format_desc.blocking.strides;
    dnnl_dim_t span = 1;  // of the dimensions after
    for (int d = desc.data.ndims; d-- > 0;) {
        if (desc.data.dims[d] == 1) {
            strides[d] = span;
        }
        span = std::max(span, strides[d] * desc.data.dims[d]);
    }
}

memory::desc moved_desc(ElementType type, const Shape& plain, const Order& order) {
    std::vector<int> places(order.size());
    for (std::size_t d = 0; d < order.size(); ++d) {
        places[order[d]] = static_cast<int>(d);
    }
    memory::desc desc = dnnl_desc(type, plain, Layout::kPlain).permute_axes(places);
    normalize_unit_strides(desc);
    return desc;
}

// Whether the transposition of a result leaves its rows in one piece.
bool keeps_rows(const Order& order) {
    return order.back() + 1 == order.size();
}

}  // namespace

memory::desc matrix_desc(ElementType type, const Shape& dims, bool transposed) {
    Order order = unmoved(dims.size());
    if (transposed) {
        std::swap(order[dims.size() - 1], order[dims.size() - 2]);
    }
    return moved_desc(type, dims, order);
}

Shape padded(const Shape& shape, std::size_t rank) {
    Shape result(rank - shape.size(), 1);
    result.insert(result.end(), shape.begin(), shape.end());
    return result;
}

MatMulOperand matmul_operand(const StepBuilder& builder,
                             const Node& node,
                             std::size_t input,
                             bool transposed) {
    Output output = node.input(input);
    Order order = unmoved(node.port(0).shape.to_shape().size());
    if (const Node* transpose = builder.deferred_transpose(output)) {
        output = transpose->input(0);
        order = *transpose_order(*transpose);
    }
    if (transposed) {
        std::swap(order[order.size() - 1], order[order.size() - 2]);
    }
    return {output, moved_desc(output.type(), output.shape(), order)};
}

Node* transpose_after(const StepBuilder& builder, const Group& group) {
    const bool computed = !group.anchor->input_node(1)->is_constant();
    Node* node = group.for_dump || !computed || !group.binary_sources.empty()
                     ? nullptr
                     : builder.only_reader(group.result);
    const auto order = node == nullptr ? std::nullopt : transpose_order(*node);
    return order && keeps_rows(*order) &&
                   order->size() == group.anchor->port(0).shape.to_shape().size()
               ? node
               : nullptr;
}

memory::desc desc_before(const Node& transpose, ElementType type) {
    const Order order = *transpose_order(transpose);
    Order places(order.size());
    for (std::size_t d = 0; d < order.size(); ++d) {
        places[order[d]] = d;
    }
    return moved_desc(type, transpose.port(0).shape.to_shape(), places);
}

}  // namespace fuseq::cpu
