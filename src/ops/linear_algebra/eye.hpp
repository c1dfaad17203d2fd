// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct EyeAttrs final : AttributesOf<EyeAttrs> {
    ElementType output_type = ElementType::f32;
    void visit(AttributeVisitor& v) override { v.required("output_type", output_type); }
};

}  // namespace fuseq
