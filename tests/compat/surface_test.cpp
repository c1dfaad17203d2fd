// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Every function and variable of OpenVINO's C headers is in the library and in docs/surface.md, and
// the library shows nothing else.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace {

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::set<std::string> declared() {
    const std::regex name(R"(OPENVINO_C_(?:API|VAR)\([^)]*\)\s*(ov_\w+))");
    std::set<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(FUSEQ_SOURCE_DIR "/include/openvino/c")) {
        const std::string text = text_of(entry.path());
        for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) {
            names.insert((*it)[1]);
        }
    }
    return names;
}

TEST(CompatSurface, OfTheCApiIsWhatTheLibraryShows) {
    std::set<std::string> shown;
    FILE* pipe = popen("nm -D --defined-only " FUSEQ_OPENVINO_C " | awk '{print $3}'", "r");
    for (char line[512]; fgets(line, sizeof line, pipe) != nullptr;) {
        const std::string name(line, std::string_view(line).find('\n'));
        // What templates of the standard library leave in every library.
        if (name.rfind("_ZNSt", 0) != 0 && name.rfind("_ZNKSt", 0) != 0 &&
            name.rfind("_ZSt", 0) != 0 && name.rfind("_ZTISt", 0) != 0 &&
            name.rfind("_ZTSSt", 0) != 0) {
            shown.insert(name);
        }
    }
    EXPECT_EQ(pclose(pipe), 0);
    for (const std::string& name : declared()) {
        EXPECT_TRUE(shown.contains(name)) << name << " is declared and not in the library";
    }
    for (const std::string& name : shown) {
        if (name.rfind("ov_", 0) == 0) {
            EXPECT_TRUE(declared().contains(name)) << name << " is in no header";
        }
    }
    EXPECT_GT(declared().size(), 140u);
}

TEST(CompatSurface, OfTheCApiIsInThePage) {
    const std::string page = text_of(FUSEQ_SOURCE_DIR "/docs/surface.md");
    for (const std::string& name : declared()) {
        EXPECT_THAT(page, testing::HasSubstr("`" + name + "`"));
    }
}

}  // namespace
