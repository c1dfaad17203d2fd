// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every case of libonnx-testdata passes on both devices, or is in exceptions.txt with its reason.
#include "unit/readers_onnx/conformance.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "readers/onnx/operator_table.hpp"

namespace fuseq::test {
namespace {

// A line of exceptions.txt: `refused CASE: part of the reason`, or `differs DEVICE CASE: part of
// the difference` where the case itself is wrong or the device computes otherwise.
struct Exception {
    Verdict verdict = Verdict::kRefused;
    std::string text;
};

std::map<std::string, Exception> exceptions_of(const std::string& device) {
    std::map<std::string, Exception> exceptions;
    std::ifstream file(FUSEQ_ONNX_EXCEPTIONS);
    for (std::string line; std::getline(file, line);) {
        const auto at = line.find(": ");
        std::istringstream words(line.substr(0, at));
        std::string kind;
        std::string where = device;
        std::string name;
        words >> kind;
        if (kind == "differs") {
            words >> where;
        }
        words >> name;
        if (at != std::string::npos && line[0] != '#' && where == device) {
            exceptions[name] = {kind == "refused" ? Verdict::kRefused : Verdict::kFailed,
                                line.substr(at + 2)};
        }
    }
    return exceptions;
}

class Conformance : public testing::TestWithParam<std::string> {};

TEST_P(Conformance, EveryCasePassesOrIsAnExceptionWithAReason) {
    const auto folders = conformance_cases("node");
    if (folders.empty()) {
        GTEST_SKIP() << "package libonnx-testdata is not installed";
    }
    std::map<std::string, Exception> exceptions = exceptions_of(GetParam());
    std::map<Verdict, int> counts;
    for (const auto& folder : folders) {
        const CaseResult result = run_case(folder, GetParam());
        ++counts[result.verdict];
        const auto known = exceptions.find(result.name);
        if (known == exceptions.end()) {
            EXPECT_EQ(result.verdict, Verdict::kPassed) << result.name << ": " << result.text;
            continue;
        }
        EXPECT_EQ(result.verdict, known->second.verdict) << result.name << ": " << result.text;
        EXPECT_NE(result.text.find(known->second.text), std::string::npos)
            << result.name << ": " << result.text << "\nexpected: " << known->second.text;
        exceptions.erase(known);
    }
    for (const auto& [name, reason] : exceptions) {
        ADD_FAILURE() << "exceptions.txt names " << name << ", which is no case";
    }
    std::cout << GetParam() << ": " << counts[Verdict::kPassed] << " passed, "
              << counts[Verdict::kRefused] << " refused, " << counts[Verdict::kFailed]
              << " differ\n";
}

TEST(OnnxPage, ListsEveryOperatorWithItsVersions) {
    std::ifstream file(std::string(FUSEQ_SOURCE_DIR) + "/docs/onnx.md");
    std::stringstream page;
    page << file.rdbuf();
    for (const auto* row : onnx_reader::all_operators()) {
        std::ostringstream line;
        line << "| " << row->type << " | " << (row->domain.empty() ? "ai.onnx" : row->domain)
             << " | " << row->since << " | " << row->note << " |\n";
        EXPECT_NE(page.str().find(line.str()), std::string::npos) << line.str();
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Conformance, testing::Values("REFERENCE", "CPU"));

}  // namespace
}  // namespace fuseq::test
