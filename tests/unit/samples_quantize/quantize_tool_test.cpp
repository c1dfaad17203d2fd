// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The program `quantize` as its users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "common/npy.hpp"
#include "fuseq/core.hpp"
#include "ir/ir.hpp"
#include "unit/samples/run_program.hpp"

namespace fuseq::samples {
namespace {

using test::Outcome;
using testing::HasSubstr;

constexpr const char* kModel = R"(model "tool"
    %image = Parameter : f32[1,3,8,8]
    %w1 = Const value=random(1) : f32[8,3,3,3]
    %conv1 = Convolution(%image, %w1) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %relu = ReLU(%conv1)
    %w2 = Const value=random(2) : f32[4,8,1,1]
    %conv2 = Convolution(%relu, %w2) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
    %r = Result(%conv2))";

class QuantizeTool : public testing::Test {
protected:
    QuantizeTool() {
        write_ir(*Model::from_text(kModel), path("m.xml"));
        for (int i = 0; i < 4; ++i) {
            const std::string folder = path("data/" + std::to_string(i));
            std::filesystem::create_directories(folder);
            Tensor image(ElementType::u8, {1, 3, 8, 8});
            for (std::size_t at = 0; at < image.get_size(); ++at) {
                image.data<std::uint8_t>()[at] = static_cast<std::uint8_t>(37 * (at + 5 * i) % 251);
            }
            write_npy(folder + "/image.npy", image);
        }
    }
    std::string path(const std::string& file) const { return folder_.path(file); }
    // With -m.
    Outcome run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"-m", path("m.xml")});
        return test::run_program(FUSEQ_BIN "/quantize", arguments);
    }
    std::string text(const std::string& file) const {
        std::ifstream in(path(file));
        return {std::istreambuf_iterator<char>(in), {}};
    }
    bool exists(const std::string& file) const { return std::filesystem::exists(path(file)); }

    test::TemporaryFolder folder_;
};

TEST_F(QuantizeTool, WritesModelProfileAndReport) {
    const Outcome outcome = run({"-i", path("data"), "-o", path("q.xml"), "-dump_profile",
                                 path("p.yaml"), "-report", path("r.json")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
                HasSubstr("2 of 2 layers that can be quantized are, by 2 FakeQuantize"));
    const auto model = Core().read_model(path("q.xml"));
    EXPECT_EQ(model->find_all("FakeQuantize").size(), 2U);
    const auto report = nlohmann::json::parse(text("r.json"));
    EXPECT_EQ(report.at("totals").at("quantized"), 2);
    EXPECT_EQ(report.at("layers")[0].at("precision"), "Int8");
    EXPECT_EQ(report.at("layers")[1].at("name"), "conv2");
    EXPECT_THAT(text("p.yaml"), HasSubstr("Inputs: 4\n"));
}

// Glow's spellings, from the profile alone.
TEST_F(QuantizeTool, TakesTheSeedsOptions) {
    ASSERT_EQ(run({"-i", path("data"), "-dump-profile=" + path("p.yaml")}).status, 0);
    const Outcome outcome =
        run({"-load-profile=" + path("p.yaml"), "-o", path("q.xml"), "-report", path("r.json"),
             "-quantization-schema=symmetric_with_uint8", "-quantization-precision=Int16",
             "-quantization-precision-bias=Int32", "-quantization-calibration=none",
             "-keep-original-precision-for-nodes=conv1,Add*,ReLU"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("no layer and no kind 'Add*'"));
    EXPECT_FALSE(exists("q.xml"));
    const Outcome good =
        run({"-load-profile=" + path("p.yaml"), "-o", path("q.xml"), "-report", path("r.json"),
             "-quantization-schema=symmetric_with_uint8", "-quantization-precision=Int16",
             "-keep-original-precision-for-nodes=conv1,re?u", "-enable-rowwise",
             "-enable-channelwise", "-num-histogram-bins=1024", "-ir_version=10"});
    ASSERT_EQ(good.status, 0) << good.err;
    EXPECT_THAT(good.out, HasSubstr("kept in float: 'conv1'"));
    EXPECT_THAT(good.out, HasSubstr("float: Convolution 'conv1': kept in its original precision"));
    const auto report = nlohmann::json::parse(text("r.json"));
    EXPECT_EQ(report.at("options").at("quantization_schema"), "symmetric_with_uint8");
    EXPECT_EQ(report.at("layers")[1].at("precision"), "Int16");
    EXPECT_THAT(text("q.xml"), HasSubstr("version=\"10\""));
}

TEST_F(QuantizeTool, JudgesOnHeldBackInputs) {
    for (int i = 4; i < 7; ++i) {
        std::filesystem::copy(path("data/1"), path("data/" + std::to_string(i)));
    }
    const Outcome outcome =
        run({"-i", path("data"), "-o", path("q.xml"), "-report", path("r.json"), "-everything"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, testing::ContainsRegex("equalization of 1 tensors: .* dB to .* dB"));
    const auto report = nlohmann::json::parse(text("r.json"));
    EXPECT_EQ(report.at("steps")[0].at("name"), "equalization of 1 tensors");
    EXPECT_EQ(report.at("options").at("quantization_calibration"), "best");
}

TEST_F(QuantizeTool, HoldsABound) {
    for (int i = 4; i < 7; ++i) {
        std::filesystem::copy(path("data/1"), path("data/" + std::to_string(i)));
    }
    const std::vector<std::string> common{"-i",          path("data"), "-o",
                                          path("q.xml"), "-report",    path("r.json")};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), common.begin(), common.end());
        return run(more);
    };
    const Outcome sqnr = with({"-max_drop", "SQNR=100"});
    ASSERT_EQ(sqnr.status, 0) << sqnr.err;
    EXPECT_THAT(sqnr.out, HasSubstr("with 2 of 2 layers returned to float"));
    const auto report = nlohmann::json::parse(text("r.json"));
    EXPECT_EQ(report.at("ranking").size(), 2U);
    EXPECT_EQ(report.at("options").at("max_drop").at("metric"), "SQNR");
    // The command gets the model's file; it prints the same number for both.
    const Outcome command =
        with({"-max_drop", "command=0", "-metric_command", "echo measured; grep -c layers"});
    ASSERT_EQ(command.status, 0) << command.err;
    EXPECT_THAT(command.out, HasSubstr("with 0 of 2 layers returned to float"));
    EXPECT_THAT(with({"-max_drop", "command=0", "-metric_command", "echo no number; true"}).err,
                HasSubstr("printed 'no number' on its last line, which is no number"));
    EXPECT_THAT(with({"-max_drop", "command=0", "-metric_command", "false"}).err,
                HasSubstr("failed"));
    EXPECT_EQ(with({"-max_drop", "command=0"}).status, 2);
    EXPECT_EQ(with({"-max_drop", "SQNR"}).status, 2);
    EXPECT_THAT(with({"-max_drop", "psnr=3"}).err, HasSubstr("there is no metric 'psnr'"));
}

