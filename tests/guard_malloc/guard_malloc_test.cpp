// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The allocator stops programs that make mistakes with blocks, and no others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace fuseq {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What the program says until it ends.
std::string run(const std::string& mistake, const std::string& settings = "") {
    const std::string command =
        settings + " LD_PRELOAD=" GUARD_MALLOC " " VICTIM " " + mistake + " 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    std::string said;
    std::array<char, 256> part{};
    while (std::fgets(part.data(), part.size(), pipe) != nullptr) {
        said += part.data();
    }
    pclose(pipe);
    return said;
}

const std::string kFront = "GUARD_MALLOC_FRONT=1";

TEST(GuardMalloc, LetsGoodProgramsRun) {
    for (const char* good : {"none", "read_last"}) {
        EXPECT_EQ(run(good), "survived\n") << good;
        EXPECT_EQ(run(good, kFront), "survived\n") << good;
    }
}

TEST(GuardMalloc, StopsAtTheFirstByteAfter) {
    EXPECT_THAT(run("read_after"), Not(HasSubstr("survived")));
    EXPECT_THAT(run("write_after"), Not(HasSubstr("survived")));
}

TEST(GuardMalloc, StopsInFrontWhenAsked) {
    EXPECT_THAT(run("read_before", kFront), Not(HasSubstr("survived")));
}

TEST(GuardMalloc, SeesWhatWasWrittenWhereNoPageEnds) {
    EXPECT_THAT(run("write_in_slack"), HasSubstr("written after a block"));
}

TEST(GuardMalloc, NobodyUsesWhatWasFreed) {
    EXPECT_THAT(run("read_freed"), Not(HasSubstr("survived")));
    EXPECT_THAT(run("free_twice"), HasSubstr("for the second time"));
}

TEST(GuardMalloc, LeavesSmallBlocksAlone) {
    EXPECT_EQ(run("read_after", "GUARD_MALLOC_LEAST=101"), "survived\n");
}

}  // namespace
}  // namespace fuseq
