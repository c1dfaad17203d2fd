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
    return {};
}

}  // namespace fuseq::cpu
