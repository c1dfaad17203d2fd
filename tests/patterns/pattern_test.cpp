// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of what fuses: every file of this folder compiles to the steps that it names, and
// gives the same numbers fused, unfused and on the reference device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <sstream>

#include "fuseq/core.hpp"
#include "patterns/catalogue_page.hpp"
#include "patterns/pattern.hpp"

namespace fuseq::patterns {
namespace {

constexpr double kMaxTies = 0.001;  // share of the elements of an output that may be a step off
constexpr double kRoundingOfFloat = 0.02;  // of a step: equal but for float arithmetic
constexpr std::uint32_t kSeeds[] = {1, 2, 3};

// The steps in the files are those of the levels with int8 dot products of 512 bits: why they are
// not those of the level in use, or "".
std::string what_is_missing() {
    const std::string level = Core().get_property("CPU", "FUSEQ_ISA").as_string();
    const bool has = level == "avx512_vnni" || level == "avx512_amx";
    return has ? ""
               : detail::cat("the steps in the files are those of avx512_vnni, the level is ",
                             level);
}

std::vector<std::string> refusals(std::vector<std::string> lines) {
    std::erase_if(lines, [](const std::string& line) { return line.rfind("refused ", 0) != 0; });
    return lines;
}

std::vector<Tensor> random_inputs(const Model& model, const Pattern& pattern, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<Tensor> inputs;
    for (const Output& input : model.inputs()) {
        Tensor values(input.type(), input.partial_shape().to_shape());
        if (input.type() == element::u8) {
            std::uniform_int_distribution<int> integer(0, 255);
            for (auto& value : values.values<std::uint8_t>()) {
                value = static_cast<std::uint8_t>(integer(random));
            }
        } else {
            std::uniform_real_distribution<double> real(pattern.low, pattern.high);
            for (float& value : values.values<float>()) {
                value = static_cast<float>(real(random));
            }
        }
        inputs.push_back(values);
    }
    return inputs;
}

std::vector<Tensor> run(const CompiledModel& compiled, const std::vector<Tensor>& inputs) {
    InferRequest request = compiled.create_infer_request();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input_tensor(i, inputs[i]);
    }
    request.infer();
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < compiled.outputs().size(); ++i) {
        outputs.push_back(request.get_output_tensor(i));
    }
    return outputs;
}

// The step of element i.
double step_at(const Pattern& pattern, const Shape& shape, std::size_t i) {
    const auto& steps = pattern.steps_of_outputs;
    if (steps.size() == 1) {
        return steps[0];
    }
    std::size_t inner = 1;
    for (std::size_t axis = 2; axis < shape.size(); ++axis) {
        inner *= shape[axis];
    }
    return steps.at(i / inner % shape.at(1));
}

void expect_same_numbers(const Pattern& pattern, const Tensor& actual, const Tensor& expected) {
    ASSERT_EQ(to_string(actual.get_shape()), to_string(expected.get_shape()));
    const std::vector<float> got = to_floats(actual);
    const std::vector<float> want = to_floats(expected);
    std::size_t ties = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
        const double step = step_at(pattern, expected.get_shape(), i);
        const double off = std::abs(double{got[i]} - double{want[i]}) / step;
        ASSERT_LE(off, 1 + kRoundingOfFloat)
            << "element " << i << " is " << got[i] << ", expected " << want[i];
        ties += off > kRoundingOfFloat ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(ties), std::ceil(kMaxTies * static_cast<double>(want.size())))
        << "of " << want.size() << " elements";
}

// A pattern whose outputs are nearly all cut to one value would show nothing.
void expect_many_values(const Tensor& output) {
    std::map<float, std::size_t> counts;
    std::size_t most = 0;
    for (const float value : to_floats(output)) {
        most = std::max(most, ++counts[value]);
    }
    EXPECT_LE(most, output.get_size() * 9 / 10) << "of " << output.get_size() << " are equal";
}

class PatternTest : public testing::TestWithParam<std::string> {};

TEST_P(PatternTest, FusesAsTheFileSays) {
    if (!what_is_missing().empty()) {
        GTEST_SKIP() << what_is_missing();
    }
    const Pattern pattern = read_pattern(pattern_path(GetParam()));
    const auto fused = Core().compile_model(Model::from_text(pattern.model), "CPU");
    EXPECT_EQ(differs_from_report(pattern, fused.get_runtime_report()), "")
        << "the expect part of today:\n"
        << testing::PrintToString(lines_of_report(fused.get_runtime_report()));
}

// The transformations refuse the same on every CPU.
TEST_P(PatternTest, RefusesWhatTheFileSays) {
    const Pattern pattern = read_pattern(pattern_path(GetParam()));
    const auto fused = Core().compile_model(Model::from_text(pattern.model), "CPU");
    EXPECT_EQ(refusals(lines_of_report(fused.get_runtime_report())), refusals(pattern.expected));
}

