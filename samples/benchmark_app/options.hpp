// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line of benchmark_app: names and meanings of OpenVINO's tool.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/pictures/picture_input.hpp"

namespace fuseq::samples {

struct Options {
    // What to run.
    std::string model;
    std::string device = "CPU";
    std::vector<std::string> inputs;  // -i, as given
    std::string shape;
    std::string data_shape;
    std::string layout;
    std::int64_t batch = 0;  // 0: as the model has it
    bool load_from_file = false;
    std::string input_precision;
    std::string output_precision;
    std::string tensor_precision;  // -iop
    std::string mean_values;
    std::string scale_values;
    PictureOptions pictures;  // -color, -resize; the other steps are put into the model
    // How to run it.
    std::string hint;
    std::string api;  // empty: follows the hint
    std::int64_t iterations = 0;
    double seconds = 0;
    double max_rate = 0;  // inferences a second; 0: no limit
    std::int64_t requests = 0;
    std::string streams;
    std::int64_t threads = 0;
    std::string pin;
    std::string inference_precision;
    std::string inference_only;  // true, false, or empty: true for static shapes
    std::string reset_state;     // true, false, or empty: true for variables that grow
    bool no_warmup = false;
    std::string cache_dir;
    std::string load_config;
    std::vector<std::string> config;   // NAME=VALUE
    std::vector<std::string> compare;  // what the second side changes, or two reports
    // What to tell.
    std::int64_t percentile = 50;
    std::string report_type;
    std::string report_folder;
    bool json_stats = false;
    bool counters = false;
    std::string counter_order;
    bool per_shape = false;
    bool progress = false;
    std::string exec_graph;
    std::string dump_config;
    // Taken for the sake of scripts written for OpenVINO; told on the screen.
    std::vector<std::string> warnings;

    bool is_async() const { return api == "async"; }
};

// False when help was asked for. Throws UsageError.
bool parse_options(Options& options, int argc, const char* const* argv);

}  // namespace fuseq::samples
