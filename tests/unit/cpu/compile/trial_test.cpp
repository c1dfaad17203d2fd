// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/compile/transformed.hpp"
#include "fuseq/error.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

// Keeps what its plans refer to.
class Made {
public:
    explicit Made(const std::string& text)
        : transformed_(transform_for_cpu(*Model::from_text(text), config_)) {}
    Plan plan() const {
        return make_plan(*transformed_.model, transformed_.ranges, build_options(config_));
    }
    Trial trial() const { return {plan(), *transformed_.model}; }
    const Model& model() const { return *transformed_.model; }

private:
    Config config_;
    Transformed transformed_;
};

// Byte for byte, of models of one output.
bool same_outputs(const Trial& a, const Trial& b) {
    return same_bytes(a.output(0), b.output(0));
}

std::string scaled(const std::string& by) {
    return "model \"m\"\n%x = Parameter : f32[2,3,4]\n%k = Const value={" + by +
           "} : f32[]\n%y = Multiply(%x, %k)\n%r = Result(%y)\n";
}

std::string convolution() {
    return "model \"m\"\n%x = Parameter : f32[1,16,20,20]\n" + testing::quantized("x") +
           testing::quantized_convolution("q", "24,16,3,3", "1") + "%r = Result(%c)\n";
}

TEST(Trial, HasTheSameInputEachTime) {
    const Made made(scaled("3"));
    Trial a = made.trial();
    Trial b = made.trial();
    a.run();
    b.run();
    EXPECT_TRUE(same_outputs(a, b));
    // Not all zero, or implementations would agree that do not.
    const std::vector<float> values = to_floats(a.output(0));
    EXPECT_NE(*std::min_element(values.begin(), values.end()),
              *std::max_element(values.begin(), values.end()));
}

TEST(Trial, OneOtherByteIsAnotherOutput) {
    const Made made(scaled("3"));
    const Made other(scaled("3.0000002"));
    Trial a = made.trial();
    Trial b = other.trial();
    a.run();
    b.run();
    EXPECT_FALSE(same_outputs(a, b));
}

// Integers that index something are 0 or 1.
TEST(Trial, IndicesAreSmall) {
    const Made made(R"(model "m"
        %x = Parameter : f32[2,5]
        %i = Parameter : i64[7]
        %a = Const value={0} : i64[]
        %y = Gather.8(%x, %i, %a)
        %b = Parameter : u8[9]
        %z = Convert(%b) destination_type=f32
        %r = Result(%y)
        %s = Result(%z))");
    Trial trial = made.trial();
    trial.run();
    EXPECT_EQ(trial.output(0).get_shape(), (Shape{7, 5}));
    for (const float v : to_floats(trial.output(1))) {
        EXPECT_TRUE(v == 0.0f || v == 1.0f) << v;
    }
}

TEST(Trial, ThrowsWhatAnOperationSaysOfTheInput) {
    const Made made(R"(model "m"
        %x = Parameter : f32[3,4,5]
        %h = Parameter : f32[3,1,2]
        %l = Parameter : i32[3]
        %w = Const value=random(1) : f32[1,6,5]
        %u = Const value=random(2) : f32[1,6,2]
        %b = Const value=random(3) : f32[1,6]
        %d = Const value={4} : i32[]
        %far = Multiply(%l, %d)
        %more = Add(%far, %d)
        %y = GRUSequence(%x, %h, %more, %w, %u, %b) hidden_size=2 direction=forward
        %r = Result(%y:0))");
    Trial trial = made.trial();
    EXPECT_THAT([&] { trial.run(); },
                ::testing::ThrowsMessage<Error>(::testing::HasSubstr("'y' (GRUSequence)")));
}

TEST(Trial, KeepsTheLeastTimeOfEachStep) {
    const Made made(convolution());
    Trial trial = made.trial();
    ASSERT_EQ(trial.times().size(), trial.plan().steps.size());
    for (const double us : trial.times()) {
        EXPECT_TRUE(std::isinf(us));
    }
    trial.run();
    std::vector<double> before = trial.times();
    for (int i = 0; i < 5; ++i) {
        trial.run();
        for (std::size_t s = 0; s < before.size(); ++s) {
            EXPECT_GT(trial.times()[s], 0.0);
            EXPECT_LE(trial.times()[s], before[s]);
        }
        before = trial.times();
    }
    EXPECT_GT(trial.run_whole(), 0.0);
    EXPECT_EQ(trial.times(), before) << "a run as a whole is no time of a step";
}

TEST(Trial, AWholeRunGivesWhatItsStepsGive) {
    const Made made(convolution());
    Trial steps = made.trial();
    Trial whole = made.trial();
    steps.run();
    whole.run_whole();
    EXPECT_TRUE(same_outputs(whole, steps));
}

}  // namespace
}  // namespace fuseq::cpu
