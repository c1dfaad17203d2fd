// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/low_precision/split_fake_quantize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

using ::testing::StartsWith;

std::string fake_quantize_of(const std::string& limits, int levels = 256) {
    return R"(model "m"
        %x = Parameter : f32[2,3,4,4]
        )" +
           limits +
           R"(
        %fq = FakeQuantize(%x, %il, %ih, %ol, %oh) levels=)" +
           std::to_string(levels) + R"(
        %y = ReLU(%fq)
        %r = Result(%y))";
}

std::string range(const std::string& low, const std::string& high) {
    return "%il = Const value={" + low + "} : f32[]\n%ih = Const value={" + high +
           "} : f32[]\n%ol = Const value={" + low + "} : f32[]\n%oh = Const value={" + high +
           "} : f32[]\n";
}

std::string range_of_channels(const std::string& low, const std::string& high) {
    return "%il = Const value={" + low + "} : f32[1,3,1,1]\n%ih = Const value={" + high +
           "} : f32[1,3,1,1]\n%ol = Const value={" + low + "} : f32[1,3,1,1]\n%oh = Const value={" +
           high + "} : f32[1,3,1,1]\n";
}

// What the split leaves, in numbers.
struct Found {
    ElementType type;
    std::vector<float> low, high, scale, zero_point;
};

Found find_parts(const Model& model) {
    const Node* fq = model.find("fq");
    Found found{fq->port().type,
                to_floats(fq->input_node(3)->constant()),
                to_floats(fq->input_node(4)->constant()),
                {},
                {}};
    const Node* multiply = model.find("y")->input_node(0);
    EXPECT_EQ(multiply->type(), "Multiply");
    found.scale = to_floats(multiply->input_node(1)->constant());
    const Node* before = multiply->input_node(0);
    if (before->is("Subtract")) {
        found.zero_point = to_floats(before->input_node(1)->constant());
        before = before->input_node(0);
    }
    EXPECT_EQ(before->type(), "Convert");
    EXPECT_EQ(before->input_node(0), fq);
    return found;
}

// -0.78662109375 / 0.39332682... is 1.99992: of 16 levels that is no noise of f32.
TEST(SplitFakeQuantize, FractionsOfFewLevelsAreKept) {
    const std::string limits = range("-0.78662109375", "5.11328125");
    const Found few =
        find_parts(*run_pass(split_fake_quantize, fake_quantize_of(limits, 16)).after);
    ASSERT_EQ(few.zero_point.size(), 1u);
    EXPECT_NEAR(few.zero_point[0], 1.99991724, 1e-6);
    // 100.00008 of 256 levels.
    const Found many = find_parts(
        *run_pass(split_fake_quantize, fake_quantize_of(range("-100.00008", "154.99992"))).after);
    EXPECT_EQ(many.zero_point, std::vector<float>{100.0f});
}

TEST(SplitFakeQuantize, UnsignedRangeFromZero) {
    const PassTest test = run_pass(split_fake_quantize, fake_quantize_of(range("0", "127.5")));
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[2,3,4,4]
        %il = Const value={0} : f32[]
        %ih = Const value={127.5} : f32[]
        %ol = Const value={0} : f32[]
        %oh = Const value={255} : f32[]
        %fq = FakeQuantize(%x, %il, %ih, %ol, %oh) levels=256 output_type=u8
        %c = Convert(%fq) destination_type=f32
        %s = Const value={0.5} : f32[]
        %m = Multiply(%c, %s)
        %y = ReLU(%m)
        %r = Result(%y))"),
              "");
    EXPECT_EQ(largest_difference(test, 5, 150.0f), 0.0);
}

struct Case {
    const char* name;
    std::string limits;
    int levels;
    ElementType type;
    std::vector<float> low, high, scale, zero_point;
};

