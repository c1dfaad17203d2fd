// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From the command line to a compiled model and its requests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benchmark_app/console.hpp"
#include "benchmark_app/options.hpp"
#include "fuseq/fuseq.hpp"

namespace fuseq::samples {

struct Loaded {
    CompiledModel compiled;
    AnyMap properties;  // that it was compiled with
    std::size_t batch = 1;
    double read_ms = 0;
    double compile_ms = 0;
};

// Reads, changes and compiles the model, as steps 3 to 7 of the tool. Throws Error, UsageError.
Loaded load(Core& core, const Options& options, Console& console);

// As many as -nireq says, or as the compiled model thinks best.
std::vector<InferRequest> create_requests(const CompiledModel& compiled, const Options& options);

// A property of the compiled model as text; empty when it has none of that name.
std::string property_or_nothing(const CompiledModel& compiled, const char* name);

}  // namespace fuseq::samples