TEST_F(QuantizeTool, GoesOnWithAProfile) {
    ASSERT_EQ(run({"-i", path("data"), "-n", "2", "-dump_profile", path("p.yaml")}).status, 0);
    EXPECT_THAT(text("p.yaml"), HasSubstr("Inputs: 2\n"));
    ASSERT_EQ(run({"-i", path("data"), "-resume", "-dump_profile", path("p.yaml")}).status, 0);
    ASSERT_EQ(run({"-i", path("data"), "-dump_profile", path("whole.yaml")}).status, 0);
    EXPECT_EQ(text("p.yaml"), text("whole.yaml"));
}

TEST_F(QuantizeTool, SaysWhatIsWrongAndWritesNothing) {
    const auto error = [&](const std::vector<std::string>& arguments, int status) {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, status) << outcome.err;
        EXPECT_FALSE(exists("q.xml"));
        return outcome.err;
    };
    EXPECT_THAT(error({"-o", path("q.xml")}, 2), HasSubstr("there is no calibration data"));
    EXPECT_THAT(error({"-i", path("none"), "-o", path("q.xml")}, 1),
                HasSubstr("there is no folder"));
    EXPECT_THAT(error({"-i", path("data")}, 2), HasSubstr("nothing would be written"));
    EXPECT_THAT(error({"-i", path("data"), "-o", path("q.xml"), "-quantization_schema", "odd"}, 1),
                HasSubstr("there is no schema 'odd'"));
    EXPECT_THAT(error({"-i", path("data"), "-o", path("no_folder/q.xml")}, 1),
                HasSubstr("cannot be created"));
    EXPECT_THAT(error({"-i", path("data"), "-o", path("q.xml"), "-report", path("none/r.json")}, 1),
                HasSubstr("r.json' cannot be created: there is no folder"));
    Tensor broken(ElementType::f32, {1, 3, 8, 8});
    broken.data<float>()[7] = NAN;
    write_npy(path("data/2/image.npy"), broken);
    EXPECT_THAT(error({"-i", path("data"), "-o", path("q.xml")}, 1),
                testing::AllOf(HasSubstr("'image'"),
                               HasSubstr("input 2 ('" + path("data/2") + "'): has the value nan")));
    write_npy(path("data/2/image.npy"), Tensor(ElementType::f32, {1, 3, 8, 9}));
    EXPECT_THAT(error({"-i", path("data"), "-o", path("q.xml")}, 1), HasSubstr("[1,3,8,9]"));
    std::filesystem::remove(path("data/2/image.npy"));
    write_npy(path("data/2/other.npy"), broken);
    EXPECT_THAT(error({"-i", path("data"), "-o", path("q.xml")}, 1),
                HasSubstr("there is no 'image.npy'"));
}

}  // namespace
}  // namespace fuseq::samples
