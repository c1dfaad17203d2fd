// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// One entry of the catalogue of what fuses, a file tests/patterns/<name>.txt:
//
//   // What the pattern is: one sentence, and what is worth knowing.
//   model "name"
//   %x = Parameter : f32[1,16,8,8]
//   %fq_in = fq(%x, 0, 15.9375, 256)     (the text form, src/model/to_text.cpp, and macros.hpp)
//   ...
//   expect
//   inputs -4 4                          range of the random inputs, [-8, 8) unless given
//   step 0.0625                          step of the outputs; one value or one a channel (axis 1)
//   eltwise | f32 u8 | own | scale(16) -> u8
//   convolution | u8 i8 u8 | jit | scale:0.0078125 bias -> u8
//   note prelu falls                     a note of the step before it contains this text
//   refused feeds_output at fq_out       everything the report refuses, in its order
//
// A step is kind | source, weights and result types | class of implementation | post-ops. Numbers
// in the post-ops are compared with a tolerance of 1e-6 of their size. "jit" and "own" of a
// convolution, deconvolution or matmul are both "fast", and compare equal.
#pragma once

#include <string>
#include <vector>

namespace fuseq::patterns {

struct Pattern {
    std::string name;
    std::string description;  // of the comment, on one line
    std::string model;        // macros expanded
    double low = -8;
    double high = 8;
    std::vector<double> steps_of_outputs;
    std::vector<std::string> expected;  // lines of steps, notes and refusals
};

// Throws Error("pattern", rule). `name` is that of the file, without ".txt".
Pattern parse_pattern(const std::string& name, const std::string& text);
Pattern read_pattern(const std::string& path);

// The lines that a report (property FUSEQ_REPORT) says: steps, refusals and every note.
std::vector<std::string> lines_of_report(const std::string& report);

// Where the report is not what was expected, first line; empty when it is.
std::string differs_from_report(const Pattern& pattern, const std::string& report);

// The lines that `update` writes for a pattern whose report says `today`: where a line compares
// equal to an expected one but for its numbers, the class that is written there stays, "fast" among
// them.
std::vector<std::string> updated_lines(const Pattern& pattern, std::vector<std::string> today);

// "jit", "gemm", "simple", "own", "ref": what an implementation's name says of its speed.
std::string class_of_implementation(const std::string& name);
// Every number N: "scale:0.5 bias clip(0,6) add(#0 u8) -> u8" is "scale:N bias clip(N,N) add(#0 u8)
// -> u8".
std::string without_numbers(const std::string& line);
// Whether two lines say the same: kinds, types, classes, and numbers within the tolerance.
bool same_line(const std::string& actual, const std::string& expected);

}  // namespace fuseq::patterns
