// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/reorder.hpp"

namespace fuseq::cpu {

ReorderStep::ReorderStep(const PlanTensor& src,
                         TensorId src_id,
                         const PlanTensor& dst,
                         TensorId dst_id) {
    const auto from = bytes_desc(src.type, src.dims(), src.layout);
    const auto to = bytes_desc(dst.type, dst.dims(), dst.layout);
    const OneThread one;
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::library);
    call_.one_thread = true;
    const dnnl::reorder::primitive_desc desc(cpu_engine(), from, cpu_engine(), to, attr);
    call_.primitive = dnnl::reorder(desc);
    call_.tensors = {{DNNL_ARG_FROM, src_id, from}, {DNNL_ARG_TO, dst_id, to}};
    inputs_ = {src_id};
    outputs_ = {dst_id};
    info_.kind = "reorder";
    info_.implementation = implementation_name(desc);
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(dst.type);
    info_.layout = to_string(src.layout) + " -> " + to_string(dst.layout);
    info_.bytes = static_cast<std::int64_t>(src.bytes() + dst.bytes());
}

Tensor reordered(const Tensor& constant, Layout layout) {
    const OneThread one;
    const ElementType type = constant.get_element_type();
    Tensor result(type, constant.get_shape());
    dnnl::memory from(bytes_desc(type, constant.get_shape(), Layout::kPlain), cpu_engine(),
                      const_cast<void*>(constant.data()));
    dnnl::memory to(bytes_desc(type, constant.get_shape(), layout), cpu_engine(), result.data());
    dnnl::stream stream(cpu_engine());
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
    return result;
}

}  // namespace fuseq::cpu
