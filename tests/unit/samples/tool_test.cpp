// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

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

TEST(Tool, NamesTheNearestCommandAndItsOptions) {
    CLI::App app;
    int layers = 0;
    app.add_subcommand("swin", "");
    app.add_subcommand("bert", "")->add_option("--layers", layers, "");
    const auto parse = [&](std::vector<const char*> words) {
        words.insert(words.begin(), "tool");
        (void)parse_arguments(app, static_cast<int>(words.size()), words.data());
    };
    EXPECT_THAT([&] { parse({"brt"}); },
                testing::ThrowsMessage<UsageError>(testing::EndsWith("; did you mean 'bert'?")));
    EXPECT_THAT(
        [&] {
            parse({"bert", "-layer", "2"});
        },
        testing::ThrowsMessage<UsageError>(testing::EndsWith("'-layer'; did you mean '-layers'?")));
    parse({"bert", "-layers", "2"});
    EXPECT_EQ(layers, 2);
}

}  // namespace
}  // namespace fuseq::samples
