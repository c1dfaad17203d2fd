// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/transpose.hpp"

#include <algorithm>
#include <numeric>

#include "fuseq/error.hpp"
#include "ops/axes.hpp"

namespace fuseq::cpu {
namespace {

dnnl::reorder::primitive_desc describe(const PlanTensor& src,
                                       const std::vector<std::size_t>& order) {
    const Shape dims = src.dims();
    const auto [type, parts] = carrier(src.type);
    const auto from = dnnl_desc(type, dims, src.layout);
    dnnl::memory::dims from_strides(from.data.format_desc.blocking.strides,
                                    from.data.format_desc.blocking.strides + dims.size());
    dnnl::memory::dims to_strides(dims.size());
    dnnl::memory::dim stride = parts;
    for (std::size_t i = order.size(); i-- > 0;) {
        to_strides[order[i]] = stride;
        stride *= static_cast<dnnl::memory::dim>(dims[order[i]]);
    }
    dnnl::memory::dims sizes = dnnl_dims(dims);
    if (parts != 1) {
        for (auto& s : from_strides) {
            s *= parts;
        }
        sizes.push_back(parts);
        from_strides.push_back(1);
        to_strides.push_back(1);
    }
    return {cpu_engine(), dnnl::memory::desc(sizes, dnnl_type(type), from_strides), cpu_engine(),
            dnnl::memory::desc(sizes, dnnl_type(type), to_strides)};
}

}  // namespace

std::optional<std::vector<std::size_t>> transpose_order(const Node& node) {
    if (!node.is("Transpose") || !node.input_node(1)->is_constant() ||
        node.input(0).partial_shape().is_dynamic() || node.port(0).shape.rank() == 0) {
        return std::nullopt;
    }
    const std::size_t rank = node.port(0).shape.rank();
    std::vector<std::size_t> order;
    for (const std::int64_t axis : to_ints(node.input_node(1)->constant())) {
        order.push_back(wrapped_axis(axis, rank));
    }
    if (order.empty()) {
        order.resize(rank);
        std::iota(order.rbegin(), order.rend(), std::size_t{0});
    }
    return order;
}

bool transpose_is_view(const PlanTensor& src, const std::vector<std::size_t>& order, Layout dst) {
    // Dimensions of size 1 take no part in the order of memory.
    const Shape dims = src.dims();
    const auto without_ones = [&](const std::vector<std::size_t>& all) {
        std::vector<std::size_t> kept;
        std::copy_if(all.begin(), all.end(), std::back_inserter(kept),
                     [&](std::size_t d) { return dims[d] != 1; });
        return kept;
    };
    std::vector<std::size_t> wanted;
    for (const std::size_t d : memory_order(order.size(), dst)) {
        wanted.push_back(order[d]);
    }
    return without_ones(memory_order(src.shape.rank(), src.layout)) == without_ones(wanted);
}

bool transpose_is_fast(const PlanTensor& src, const std::vector<std::size_t>& order) {
    const OneThread one;
    return implementation_name(describe(src, order)).rfind("jit", 0) == 0;
}

TransposeStep::TransposeStep(const PlanTensor& src,
                             TensorId src_id,
                             const PlanTensor& dst,
                             TensorId dst_id,
                             const std::vector<std::size_t>& order) {
    const OneThread one;
    call_.one_thread = true;
    const dnnl::reorder::primitive_desc desc = describe(src, order);
    call_.primitive = dnnl::reorder(desc);
    call_.tensors = {{DNNL_ARG_FROM, src_id, desc.src_desc()},
                     {DNNL_ARG_TO, dst_id, desc.dst_desc()}};
    inputs_ = {src_id};
    outputs_ = {dst_id};
    info_.kind = "transpose";
    info_.implementation = implementation_name(desc);
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(src.layout) + " -> plain";
    info_.bytes = static_cast<std::int64_t>(src.bytes() + dst.bytes());
}

}  // namespace fuseq::cpu
