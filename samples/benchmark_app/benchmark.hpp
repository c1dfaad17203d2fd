// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps of a benchmark, from the command line to the report.
#pragma once

#include "benchmark_app/options.hpp"

namespace fuseq::samples {

// Prints what OpenVINO's tool prints, and writes the files that the options ask for. Throws.
void run_benchmark(const Options& options);

}  // namespace fuseq::samples
