// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of infer.
#pragma once

#include <string>
#include <vector>

#include "common/pictures/picture_input.hpp"
#include "fuseq/any.hpp"
#include "infer/draw.hpp"

namespace fuseq::samples {

struct InferOptions {
    std::string model;
    std::vector<std::string> inputs;
    std::string output_folder;  // empty: none
    std::string device = "CPU";
    std::string dump_folder;
    std::string tensor_folder;
    int threads = 0;
    bool reset = false;
    std::vector<std::string> extra_outputs;
    std::vector<std::string> config;
    PictureOptions pictures;
    std::size_t top = 0;
    std::string labels;  // a file
    DrawOptions draw;
    std::string picture;  // -out
};

// Returns false when help was asked for (and printed). Throws UsageError.
bool parse(InferOptions& options, int argc, const char* const* argv);

AnyMap properties_of(const InferOptions& options);

}  // namespace fuseq::samples
