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

A step is: kind | types of source, weights and result | class of implementation (`jit` or `gemm` of
oneDNN, `own` kernels; `fast` is either of `jit` and `own`, which the tests do not tell apart in
convolutions, deconvolutions and matmuls) | post-ops.
)";

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
        page += "\n## " + name + "\n\n" + pattern.description + "\n\n```\n";
        for (const std::string& line : pattern.expected) {
            page += line + "\n";
        }
        page += "```\n";
    }
    return page;
}

}  // namespace fuseq::patterns
