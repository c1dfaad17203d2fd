// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

using testing::ElementsAre;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

TEST(Tool, GivesLongOptionsTwoDashes) {
    const char* const argv[] = {"tool", "-m",   "x.xml",    "-niter", "20", "--api",
                                "-t",   "-1.5", "-niter=3", "-d=CPU", "-",  "[-1,3]"};
    EXPECT_THAT(with_two_dashes(12, argv),
                ElementsAre("-m", "x.xml", "--niter", "20", "--api", "-t", "-1.5", "--niter=3",
                            "-d=CPU", "-", "[-1,3]"));
}

TEST(Tool, TurnsExceptionsIntoExitStatus) {
    EXPECT_EQ(run_tool([] {}), 0);
    CaptureStderr();
    EXPECT_EQ(run_tool([] { throw Error("read", "two\nlines"); }), 1);
    EXPECT_EQ(GetCapturedStderr(), "error: read: two lines\n");
    CaptureStderr();
    EXPECT_EQ(run_tool([] { throw std::bad_alloc(); }), 1);
    EXPECT_EQ(GetCapturedStderr(), "error: std::bad_alloc\n");
    CaptureStderr();
    EXPECT_EQ(run_tool([] { throw UsageError("-m is required"); }), 2);
    EXPECT_EQ(GetCapturedStderr(), "error: -m is required (-h shows the options)\n");
}

}  // namespace
}  // namespace fuseq::samples
