// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Grids of Quantize and Dequantize: one scale, or one an index of an axis.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/axes.hpp"
#include "ops/quantized/quantized_run.hpp"

namespace fuseq {

template <class Attrs>
void check_axis_grid(const InferContext& context, const Attrs& attrs) {
    const PartialShape& shape = context.shape(0);
    context.require(!attrs.scales.empty(), "scales has no values");
    std::size_t count = attrs.scales.size();
    if (count > 1 && shape.rank_is_static()) {
        const Dimension& size = shape[checked_axis(context, attrs.axis, shape.rank())];
        context.require(size.compatible(static_cast<std::int64_t>(count)), "scales has ", count,
                        " values, the axis ", attrs.axis, " has size ", to_string(size));
    }
    check_scales(context, "scales", attrs.scales, count);
}

// Which scale an element has.
class AxisWalk {
public:
    // Throws Error where the axis has another size.
    AxisWalk(const EvalContext& context,
             const Shape& shape,
             std::int64_t axis,
             std::size_t scale_count)
        : count_(scale_count) {
        if (count_ > 1) {
            const std::size_t at = checked_axis(context, axis, shape.size());
            context.require(shape[at] == count_, "there are ", count_, " scales, the axis ", axis,
                            " has size ", shape[at]);
            for (std::size_t d = at + 1; d < shape.size(); ++d) {
                inner_ *= shape[d];
            }
        }
    }
    std::size_t index(std::size_t element) const {
        return count_ > 1 ? element / inner_ % count_ : 0;
    }

private:
    std::size_t count_;
    std::size_t inner_ = 1;
};

inline std::int64_t zero_point_at(const std::vector<std::int64_t>& zero_points, std::size_t i) {
    return zero_points.empty() ? 0 : zero_points[zero_points.size() > 1 ? i : 0];
}

}  // namespace fuseq
