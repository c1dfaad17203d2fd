// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The program `benchmark_app` as its users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ir/ir.hpp"
#include "unit/samples/run_program.hpp"

namespace fuseq::samples {
namespace {

using test::Outcome;
using testing::HasSubstr;
using testing::MatchesRegex;

class BenchmarkTool : public testing::Test {
protected:
    BenchmarkTool() {
        const auto model = Model::from_text(R"(model "bench"
            %x = Parameter.1 : f32[1,2,4,4]
            %w = Const.1 value={2,3} : f32[1,2,1,1]
            %y = Convolution.1(%x, %w) strides=[1,1] dilations=[1,1] : f32[1,1,4,4]
            %r = Result.1(%y) : f32[1,1,4,4])");
        write_ir(*model, folder_.path("m.xml"));
    }
    Outcome run(std::vector<std::string> extra, const std::string& device = "REFERENCE") const {
        std::vector<std::string> arguments{"-m", folder_.path("m.xml"), "-d", device};
        arguments.insert(arguments.end(), extra.begin(), extra.end());
        return test::run_program(FUSEQ_BIN "/benchmark_app", arguments);
    }
    std::string text(const std::string& file) const {
        std::ifstream in(folder_.path(file));
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    nlohmann::json json(const std::string& file) const {
        std::ifstream in(folder_.path(file));
        return nlohmann::json::parse(in);
    }
    test::TemporaryFolder folder_;
};

TEST_F(BenchmarkTool, CountsItsOwnMemoryAlone) {
    constexpr std::size_t kMegabytes = 300;
    const std::vector<char> of_the_caller(kMegabytes << 20, 'x');
    // Without a shell between the two.
    const Outcome outcome =
        test::run_program("exec " FUSEQ_BIN "/benchmark_app",
                          {"-m", folder_.path("m.xml"), "-d", "REFERENCE", "-niter", "1", "-api",
                           "sync", "-json_stats", "-report_folder", folder_.path("r")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_LT(json("r/benchmark_report.json")["peak_rss_mb"], kMegabytes);
    EXPECT_EQ(of_the_caller.back(), 'x');
}

// libgomp says on stderr what it read from the environment when the device was loaded.
TEST_F(BenchmarkTool, ThreadsOfTheDeviceSleepSoonUnlessTheUserSaysOtherwise) {
    const std::vector<std::string> arguments{"-m", folder_.path("m.xml"), "-d", "CPU", "-niter",
                                             "1"};
    const auto said = [&](const std::string& environment) {
        return test::run_program(
                   "OMP_DISPLAY_ENV=verbose " + environment + FUSEQ_BIN "/benchmark_app", arguments)
            .err;
    };
    EXPECT_THAT(said("env -u GOMP_SPINCOUNT -u OMP_WAIT_POLICY "),
                HasSubstr("GOMP_SPINCOUNT = '3000'"));
    EXPECT_THAT(said("GOMP_SPINCOUNT=77 "), HasSubstr("GOMP_SPINCOUNT = '77'"));
}

TEST_F(BenchmarkTool, MeasuresOneRequestAfterTheOther) {
    const Outcome outcome = run({"-niter", "60", "-api", "sync", "-nthreads", "1", "-json_stats",
                                 "-report_folder", folder_.path("r")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    for (int step = 1; step <= 11; ++step) {
        EXPECT_THAT(outcome.out, HasSubstr("[Step " + std::to_string(step) + "/11]"));
    }
    EXPECT_THAT(outcome.out, HasSubstr("Convolutions:          0 int8, 0 f32, 1 reference"));
    EXPECT_THAT(outcome.out, HasSubstr("medians of 10 blocks"));
    const auto report = json("r/benchmark_report.json");
    EXPECT_EQ(report["iterations"], 60);
    EXPECT_EQ(report["api"], "sync");
    EXPECT_EQ(report["batch"], 1);
    EXPECT_EQ(report["threads"], 1);
    EXPECT_EQ(report["requests"], 1);
    EXPECT_GT(report["median_ms"], 0.0);
    EXPECT_LE(report["min_ms"], report["median_ms"]);
    EXPECT_LE(report["median_ms"], report["p99_ms"]);
    EXPECT_GT(report["first_inference_ms"], 0.0);
    EXPECT_GT(report["throughput_fps"], 0.0);
}

TEST_F(BenchmarkTool, KeepsRequestsInFlight) {
    const Outcome outcome = run({"-niter",
                                 "101",
                                 "-nireq",
                                 "4",
                                 "-b",
                                 "3",
                                 "-report_folder",
                                 folder_.path("r"),
                                 "-json_stats",
                                 "-report_type",
                                 "average_counters",
                                 "-pc",
                                 "-pcsort",
                                 "sort",
                                 "-exec_graph_path",
                                 folder_.path("graph.json"),
                                 "-dump_config",
                                 folder_.path("config.json"),
                                 "-inference_only",
                                 "false"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto report = json("r/benchmark_report.json");
    EXPECT_EQ(report["iterations"], 101);
    EXPECT_EQ(report["requests"], 4);
    EXPECT_EQ(report["batch"], 3);
    EXPECT_EQ(json("r/benchmark_average_counters_report.json")[0]["type"], "Convolution");
    EXPECT_EQ(json("graph.json")["steps"][0]["kind"], "Convolution");
    EXPECT_EQ(json("config.json")["REFERENCE"]["PERF_COUNT"], "YES");
    EXPECT_THAT(outcome.out, HasSubstr("Total time of the layers"));
    ASSERT_EQ(run({"-niter", "3", "-exec_graph_path", folder_.path("graph.xml")}).status, 0);
    EXPECT_THAT(text("graph.xml"), HasSubstr("type=\"Convolution\""));
    EXPECT_THAT(text("graph.xml"), testing::ContainsRegex("execTimeMcs=\"[0-9]+\""));
    EXPECT_EQ(run({"-niter", "2", "-load_config", folder_.path("config.json")}).status, 0);
}

TEST_F(BenchmarkTool, StopsAfterItsTimeAndHoldsItsRate) {
    const Outcome outcome = run({"-t", "0.3", "-max_irate", "50", "-json_stats", "-report_folder",
                                 folder_.path("r"), "-no_warmup"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto report = json("r/benchmark_report.json");
    EXPECT_GE(report["iterations"], 2);
    EXPECT_LE(report["iterations"], 17);  // 0.3 s at 50 a second, and the two at its ends
}

TEST_F(BenchmarkTool, RunsOpenShapesWithTheDataGiven) {
    const Outcome outcome = run({"-niter", "10", "-shape", "[1,2,?,?]", "-data_shape",
                                 "x[1,2,4,4][1,2,8,8]", "-pcseq", "-api", "sync"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("[1,2,4,4]: 5 iterations"));
    EXPECT_THAT(outcome.out, HasSubstr("[1,2,8,8]: 5 iterations"));
    const Outcome refused = run({"-niter", "1", "-shape", "[1,2,?,?]"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("give -data_shape, -shape or files"));
}

// There the report exists after the first inference only.
TEST_F(BenchmarkTool, RunsOpenShapesOnTheCpu) {
    const Outcome outcome =
        run({"-niter", "4", "-shape", "[1,2,?,?]", "-data_shape", "x[1,2,4,4][1,2,8,8]", "-pcseq",
             "-api", "sync", "-exec_graph_path", folder_.path("graph.json")},
            "CPU");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("[1,2,8,8]: 2 iterations"));
    EXPECT_THAT(outcome.out, HasSubstr("Convolutions:          0 int8, 1 f32, 0 reference"));
    EXPECT_THAT(json("graph.json")["steps"].dump(), HasSubstr(R"("kind":"convolution")"));
}

TEST_F(BenchmarkTool, ConvertsAndWarns) {
    const Outcome outcome = run(
        {"-niter", "2", "-ip", "u8", "-op", "f16", "-mean_values", "[1,2]", "-c", "kernels.xml"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("[ WARNING ] -c is ignored"));
}

TEST_F(BenchmarkTool, CompilesStraightFromTheFile) {
    EXPECT_EQ(run({"-niter", "2", "-load_from_file"}).status, 0);
}

TEST_F(BenchmarkTool, NamesACompiledModelThatItCannotRead) {
    const std::string path = folder_.path("m.blob");
    std::ofstream(path) << "not a compiled model";
    const auto run_blob = [](const std::string& blob) {
        return test::run_program(FUSEQ_BIN "/benchmark_app", {"-m", blob, "-niter", "1"});
    };
    const Outcome foreign = run_blob(path);
    EXPECT_EQ(foreign.status, 1);
    EXPECT_EQ(foreign.err,
              "error: import '" + path + "': the compiled model was not made by this library\n");
    const Outcome missing = run_blob(path + "x.blob");
    EXPECT_EQ(missing.status, 1);
    EXPECT_EQ(missing.err, "error: import '" + path + "x.blob': there is no such file\n");
}

TEST_F(BenchmarkTool, TellsWrongUsageAndErrorsApart) {
    const Outcome usage = run({"-api", "fast"});
    EXPECT_EQ(usage.status, 2);
    EXPECT_THAT(usage.err, MatchesRegex("error: [^\n]*api[^\n]*\n"));
    const Outcome error = run({"-niter", "1", "-shape", "[1,3,4,4]"});
    EXPECT_EQ(error.status, 1);
    EXPECT_THAT(error.err, MatchesRegex("error: [^\n]*'y'[^\n]*\n"));
}

}  // namespace
}  // namespace fuseq::samples
