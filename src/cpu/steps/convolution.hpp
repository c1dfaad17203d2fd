// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/steps/dnnl_support.hpp"

namespace fuseq::cpu {

// A oneDNN convolution or deconvolution in channels-last with everything packed.
class ConvolutionStep final : public DnnlStep {
public:
    ConvolutionStep(DnnlCall call,
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
