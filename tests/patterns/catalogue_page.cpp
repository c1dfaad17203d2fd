// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "patterns/catalogue_page.hpp"

#include "patterns/pattern.hpp"

namespace fuseq::patterns {
namespace {

const char* const kHead = R"(# What fuses, and what does not

Written by `fuseq_patterns page` from the files of [tests/patterns](../tests/patterns); do not edit.
Each pattern is a small model with the steps it compiles to on a CPU with int8 dot products. Every one
is a test (`ctest -L patterns`): the steps are those of the file, and the numbers are those of the
reference device, fused and unfused; under older instruction sets (`ctest -L patterns_isa`) the
numbers are the same again. How the texts come about is explained in [post_ops.md](post_ops.md).

Most models begin by quantizing an input, `io_reorder | f32 u8 | own | scale(16) -> u8`, and end with a
convolution that reads the integers of the pattern and changes nothing, `convolution | u8 i8 f32 | own |
scale(...) -> f32` and `reorder | f32 f32 | own`. These steps stand in the files and are left out here.

A step is: kind | types of source, weights and result | class of implementation (`jit` or `gemm` of
oneDNN, `own` kernels; `fast` is either of `jit` and `own`, which the tests do not tell apart in
convolutions, deconvolutions and matmuls) | post-ops.
)";

bool starts_with(const std::string& text, const std::string& prefix) {
    return text.rfind(prefix, 0) == 0;
}

// The steps between the quantized input and the convolution at the end.
std::vector<std::string> without_frame(std::vector<std::string> lines) {
    if (lines.size() > 1 && lines[0] == "io_reorder | f32 u8 | own | scale(16) -> u8") {
        lines.erase(lines.begin());
    }
    const std::size_t size = lines.size();
    if (size > 2 && lines[size - 1] == "reorder | f32 f32 | own" &&
        starts_with(lines[size - 2], "convolution | u8 i8 f32 | own | scale(")) {
        lines.resize(size - 2);
    }
    return lines;
}

}  // namespace

std::vector<std::string> pattern_names() {
    std::vector<std::string> names(1);
    for (const char c : std::string(FUSEQ_PATTERNS)) {
        if (c == ',') {
            names.emplace_back();
        } else {
            names.back() += c;
        }
    }
    return names;
}

std::string pattern_path(const std::string& name) {
    return std::string(FUSEQ_SOURCE_DIR) + "/tests/patterns/" + name + ".txt";
}

std::string catalogue_page() {
    std::string page = kHead;
    for (const std::string& name : pattern_names()) {
        const Pattern pattern = read_pattern(pattern_path(name));
        page += "\n## " + name + "\n\n" + pattern.description + "\n\n";
        for (const std::string& line : without_frame(pattern.expected)) {
            page += "    " + line + "\n";
        }
    }
    return page;
}

}  // namespace fuseq::patterns
