// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The program `explain` as its users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ir.hpp"
#include "unit/samples/run_program.hpp"

namespace fuseq::samples {
namespace {

using test::Outcome;
using testing::HasSubstr;
using testing::Not;

// A Reshape to two rows fits images of an even width only.
class ExplainTool : public testing::Test {
protected:
    ExplainTool() {
        const auto model = Model::from_text(R"(model "open"
            %in/x = Parameter.1 : f32[?,2,4,?]
            %w = Const.1 value={2,3} : f32[1,2,1,1]
            %y = Convolution.1(%in/x, %w) strides=[1,1] dilations=[1,1]
            %p = Const.1 value={2,-1} : i64[2]
            %z = Reshape.1(%y, %p)
            %r = Result.1(%z))");
        write_ir(*model, folder_.path("m.xml"));
    }
    Outcome run(std::vector<std::string> extra) const {
        std::vector<std::string> arguments{"-m", folder_.path("m.xml")};
        arguments.insert(arguments.end(), extra.begin(), extra.end());
        return test::run_program(FUSEQ_BIN "/explain", arguments);
    }
    test::TemporaryFolder folder_;
};

TEST_F(ExplainTool, AsksForTheShapesOfOpenInputs) {
    const Outcome outcome = run({});
    EXPECT_NE(outcome.status, 0);
    EXPECT_EQ(outcome.err,
              "error: explain: input 'in/x' has open dimensions [?,2,4,?]; a report is about known "
              "sizes: give them with -shape\n");
}

TEST_F(ExplainTool, ReportsOfAShape) {
    const Outcome outcome = run({"-shape", "[1,2,4,6]", "-profile", "-niter", "2"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("convolutions and matmuls    0 int8, 1 float"));
    EXPECT_THAT(outcome.out, HasSubstr("one inference, median"));
    const Outcome named = run({"-shape", "in/x[2,2,4,6]"});
    ASSERT_EQ(named.status, 0) << named.err;
}

TEST_F(ExplainTool, ShowsLawsWhenAsked) {
    EXPECT_THAT(run({"-shape", "[1,2,4,6]", "-laws"}).out,
                HasSubstr("no law of the composer had anything to do"));
    EXPECT_THAT(run({"-shape", "[1,2,4,6]"}).out, Not(HasSubstr("no law")));
}

TEST_F(ExplainTool, RefusesShapesThatDoNotFit) {
    EXPECT_THAT(run({"-shape", "[1,3,4,6]"}).err, HasSubstr("error: "));
    EXPECT_THAT(run({"-shape", "y[1,2,4,6]"}).err, HasSubstr("-shape: "));
    EXPECT_THAT(run({"-shape", "[1,2,4,x]"}).err, HasSubstr("-shape: "));
    EXPECT_THAT(run({"-shape", "[1,2,4,?]"}).err, HasSubstr("has open dimensions [1,2,4,?]"));
}

}  // namespace
}  // namespace fuseq::samples
