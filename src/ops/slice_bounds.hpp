// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The inputs start, stop, step and, optional, axes of Slice and SliceScatter.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ops/axes.hpp"
#include "ops/op_spec.hpp"
#include "ops/slicing.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq {

struct SliceBounds {
    using Ints = std::optional<std::vector<std::int64_t>>;  // nothing: not known

    Ints start;
    Ints stop;
    Ints step;
    Ints axes;  // nothing too when there is no such input: the first axes in their order

    bool known() const { return start && stop && step; }
};

// Range i. The bounds are known.
template <class Context>
SliceRange slice_range(const Context& context, const SliceBounds& bounds, std::size_t i) {
    const SliceRange range{(*bounds.start)[i], (*bounds.stop)[i], (*bounds.step)[i]};
    context.require(range.step != 0, "step has the value 0 at ", i);
    return range;
}

// In inference: the known bounds, which are inputs `first`, `first` + 1, ...
SliceBounds known_slice_bounds(const InferContext& context, std::size_t first);
// How many axes are sliced; nothing where that is not known. Refuses inputs that are no lists of
// integers.
std::optional<std::size_t> slice_count(const InferContext& context, std::size_t first);
// Shape of the slice of `src`, as far as it is known.
PartialShape slice_shape(const InferContext& context, std::size_t first, const PartialShape& src);

// In a kernel: the elements of a dense tensor of `shape` that the slice names. `shape` becomes that
// of the slice.
StridedView slice_view(const EvalContext& context, std::size_t first, Shape& shape);

}  // namespace fuseq
