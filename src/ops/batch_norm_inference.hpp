// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "fuseq/attributes.hpp"
#include "fuseq/node.hpp"

namespace fuseq {

struct BatchNormInferenceAttrs final : AttributesOf<BatchNormInferenceAttrs> {
    float epsilon = 0.0F;
    void visit(AttributeVisitor& v) override { v.required("epsilon", epsilon); }
};

// Which input is which. In opset 1 some writers put the data first (as the specification shows it)
// and some third (gamma, beta, data, as the implementation has it); the ranks tell.
struct BatchNormPorts {
    std::size_t data = 0;
    std::size_t gamma = 1;
    std::size_t beta = 2;
    std::size_t mean = 3;
    std::size_t variance = 4;
};
BatchNormPorts batch_norm_ports(int version, const PartialShape& first);

}  // namespace fuseq
