// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/properties.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "common/tool.hpp"

namespace fuseq::samples {
namespace {

TEST(Properties, AreNamesAndValues) {
    AnyMap properties = {{"PERF_COUNT", true}, {"FUSEQ_FUSION", "YES"}};
    set_properties(properties,
                   {"FUSEQ_FUSION=NO", "FUSEQ_KEEP_FLOAT=fq_1,fq=2", "FUSEQ_DUMP_DIR="});
    EXPECT_TRUE(properties.at("PERF_COUNT").as_bool());
    EXPECT_EQ(properties.at("FUSEQ_FUSION").as_string(), "NO");
    EXPECT_EQ(properties.at("FUSEQ_KEEP_FLOAT").as_string(), "fq_1,fq=2");
    EXPECT_EQ(properties.at("FUSEQ_DUMP_DIR").as_string(), "");
}

TEST(Properties, RefusesWhatIsNotNameAndValue) {
    AnyMap properties;
    EXPECT_THROW(set_properties(properties, {"FUSEQ_FUSION"}), UsageError);
    EXPECT_THROW(set_properties(properties, {"=NO"}), UsageError);
}

TEST(Properties, OptionMayBeRepeated) {
    CLI::App app;
    std::vector<std::string> settings;
    add_config_option(app, settings);
    const char* const arguments[] = {"tool", "-config", "A=1", "-config", "B=2"};
    ASSERT_TRUE(parse_arguments(app, 5, arguments));
    EXPECT_THAT(settings, testing::ElementsAre("A=1", "B=2"));
}

}  // namespace
}  // namespace fuseq::samples
