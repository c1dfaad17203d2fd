// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/node.hpp"

namespace fuseq {

// Whether an Interpolate of any version pads its input with zeros first.
bool has_pads(const Node& interpolate);

}  // namespace fuseq
