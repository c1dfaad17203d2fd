// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Declares <name>_ops::specs() for every file of operations. The local names of each file (`infer`, `evaluate`, `kOps`)
// stand in that namespace too, so that files can be compiled together.
#pragma once

#include <span>

#include "ops/op_spec.hpp"

namespace fuseq {

#define FUSEQ_OP_FILE(name)              \
    namespace name##_ops {               \
        std::span<const OpSpec> specs(); \
    }
#include "ops/op_files.inc"
#undef FUSEQ_OP_FILE

}  // namespace fuseq
