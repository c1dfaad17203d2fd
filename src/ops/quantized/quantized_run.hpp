// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the operations on quantized tensors share: checks of their grids, and reading and storing
// of integers.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "ops/op_spec.hpp"
#include "ops/quantized/quantized_attributes.hpp"
#include "ops/quantized/requantizer.hpp"
#include "ops/quantized/rules/methods.hpp"

namespace fuseq {

// The integers of a type; of i32 and f32 those of i32.
struct IntegerLimits {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
};
IntegerLimits integer_limits(ElementType type);
// The same with the clamp of the operation.
IntegerLimits output_limits(const QuantizedAttrs& attrs);

// u8, i8, u16, i16.
bool is_grid_type(ElementType type);
// i16 in steps of 2^-15, to one in a thousand: what TFLite's functions of 16 bits give.
bool is_unit_grid_16(const QuantizedAttrs& attrs);

// Checks of inference. Scales: as many as said, positive and finite. Zero points: as many or none,
// within the type.
void check_scales(const InferContext& context,
                  const char* name,
                  std::span<const float> scales,
                  std::size_t count);
void check_zero_point_list(const InferContext& context,
                           const char* name,
                           std::span<const std::int64_t> zero_points,
                           std::size_t count,
                           ElementType type);
// The grids of the data inputs (the first `inputs` ones) and of dst, the clamp, and that the method
// has a rule for the operation.
void check_grids(const InferContext& context, const QuantizedAttrs& attrs, std::size_t inputs);

// The rule of the node; throws Error (stage "infer") where its method has none.
RuleChoice required_rule(const EvalContext& context);

std::vector<std::int32_t> integers(const Tensor& tensor);
// Less the zero point.
std::vector<std::int32_t> centered(const Tensor& tensor, std::int64_t zero_point);
// Clamped to the limits.
void store(Tensor& dst, std::span<const std::int64_t> values, const IntegerLimits& limits);

// f32(q - zero_point) * scale of data input i.
inline float real_value(const QuantizedAttrs& attrs, std::size_t i, std::int64_t q) {
    return static_cast<float>(q - attrs.input_zero_point(i)) * attrs.input_scales[i];
}

// [N, spatial..., C] as [N, C, spatial...], and back.
PartialShape channels_first(const PartialShape& shape, bool channels_last);
PartialShape channels_back(const PartialShape& shape, bool channels_last);
template <class T>
std::vector<T> moved_channels(const std::vector<T>& values,
                              std::size_t batch,
                              std::size_t rows,
                              std::size_t columns) {
    std::vector<T> out(values.size());
    for (std::size_t n = 0; n < batch; ++n) {
        const T* from = values.data() + n * rows * columns;
        T* to = out.data() + n * rows * columns;
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) {
                to[c * rows + r] = from[r * columns + c];
            }
        }
    }
    return out;
}

}  // namespace fuseq
