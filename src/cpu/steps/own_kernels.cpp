// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/own_kernels.hpp"

#include "cpu/threading/parallel_tasks.hpp"
#include "ops/deformable_convolution.hpp"
#include "ops/quantized/requantize_sums.hpp"

namespace fuseq::cpu {

OwnKernel own_kernel_of(const Node& node) {
    if (node.input_count() == 0 || !node.has_input(0) || node.input(0).type() != ElementType::f32) {
        return {};
    }
    if (node.is("NonMaxSuppression")) {
        return {"fuseq:non_max_suppression", make_non_max_suppression};
    }
    if (node.is("MulticlassNms")) {
        return {"fuseq:multiclass_nms", make_multiclass_nms};
    }
    if (node.is("MatrixNms")) {
        return {"fuseq:matrix_nms", make_matrix_nms};
    }
    if (node.is("DeformableConvolution")) {
        return {"fuseq:deformable_convolution", make_deformable_convolution};
    }
    if (node.is("RequantizeSums")) {
        return {"fuseq:requantize_sums", make_requantize_sums};
    }
    return {};
}

void tasks_on_threads(std::size_t count, const std::function<void(std::size_t)>& task) {
    parallel_tasks(count, task);
}

NodeKernel make_deformable_convolution() {
    return [](EvalContext& context) { run_deformable_convolution(context, tasks_on_threads); };
}

NodeKernel make_requantize_sums() {
    return [](EvalContext& context) { run_requantize_sums(context, tasks_on_threads); };
}

}  // namespace fuseq::cpu
