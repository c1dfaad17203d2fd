// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Bytes for tables of which rows are picked or summed up (-enable_rowwise).
#pragma once

#include <set>
#include <vector>

#include "fuseq/model.hpp"
#include "fuseq/quantizer.hpp"

namespace fuseq::quantizer {

// Glow's fused rows: scale = (max - min) / 255, or 1 where that range is below 1e-10; offset = min;
// code = round((value - min) / scale). In 4 bits the last code is 15. As f16, scale and offset are
// rounded before the codes are found; an Error where one is beyond f16.
struct QuantizedRows {
    Tensor codes;    // u8 or u4 [V, W]
    Tensor scales;   // f32 or f16 [V, 1]
    Tensor offsets;  // the same
};
QuantizedRows quantize_rows(const Tensor& table, const QuantizerOptions& options);

// Every embedding operation and Gather on axis 0 that reads a Const f32 of two dimensions, and is
// not kept, reads Const -> Convert -> Multiply -> Add instead. What was quantized.
std::vector<QuantizedLayer> quantize_row_tables(Model& model,
                                                const std::set<const Node*>& kept,
                                                const QuantizerOptions& options);

}  // namespace fuseq::quantizer
