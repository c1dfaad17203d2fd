// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "cpu/plan/plan_tensor.hpp"
#include "fuseq/model.hpp"

namespace fuseq::cpu {

// Limits of every FakeQuantize of a model whose limits are constant, by layer name: read before the
// low-precision passes, which replace them by integers.
std::map<std::string, FakeQuantizeResult> fake_quantize_ranges(const Model& model);

}  // namespace fuseq::cpu