const Case kCases[] = {
    {"SymmetricFullRange", range("-64", "63.5"), 256, element::i8, {-128}, {127}, {0.5}, {}},
    {"SymmetricNarrowRange", range("-63.5", "63.5"), 255, element::i8, {-127}, {127}, {0.5}, {}},
    {"SymmetricEvenLevels",
     range("-63.75", "63.75"),
     256,
     element::i8,
     {-128},
     {127},
     {0.5},
     {-0.5}},
    {"AsymmetricWholeZeroPoint", range("-2", "125.5"), 256, element::u8, {0}, {255}, {0.5}, {4}},
    {"AsymmetricFraction", range("-2.125", "125.375"), 256, element::u8, {0}, {255}, {0.5}, {4.25}},
    {"AboveZero", range("4", "131.5"), 256, element::u8, {0}, {255}, {0.5}, {-8}},
    {"FewLevels", range("0", "7.5"), 16, element::u8, {0}, {15}, {0.5}, {}},
    {"PerChannel",
     range_of_channels("0,0,0", "127.5,255,63.75"),
     256,
     element::u8,
     {0},
     {255},
     {0.5, 1, 0.25},
     {}},
    {"PerChannelZeroPoints",
     range_of_channels("-5,0,-1", "122.5,255,62.75"),
     256,
     element::u8,
     {0},
     {255},
     {0.5, 1, 0.25},
     {10, 0, 4}},
    {"PerChannelSymmetric",
     range_of_channels("-64,-128,-32", "63.5,127,31.75"),
     256,
     element::i8,
     {-128},
     {127},
     {0.5, 1, 0.25},
     {}},
    {"DeadChannel",
     range_of_channels("0,0,0", "127.5,0,63.75"),
     256,
     element::u8,
     {0},
     {255},
     {0.5, 0, 0.25},
     {}},
    {"EqualChannels",
     range_of_channels("0,0,0", "127.5,127.5,127.5"),
     256,
     element::u8,
     {0},
     {255},
     {0.5},
     {}},
    {"NoiseOfHalfPrecision",
     range("-64.0625", "63.5"),
     256,
     element::i8,
     {-128},
     {127},
     {0.500245098f},
     {0.0622243993f}},
    {"NegativeStep",
     "%il = Const value={0} : f32[]\n%ih = Const value={127.5} : f32[]\n"
     "%ol = Const value={0} : f32[]\n%oh = Const value={-127.5} : f32[]\n",
     256,
     element::u8,
     {0},
     {255},
     {-0.5},
     {}},
    {"OtherOutputRange",
     "%il = Const value={0} : f32[]\n%ih = Const value={127.5} : f32[]\n"
     "%ol = Const value={0} : f32[]\n%oh = Const value={510} : f32[]\n",
     256,
     element::u8,
     {0},
     {255},
     {2},
     {}},
};

class SplitFakeQuantizeCase : public ::testing::TestWithParam<Case> {};

