// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "openvino/core/dimension.hpp"

namespace ov {
using Rank = Dimension;
}  // namespace ov
