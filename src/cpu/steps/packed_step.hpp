// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/steps/dnnl_support.hpp"

namespace fuseq::cpu {

// A oneDNN primitive with packed weights: convolution, deconvolution, matmul.
class PackedStep final : public DnnlStep {
public:
    PackedStep(DnnlCall call,
               std::vector<TensorId> inputs,
               TensorId dst,
               TensorId scratch,
               StepInfo info) {
        call_ = std::move(call);
        inputs_ = std::move(inputs);
        outputs_ = {dst};
        if (scratch != kNoTensor) {
            scratch_ = {scratch};
        }
        info_ = std::move(info);
    }
};

}  // namespace fuseq::cpu
