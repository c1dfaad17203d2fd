// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every operation is described and tested, and the page that says so is current.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
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

// Whether `word` stands in the text with no letter or digit beside it.
bool has_word(const std::string& text, std::string_view word) {
    const auto part_of_word = [&](std::size_t at) {
        return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        if ((at == 0 || !part_of_word(at - 1)) && !part_of_word(at + word.size())) {
            return true;
        }
    }
    return false;
}

TEST(OperationsPage, IsCurrent) {
    const std::string page = read_file(fs::path(FUSEQ_SOURCE_DIR) / "docs/operations.md");
    EXPECT_TRUE(page == docs::operations_page())
        << "docs/operations.md is out of date; run fuseq_docs > docs/operations.md";
}

TEST(Operations, HaveASummary) {
    for (const OpSpec* spec : all_ops()) {
        EXPECT_FALSE(spec->summary.empty()) << spec->type << " version " << spec->version;
    }
}

TEST(Operations, AreNamedInATest) {
    const std::string tests = operation_tests();
    ASSERT_FALSE(tests.empty());
    for (const OpSpec* spec : all_ops()) {
        EXPECT_TRUE(has_word(tests, spec->type))
            << "no test below tests/unit/ops* names " << spec->type;
    }
}

}  // namespace
}  // namespace fuseq
