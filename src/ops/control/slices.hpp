// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How TensorIterator and Loop cut inputs into parts and join the parts of outputs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fuseq/tensor.hpp"
#include "ops/control/subgraph.hpp"

namespace fuseq {

// The parts of one axis: part i begins at first + i * step.
struct Slices {
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
};

// Parts of an axis of `size` elements by a row of a port map. On a rule broken: nothing, and the
// rule in `why`.
std::optional<Slices> plan_slices(const PortMapRow& row, std::int64_t size, std::string& why);

// Elements [begin, begin + length) along `axis`.
Tensor cut(const Tensor& tensor, std::size_t axis, std::size_t begin, std::size_t length);

// Copies the parts one after the other along `axis` into `out`, whose shape is that of the result.
void join(const std::vector<Tensor>& parts, std::size_t axis, Tensor& out);

}  // namespace fuseq
