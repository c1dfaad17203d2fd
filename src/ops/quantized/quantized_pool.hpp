// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What QuantizedAveragePool and QuantizedMaxPool share.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/pooling.hpp"
#include "ops/quantized/quantized_run.hpp"

namespace fuseq {

// Checks the attributes and sets type and shape of dst.
void infer_quantized_pool(InferContext& context);

// The windows as a pooling of reals has them.
PoolAttrs pool_windows(const QuantizedPoolAttrs& attrs);
// The loops over src as [N, C, spatial...].
PoolLoops quantized_pool_loops(const EvalContext& context, const QuantizedPoolAttrs& attrs);
// What the average of the window at `first` divides by: its elements in src, `inside`, or with
// exclude_pad false those in the padded src.
std::int64_t average_divisor(const PoolLoops& loops,
                             const std::int64_t first[3],
                             bool exclude_pad,
                             std::int64_t inside);
// The integers of src in that order, and results stored from it.
std::vector<std::int32_t> pool_source(const EvalContext& context,
                                      const QuantizedPoolAttrs& attrs,
                                      const PoolLoops& loops);
void store_pool(EvalContext& context,
                const QuantizedPoolAttrs& attrs,
                const PoolLoops& loops,
                std::vector<std::int64_t> values);

}  // namespace fuseq
