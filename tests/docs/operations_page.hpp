// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/operations.md, made from the table of operations.
#pragma once

#include <string>

namespace fuseq::docs {

// The whole page, as it must be in the tree.
std::string operations_page();

}  // namespace fuseq::docs
