// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class BagReduction { kSum, kMean };
template <>
struct EnumNames<BagReduction> {
    static constexpr const char* kNames[] = {"sum", "mean"};
};

// EmbeddingBagOffsets-15 and EmbeddingBagPacked-15.
struct EmbeddingBagAttrs final : AttributesOf<EmbeddingBagAttrs> {
    BagReduction reduction = BagReduction::kSum;
    void visit(AttributeVisitor& v) override { v.optional("reduction", reduction); }
};

}  // namespace fuseq
