// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs inferences and takes their times.
#pragma once

#include <cstddef>
#include <vector>

#include "benchmark_app/inputs.hpp"
#include "benchmark_app/options.hpp"
#include "fuseq/infer_request.hpp"

namespace fuseq::samples {

struct Measurement {
    std::vector<double> latencies_ms;  // in the order of completion
    std::vector<std::size_t> sets;     // which input set each of them had
    double first_ms = 0;               // the very first inference
    double duration_ms = 0;            // of the measured runs together
};

// The requests run in turn. Stops when -niter runs were started or -t seconds have passed,
// whichever is first. Throws what an inference threw.
Measurement measure(std::vector<InferRequest>& requests,
                    const std::vector<InputSet>& sets,
                    const Options& options);

// Whether filling the inputs is part of a measured run.
bool measures_inputs(const Options& options, bool static_shapes);

}  // namespace fuseq::samples
