// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties on the command line: -config NAME=VALUE, repeated.
#pragma once

#include <string>
#include <vector>

#include "fuseq/any.hpp"

namespace CLI {
class App;
}

namespace fuseq::samples {

// Adds the option; the texts go to `settings`.
void add_config_option(CLI::App& app, std::vector<std::string>& settings);

// Sets each "NAME=VALUE" in `properties`. Throws UsageError for a text without a name or "=".
void set_properties(AnyMap& properties, const std::vector<std::string>& settings);

}  // namespace fuseq::samples
