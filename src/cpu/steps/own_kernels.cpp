// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/own_kernels.hpp"

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
    return {};
}

}  // namespace fuseq::cpu
