// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/softmax.hpp"

namespace fuseq::cpu {

SoftmaxStep::SoftmaxStep(const PlanTensor& src,
                         TensorId src_id,
                         TensorId dst_id,
                         std::size_t axis) {
    const dnnl::memory::desc data = dnnl_desc(src);
    const dnnl::softmax_forward::desc operation(dnnl::prop_kind::forward_inference, data,
                                                static_cast<int>(axis));
    const dnnl::softmax_forward::primitive_desc desc(operation, cpu_engine());
    call_.primitive = dnnl::softmax_forward(desc);
    call_.tensors = {{DNNL_ARG_SRC, src_id, data}, {DNNL_ARG_DST, dst_id, data}};
    inputs_ = {src_id};
    outputs_ = {dst_id};
    info_.kind = "softmax";
    info_.implementation = implementation_name(desc);
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(src.type);
    info_.layout = to_string(src.layout);
    info_.bytes = static_cast<std::int64_t>(2 * src.bytes());
}

}  // namespace fuseq::cpu
