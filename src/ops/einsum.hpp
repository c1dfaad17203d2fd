// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fuseq/attributes.hpp"

namespace fuseq {

struct EinsumAttrs final : AttributesOf<EinsumAttrs> {
    std::string equation;
    void visit(AttributeVisitor& v) override { v.required("equation", equation); }
};

}  // namespace fuseq
