// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// benchmark_app: measures how fast a model runs, with the options of OpenVINO's tool.
#include "benchmark_app/benchmark.hpp"
#include "benchmark_app/options.hpp"
#include "common/tool.hpp"

int main(int argc, char** argv) {
    return fuseq::samples::run_tool([&] {
        fuseq::samples::Options options;
        if (fuseq::samples::parse_options(options, argc, argv)) {
            fuseq::samples::run_benchmark(options);
        }
    });
}
