// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// FUSEQ_FLOAT_FALLBACK with times that the test gives, and with those of the machine.
#include "cpu/compile/float_fallback.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cpu/cache/cached_plan.hpp"
#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/compile/planned_model.hpp"
#include "cpu/compile/trial.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "fuseq/fuseq.hpp"
#include "support/small_model.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A FakeQuantize %q<name> of %<source>.
std::string quantizes(const std::string& name, const std::string& source) {
    return "%" + name + " = FakeQuantize(%" + source + ", %l, %h, %l, %h) levels=256\n";
}

// A 3x3 convolution %<name> of %<source> with quantized weights.
std::string convolves(const std::string& name, const std::string& source, const std::string& w) {
    return "%" + name + " = Convolution(%" + source + ", %" + w +
           ") strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]\n";
}

std::string weights(const std::string& name, int seed) {
    return "%v" + name + " = Const value=random(" + std::to_string(seed) +
           ",-1,1) : f32[8,8,3,3]\n" + quantizes(name, "v" + name);
}

const std::string kHead = R"(model "two"
    %x = Parameter : f32[1,8,12,12]
    %l = Const value={-2} : f32[]
    %h = Const value={1.984375} : f32[]
)";

// Two convolutions, one after the other.
const std::string kTwo = kHead + quantizes("q1", "x") + weights("w1", 5) +
                         convolves("c1", "q1", "w1") + quantizes("q2", "c1") + weights("w2", 6) +
                         convolves("c2", "q2", "w2") + "%out = Result(%c2)";

// Times as they are given, and how often they were asked for.
struct Given {
    std::vector<LayerTime> int8;
    std::vector<LayerTime> in_float;
    FallbackClock::Whole whole{100, 50};
    int asked = 0;

    FallbackClock clock() {
        return {[this](const Model&, const Config& a, const Config& b) {
                    EXPECT_TRUE(a.low_precision);
                    EXPECT_FALSE(b.low_precision);
                    ++asked;
                    return FallbackClock::Layers{int8, in_float};
                },
                [this](const Model&, const Config&, const Config&) { return whole; }};
    }
};

Config allowed() {
    Config config;
    config.set("FUSEQ_FLOAT_FALLBACK", "YES");
    return config;
}

// "name kind types" of each step.
std::vector<std::string> steps(const PlannedModel& planned) {
    std::vector<std::string> text;
    for (const auto& step : planned.plan.steps) {
        const StepInfo& i = step->info();
        text.push_back(detail::cat(i.name, " ", i.kind, " ", i.src_type, " ", i.wei_type, " ",
                                   i.dst_type, " ", i.post_ops));
    }
    return text;
}

bool quantized(const PlannedModel& planned, const std::string& group) {
    for (const auto& step : planned.plan.steps) {
        if (step->info().group == group && is_anchor_kind(step->info().kind)) {
            return step->info().quantized;
        }
    }
    ADD_FAILURE() << "no step computes " << group;
    return false;
}

// What a plan of the same text computes.
std::vector<float> result(const std::string& text,
                          const Config& config,
                          const FallbackClock& clock) {
    const std::shared_ptr<Model> model = Model::from_text(text);
    FloatFallback fallback;
    if (config.float_fallback) {
        fallback = choose_float(*model, config, clock);
    }
    const Transformed transformed = transform_with(*model, config, fallback);
    Trial trial(make_plan(*transformed.model, transformed.ranges, build_options(config)), *model);
    trial.run_whole();
    return to_floats(trial.output(0));
}

TEST(FloatFallback, WithoutPermissionNothingIsMeasured) {
    if (!int8_accumulates_exactly()) {
        GTEST_SKIP() << "without VNNI these layers run in float anyway";
    }
    Given given{{{"c1", 100}}, {{"c1", 10}}};
    const auto model = Model::from_text(kTwo);
    const auto plain = plan_model(model, Config(), given.clock());
    EXPECT_EQ(given.asked, 0);
    EXPECT_TRUE(quantized(*plain, "c1"));
    EXPECT_TRUE(quantized(*plain, "c2"));
    EXPECT_EQ(plain->fallback.note, "");
    EXPECT_THAT(plain->fallback.layers, IsEmpty());
}

TEST(FloatFallback, KeepsTheSlowerLayerInFloat) {
    if (!int8_accumulates_exactly()) {
        GTEST_SKIP() << "without VNNI these layers run in float anyway";
    }
    Given given{{{"c1", 100}, {"c2", 20}}, {{"c1", 120}, {"c2", 10}}};
    const auto model = Model::from_text(kTwo);
    const auto planned = plan_model(model, allowed(), given.clock());
    EXPECT_EQ(given.asked, 1);
    EXPECT_TRUE(quantized(*planned, "c1"));
    EXPECT_FALSE(quantized(*planned, "c2"));
    EXPECT_THAT(planned->fallback.keep_float(), ElementsAre("q2", "w2"));
    ASSERT_EQ(planned->fallback.layers.size(), 1u);
    EXPECT_EQ(planned->fallback.layers[0].layer, "c2");
    EXPECT_EQ(planned->fallback.layers[0].code, "float_is_faster");
    EXPECT_EQ(planned->fallback.note,
              "2 layers measured, 1 slower on integers, 1 run in float; the model takes 100 us on "
              "integers, 50 us with the slower ones in float");
    // As if the user had asked for it.
    Config by_hand;
    by_hand.keep_float = {"q2", "w2"};
    EXPECT_EQ(steps(*planned), steps(*plan_model(model, by_hand)));
    EXPECT_EQ(result(kTwo, allowed(), given.clock()), result(kTwo, by_hand, {}));
}

