// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Benchmarks run on one thread, oneDNN's included: the figures are those of one core.
#include <benchmark/benchmark.h>
#include <omp.h>

int main(int argc, char** argv) {
    omp_set_num_threads(1);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
