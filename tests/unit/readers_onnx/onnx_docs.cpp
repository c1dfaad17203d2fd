// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes the tables of docs/onnx.md: operators with their versions, and counts of conformance
// cases. With -v: one line a case that does not pass on both devices.
#include <cstring>
#include <iostream>
#include <map>

#include "readers/onnx/operator_table.hpp"
#include "unit/readers_onnx/conformance.hpp"

namespace {

using fuseq::test::Verdict;

void write_operators() {
    std::cout << "| operator | domain | from version | |\n| --- | --- | --- | --- |\n";
    for (const auto* row : fuseq::onnx_reader::all_operators()) {
        std::cout << "| " << row->type << " | " << (row->domain.empty() ? "ai.onnx" : row->domain)
                  << " | " << row->since << " | " << row->note << " |\n";
    }
}

void write_counts(bool verbose) {
    std::cout << "\n| cases | REFERENCE passed | CPU passed | refused | failed |\n"
                 "| --- | --- | --- | --- | --- |\n";
    for (const std::string set : {"node", "simple", "pytorch-operator", "pytorch-converted"}) {
        std::map<Verdict, int> reference;
        std::map<Verdict, int> cpu;
        for (const auto& folder : fuseq::test::conformance_cases(set)) {
            for (const std::string device : {"REFERENCE", "CPU"}) {
                const auto result = fuseq::test::run_case(folder, device);
                ++(device == "CPU" ? cpu : reference)[result.verdict];
                if (verbose && result.verdict != Verdict::kPassed) {
                    std::cerr << set << ' ' << device << ' '
                              << (result.verdict == Verdict::kRefused ? "refused " : "FAILED ")
                              << result.name << ": " << result.text << '\n';
                }
            }
        }
        std::cout << "| " << set << " | " << reference[Verdict::kPassed] << " | "
                  << cpu[Verdict::kPassed] << " | " << reference[Verdict::kRefused] << " | "
                  << reference[Verdict::kFailed] << " and " << cpu[Verdict::kFailed] << " |\n";
    }
}

}  // namespace

int main(int argc, char** argv) {
    write_operators();
    write_counts(argc > 1 && std::strcmp(argv[1], "-v") == 0);
    return 0;
}
