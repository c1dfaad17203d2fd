// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/binary_arithmetic.hpp"
#include "ops/control/slices.hpp"
#include "ops/control/subgraph.hpp"
#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

// Body: state + x -> state, and the same as the output of the iteration.
std::shared_ptr<Model> running_sum_body(ElementType type = element::f32) {
    auto body = std::make_shared<Model>("body");
    Node* x = body->add_parameter("x", type, PartialShape::dynamic());
    Node* state = body->add_parameter("state", type, PartialShape::dynamic());
    Node* sum = body->add("Add", 1, "sum", {x->output(), state->output()});
    body->add_result("next", sum->output());
    return body;
}

IterationAttrs running_sum(std::int64_t stride) {
    IterationAttrs attrs;
    attrs.body = running_sum_body();
    PortMapRow slice{.external = 0, .internal = 0, .sliced = true, .axis = 1};
    slice.stride = stride;
    if (stride < 0) {
        slice.start = -1;
        slice.end = 0;
    }
    PortMap::append(attrs.input_map, slice);
    PortMap::append(attrs.input_map, {.external = 1, .internal = 1});
    slice.external = 0;
    slice.internal = 0;
    PortMap::append(attrs.output_map, slice);
    PortMap::append(attrs.output_map, {.external = 1, .internal = 0});
    attrs.back_edges = {0, 1};
    return attrs;
}

const Tensor kTwoByThree = floats({2, 3}, {1, 2, 3, 10, 20, 30});
const Tensor kStart = floats({2, 1}, {100, 200});

TEST(TensorIterator, SumsForward) {
    const auto out = run_op("TensorIterator", 1, running_sum(1), {kTwoByThree, kStart});
    EXPECT_EQ(out[0].get_shape(), (Shape{2, 3}));
    expect_values(out[0], {101, 103, 106, 210, 230, 260});
    expect_values(out[1], {106, 260});
}

TEST(TensorIterator, SumsBackward) {
    const auto out = run_op("TensorIterator", 1, running_sum(-1), {kTwoByThree, kStart});
    expect_values(out[0], {106, 105, 103, 260, 250, 230});
    expect_values(out[1], {106, 260});
}

TEST(TensorIterator, InfersOpenLengths) {
    EXPECT_EQ(shapes_of("TensorIterator", 1, running_sum(1), {open("[2,?]"), open("[2,1]")}),
              "[2,?] [2,1]");
    EXPECT_EQ(shapes_of("TensorIterator", 1, running_sum(1), {open("[2,7]"), open("[2,1]")}),
              "[2,7] [2,1]");
}

TEST(TensorIterator, RefusesBadPortMaps) {
    const std::vector<Input> inputs{open("[2,3]"), open("[2,1]")};
    IterationAttrs attrs = running_sum(1);
    attrs.input_map[1] = 5;
    EXPECT_THAT(refusal("TensorIterator", 1, attrs, inputs),
                HasSubstr("input_map names body port 5, but there are 2"));
    attrs = running_sum(1);
    attrs.input_map.resize(PortMap::kRowSize);
    EXPECT_THAT(refusal("TensorIterator", 1, attrs, inputs),
                HasSubstr("leaves input 'state' of the body without a source"));
    attrs = running_sum(1);
    attrs.input_map[6] = 2;
    EXPECT_THAT(refusal("TensorIterator", 1, attrs, inputs),
                HasSubstr("an axis of 3 cannot be cut by start 0, end -1, stride 2"));
    attrs = running_sum(1);
    attrs.input_map[3] = 2;
    EXPECT_THAT(refusal("TensorIterator", 1, attrs, inputs), HasSubstr("axis of input_map is 2"));
    attrs = running_sum(1);
    attrs.body = running_sum_body(element::i32);
    EXPECT_THAT(refusal("TensorIterator", 1, attrs, inputs), HasSubstr("is i32, but gets f32"));
    attrs = running_sum(1);
    attrs.back_edges = {0, 9};
    EXPECT_THAT(refusal("TensorIterator", 1, attrs, inputs), HasSubstr("pair 0,9"));
    attrs.body = nullptr;
    EXPECT_THAT(refusal("TensorIterator", 1, attrs, inputs), HasSubstr("has no body"));
}

TEST(TensorIterator, ClonesItsBody) {
    const IterationAttrs attrs = running_sum(1);
    const auto copy = attrs.clone();
    EXPECT_NE(dynamic_cast<IterationAttrs&>(*copy).body, attrs.body);
    EXPECT_TRUE(same_attributes(attrs, *copy));
    dynamic_cast<IterationAttrs&>(*copy).back_edges = {};
    EXPECT_FALSE(same_attributes(attrs, *copy));
}

