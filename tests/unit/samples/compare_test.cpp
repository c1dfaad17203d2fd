// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "common/tool.hpp"
#include "ir/ir.hpp"
#include "unit/samples/run_program.hpp"

namespace fuseq::samples {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Compare, ChangesTheSecondSide) {
    Options options;
    options.model = "int8.xml";
    options.config = {"NUM_STREAMS=1"};
    const Options second =
        options_of_second_side(options, {"FUSEQ_FUSION=NO", "REFERENCE", "float.onnx"});
    EXPECT_EQ(second.model, "float.onnx");
    EXPECT_EQ(second.device, "REFERENCE");
    EXPECT_THAT(second.config, ElementsAre("NUM_STREAMS=1", "FUSEQ_FUSION=NO"));
    EXPECT_THROW(options_of_second_side(options, {"CPU", "REFERENCE"}), UsageError);
    EXPECT_THROW(options_of_second_side(options, {"NUM_STREAMS=2", "a.json"}), UsageError);
}

class CompareTool : public testing::Test {
protected:
    CompareTool() {
        const auto model = Model::from_text(R"(model "bench"
            %x = Parameter : f32[1,64]
            %y = ReLU(%x)
            %r = Result(%y))");
        write_ir(*model, folder_.path("m.xml"));
    }
    static test::Outcome run(const std::vector<std::string>& arguments) {
        return test::run_program(FUSEQ_BIN "/benchmark_app", arguments);
    }
    nlohmann::json json(const std::string& file) const {
        std::ifstream in(folder_.path(file));
        return nlohmann::json::parse(in);
    }
    test::TemporaryFolder folder_;
};

TEST_F(CompareTool, MeasuresBothSidesInTurn) {
    const auto outcome =
        run({"-m", folder_.path("m.xml"), "-api", "sync", "-niter", "60", "-progress",
             "-json_stats", "-report_folder", folder_.path("r"), "-compare", "REFERENCE"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("Progress: [....................] 100 %"));
    EXPECT_THAT(outcome.out, HasSubstr("95 % confidence"));
    const auto report = json("r/benchmark_compare.json");
    EXPECT_EQ(report["first"]["device"], "CPU");
    EXPECT_EQ(report["second"]["device"], "REFERENCE");
    EXPECT_EQ(report["first"]["iterations"], 60);
    EXPECT_EQ(report["second"]["iterations"], 60);
    EXPECT_EQ(report["first"]["ms_of_rounds"].size(), 20u);
    EXPECT_LE(report["ratio"]["low"], report["ratio"]["value"]);
    EXPECT_GE(report["ratio"]["high"], report["ratio"]["value"]);
    const auto wrong =
        run({"-m", folder_.path("m.xml"), "-niter", "60", "-compare", "NUM_STREAM=2"});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_THAT(wrong.err, HasSubstr("'NUM_STREAMS'"));
}

TEST_F(CompareTool, ComparesTwoSavedReports) {
    for (const char* device : {"CPU", "REFERENCE"}) {
        ASSERT_EQ(run({"-m", folder_.path("m.xml"), "-d", device, "-api", "sync", "-niter", "60",
                       "-json_stats", "-report_folder", folder_.path(device)})
                      .status,
                  0);
    }
    const std::string first = folder_.path("CPU/benchmark_report.json");
    const std::string second = folder_.path("REFERENCE/benchmark_report.json");
    const auto outcome = run({"-compare", first, second, "-report_folder", folder_.path("r")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("they differ in device: \"CPU\" and \"REFERENCE\""));
    EXPECT_THAT(outcome.out, HasSubstr("95 % confidence"));
    EXPECT_TRUE(std::ifstream(folder_.path("r/benchmark_compare.csv")).good());
    const auto wrong = run({"-compare", first, folder_.write("no.json", "{}")});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_THAT(wrong.err, HasSubstr("no.json' is no report of benchmark_app"));
}

}  // namespace
}  // namespace fuseq::samples
