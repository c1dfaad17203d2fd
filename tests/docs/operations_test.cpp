// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every operation is described and tested, and the page that says so is current.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "docs/operations_page.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// All sources below tests/unit/ops*, one after the other.
std::string operation_tests() {
    std::string text;
    for (const auto& folder : fs::directory_iterator(fs::path(FUSEQ_SOURCE_DIR) / "tests/unit")) {
        if (folder.path().filename().string().rfind("ops", 0) != 0) {
            continue;
        }
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.path().extension() == ".cpp") {
                text += read_file(entry.path());
            }
        }
    }
    return text;
}

TEST(OperationsPage, IsCurrent) {
    const std::string page = read_file(fs::path(FUSEQ_SOURCE_DIR) / "docs/operations.md");
    EXPECT_TRUE(page == docs::operations_page())
        << "docs/operations.md is out of date; run fuseq_docs > docs/operations.md";
}

TEST(Operations, HaveASummary) {
    for (const OpSpec* spec : all_ops()) {
        EXPECT_GE(spec->summary.size(), 10u) << spec->type << " version " << spec->version;
    }
}

TEST(Operations, AreNamedInATest) {
    const std::string tests = operation_tests();
    ASSERT_FALSE(tests.empty());
    for (const OpSpec* spec : all_ops()) {
        const std::regex word("\\b" + std::string(spec->type) + "\\b");
        EXPECT_TRUE(std::regex_search(tests, word))
            << "no test below tests/unit/ops* names " << spec->type;
    }
}

}  // namespace
}  // namespace fuseq
