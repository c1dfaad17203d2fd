// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

bool fold_multiply_add_chains(Model& model, PassContext& context);

}  // namespace fuseq