TEST(PlanSlices, CountsParts) {
    std::string why;
    PortMapRow row{.sliced = true, .start = 1, .end = -2, .stride = 2, .part_size = 2};
    const auto slices = plan_slices(row, 6, why);  // positions 1 to 5
    ASSERT_TRUE(slices);
    EXPECT_EQ(slices->first, 1);
    EXPECT_EQ(slices->count, 2);
    row.part_size = 4;
    EXPECT_FALSE(plan_slices(row, 6, why));
    row.start = 9;
    EXPECT_FALSE(plan_slices(row, 6, why));
    EXPECT_THAT(why, HasSubstr("do not fit an axis of 6"));
}

// x *= 2 and i in every iteration; goes on while `condition`, a constant or x < limit.
IterationAttrs doubling(bool until_less) {
    IterationAttrs attrs;
    attrs.body = std::make_shared<Model>("body");
    Model& body = *attrs.body;
    Node* x = body.add_parameter("x", element::f32, PartialShape::dynamic());
    Node* i = body.add_parameter("i", element::i64, {1});
    Node* sum = body.add("Add", 1, "sum", {x->output(), x->output()});
    Node* go = body.add_constant("go", Tensor::of<bool>({1}, {!until_less}));
    body.add_result("next", sum->output());
    body.add_result("go_on", go->output());
    body.add_result("number", i->output());
    PortMap::append(attrs.input_map, {.external = 2, .internal = 0});
    PortMap::append(attrs.output_map, {.external = 0, .internal = 0});
    PortMap::append(attrs.output_map, {.external = 1, .internal = 2, .sliced = true});
    attrs.back_edges = {0, 0};
    attrs.current_iteration = 1;
    attrs.execution_condition = 1;
    return attrs;
}

const Tensor kTrue = Tensor::of<bool>({}, {true});
const Tensor kFalse = Tensor::of<bool>({}, {false});

TEST(Loop, RunsTripCountTimes) {
    const auto out =
        run_op("Loop", 5, doubling(false), {i64s({1}, {3}), kTrue, floats({2}, {1, 5})});
    expect_values(out[0], {8, 40});
    expect_ints(out[1], {0, 1, 2});
}

TEST(Loop, StopsWhenTheBodySaysSo) {
    const auto out =
        run_op("Loop", 5, doubling(true), {i64s({}, {-1}), kTrue, floats({2}, {1, 5})}, {0, 1});
    expect_values(out[0], {2, 10});
    expect_ints(out[1], {0});
}

TEST(Loop, GivesItsInputBackWithoutAnyIteration) {
    const auto out =
        run_op("Loop", 5, doubling(false), {i64s({1}, {3}), kFalse, floats({2}, {1, 5})}, {1});
    expect_values(out[0], {1, 5});
    EXPECT_EQ(out[1].get_shape(), (Shape{0}));
}

TEST(Loop, InfersWhatIsKnown) {
    EXPECT_EQ(shapes_of("Loop", 5, doubling(false), {i64s({1}, {3}), kTrue, open("[2,?]")}),
              "[2,?] [3]");
    EXPECT_EQ(
        shapes_of("Loop", 5, doubling(false), {open("[1]", element::i64), kTrue, open("[2]")}),
        "[2] [?]");
}

TEST(Loop, WidensAShapeThatGrows) {
    // y = x + x with x broadcast against a state that gets another shape.
    IterationAttrs attrs;
    attrs.body = running_sum_body();
    PortMap::append(attrs.input_map, {.external = 2, .internal = 0});
    PortMap::append(attrs.input_map, {.external = 3, .internal = 1});
    PortMap::append(attrs.output_map, {.external = 0, .internal = 0});
    attrs.back_edges = {0, 1};
    const auto out = run_op(
        "Loop", 5, attrs, {i64s({1}, {2}), kTrue, floats({2}, {1, 5}), floats({1}, {10})}, {0, 1});
    expect_values(out[0], {12, 20});
}

// The body's condition is computed, and always true: only running it shows that.
TEST(Loop, EndsWithAnErrorWhenItsConditionNeverTurnsFalse) {
    for (const char* trips : {"-1", "9223372036854775807", "2147483647"}) {
        const auto model = Model::from_text(std::string("%trips = Const.1 value={") + trips +
                                            R"(} : i64[]
            %go = Const.1 value={1} : boolean[]
            %x = Parameter.1 : f32[1]
            %loop = Loop.5(%trips, %go, %x) body={
                %state = Parameter.1 : f32[1]
                %zero = Const.1 value={0} : f32[]
                %more = GreaterEqual.1(%state, %zero)
                %next = Result.1(%state)
                %condition = Result.1(%more)
            } input_map=[2,0,0,0,0,-1,1,1] output_map=[0,0,0,0,0,-1,1,1] back_edges=[0,0] execution_condition=1
            %r = Result.1(%loop))");
        const Node& loop = *model->find("loop");
        const std::vector<Tensor> inputs{loop.input_node(0)->constant(),
                                         loop.input_node(1)->constant(),
                                         Tensor::of<float>({1}, {1})};
        try {
            evaluate_node(loop, inputs);
            ADD_FAILURE() << "the loop ended";
        } catch (const Error& error) {
            EXPECT_THAT(error.what(),
                        HasSubstr("layer 'loop' (Loop): trip_count sets no end and the condition "
                                  "of the body is still true after 1048576 iterations"));
        }
    }
}