TEST_P(SplitFakeQuantizeCase, GivesTheSameNumbers) {
    const Case& c = GetParam();
    const PassTest test = run_pass(split_fake_quantize, fake_quantize_of(c.limits, c.levels));
    ASSERT_TRUE(test.changed);
    const Found found = find_parts(*test.after);
    EXPECT_EQ(found.type, c.type);
    EXPECT_EQ(found.low, c.low);
    EXPECT_EQ(found.high, c.high);
    EXPECT_EQ(found.scale, c.scale);
    EXPECT_EQ(found.zero_point, c.zero_point);
    // Products of f32 against the definition in f64.
    EXPECT_LT(largest_difference(test, 11, 150.0f), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(All,
                         SplitFakeQuantizeCase,
                         ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(SplitFakeQuantize, MakesTheSecondOperandOfAMatMulSigned) {
    const PassTest test = run_pass(split_fake_quantize, R"(model "m"
        %x = Parameter : f32[4,4]
        %l = Const value={0} : f32[]
        %h = Const value={127.5} : f32[]
        %fq = FakeQuantize(%x, %l, %h, %l, %h) levels=256
        %y = MatMul(%x, %fq)
        %r = Result(%y))");
    EXPECT_EQ(test.after->find("fq")->port().type, element::i8);
    const Node* subtract = test.after->find("y")->input_node(1)->input_node(0);
    EXPECT_EQ(to_floats(subtract->input_node(1)->constant()), std::vector<float>{-128});
    EXPECT_LT(largest_difference(test, 3, 150.0f), 1e-2);
}

TEST(SplitFakeQuantize, GivesADeconvolutionUnsignedIntegers) {
    const PassTest test = run_pass(split_fake_quantize, R"(model "m"
        %x = Parameter : f32[1,1,4,4]
        %l = Const value={-64} : f32[]
        %h = Const value={63.5} : f32[]
        %fq = FakeQuantize(%x, %l, %h, %l, %h) levels=256
        %p = MaxPool.1(%fq) strides=[1,1] kernel=[2,2]
        %w = Const value=random(1) : f32[1,1,2,2]
        %y = ConvolutionBackpropData(%p, %w) strides=[2,2]
        %r = Result(%y))");
    EXPECT_EQ(test.after->find("fq")->port().type, element::u8);
    const Node* subtract = test.after->find("p")->input_node(0)->input_node(0);
    EXPECT_EQ(to_floats(subtract->input_node(1)->constant()), std::vector<float>{128});
    EXPECT_LT(largest_difference(test, 3, 70.0f), 1e-3);
}

TEST(SplitFakeQuantize, KeepsTensorNamesAtTheRealNumbers) {
    const PassTest test = run_pass(split_fake_quantize, R"(model "m"
        %x = Parameter : f32[1,4]
        %l = Const value={0} : f32[]
        %h = Const value={127.5} : f32[]
        %fq = FakeQuantize(%x, %l, %h, %l, %h) levels=256 : f32[1,4] "activation"
        %y = ReLU(%fq)
        %r = Result(%y)
        %r2 = Result(%fq))");
    EXPECT_TRUE(test.after->find("fq")->port().names.empty());
    EXPECT_EQ(test.after->output("activation").type(), element::f32);
    EXPECT_EQ(test.after->output("activation").node->origins, std::vector<std::string>{"fq"});
}

struct Refusal {
    const char* name;
    std::string text;
    const char* reason;
};

const Refusal kRefusals[] = {
    {"TooManyLevels", fake_quantize_of(range("0", "1"), 65536),
     "levels: 65536 levels do not fit into 8 bits"},
    {"EmptyInputRange",
     fake_quantize_of("%il = Const value={1} : f32[]\n%ih = Const value={1} : f32[]\n"
                      "%ol = Const value={0} : f32[]\n%oh = Const value={2} : f32[]\n"),
     "degenerate_input_range: the input range is empty: input_low = input_high = 1"},
    {"EmptyOutputRange",
     fake_quantize_of("%il = Const value={0} : f32[]\n%ih = Const value={1} : f32[]\n"
                      "%ol = Const value={2} : f32[]\n%oh = Const value={2} : f32[]\n"),
     "degenerate_output_range: the output range is empty: output_low = output_high = 2"},
    {"InvertedInputRange", fake_quantize_of(range("3", "1")),
     "inverted_input_range: input_high = 1 is below input_low = 3"},
    {"NotPerChannel",
     fake_quantize_of("%il = Const value=fill(0) : f32[4]\n%ih = Const value={1,2,3,4} : f32[4]\n"
                      "%ol = Const value=fill(0) : f32[4]\n%oh = Const value={1,2,3,4} : f32[4]\n"),
     "limits_not_per_channel: input_high of shape [4] is neither per tensor nor per channel"},
    {"NotFinite", fake_quantize_of(range("0", "inf")),
     "limits_not_finite: input_high is not finite"},
    {"NotConstant", R"(model "m"
        %x = Parameter : f32[2,3,4,4]
        %h = Parameter : f32[1]
        %l = Const value={0} : f32[]
        %fq = FakeQuantize(%x, %l, %h, %l, %h) levels=256
        %y = ReLU(%fq)
        %r = Result(%y))",
     "limits_not_constant: input_high is computed"},
    {"FeedsOutput", R"(model "m"
        %x = Parameter : f32[2,3,4,4]
        %l = Const value={0} : f32[]
        %h = Const value={1} : f32[]
        %fq = FakeQuantize(%x, %l, %h, %l, %h) levels=256
        %r = Result(%fq))",
     "feeds_output: only outputs of the model read the result"},
};

class SplitFakeQuantizeRefusal : public ::testing::TestWithParam<Refusal> {};

TEST_P(SplitFakeQuantizeRefusal, SaysWhy) {
    const PassTest test = run_pass(split_fake_quantize, GetParam().text);
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(compare_models(*test.before, *test.after), "");
    EXPECT_EQ(refusal_at(test.context, "fq"), GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(All,
                         SplitFakeQuantizeRefusal,
                         ::testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.name; });

TEST(SplitFakeQuantize, LeavesWhatTheUserKeepsInFloat) {
    PassOptions options;
    options.keep_float = {"fq"};
    const PassTest test =
        run_pass(split_fake_quantize, fake_quantize_of(range("0", "127.5")), options);
    EXPECT_FALSE(test.changed);
    EXPECT_THAT(refusal_at(test.context, "fq"), StartsWith("kept_float"));
}

// The types that FQs of [0, 1] (as %u) and [-1, 1) (as %s) get before what is given.
std::vector<ElementType> types_of(const std::string& rest) {
    const PassTest test = run_pass(split_fake_quantize, R"(model "m"
        %x = Parameter : f32[1,4,4,4]
        %zero = Const value={0} : f32[]
        %one = Const value={1} : f32[]
        %low = Const value={-1} : f32[]
        %high = Const value={0.9921875} : f32[]
        %u = FakeQuantize(%x, %zero, %one, %zero, %one) levels=256
        %s = FakeQuantize(%x, %low, %high, %low, %high) levels=256
        )" + rest);
    EXPECT_LT(largest_difference(test), 1e-6);
    return {test.after->find("u")->port().type, test.after->find("s")->port().type};
}

using Types = std::vector<ElementType>;

TEST(SplitFakeQuantize, InputsOfAConcatGetOneType) {
    EXPECT_EQ(types_of("%y = Concat(%u, %s) axis=1\n%r = Result(%y)"),
              (Types{element::u8, element::u8}));
    EXPECT_EQ(types_of("%p = MaxPool.1(%s) strides=[1,1] kernel=[1,1]\n"
                       "%y = Concat(%u, %p) axis=1\n%r = Result(%y)"),
              (Types{element::u8, element::u8}));
    EXPECT_EQ(types_of("%a = Add(%u, %s)\n%r = Result(%a)"), (Types{element::u8, element::i8}));
}

TEST(SplitFakeQuantize, AConcatWithAFloatInputChangesNoType) {
    EXPECT_EQ(types_of("%y = Concat(%u, %s, %x) axis=1\n%r = Result(%y)"),
              (Types{element::u8, element::i8}));
}

TEST(SplitFakeQuantize, AMatMulMakesAllInputsOfAConcatSigned) {
    EXPECT_EQ(types_of("%y = Concat(%u, %s) axis=1\n%m = MatMul(%x, %s)\n"
                       "%r = Result(%y)\n%r2 = Result(%m)"),
              (Types{element::i8, element::i8}));
}

TEST(SplitFakeQuantize, TypesSpreadThroughSeveralConcats) {
    EXPECT_EQ(types_of("%q = FakeQuantize(%x, %low, %high, %low, %high) levels=256\n"
                       "%y = Concat(%q, %s) axis=1\n%z = Concat(%q, %u) axis=1\n"
                       "%r = Result(%y)\n%r2 = Result(%z)"),
              (Types{element::u8, element::u8}));
}

}  // namespace
}  // namespace fuseq::testing
