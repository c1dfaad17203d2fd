// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What some steps can change about themselves for others, as interfaces. A pass over the plan asks
// a step for the capability (step.hpp), never for its type. All of them are for the time before the
// first bind(), and for one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cpu/kernels/eltwise/requantize_sums.hpp"
#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/steps/plan_tensor.hpp"

namespace fuseq::cpu {

using WeightSpan = std::span<const std::int8_t>;

// Of a step that fetches weights into L2 while it multiplies: those of other steps, and its own.
class WeightPrefetch {
public:
    virtual ~WeightPrefetch() = default;
    // Bytes that a run in one part can fetch beside its work.
    virtual std::size_t fetchable() const = 0;
    // The weights that part `part` of `parts` reads first: what the step before it should fetch.
    virtual WeightSpan first_weights(std::size_t part, std::size_t parts) const = 0;
    // The step whose first weights each part fetches at its end; null: none. It must outlive this.
    virtual const WeightPrefetch* next() const = 0;
    virtual void set_next(const WeightPrefetch& next) = 0;
    // What a run in one part fetches instead, in this order. `has_own`: the first of them are
    // weights of this step that no step before it fetches.
    virtual void set_ahead(std::vector<WeightSpan> ahead, bool has_own) = 0;
};

// Of a step whose only result may lie in the pixels of a wider tensor.
class SliceWriter {
public:
    virtual ~SliceWriter() = default;
    virtual std::size_t element_bytes() const = 0;
    virtual std::size_t pixel_bytes() const = 0;  // of the result
    // From now on the result is `offset` bytes into each pixel of dst, which has `dst_pixel_bytes`,
    // a multiple of element_bytes(). Once.
    virtual void write_slice(TensorId dst, std::size_t offset, std::size_t dst_pixel_bytes) = 0;
};

// Of a step that copies its inputs side by side into the rows of its result.
class SliceCopy {
public:
    virtual ~SliceCopy() = default;
    // Of an input: bytes of its row, and where they go in a row of the result.
    virtual std::size_t row_bytes(std::size_t input) const = 0;
    virtual std::size_t dst_offset(std::size_t input) const = 0;
    virtual std::size_t dst_row_bytes() const = 0;
    // Another step writes what the input stands for: it is no input any more.
    virtual void leave_out(std::size_t input) = 0;
};

// Of a step that stores its values in several forms while they are in registers: each a tensor of
// its own, scaled, shifted and rounded.
class RequantizedResults {
public:
    virtual ~RequantizedResults() = default;
    // One a tensor, in the order of outputs().
    virtual const std::vector<post_ops::Chain>& results() const = 0;
    // Whether the chain may be one of the results.
    virtual bool takes_result(const post_ops::Chain& chain) const = 0;
    virtual std::size_t channels() const = 0;
    virtual std::size_t width() const = 0;  // of the image
    // Whether the two halves of a pixel's channels can be stored as two rows of an image.
    virtual bool can_write_rows() const = 0;
    // `rows`: stored so. Takes the place of results() and outputs().
    virtual void set_results(std::vector<post_ops::Chain> results,
                             std::vector<TensorId> ids,
                             bool rows) = 0;
};

// Of a step that multiplies integers and stores the sums as floats: it can round them by a rule
// while they are in the first cache.
class RoundedSums {
public:
    virtual ~RoundedSums() = default;
    virtual bool takes_rounding(const kernels::SumRounding& rounding) const = 0;
    // From now on the result is the bytes in `dst`. Once.
    virtual void set_rounding(std::shared_ptr<const kernels::SumRounding> rounding,
                              TensorId dst) = 0;
    // Whether, after that, it does so as it stores bytes by a scale and a shift: the rounding is no
    // work of its own.
    virtual bool rounds_by_its_epilogue() const = 0;
};

}  // namespace fuseq::cpu
