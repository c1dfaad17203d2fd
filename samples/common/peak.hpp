// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The ceilings of a machine's arithmetic: multiply-accumulates that its units make in registers,
// for each level of instructions (docs/isa_levels.md). What a model reaches is judged by them.
#pragma once

#include <span>
#include <string>

namespace fuseq::samples {

// One way to multiply and accumulate.
struct PeakForm {
    const char* level;  // that brought it: "avx2"
    // "f32"; "int8_...": integers that are exact, by dot products of bytes (`dots`, and `dots_evex`
    // in AVX-512's encoding), by pairs of 16 bits (`pairs`: vpmaddwd), or by bytes whose pairs of
    // products do not saturate (`safe`: vpmaddubsw); `tiles`: AMX
    const char* name;
    double macs;  // of one loop
    // Whether this machine has the instructions.
    bool (*is_here)();
    // Runs a number of loops.
    void (*run)(long loops);
};

// From the lowest level to the highest.
std::span<const PeakForm> peak_forms();

// The best of `rounds`, on so many threads at once: what the silicon did at least once. In 1e9
// multiply-accumulates a second, all threads together. Precondition: form.is_here().
double peak_of(const PeakForm& form, int threads, int rounds);

// The best int8 and f32 form among those of a level and those it includes; 0: the machine has none.
struct LevelPeaks {
    double int8 = 0;
    double f32 = 0;
};
LevelPeaks peaks_of_level(const std::string& level, int threads, int rounds);

// The names of all levels, the lowest first.
std::span<const char* const> peak_levels();

}  // namespace fuseq::samples
