// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "openvino/core/any.hpp"

namespace ov {
// Layer name -> device.
using SupportedOpsMap = std::map<std::string, std::string>;
}  // namespace ov
