// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/pooling.hpp"

namespace fuseq::cpu {
namespace {

dnnl::algorithm algorithm(PoolingKind kind) {
    switch (kind) {
        case PoolingKind::kMax: return dnnl::algorithm::pooling_max;
        case PoolingKind::kAverageIncludePad: return dnnl::algorithm::pooling_avg_include_padding;
        case PoolingKind::kAverageExcludePad: break;
    }
    return dnnl::algorithm::pooling_avg_exclude_padding;
}

}  // namespace

PoolingStep::PoolingStep(PoolingKind kind,
                         const PlanTensor& src,
                         TensorId src_id,
                         const PlanTensor& dst,
                         TensorId dst_id,
                         const std::vector<Window>& windows) {
    dnnl::memory::dims strides, kernel, dilations, begin, end;
    for (const Window& w : windows) {
        strides.push_back(w.stride);
        kernel.push_back(w.size);
        dilations.push_back(w.dilation - 1);
        begin.push_back(w.pad_begin);
        end.push_back(w.pad_end);
    }
    const dnnl::memory::desc from = dnnl_desc(src);
    const dnnl::memory::desc to = dnnl_desc(dst);
    const dnnl::pooling_v2_forward::desc operation(dnnl::prop_kind::forward_inference,
                                                   algorithm(kind), from, to, strides, kernel,
                                                   dilations, begin, end);
    const dnnl::pooling_v2_forward::primitive_desc desc(operation, cpu_engine());
    call_.primitive = dnnl::pooling_v2_forward(desc);
    call_.tensors = {{DNNL_ARG_SRC, src_id, from}, {DNNL_ARG_DST, dst_id, to}};
    inputs_ = {src_id};
    outputs_ = {dst_id};
    info_.kind = kind == PoolingKind::kMax ? "max_pool" : "avg_pool";
    info_.implementation = implementation_name(desc);
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(src.layout);
    info_.bytes = static_cast<std::int64_t>(src.bytes() + dst.bytes());
}

}  // namespace fuseq::cpu
