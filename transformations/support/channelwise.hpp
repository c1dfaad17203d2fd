// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that treat every element by itself and know at most its channel (dimension 1): what
// moves elements without mixing channels may change places with them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

// Number of the input that `node` reads element by element, when all its other inputs are constants
// of one value or of one value a channel. Nothing when it is no such operation.
std::optional<std::size_t> channelwise_input(const Node& node);

// The constants of a channelwise node for data whose channel c is channel source[c] of the present
// data. Shapes are inferred by the caller.
void remap_channels(Node& node, const std::vector<std::size_t>& source);

// result[.., i, ..] = tensor[.., source[i], ..] along a dimension; any element type.
Tensor remapped(const Tensor& tensor, std::size_t axis, const std::vector<std::size_t>& source);

// remapped() of a dimension of data.
struct Remapping {
    std::size_t axis = 0;
    std::size_t size = 0;  // of the dimension, before
    std::size_t rank = 0;  // of the data
    std::vector<std::size_t> source{};
};
// An operand that broadcasts to such data, for the remapped data: a Const, or an expression of
// Consts by no more than `depth` - 1 Convert, Subtract, Multiply and FakeQuantize in a row. What is
// the same along the dimension stays; names of the others end in `suffix`. Nothing when it is neither,
// of another size, or of packed elements.
std::optional<Output> remapped_operand(const Output& operand,
                                       const Remapping& remapping,
                                       const std::string& suffix,
                                       int depth);

}  // namespace fuseq