TEST(FloatFallback, TheResultIsTheFloatResult) {
    const std::string one = kHead + quantizes("q1", "x") + weights("w1", 5) +
                            convolves("c1", "q1", "w1") + "%out = Result(%c1)";
    Given given{{{"c1", 20}}, {{"c1", 10}}};
    Config in_float;
    in_float.low_precision = false;
    const std::vector<float> expected = result(one, in_float, {});
    EXPECT_EQ(result(one, allowed(), given.clock()), expected);
    // It is no empty image.
    EXPECT_TRUE(std::any_of(expected.begin(), expected.end(), [](float v) { return v != 0; }));
}

TEST(FloatFallback, NothingChangesWhenTheWholeModelIsNotFaster) {
    if (!int8_accumulates_exactly()) {
        GTEST_SKIP() << "without VNNI these layers run in float anyway";
    }
    for (const double after : {100.0, 101.0}) {
        Given given{{{"c2", 20}}, {{"c2", 10}}, {100, after}};
        const auto planned = plan_model(Model::from_text(kTwo), allowed(), given.clock());
        EXPECT_TRUE(quantized(*planned, "c2"));
        EXPECT_THAT(planned->fallback.keep_float(), IsEmpty());
        ASSERT_EQ(planned->fallback.layers.size(), 1u);
        EXPECT_EQ(planned->fallback.layers[0].code, "whole_is_slower");
        EXPECT_THAT(planned->fallback.note, HasSubstr("1 slower on integers, 0 run in float"));
    }
}

// Others read what would have to be in float for it.
TEST(FloatFallback, ALayerWithoutQuantizationOfItsOwnStays) {
    const std::string shared = kHead + quantizes("q1", "x") + weights("w1", 5) +
                               convolves("c1", "q1", "w1") + convolves("c2", "q1", "w1") +
                               "%y = Add(%c1, %c2)\n%out = Result(%y)";
    const auto model = Model::from_text(shared);
    EXPECT_THAT(quantizations_of(*model, {"c1"}), ElementsAre(IsEmpty()));
    EXPECT_THAT(quantizations_of(*model, {"c1", "c2"}),
                ElementsAre(ElementsAre("q1", "w1"), ElementsAre("q1", "w1")));
    Given given{{{"c1", 20}}, {{"c1", 10}}};
    const FloatFallback fallback = choose_float(*model, allowed(), given.clock());
    ASSERT_EQ(fallback.layers.size(), 1u);
    EXPECT_EQ(fallback.layers[0].code, "shared_quantization");
    EXPECT_EQ(fallback.note, "1 layers measured, 1 slower on integers, none runs in float");
    EXPECT_THAT(reason_of(fallback.layers[0]), StartsWith("measured: 20 us on integers, 10 us"));
}

