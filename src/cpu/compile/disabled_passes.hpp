// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuseq::cpu {

// Checks a name of FUSEQ_DISABLE against the passes over the Model (transformations/pipeline.cpp)
// and over the plan (plan/passes/pipeline.cpp). Throws Error("property") for a name that neither
// list has, with the name that is spelled most alike, and for a pass that is needed.
void check_may_disable(const std::string& pass);

}  // namespace fuseq::cpu
