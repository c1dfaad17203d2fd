// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DetectionOutput of three inputs: the confidences are read once, only the boxes of candidates are
// decoded, and only the best ones are sorted. The same bytes as the reference kernel.
#pragma once

#include "cpu/steps/step.hpp"
#include "ops/detection_boxes.hpp"

namespace fuseq::cpu {

class DetectionOutputStep final : public Step {
public:
    // All tensors are plain f32.
    DetectionOutputStep(const DetectionOutput8Attrs& attrs,
                        const DetectionSizes& sizes,
                        std::vector<TensorId> inputs,
                        TensorId dst);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;

private:
    DetectionOutput8Attrs attrs_;
    DetectionSizes sizes_;
};

}  // namespace fuseq::cpu
