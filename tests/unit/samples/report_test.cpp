// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/small_model.hpp"

namespace fuseq::samples {
namespace {

using test::TemporaryFolder;
using testing::HasSubstr;

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST(Report, CountsConvolutionsByTheirImplementation) {
    const auto count = count_convolutions(R"({"steps": [
        {"kind": "Convolution", "implementation": "jit_int8:avx512", "src_type": "u8"},
        {"kind": "group_convolution", "implementation": "brgconv", "src_type": "i8"},
        {"kind": "ConvolutionBackpropData", "implementation": "jit", "src_type": "f32"},
        {"kind": "Convolution", "implementation": "ref_int8:any", "src_type": "u8"},
        {"kind": "Convolution", "implementation": "reference", "src_type": "f32"},
        {"kind": "MatMul", "implementation": "jit", "src_type": "u8"},
        {"kind": "Convolution"}, 5]})");
    ASSERT_TRUE(count);
    EXPECT_EQ(count->int8, 2u);
    EXPECT_EQ(count->f32, 2u);
    EXPECT_EQ(count->reference, 2u);
    EXPECT_FALSE(count_convolutions(""));
    EXPECT_FALSE(count_convolutions("{}"));
    EXPECT_FALSE(count_convolutions("[1]"));
}

Report some_report() {
    Report report;
    report.model = "m.xml";
    report.device = "CPU";
    report.api = "sync";
    report.batch = 2;
    report.threads = "1";
    report.streams = "AUTO";
    report.iterations = 50;
    report.latencies = summarize({1, 2, 3, 4}, 75);
    report.throughput_fps = 100;
    return report;
}

TEST(Report, WritesTheFieldsOfItsContract) {
    const TemporaryFolder folder;
    Report report = some_report();
    write_report(folder.path("new"), report, true);
    const auto json = nlohmann::json::parse(text_of(folder.path("new/benchmark_report.json")));
    for (const char* field :
         {"model", "device", "api", "batch", "threads", "streams", "instructions", "requests",
          "iterations", "read_ms", "compile_ms", "first_inference_ms", "min_ms", "median_ms",
          "p90_ms", "p99_ms", "throughput_fps", "peak_rss_mb", "loaded_from_cache"}) {
        EXPECT_TRUE(json.contains(field)) << field;
    }
    EXPECT_EQ(json["threads"], 1);
    EXPECT_EQ(json["streams"], "AUTO");
    EXPECT_EQ(json["median_ms"], 2.0);
    EXPECT_FALSE(json.contains("convolutions"));
    report.convolutions = ConvolutionCount{5, 1, 0};
    write_report(folder.path("new"), report, false);
    const std::string csv = text_of(folder.path("new/benchmark_report.csv"));
    EXPECT_THAT(csv, HasSubstr("name;value\nmodel;m.xml\ndevice;CPU\n"));
    EXPECT_THAT(csv, HasSubstr("convolutions.int8;5\n"));
}

TEST(Report, PrintsWhatMatters) {
    std::ostringstream out;
    Console console(out);
    Report report = some_report();
    report.convolutions = ConvolutionCount{12, 1, 0};
    print_report(console, report, 75);
    for (const char* line :
         {"Convolutions:          12 int8, 1 f32, 0 reference", "75th percentile:    3.000 ms",
          "Median:             2.000 ms", "Throughput:            100.00 FPS",
          "Noise:                 too few inferences to tell"}) {
        EXPECT_THAT(out.str(), HasSubstr(line));
    }
    EXPECT_GT(peak_rss_mb(), 1);
}

TEST(Report, WritesCounters) {
    const TemporaryFolder folder;
    const std::vector<std::vector<ProfilingInfo>> runs{
        {{"a", "Convolution", "jit", 1000}, {"b", "ReLU", "ref", 0}},
        {{"a", "Convolution", "jit", 3000}, {"b", "ReLU", "ref", 500}}};
    write_counters(folder.path("."), "average_counters", runs, true);
    const auto json =
        nlohmann::json::parse(text_of(folder.path("benchmark_average_counters_report.json")));
    ASSERT_EQ(json.size(), 2u);
    EXPECT_EQ(json[0]["real_ms"], 2.0);
    write_counters(folder.path("."), "detailed_counters", runs, false);
    EXPECT_EQ(text_of(folder.path("benchmark_detailed_counters_report.csv")),
              "request;layerName;layerType;execType;realTime (ms)\n"
              "0;a;Convolution;jit;1.000\n0;b;ReLU;ref;0.000\n"
              "1;a;Convolution;jit;3.000\n1;b;ReLU;ref;0.500\n");
    std::ostringstream out;
    print_counters(out,
                   {{"b", "ReLU", "ref", 0}, {"c", "Add", "x", 1}, {"a", "Convolution", "j", 3}},
                   "simple_sort");
    EXPECT_LT(out.str().find("Convolution"), out.str().find("Add"));
    EXPECT_EQ(out.str().find("ReLU"), std::string::npos);
    EXPECT_THAT(out.str(), HasSubstr("75.0 %"));
}

}  // namespace
}  // namespace fuseq::samples
