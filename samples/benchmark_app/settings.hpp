// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the device, from the command line and from -load_config.
#pragma once

#include <string>
#include <vector>

#include "benchmark_app/options.hpp"
#include "fuseq/any.hpp"

namespace fuseq::samples {

// What to hand to compile_model. `supported`: the device's SUPPORTED_PROPERTIES; hints that it
// does not know are told in `warnings` and left out. The command line wins over the file. Throws
// UsageError for values that do not parse, Error for a file that does not.
AnyMap make_properties(const Options& options,
                       const std::vector<std::string>& supported,
                       std::vector<std::string>& warnings);

// {"<device>": {"<property>": "<value>"}}
AnyMap load_properties(const std::string& path, const std::string& device);
void dump_properties(const std::string& path, const std::string& device, const AnyMap& properties);

}  // namespace fuseq::samples
