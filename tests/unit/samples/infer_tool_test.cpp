// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The program `infer` as its users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/npy.hpp"
#include "ir/ir.hpp"
#include "unit/samples/run_program.hpp"

namespace fuseq::samples {
namespace {

using test::Outcome;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;

// Quantizes, halves, splits in two; the second half of the Split is not an output.
constexpr const char* kModel = R"(model "tool"
    %in/x = Parameter.1 : f32[1,4]
    %low = Const.1 value={0} : f32[]
    %high = Const.1 value={255} : f32[]
    %fq:0 = FakeQuantize.1(%in/x, %low, %high, %low, %high) levels=256 : f32[1,4]
    %half = Const.1 value={0.5} : f32[]
    %y = Multiply.1(%fq:0, %half) : f32[1,4]
    %r = Result.1(%y) : f32[1,4])";

class InferTool : public testing::Test {
protected:
    InferTool() {
        std::string text = kModel;
        // A name with a character that file names do not keep.
        for (std::size_t at = 0; (at = text.find("%fq:0", at)) != std::string::npos;) {
            text.replace(at, 5, "%\"fq:0\"");
        }
        write_ir(*Model::from_text(text), folder_.path("m.xml"));
        write_npy(folder_.path("in_x.npy"), Tensor::of<std::uint8_t>({1, 4}, {1, 2, 3, 200}));
    }
    Outcome run(std::vector<std::string> arguments) const {
        return test::run_program(FUSEQ_BIN "/infer", arguments);
    }
    std::vector<std::string> usual() const {
        return {"-m", folder_.path("m.xml"), "-i", folder_.path("."),
                "-o", folder_.path("out"),   "-d", "REFERENCE"};
    }
    // One line, beginning with error: .
    static void expect_error(const Outcome& outcome, int status, const std::string& text) {
        EXPECT_EQ(outcome.status, status) << outcome.err;
        EXPECT_THAT(outcome.err, MatchesRegex("error: [^\n]*\n"));
        EXPECT_THAT(outcome.err, HasSubstr(text));
    }

    test::TemporaryFolder folder_;
};

TEST_F(InferTool, WritesOutputsAndIntermediates) {
    auto arguments = usual();
    arguments.insert(arguments.end(),
                     {"-dump", folder_.path("dump"), "-add_output", "fq:0", "-nthreads", "1"});
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const Tensor y = read_npy(folder_.path("out/y.npy"));
    EXPECT_EQ(y.get_shape(), (Shape{1, 4}));
    EXPECT_THAT(to_floats(y), ElementsAre(0.5f, 1, 1.5f, 100));
    EXPECT_THAT(to_floats(read_npy(folder_.path("out/fq_0.npy"))), ElementsAre(1, 2, 3, 200));
    EXPECT_THAT(to_floats(read_npy(folder_.path("dump/fq_0.npy"))), ElementsAre(1, 2, 3, 200));
}

TEST_F(InferTool, WritesIntermediatesAlone) {
    const Outcome outcome = run({"-m", folder_.path("m.xml"), "-i", folder_.path("."), "-d",
                                 "REFERENCE", "-dump", folder_.path("dump")});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(to_floats(read_npy(folder_.path("dump/fq_0.npy"))), ElementsAre(1, 2, 3, 200));
}

// out = v + x; v = out
TEST_F(InferTool, RunsSeveralTimesWithVariables) {
    write_ir(*Model::from_text(R"(
        %x = Parameter : f32[2]
        %v = ReadValue.6 variable_id="v" variable_type=f32 variable_shape=[2]
        %sum = Add(%v, %x)
        %keep = Assign.6(%sum) variable_id="v"
        %out = Result(%sum))"),
             folder_.path("state.xml"));
    for (const char* name : {"a", "b"}) {
        std::filesystem::create_directory(folder_.path(name));
        write_npy(folder_.path(name) + std::string("/x.npy"), Tensor::of<float>({2}, {1, 2}));
    }
    std::vector<std::string> arguments = {"-m", folder_.path("state.xml"), "-i", folder_.path("a"),
                                          "-i", folder_.path("b"),         "-i", folder_.path("a"),
                                          "-o", folder_.path("runs")};
    const auto sums = [&] {
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return to_floats(read_npy(folder_.path("runs/2/sum.npy")));
    };
    EXPECT_THAT(sums(), ElementsAre(3, 6));
    EXPECT_THAT(to_floats(read_npy(folder_.path("runs/0/sum.npy"))), ElementsAre(1, 2));
    arguments.emplace_back("-reset_state");
    EXPECT_THAT(sums(), ElementsAre(1, 2));
}

TEST_F(InferTool, ShowsItsOptions) {
    const Outcome outcome = run({"-h"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("--add_output"));
}

TEST_F(InferTool, RefusesAMissingInput) {
    std::filesystem::remove(folder_.path("in_x.npy"));
    expect_error(run(usual()), 1, "input 'in/x': there is no 'in_x.npy'");
}

TEST_F(InferTool, RefusesAWrongShape) {
    write_npy(folder_.path("in_x.npy"), Tensor(ElementType::f32, {1, 5}));
    expect_error(run(usual()), 1, "input 'in/x': got shape [1,5], expected [1,4]");
}

TEST_F(InferTool, RefusesAFileThatIsCut) {
    folder_.write("in_x.npy", "\x93NUMPY");
    expect_error(run(usual()), 1, "in_x.npy': this is no .npy file");
}

TEST_F(InferTool, RefusesAModelThatIsNotThere) {
    auto arguments = usual();
    arguments[1] = folder_.path("none.xml");
    expect_error(run(arguments), 1, "none.xml");
}

TEST_F(InferTool, RefusesAnUnknownDevice) {
    auto arguments = usual();
    arguments[7] = "ABACUS";
    expect_error(run(arguments), 1, "there is no device 'ABACUS'");
}

TEST_F(InferTool, RefusesAnUnknownLayer) {
    auto arguments = usual();
    arguments.insert(arguments.end(), {"-add_output", "nobody"});
    expect_error(run(arguments), 1, "no layer or tensor 'nobody'");
}

TEST_F(InferTool, TellsWrongUsage) {
    expect_error(run({}), 2, "-m is required");
    expect_error(run({"-m"}), 2, "-m");
    expect_error(run({"-m", folder_.path("m.xml"), "-i", folder_.path(".")}), 2,
                 "nothing would be told");
    auto arguments = usual();
    arguments.emplace_back("-colour");
    expect_error(run(arguments), 2, "colour");
    arguments.back() = "-nthreads";
    arguments.emplace_back("many");
    expect_error(run(arguments), 2, "nthreads");
}

}  // namespace
}  // namespace fuseq::samples
