// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cpu/lowering/step_builder.hpp"
#include "cpu/lowering/verdict.hpp"

namespace fuseq::cpu {

// A candidate for nodes (registry.hpp).
Verdict make_compressed_embedding(StepBuilder& builder, Node& node);

}  // namespace fuseq::cpu
