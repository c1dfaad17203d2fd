// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class PadMode { kConstant, kEdge, kReflect, kSymmetric };
template <>
struct EnumNames<PadMode> {
    static constexpr const char* kNames[] = {"constant", "edge", "reflect", "symmetric"};
};

// Pad-1 and Pad-12; amounts are inputs 1 and 2, the constant is input 3.
struct PadAttrs final : AttributesOf<PadAttrs> {
    PadMode pad_mode = PadMode::kConstant;
    void visit(AttributeVisitor& v) override { v.required("pad_mode", pad_mode); }
};

}  // namespace fuseq
