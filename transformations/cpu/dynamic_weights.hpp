// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights of products of integers as the kernels multiply with them, and in parts whose sums f32
// holds exactly.
#pragma once

#include <cstdint>
#include <vector>

#include "fuseq/model.hpp"
#include "ops/quantized/quantized_attributes.hpp"

namespace fuseq {

// Where weights stand: [channels, inputs, inner], or a matrix [inputs, channels].
struct WeightOrder {
    std::size_t channels = 1;  // of dst
    std::size_t inputs = 1;    // of src, of one group
    std::size_t inner = 1;     // elements of a kernel
    bool channels_first = true;

    // visit(element, channel, input), in the order of memory.
    template <class Visit>
    void for_each(const Visit& visit) const {
        std::size_t i = 0;
        for (std::size_t outer = 0; outer < (channels_first ? channels : inputs); ++outer) {
            for (std::size_t middle = 0; middle < (channels_first ? inputs : channels); ++middle) {
                for (std::size_t k = 0; k < inner; ++k) {
                    visit(i++, channels_first ? outer : middle, channels_first ? middle : outer);
                }
            }
        }
    }
};

struct DynamicWeights {
    std::vector<std::int32_t> centered;  // less their zero points
    std::vector<std::int8_t> stored;     // what the kernel multiplies with
    // Of stored to centered, one a channel; empty where they are the same.
    std::vector<std::int64_t> shifts;
};
DynamicWeights dynamic_weights(const Tensor& tensor,
                               const std::vector<std::int64_t>& zero_points,
                               const WeightOrder& order);

// Where the input channels are cut so that the sums of stored weights and any source of that type
// are exact in each part, from 0 to their number; empty: in more than `max_parts`.
std::vector<std::size_t> exact_parts(const DynamicWeights& weights,
                                     const WeightOrder& order,
                                     ElementType source,
                                     std::size_t max_parts);

// The stored weights of input channels [begin, end), in their order, and with shifts one more
// channel of ones.
std::vector<std::int8_t> part_of(const DynamicWeights& weights,
                                 const WeightOrder& order,
                                 std::size_t begin,
                                 std::size_t end);

}  // namespace fuseq
