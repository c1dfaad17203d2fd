// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "transformations/pass.hpp"

namespace fuseq {

bool keep_row_tables(Model& model, PassContext& context);

}  // namespace fuseq
