// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of two computed matrices of integers as plain data (steps/computed_product.hpp), for the
// makers of their steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cpu/lowering/own_composition.hpp"
#include "cpu/steps/computed_product.hpp"

namespace fuseq::cpu {

// In elements, by dimension of the result; 0 along dimensions of size 1, which are broadcast.
std::vector<std::size_t> strides_of(const dnnl::memory::desc& desc);

// The whole chain of a product, whose tensors have the shape of the result.
std::optional<OwnComposition> compose_product(const StepBuilder& builder,
                                              const Group& group,
                                              std::string& refused);

// Where its matrices lie.
struct ProductPlaces {
    TensorId a = kNoTensor, b = kNoTensor, dst = kNoTensor;
    std::vector<std::size_t> a_strides, b_strides, dst_strides;
};
ComputedProduct computed_product(StepBuilder& builder,
                                 const Group& group,
                                 const OwnComposition& composition,
                                 const ProductPlaces& places);

// The same for a step of oneDNN; null: the device's kernel does not store the same bytes.
std::shared_ptr<const ComputedProduct> computed_product_beside(StepBuilder& builder,
                                                               const Group& group,
                                                               const ProductPlaces& places);

}  // namespace fuseq::cpu
