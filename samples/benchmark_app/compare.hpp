// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// -compare: two ways to run, measured in turn; or two reports that were saved.
#pragma once

#include <string>
#include <vector>

#include "benchmark_app/options.hpp"

namespace fuseq::samples {

// The options of the second side: `change` has properties (NAME=VALUE), a device or a file of a
// model. Throws UsageError.
Options options_of_second_side(const Options& options, const std::vector<std::string>& change);
// Whether -compare names two JSON reports.
bool compares_reports(const Options& options);

// Prints the numbers of both sides and the ratio; with -report_folder writes
// benchmark_compare.json or .csv.
void run_comparison(const Options& options);
void compare_reports(const Options& options);

}  // namespace fuseq::samples