TEST(FloatFallback, FindsQuantizationsAfterMovements) {
    const auto model = Model::from_text(kHead + quantizes("q1", "x") + R"(
    %o = Const value={0,1,3,2} : i64[4]
    %t = Transpose(%q1, %o)
    %v = Const value=random(7,-1,1) : f32[5,12]
    %w = FakeQuantize(%v, %l, %h, %l, %h) levels=256
    %y = MatMul(%t, %w) transpose_b=true
    %out = Result(%y))");
    EXPECT_THAT(quantizations_of(*model, {"y"}), ElementsAre(ElementsAre("q1", "w")));
    EXPECT_THAT(quantizations_of(*model, {"q1", "no_such"}), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(FloatFallback, MeasuresNothingWithoutLowPrecision) {
    Given given{{{"c1", 100}}, {{"c1", 10}}};
    Config config = allowed();
    config.low_precision = false;
    const auto planned = plan_model(Model::from_text(kTwo), config, given.clock());
    EXPECT_EQ(given.asked, 0);
    EXPECT_EQ(planned->fallback.note, "not measured: FUSEQ_LOW_PRECISION is NO");
}

TEST(FloatFallback, AFailureToMeasureIsSaid) {
    if (!int8_accumulates_exactly()) {
        GTEST_SKIP() << "without VNNI these layers run in float anyway";
    }
    FallbackClock broken;
    broken.layers = [](const Model&, const Config&, const Config&) -> FallbackClock::Layers {
        throw Error("test", "no clock");
    };
    const auto planned = plan_model(Model::from_text(kTwo), allowed(), broken);
    EXPECT_TRUE(quantized(*planned, "c1"));
    EXPECT_EQ(planned->fallback.note, "not measured: test: no clock");
}

TEST(FloatFallback, TheCacheRemembersTheDecision) {
    if (!int8_accumulates_exactly()) {
        GTEST_SKIP() << "without VNNI these layers run in float anyway";
    }
    const test::TemporaryFolder folder;
    Config config = allowed();
    config.cache_dir = folder.path("cache");
    Given given{{{"c2", 20}}, {{"c2", 10}}};
    const auto model = Model::from_text(kTwo);
    const auto first = plan_with_cache(model, config, given.clock());
    const auto second = plan_with_cache(model, config, given.clock());
    EXPECT_EQ(given.asked, 1);
    EXPECT_FALSE(first->from_cache);
    EXPECT_TRUE(second->from_cache);
    EXPECT_FALSE(quantized(*second, "c2"));
    EXPECT_EQ(steps(*second), steps(*first));
    EXPECT_EQ(second->fallback.note, first->fallback.note);
    ASSERT_EQ(second->fallback.layers.size(), 1u);
    EXPECT_EQ(second->fallback.layers[0].layer, "c2");
    EXPECT_EQ(second->fallback.layers[0].int8_us, 20);
    EXPECT_EQ(second->fallback.layers[0].float_us, 10);
    EXPECT_EQ(second->fallback.layers[0].code, "float_is_faster");
    EXPECT_THAT(second->fallback.keep_float(), ElementsAre("q2", "w2"));
    // Without permission it is another file.
    config.float_fallback = false;
    const auto plain = plan_with_cache(model, config, given.clock());
    EXPECT_FALSE(plain->from_cache);
    EXPECT_TRUE(quantized(*plain, "c2"));
}

TEST(FloatFallback, RemarksSayWhy) {
    Given given{{{"c2", 20}}, {{"c2", 10}}};
    const auto planned = plan_model(Model::from_text(kTwo), allowed(), given.clock());
    std::vector<std::string> layers;
    for (const Remark& remark : planned->transformed.remarks) {
        EXPECT_NE(remark.code, "kept_float");
        if (remark.code == "float_is_faster") {
            EXPECT_EQ(remark.text, "for 'c2', measured: 20 us on integers, 10 us in float");
            layers.push_back(remark.layer);
        }
    }
    EXPECT_THAT(layers, ::testing::UnorderedElementsAre("c2", "q2"));
}

// With the times of the machine: whatever they are, the report is about them, and the exported
// model is the same one.
TEST(FloatFallback, MeasuresOnTheMachine) {
    if (!int8_accumulates_exactly()) {
        GTEST_SKIP() << "without VNNI these layers run in float anyway";
    }
    Core core;
    CompiledModel model =
        core.compile_model(Model::from_text(kTwo), "CPU", {{"FUSEQ_FLOAT_FALLBACK", "YES"}});
    const std::string report = model.get_runtime_report();
    EXPECT_THAT(report, HasSubstr("\"note\": \"2 layers measured, "));
    std::stringstream blob;
    model.export_model(blob);
    CompiledModel again = core.import_model(blob, "CPU");
    const std::string second = again.get_runtime_report();
    const auto part = [](const std::string& text) {
        const std::size_t begin = text.find("\"float_fallback\"");
        return text.substr(begin, text.find("\"isa\"") - begin);
    };
    EXPECT_EQ(part(second), part(report));
}

TEST(FloatFallback, OpenShapesAreMeasuredWhenTheyAreKnown) {
    if (!int8_accumulates_exactly()) {
        GTEST_SKIP() << "without VNNI these layers run in float anyway";
    }
    std::string open = kTwo;
    open.replace(open.find("[1,8,12,12]"), 11, "[1,8,?,?]");
    Core core;
    CompiledModel model =
        core.compile_model(Model::from_text(open), "CPU", {{"FUSEQ_FLOAT_FALLBACK", true}});
    InferRequest request = model.create_infer_request();
    for (const std::size_t size : {6u, 9u}) {
        request.set_input_tensor(0, Tensor(ElementType::f32, Shape{1, 8, size, size}));
        request.infer();
        EXPECT_THAT(model.get_runtime_report(), HasSubstr("\"note\": \"2 layers measured, "));
    }
}

TEST(FloatFallback, RefusesOtherValues) {
    const auto model = Model::from_text(kTwo);
    EXPECT_THAT(test::message_of([&] {
                    Core().compile_model(model, "CPU", {{"FUSEQ_FLOAT_FALLBACK", "MAYBE"}});
                }),
                HasSubstr("property: FUSEQ_FLOAT_FALLBACK: 'MAYBE'"));
    CompiledModel plain = Core().compile_model(model, "CPU");
    EXPECT_FALSE(plain.get_property("FUSEQ_FLOAT_FALLBACK").as_bool());
    EXPECT_THAT(plain.get_runtime_report(), HasSubstr("\"note\": \"\""));
    EXPECT_THAT(plain.get_runtime_report(), Not(HasSubstr("layers measured")));
}

}  // namespace
}  // namespace fuseq::cpu
