// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Real values that are integers of a grid, (q - zero point) * scale, and the grids of quantizers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

struct QdqGrid {
    std::vector<float> scales{1.0F};           // one, or one an index of `axis`
    std::vector<std::int64_t> zero_points{0};  // as many
    std::int64_t axis = 0;
    ElementType type = ElementType::u8;
    bool moved = false;  // a movement stands between the operation and the quantizer

    // ONNX Runtime makes u8 of i8 that has one reader, as what is moved has.
    ElementType runtime_type() const {
        return moved && type == ElementType::i8 ? ElementType::u8 : type;
    }
    bool is_single() const { return scales.size() == 1; }
    float scale() const { return scales.front(); }
    std::int64_t zero_point() const { return zero_points.front(); }
};

struct QdqValue {
    Output integers;
    QdqGrid grid;
};

// Of a Dequantize, or of Convert -> [Subtract] -> Multiply with constant numbers.
std::optional<QdqValue> qdq_value(const Output& real);

// Likewise, where Reshape, Transpose, Squeeze or Unsqueeze stand after it too: then they are built
// anew on the integers. Only grids of one scale pass them.
std::optional<QdqValue> moved_qdq_value(const Output& real);

// Reshape, Transpose, Squeeze, Unsqueeze.
bool is_qdq_movement(const Node& node);

// Of a Quantize, or of a FakeQuantize whose limits are those of an integer grid of 8 or 16 bits.
std::optional<QdqGrid> quantizer_grid(const Node& node);

// The key of rt_info under which a reader notes the type of the integers that a FakeQuantize stands
// for. Not noted: they have no sign.
inline constexpr const char* kQdqType = "quantized_type";

}  // namespace fuseq
