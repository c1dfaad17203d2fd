// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "transformations/pass.hpp"

namespace fuseq {

// What the pass does at an operation, in a few words; empty where it has no law for it.
std::string_view dequantize_law(std::string_view type);

bool move_dequantize_down(Model& model, PassContext& context);

}  // namespace fuseq
