// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every law has a test file of its own, and a test in it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace fuseq::post_ops::laws {
namespace {

namespace fs = std::filesystem;

TEST(EveryLaw, HasATestOfItsOwn) {
    const fs::path root(FUSEQ_SOURCE_DIR);
    std::size_t laws = 0;
    for (const auto& entry : fs::directory_iterator(root / "src/cpu/post_ops/laws")) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() != ".cpp" || name == "laws") {
            continue;
        }
        ++laws;
        const fs::path test = root / "tests/unit/cpu/post_ops/laws" / (name + "_test.cpp");
        std::ifstream in(test);
        std::ostringstream text;
        text << in.rdbuf();
        EXPECT_NE(text.str().find("run(" + name), std::string::npos) << test;
    }
    EXPECT_GE(laws, 20u);
}

}  // namespace
}  // namespace fuseq::post_ops::laws
