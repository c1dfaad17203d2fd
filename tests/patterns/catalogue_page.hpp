// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fuseq::patterns {

// Names of the patterns, as CMake found them.
std::vector<std::string> pattern_names();
// Path of a pattern's file.
std::string pattern_path(const std::string& name);
// docs/patterns.md, from the pattern files.
std::string catalogue_page();

}  // namespace fuseq::patterns