TEST(Loop, RefusesToRunForever) {
    EXPECT_THAT(refusal("Loop", 5, doubling(false), {i64s({1}, {-1}), kTrue, open("[2]")}),
                HasSubstr("the loop would not end"));
    EXPECT_THAT(refusal("Loop", 5, doubling(false), {i64s({2}, {1, 1}), kTrue, open("[2]")}),
                HasSubstr("trip_count has shape [2], expected one element"));
    EXPECT_THAT(refusal("Loop", 5, doubling(false), {i64s({}, {1}), i64s({}, {1}), open("[2]")}),
                HasSubstr("the execution condition is i64, expected boolean"));
}

// then: a + b; else: b.
IfAttrs add_or_pass() {
    IfAttrs attrs;
    attrs.then_body = running_sum_body();
    attrs.else_body = std::make_shared<Model>("else");
    Node* b = attrs.else_body->add_parameter("b", element::f32, PartialShape::dynamic());
    attrs.else_body->add_result("same", b->output());
    PortMap::append(attrs.then_inputs, {.external = 1, .internal = 0});
    PortMap::append(attrs.then_inputs, {.external = 2, .internal = 1});
    PortMap::append(attrs.then_outputs, {});
    PortMap::append(attrs.else_inputs, {.external = 2, .internal = 0});
    PortMap::append(attrs.else_outputs, {});
    return attrs;
}

TEST(If, RunsOneBranch) {
    const Tensor a = floats({2}, {1, 2});
    const Tensor b = floats({1}, {10});
    expect_values(run_op("If", 8, add_or_pass(), {kTrue, a, b})[0], {11, 12});
    expect_values(run_op("If", 8, add_or_pass(), {kFalse, a, b})[0], {10});
    expect_values(run_op("If", 8, add_or_pass(), {kFalse, a, b}, {0})[0], {10});
}

TEST(If, InfersTheHullOfBothBranches) {
    const OpenInput condition = open("[]", element::boolean);
    EXPECT_EQ(shapes_of("If", 8, add_or_pass(), {condition, open("[2,3]"), open("[2,1]")}),
              "[2,1..3]");
    EXPECT_EQ(shapes_of("If", 8, add_or_pass(), {condition, open("[2,3]"), open("[3]")}), "[...]");
    EXPECT_EQ(shapes_of("If", 8, add_or_pass(), {kFalse, open("[2,3]"), open("[3]")}), "[3]");
}

TEST(If, ABodyThatDoesNotFitTheInputsIsRefusedOnlyWhenItRuns) {
    const OpenInput condition = open("[]", element::boolean);
    EXPECT_EQ(shapes_of("If", 8, add_or_pass(), {condition, open("[2]"), open("[3]")}), "[3]");
    const Tensor a = floats({2}, {1, 2});
    const Tensor b = floats({3}, {10, 20, 30});
    expect_values(run_op("If", 8, add_or_pass(), {kFalse, a, b})[0], {10, 20, 30});
    EXPECT_THAT(error_of([&] {
                    run_op("If", 8, add_or_pass(), {kTrue, a, b});
                }),
                HasSubstr("[2] and [3]"));
}

TEST(If, RefusesInputsThatNoBodyFits) {
    IfAttrs attrs = add_or_pass();
    attrs.else_body = running_sum_body();
    attrs.else_inputs = attrs.then_inputs;
    const OpenInput condition = open("[]", element::boolean);
    EXPECT_THAT(refusal("If", 8, attrs, {condition, open("[2]"), open("[3]")}),
                HasSubstr("[2] and [3]"));
}

TEST(If, RefusesBodiesThatDisagree) {
    IfAttrs attrs = add_or_pass();
    PortMap::append(attrs.then_outputs, {.external = 1, .internal = 0});
    EXPECT_THAT(refusal("If", 8, attrs, {open("[]", element::boolean), open("[1]"), open("[1]")}),
                HasSubstr("names port 1, but there are 1"));
    EXPECT_THAT(
        refusal("If", 8, add_or_pass(), {open("[3]", element::boolean), open("[1]"), open("[1]")}),
        HasSubstr("the condition has shape [3]"));
    attrs = add_or_pass();
    attrs.else_body = std::make_shared<Model>();
    attrs.else_body->add_result("r", attrs.else_body->add_constant("c", i32s({1}, {1}))->output());
    attrs.else_inputs.clear();
    EXPECT_THAT(refusal("If", 8, attrs, {open("[]", element::boolean), open("[1]"), open("[1]")}),
                HasSubstr("output 0 is f32 in then_body, i32 in else_body"));
}

}  // namespace
}  // namespace fuseq::test
