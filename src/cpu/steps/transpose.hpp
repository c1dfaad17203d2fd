// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Transpose: any permutation, from either layout to plain.
#pragma once

#include <optional>
#include <vector>

#include "cpu/steps/dnnl_support.hpp"
#include "fuseq/node.hpp"

namespace fuseq::cpu {

class TransposeStep final : public DnnlStep {
public:
    // dst dimension i is src dimension order[i]; dst is plain.
    TransposeStep(const PlanTensor& src,
                  TensorId src_id,
                  const PlanTensor& dst,
                  TensorId dst_id,
                  const std::vector<std::size_t>& order);
};

// Of a Transpose by constant axes of a tensor of known shape: the dimension of src for each of dst.
std::optional<std::vector<std::size_t>> transpose_order(const Node& node);

// Whether the memory of src, read as dst in that layout, already is the transposed tensor.
bool transpose_is_view(const PlanTensor& src, const std::vector<std::size_t>& order, Layout dst);

// Whether oneDNN has generated code for it; its other implementations go element by element.
bool transpose_is_fast(const PlanTensor& src, const std::vector<std::size_t>& order);

}  // namespace fuseq::cpu
