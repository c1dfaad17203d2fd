// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which operation a layer of an IR is.
#pragma once

#include "ir/ir_document.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

// The operation of that type in that opset; null when it is not known, is made by transformations
// only, or when the opset has a later version of it than is known.
const OpSpec* find_ir_op(const IrLayer& layer);

// Looks at every layer below `net`, bodies included; all operations that are not known, and all
// attributes with values that are not, are listed in one Error.
void require_known_operations(pugi::xml_node net, const IrSource& source);

}  // namespace fuseq