TEST_P(PatternTest, GivesTheNumbersOfTheReference) {
    const Pattern pattern = read_pattern(pattern_path(GetParam()));
    const auto model = Model::from_text(pattern.model);
    Core core;
    const CompiledModel fused = core.compile_model(model, "CPU");
    const CompiledModel unfused = core.compile_model(model, "CPU", {{property::kFusion, "NO"}});
    const CompiledModel reference = core.compile_model(model, "REFERENCE");
    for (const std::uint32_t seed : kSeeds) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        const auto inputs = random_inputs(*model, pattern, seed);
        const auto want = run(reference, inputs);
        const auto got = run(fused, inputs);
        const auto plain = run(unfused, inputs);
        for (std::size_t i = 0; i < want.size(); ++i) {
            SCOPED_TRACE(testing::Message() << "output " << i);
            expect_many_values(want[i]);
            {
                SCOPED_TRACE("fused");
                expect_same_numbers(pattern, got[i], want[i]);
            }
            SCOPED_TRACE("unfused");
            expect_same_numbers(pattern, plain[i], want[i]);
        }
    }
}

TEST_P(PatternTest, GivesTheSameBytes) {
    const Pattern pattern = read_pattern(pattern_path(GetParam()));
    const auto model = Model::from_text(pattern.model);
    const auto inputs = random_inputs(*model, pattern, kSeeds[0]);
    Core core;
    std::vector<Tensor> expected;
    for (const int threads : {1, 2, 4}) {
        for (const int poison : {-1, 0, 255}) {
            const CompiledModel compiled = core.compile_model(
                model, "CPU",
                {{property::kInferenceNumThreads, threads}, {"FUSEQ_POISON_MEMORY", poison}});
            const std::vector<Tensor> got = run(compiled, inputs);
            if (expected.empty()) {
                expected = got;
            }
            for (std::size_t i = 0; i < got.size(); ++i) {
                EXPECT_TRUE(same_bytes(got[i], expected[i]))
                    << "output " << i << ", " << threads << " threads, poison " << poison;
            }
        }
    }
}

// The steps that a model compiles to with poolings of that version.
std::vector<std::string> lines_with_version(const Pattern& pattern, const std::string& version) {
    const std::regex pooling("(MaxPool|AvgPool)\\.[0-9]+");
    const std::string text = std::regex_replace(pattern.model, pooling, "$1." + version);
    EXPECT_TRUE(std::regex_search(text, pooling)) << pattern.name << " has no pooling";
    const auto compiled = Core().compile_model(Model::from_text(text), "CPU");
    return lines_of_report(compiled.get_runtime_report());
}

TEST(Patterns, PoolingsOfEveryVersionFuseAlike) {
    for (const char* name : {"sppf_after_fq", "max_pool_after_fq", "max_pool_before_fq",
                             "max_pool_before_relu_and_fq"}) {
        SCOPED_TRACE(name);
        const Pattern pattern = read_pattern(pattern_path(name));
        const auto lines = lines_with_version(pattern, "14");
        EXPECT_EQ(lines, lines_with_version(pattern, "8"));
        EXPECT_EQ(lines, lines_with_version(pattern, "1"));
    }
    const Pattern average = read_pattern(pattern_path("average_pool_between_fq"));
    const auto lines = lines_with_version(average, "16");
    EXPECT_EQ(lines, lines_with_version(average, "14"));
    EXPECT_EQ(lines, lines_with_version(average, "1"));
}

TEST(Patterns, PageIsCurrent) {
    std::ifstream in(std::filesystem::path(FUSEQ_SOURCE_DIR) / "docs/patterns.md");
    std::ostringstream page;
    page << in.rdbuf();
    EXPECT_TRUE(page.str() == catalogue_page())
        << "docs/patterns.md is out of date; run fuseq_patterns page > docs/patterns.md";
}

TEST(Patterns, NumbersArePartsOfPostOpsOnly) {
    EXPECT_EQ(without_numbers("scale:0.0078125 bias relu(0.1)*4 clip(-1.5e-05,inf) -> u8"),
              "scale:N bias relu(N)*N clip(N,N) -> u8");
    EXPECT_EQ(without_numbers("scale:per_oc prelu(per_oc:16) add(#0 u8 *0.02) src_zp:-128 -> i8"),
              "scale:per_oc prelu(per_oc:N) add(#0 u8 *N) src_zp:N -> i8");
}

