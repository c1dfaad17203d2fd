// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class GridSampleMode { kBilinear, kBicubic, kNearest };
template <>
struct EnumNames<GridSampleMode> {
    static constexpr const char* kNames[] = {"bilinear", "bicubic", "nearest"};
};

enum class GridPadding { kZeros, kBorder, kReflection };
template <>
struct EnumNames<GridPadding> {
    static constexpr const char* kNames[] = {"zeros", "border", "reflection"};
};

struct GridSampleAttrs final : AttributesOf<GridSampleAttrs> {
    bool align_corners = false;
    GridSampleMode mode = GridSampleMode::kBilinear;
    GridPadding padding_mode = GridPadding::kZeros;
    void visit(AttributeVisitor& v) override {
        v.optional("align_corners", align_corners);
        v.optional("mode", mode);
        v.optional("padding_mode", padding_mode);
    }
};

}  // namespace fuseq
