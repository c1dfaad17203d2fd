// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class GeluApproximation { kErf, kTanh };
template <>
struct EnumNames<GeluApproximation> {
    static constexpr const char* kNames[] = {"ERF", "TANH"};
};

// Gelu-7; Gelu-2 has no attributes and is ERF.
struct GeluAttrs final : AttributesOf<GeluAttrs> {
    GeluApproximation approximation_mode = GeluApproximation::kErf;
    void visit(AttributeVisitor& v) override {
        v.optional("approximation_mode", approximation_mode);
    }
};

}  // namespace fuseq
