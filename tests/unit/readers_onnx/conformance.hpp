// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases of the format's authors: a model, inputs and expected outputs (package libonnx-testdata).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fuseq::test {

enum class Verdict { kPassed, kRefused, kFailed };

struct CaseResult {
    std::string name;       // "test_relu"
    std::string operators;  // types of its nodes, separated by spaces
    Verdict verdict = Verdict::kFailed;
    std::string text;  // reason of a refusal, or what differs
};

// Folders of a set ("node", "simple", ...) with a model and data, sorted; empty where the package
// is not installed.
std::vector<std::filesystem::path> conformance_cases(const std::string& set);
// Reads the model and runs all its data sets on the device. Tolerances are those of the format's
// own test runner: 1e-3 relative, 1e-7 absolute.
CaseResult run_case(const std::filesystem::path& folder, const std::string& device);

}  // namespace fuseq::test
