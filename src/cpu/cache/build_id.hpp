// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fuseq::cpu {

// What says that two compiled models were made by the same code: the version, the linker's build
// ids of the library and of this plugin, the version of oneDNN.
// "0.1.0 3f2a... 91bc... oneDNN 2.6.3".
const std::string& build_id();

}  // namespace fuseq::cpu
