// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// For errors about properties that a device does not have.
#pragma once

#include <string>
#include <vector>

namespace fuseq {

// "; the nearest is 'NUM_STREAMS'", or, of a property that OpenVINO has and Fuseq by design not,
// "; it is OpenVINO's, and absent here: ..." (docs/properties.md).
std::string property_hint(const std::string& name, const std::vector<std::string>& names);

}  // namespace fuseq
