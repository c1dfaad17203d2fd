// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/compile/float_fallback.hpp"
#include "cpu/compile/original_model.hpp"
#include "cpu/compile/transformed.hpp"
#include "cpu/steps/packed_table.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq::cpu {

// What a plan is made of, as plain data: compilation fills it, a file of a compiled model holds it
// (cache/blob.hpp).
struct PlanSource {
    OriginalModel original;  // empty: left out, whoever reads it has it
    Transformed transformed;
    PackedTable packed;
    Tensor float_sums;  // a table of kernels::FloatSums, u8; empty: none
    FloatFallback fallback;
};

}  // namespace fuseq::cpu
