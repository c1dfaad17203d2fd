// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Options of the quantize tool.
#pragma once

#include <string>
#include <vector>

#include "common/pictures/picture_input.hpp"
#include "fuseq/quantizer.hpp"

namespace fuseq::samples {

struct QuantizeOptions {
    std::string model;
    std::string data;    // empty: none
    std::string output;  // empty: only the profile is written
    std::string dump_profile;
    std::vector<std::string> load_profiles;
    std::string report_file;
    std::string metric_command;  // empty: none
    std::size_t inputs = 0;      // at most so many; 0: all
    int ir_version = 11;
    bool resume = false;
    bool quiet = false;
    PictureOptions pictures;
    QuantizerOptions quantizer;
};

// Returns false when help was asked for (and printed). Throws UsageError; Error for names that an
// option does not know. Options are taken with "_" and, as Glow spells them, with "-".
bool parse(QuantizeOptions& options, int argc, const char* const* argv);

}  // namespace fuseq::samples
