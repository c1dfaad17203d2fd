// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Declares <name>_ops() for every file of operations.
#pragma once

#include <span>

#include "ops/op_spec.hpp"

namespace fuseq {

#define FUSEQ_OP_FILE(name) std::span<const OpSpec> name##_ops();
#include "ops/op_files.inc"
#undef FUSEQ_OP_FILE

}  // namespace fuseq
