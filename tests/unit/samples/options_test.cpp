// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "common/tool.hpp"

namespace fuseq::samples {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Options parse(const std::string& text) {
    std::vector<std::string> words{"benchmark_app"};
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    std::vector<const char*> argv;
    for (const std::string& word : words) {
        argv.push_back(word.c_str());
    }
    Options options;
    EXPECT_TRUE(parse_options(options, static_cast<int>(argv.size()), argv.data()));
    return options;
}

std::string refusal(const std::string& text) {
    try {
        parse(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Options, TakeEveryNameOfOpenVinosTool) {
    const Options options = parse(
        "-m x.xml -i a.npy b.npy -d REFERENCE -hint none -niter 200 -t 3 -max_irate 50 -b 2 "
        "-shape [1,3,?,?] -data_shape [1,3,8,8] -layout [NCHW] -cache_dir c -api async -nireq 4 "
        "-nstreams 2 -inference_only false -infer_precision f32 -no_warmup -ip u8 -op f16 "
        "-iop a:u8 -mean_values [1] -scale_values [2] -nthreads 1 -pin YES "
        "-latency_percentile 95 -report_type average_counters -report_folder r -json_stats -pc "
        "-pcsort sort -pcseq -exec_graph_path g.json -dump_config d.json -load_config l.json "
        "-config A=B -progress");
    EXPECT_EQ(options.model, "x.xml");
    EXPECT_THAT(options.inputs, ElementsAre("a.npy", "b.npy"));
    EXPECT_EQ(options.device, "REFERENCE");
    EXPECT_EQ(options.iterations, 200);
    EXPECT_EQ(options.seconds, 3);
    EXPECT_EQ(options.max_rate, 50);
    EXPECT_EQ(options.batch, 2);
    EXPECT_EQ(options.shape, "[1,3,?,?]");
    EXPECT_EQ(options.data_shape, "[1,3,8,8]");
    EXPECT_EQ(options.layout, "[NCHW]");
    EXPECT_EQ(options.cache_dir, "c");
    EXPECT_EQ(options.requests, 4);
    EXPECT_EQ(options.streams, "2");
    EXPECT_EQ(options.inference_only, "false");
    EXPECT_EQ(options.inference_precision, "f32");
    EXPECT_TRUE(options.no_warmup);
    EXPECT_EQ(options.input_precision + options.output_precision + options.tensor_precision,
              "u8f16a:u8");
    EXPECT_EQ(options.threads, 1);
    EXPECT_EQ(options.pin, "YES");
    EXPECT_EQ(options.percentile, 95);
    EXPECT_EQ(options.report_type, "average_counters");
    EXPECT_EQ(options.report_folder, "r");
    EXPECT_TRUE(options.json_stats && options.counters && options.per_shape);
    EXPECT_EQ(options.counter_order, "sort");
    EXPECT_EQ(options.exec_graph + options.dump_config + options.load_config, "g.jsond.jsonl.json");
    EXPECT_THAT(options.config, ElementsAre("A=B"));
    EXPECT_TRUE(options.progress);
    EXPECT_TRUE(options.warnings.empty());
}

TEST(Options, FollowTheHint) {
    EXPECT_EQ(parse("-m x").api, "async");
    EXPECT_EQ(parse("-m x").hint, "throughput");
    EXPECT_EQ(parse("-m x").seconds, 60);
    EXPECT_EQ(parse("-m x -niter 5").seconds, 0);
    EXPECT_EQ(parse("-m x -hint latency").api, "sync");
    EXPECT_EQ(parse("-m x -api sync").hint, "latency");
    EXPECT_EQ(parse("-m x -hint ctput").hint, "throughput");
    EXPECT_EQ(parse("-m x -nstreams 2").hint, "none");
}

TEST(Options, WarnOfWhatOnlyGpusHave) {
    const Options options = parse("-m x -c kernels.xml -use_device_mem");
    EXPECT_THAT(options.warnings,
                ElementsAre(HasSubstr("-c is ignored"), HasSubstr("-use_device_mem is ignored")));
}

TEST(Options, RefuseWrongUsage) {
    EXPECT_THAT(refusal(""), HasSubstr("-m is required"));
    EXPECT_EQ(refusal("-m x -niter none"), "-niter: 'none' is not a number above 0");
    EXPECT_EQ(refusal("-m x -niter 0"), "-niter: '0' is not a number above 0");
    EXPECT_EQ(refusal("-m x -nthreads -3"), "-nthreads: '-3' is not a number from 0");
    EXPECT_THAT(refusal("-m x -niter 1.5"), HasSubstr("niter"));
    EXPECT_THAT(refusal("-m x -t inf"), HasSubstr("-t: 'inf' is not a number above 0"));
    EXPECT_THAT(refusal("-m x -api fast"), HasSubstr("api"));
    EXPECT_THAT(refusal("-m x -latency_percentile 101"), HasSubstr("latency_percentile"));
    EXPECT_THAT(refusal("-m x -colour red"), HasSubstr("colour"));
    EXPECT_THAT(refusal("-m x -nitter 5"),
                HasSubstr("there is no option '-nitter'; did you mean '-niter'?"));
    EXPECT_THAT(refusal("-m x -api fast"), HasSubstr("-api: 'fast' is not one of sync, async"));
    EXPECT_THAT(refusal("-m x -ap sync"), HasSubstr("'-ap'; did you mean '-api'?"));
    EXPECT_THAT(refusal("-compare a.json"), HasSubstr("-m is required"));
    EXPECT_THAT(refusal("-m x -extensions l.so"), HasSubstr("not supported"));
    EXPECT_THAT(refusal("-m x -api sync -nireq 4"), HasSubstr("-nireq needs -api async"));
    EXPECT_THAT(refusal("-m x -load_from_file -b 2"), HasSubstr("-load_from_file"));
    EXPECT_THAT(refusal("-m x -load_from_file -ip u8"), HasSubstr("-load_from_file"));
}

}  // namespace
}  // namespace fuseq::samples
