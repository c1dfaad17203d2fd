// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct StftAttrs final : AttributesOf<StftAttrs> {
    bool transpose_frames = false;  // frequencies before frames
    void visit(AttributeVisitor& v) override { v.required("transpose_frames", transpose_frames); }
};

struct IstftAttrs final : AttributesOf<IstftAttrs> {
    bool center = false;      // half a frame at both ends is padding
    bool normalized = false;  // the data was divided by the square root of the frame size
    void visit(AttributeVisitor& v) override {
        v.required("center", center);
        v.required("normalized", normalized);
    }
};

}  // namespace fuseq
