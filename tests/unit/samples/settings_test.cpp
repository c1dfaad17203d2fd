// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/tool.hpp"
#include "support/small_model.hpp"

namespace fuseq::samples {
namespace {

using test::message_of;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<std::string> kSupported{"PERFORMANCE_HINT", "NUM_STREAMS"};

TEST(Settings, FollowTheCommandLine) {
    Options options;
    options.hint = "throughput";
    options.threads = 4;
    options.streams = "cpu:2";
    options.counters = true;
    options.cache_dir = "cache";
    std::vector<std::string> warnings;
    const AnyMap properties = make_properties(options, kSupported, warnings);
    EXPECT_EQ(properties.size(), 5u);
    EXPECT_EQ(properties.at("PERFORMANCE_HINT").as_string(), "THROUGHPUT");
    EXPECT_EQ(properties.at("INFERENCE_NUM_THREADS").as_int(), 4);
    EXPECT_EQ(properties.at("NUM_STREAMS").as_string(), "2");
    EXPECT_TRUE(properties.at("PERF_COUNT").as_bool());
    EXPECT_EQ(properties.at("CACHE_DIR").as_string(), "cache");
    EXPECT_THAT(warnings, IsEmpty());
    options.streams = "many";
    EXPECT_THROW(make_properties(options, kSupported, warnings), UsageError);
}

TEST(Settings, WarnOfHintsTheDeviceDoesNotHave) {
    Options options;
    options.hint = "latency";
    options.pin = "YES";
    std::vector<std::string> warnings;
    EXPECT_THAT(make_properties(options, {}, warnings), IsEmpty());
    EXPECT_THAT(warnings, ElementsAre("-pin is ignored: CPU has no ENABLE_CPU_PINNING"));
}

TEST(Settings, AreReadFromAndWrittenToJson) {
    const TemporaryFolder folder;
    Options options;
    options.hint = "none";
    options.load_config =
        folder.write("in.json", R"({"CPU": {"NUM_STREAMS": 2, "PERF_COUNT": true, "CACHE_DIR": "x"},
                       "GPU": {"NUM_STREAMS": 9}})");
    options.streams = "3";
    std::vector<std::string> warnings;
    const AnyMap properties = make_properties(options, kSupported, warnings);
    EXPECT_EQ(properties.at("NUM_STREAMS").as_int(), 3);
    EXPECT_TRUE(properties.at("PERF_COUNT").as_bool());
    dump_properties(folder.path("out.json"), "CPU", properties);
    const AnyMap again = load_properties(folder.path("out.json"), "CPU");
    ASSERT_EQ(again.size(), 3u);
    EXPECT_EQ(again.at("CACHE_DIR").as_string(), "x");
    EXPECT_EQ(again.at("NUM_STREAMS").as_int(), 3);
}

TEST(Settings, RefuseBrokenFiles) {
    const TemporaryFolder folder;
    EXPECT_THAT(message_of([&] { load_properties(folder.path("none"), "CPU"); }),
                HasSubstr("cannot be read"));
    const std::string cut = folder.write("cut.json", "{\"CPU\": {");
    EXPECT_THAT(message_of([&] { load_properties(cut, "CPU"); }), HasSubstr("cut.json"));
    const std::string deep = folder.write("deep.json", R"({"CPU": {"A": {"B": 1}}})");
    EXPECT_THAT(message_of([&] { load_properties(deep, "CPU"); }), HasSubstr("a property is"));
}

}  // namespace
}  // namespace fuseq::samples
