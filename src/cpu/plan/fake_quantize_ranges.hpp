// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "cpu/steps/plan_tensor.hpp"
#include "fuseq/model.hpp"
#include "transformations/pass.hpp"

namespace fuseq::cpu {

// Limits of every FakeQuantize of a model whose limits are constant, by layer name: read before the
// low-precision passes, which replace them by integers. `options`: of those passes.
std::map<std::string, FakeQuantizeResult> fake_quantize_ranges(const Model& model,
                                                               const PassOptions& options);

// Whether an output of the transformed model, a quantization or a MaxPool after one, is what the
// FakeQuantize gives in the IR. One that stands after a MaxPool there may have been moved before
// it; its result is then that of the pooling, even where both have the same shape.
bool holds_result(const Output& output, const FakeQuantizeResult& fq);

}  // namespace fuseq::cpu