TEST(Patterns, NumbersOfPostOpsAreCompared) {
    const auto same = [](const std::string& actual, const std::string& expected) {
        const std::string head = "convolution | u8 i8 u8 | jit | ";
        return same_line(head + actual, head + expected);
    };
    EXPECT_TRUE(same("scale:0.5 clip(0,inf) -> u8", "scale:0.5 clip(0,inf) -> u8"));
    EXPECT_TRUE(same("scale:0.34526698 -> u8", "scale:0.34526710 -> u8"));
    EXPECT_FALSE(same("scale:0.34526698 -> u8", "scale:0.34526798 -> u8"));
    EXPECT_TRUE(same("linear(3e-05,-7) -> u8", "linear(0.00003,-7) -> u8"));
    EXPECT_FALSE(same("linear(3e-05,-7) -> u8", "linear(3e-05,7) -> u8"));
    EXPECT_FALSE(same("clip(0,255) -> u8", "clip(0,inf) -> u8"));
    EXPECT_FALSE(same("scale:0.5 clip(0,6) -> u8", "scale:0.5 clip(0,6,1) -> u8"));
    EXPECT_FALSE(same("add(#0 u8 *2) -> u8", "add(#1 u8 *2) -> u8"));
    EXPECT_FALSE(same("prelu(per_oc:16) -> u8", "prelu(per_oc:8) -> u8"));
}

TEST(Patterns, OtherStepsAreFound) {
    const std::string report = R"({"steps":[{"kind":"convolution","src_type":"u8","wei_type":"i8",
        "dst_type":"u8","implementation":"brgconv:avx512_core_vnni","post_ops":"scale:0.5 -> u8",
        "notes":["prelu falls to a reference implementation"]}],
        "refusals":[{"code":"feeds_output","layer":"fq"}]})";
    const auto differs = [&](const std::string& lines) {
        const std::string head = "// What it is.\nmodel \"m\"\nexpect\nstep 1\n";
        return differs_from_report(parse_pattern("p", head + lines), report);
    };
    const std::string step = "convolution | u8 i8 u8 | jit | scale:0.5 -> u8\n";
    const std::string refused = "refused feeds_output at fq\n";
    EXPECT_EQ(differs(step + refused), "");
    EXPECT_EQ(differs(step + "note reference\n" + refused), "");
    EXPECT_NE(differs(step + "note something else\n" + refused), "");
    EXPECT_NE(differs(step), "");
    EXPECT_NE(differs(refused), "");
    EXPECT_NE(differs(step + step + refused), "");
    EXPECT_NE(differs("convolution | u8 i8 u8 | ref | scale:0.5 -> u8\n" + refused), "");
    EXPECT_EQ(differs("convolution | u8 i8 u8 | fast | scale:0.5 -> u8\n" + refused), "");
    EXPECT_EQ(differs("convolution | u8 i8 u8 | own | scale:0.5 -> u8\n" + refused), "");
    EXPECT_NE(differs("convolution | u8 i8 u8 | jit | scale:2 -> u8\n" + refused), "");
    EXPECT_NE(differs("convolution | u8 i8 i8 | jit | scale:0.5 -> i8\n" + refused), "");
    EXPECT_EQ(differs("convolution | u8 i8 u8 | jit | scale:per_oc -> u8\n" + refused),
              "expected: convolution | u8 i8 u8 | jit | scale:per_oc -> u8\n"
              "actual:   convolution | u8 i8 u8 | jit | scale:0.5 -> u8");
}

TEST(Patterns, AnUpdateKeepsClassesThatAreTrue) {
    const Pattern pattern = parse_pattern("p",
                                          "// What it is.\nmodel \"m\"\nexpect\nstep 1\n"
                                          "matmul | u8 i8 u8 | fast | scale:2 -> u8\n"
                                          "matmul | u8 i8 u8 | own | scale:2 -> u8\n"
                                          "matmul | u8 i8 u8 | fast | scale:2 -> u8\n");
    EXPECT_THAT(updated_lines(pattern, {"eltwise | f32 u8 | own | scale(16) -> u8",
                                        "matmul | u8 i8 u8 | own | scale:3 -> u8",
                                        "matmul | u8 i8 u8 | jit | scale:3 -> u8",
                                        "matmul | u8 i8 u8 | ref | scale:3 -> u8",
                                        "refused feeds_output at fq"}),
                testing::ElementsAre("eltwise | f32 u8 | own | scale(16) -> u8",
                                     "matmul | u8 i8 u8 | fast | scale:3 -> u8",
                                     "matmul | u8 i8 u8 | own | scale:3 -> u8",
                                     "matmul | u8 i8 u8 | ref | scale:3 -> u8",
                                     "refused feeds_output at fq"));
}

TEST(Patterns, FilesWithoutCommentOrStepAreRefused) {
    EXPECT_THROW(parse_pattern("p", "model \"m\"\nexpect\nstep 1\n"), Error);
    EXPECT_THROW(parse_pattern("p", "// What it is.\nmodel \"m\"\nexpect\n"), Error);
    EXPECT_THROW(parse_pattern("p", "// What.\nmodel \"m\"\nexpect\nstep one\n"), Error);
    EXPECT_THROW(parse_pattern("p", "// What.\nmodel \"m\"\nexpect\ninputs 3 1\n"), Error);
}

INSTANTIATE_TEST_SUITE_P(Patterns,
                         PatternTest,
                         testing::ValuesIn(pattern_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace fuseq::patterns
