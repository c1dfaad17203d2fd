// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/convert_precision.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "fuseq/error.hpp"
#include "fuseq/model.hpp"
#include "ops/control/subgraph.hpp"

namespace fuseq {
namespace {

// Runs the pass and compares with the expected text, read as a model.
void expect_converted(const std::string& before, const std::string& after) {
    const std::shared_ptr<Model> model = Model::from_text(before);
    const std::shared_ptr<Model> want = Model::from_text(after);
    PassContext context;
    EXPECT_TRUE(convert_precision(*model, context));
    model->remove_dead_nodes();
    EXPECT_EQ(compare_models(*model, *want), "") << model->to_text();
}

TEST(ConvertPrecision, WidensTheGraphAndKeepsTheBorder) {
    expect_converted(R"(model "m"
        %x = Parameter.1 : f16[2]
        %w = Const.1 value={1,0.5} : f16[2]
        %y = Multiply.1(%x, %w) : f16[2]
        %r = Result.1(%y) : f16[2])",
                     R"(model "m"
        %x = Parameter.1 : f16[2]
        %w = Const.1 value={1,0.5} : f32[2]
        %c = Convert.1(%x) destination_type=f32 : f32[2]
        %y = Multiply.1(%c, %w) : f32[2]
        %d = Convert.1(%y) destination_type=f16 : f16[2]
        %r = Result.1(%d) : f16[2])");
}

TEST(ConvertPrecision, TakesOutConvertsThatDoNothingAnyMore) {
    expect_converted(R"(model "m"
        %x = Parameter.1 : f32[2]
        %w = Const.1 value={1,0.5} : f16[2]
        %w32 = Convert.1(%w) destination_type=f32 : f32[2]
        %y = Multiply.1(%x, %w32) : f32[2]
        %low = Convert.1(%y) destination_type=bf16 : bf16[2]
        %high = Convert.1(%low) destination_type=f64 : f64[2]
        %z = ReLU.1(%high) : f64[2]
        %back = Convert.1(%z) destination_type=f32 : f32[2]
        %r = Result.1(%back) : f32[2])",
                     R"(model "m"
        %x = Parameter.1 : f32[2]
        %w = Const.1 value={1,0.5} : f32[2]
        %y = Multiply.1(%x, %w) : f32[2]
        %z = ReLU.1(%y) : f32[2]
        %r = Result.1(%z) : f32[2])");
}

TEST(ConvertPrecision, LeavesIntegersAlone) {
    expect_converted(R"(model "m"
        %x = Parameter.1 : u8[2]
        %y = Convert.1(%x) destination_type=f16 : f16[2]
        %z = Convert.1(%y) destination_type=i64 : i64[2]
        %r = Result.1(%z) : i64[2])",
                     R"(model "m"
        %x = Parameter.1 : u8[2]
        %y = Convert.1(%x) destination_type=f32 : f32[2]
        %z = Convert.1(%y) destination_type=i64 : i64[2]
        %r = Result.1(%z) : i64[2])");
}

TEST(ConvertPrecision, KeepsTheTypesOfAResultThatReadsAParameter) {
    expect_converted(R"(model "m"
        %x = Parameter.1 : f64[2]
        %r = Result.1(%x) : f64[2])",
                     R"(model "m"
        %x = Parameter.1 : f64[2]
        %c = Convert.1(%x) destination_type=f32 : f32[2]
        %d = Convert.1(%c) destination_type=f64 : f64[2]
        %r = Result.1(%d) : f64[2])");
}

TEST(ConvertPrecision, WidensBodiesWhole) {
    auto body = std::make_shared<Model>("body");
    Node* state = body->add_parameter("state", ElementType::f16, PartialShape{2});
    Node* half = body->add_constant("half", Tensor::of<Float16>({2}, {Float16(0.5f), {}}));
    Node* sum = body->add("Add", 1, "sum", {state->output(), half->output()});
    body->add_result("next", sum->output());
    IterationAttrs attrs;
    attrs.body = body;
    PortMap::append(attrs.input_map, {.external = 0, .internal = 0});
    PortMap::append(attrs.output_map, {.external = 0, .internal = 0});
    attrs.back_edges = {0, 0};
    Model model("m");
    Node* x = model.add_parameter("x", ElementType::f16, PartialShape{2});
    Node* trips = model.add_constant("trips", Tensor::of<std::int64_t>({1}, {3}));
    Node* go_on = model.add_constant("go_on", Tensor::of<bool>({1}, {true}));
    // Loop: trip count, condition, then what the body reads.
    attrs.input_map.clear();
    PortMap::append(attrs.input_map, {.external = 2, .internal = 0});
    Node* loop = model.add("Loop", 5, "loop", {trips->output(), go_on->output(), x->output()},
                           std::unique_ptr<Attributes>(std::make_unique<IterationAttrs>(attrs)));
    model.add_result("r", loop->output());

    PassContext context;
    ASSERT_TRUE(convert_precision(model, context));
    const Model& converted = *loop->attrs<IterationAttrs>().body;
    EXPECT_EQ(converted.find("state")->port().type, ElementType::f32);
    EXPECT_EQ(converted.find("half")->port().type, ElementType::f32);
    EXPECT_EQ(converted.find("sum")->port().type, ElementType::f32);
    EXPECT_EQ(loop->port().type, ElementType::f32);
    EXPECT_EQ(model.output(0).type(), ElementType::f16);
}

TEST(ConvertPrecision, DoesNothingWhereAllIsF32) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter.1 : f32[2]
        %y = ReLU.1(%x) : f32[2]
        %r = Result.1(%y) : f32[2])");
    PassContext context;
    EXPECT_FALSE(convert_precision(*model, context));
    EXPECT_TRUE(context.remarks().empty());
}

TEST(ConvertPrecision, LooksIntoBodiesWithinBodies) {
    const std::string before = R"(model "m"
        %x = Parameter.1 : f32[2]
        %go = Parameter.1 : boolean[]
        %if = If.8(%go, %x) then_body={
            %a = Parameter.1 : f32[2]
            %go2 = Const.1 value={1} : boolean[]
            %inner = If.8(%go2, %a) then_body={
                %b = Parameter.1 : f32[2]
                %low = Convert.1(%b) destination_type=TYPE
                %back = Convert.1(%low) destination_type=f32
                %rb = Result.1(%back)
            } else_body={
                %c = Parameter.1 : f32[2]
                %rc = Result.1(%c)
            } then_inputs=[1,0,0,0,0,-1,1,1] then_outputs=[0,0,0,0,0,-1,1,1] else_inputs=[1,0,0,0,0,-1,1,1] else_outputs=[0,0,0,0,0,-1,1,1]
            %ra = Result.1(%inner)
        } else_body={
            %d = Parameter.1 : f32[2]
            %rd = Result.1(%d)
        } then_inputs=[1,0,0,0,0,-1,1,1] then_outputs=[0,0,0,0,0,-1,1,1] else_inputs=[1,0,0,0,0,-1,1,1] else_outputs=[0,0,0,0,0,-1,1,1]
        %r = Result.1(%if))";
    for (const bool other : {false, true}) {
        std::string text = before;
        text.replace(text.find("TYPE"), 4, other ? "f16" : "f32");
        PassContext context;
        EXPECT_EQ(convert_precision(*Model::from_text(text), context), other);
    }
}

TEST(ConvertPrecision, SaysWhatTheBorderDoes) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter.1 : f16[2]
        %y = ReLU.1(%x) : f16[2]
        %r = Result.1(%y) : f16[2])");
    PassContext context;
    convert_precision(*model, context);
    ASSERT_EQ(context.remarks().size(), 2u);
    EXPECT_EQ(context.remarks()[0].layer, "x/f32");
    EXPECT_EQ(context.remarks()[1].layer, "y/f16");
}

// Int8 weights in IR v11 whose floats are halves: no kernel subtracts or multiplies those, so
// that their values are known as soon as they are floats.
TEST(ConvertPrecision, ConstantsComputedFromHalves) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter.1 : f32[1,3]
        %i = Const.1 value={1,-2,3,4,5,-6} : i8[2,3]
        %w = Convert.1(%i) destination_type=f16 : f16[2,3]
        %z = Const.1 value={0.5} : f16[1]
        %d = Subtract.1(%w, %z) : f16[2,3]
        %s = Const.1 value={2,0.25} : f16[2,1]
        %m = Multiply.1(%d, %s) : f16[2,3]
        %f = Convert.1(%m) destination_type=f32 : f32[2,3]
        %y = MatMul.1(%x, %f) transpose_a=false transpose_b=true : f32[1,2]
        %r = Result.1(%y) : f32[1,2])");
    EXPECT_EQ(model->find("m")->port().known_value.get_element_type(), ElementType::undefined);
    PassContext context;
    EXPECT_TRUE(convert_precision(*model, context));
    const Tensor known = model->find("m")->port().known_value;
    ASSERT_EQ(known.get_element_type(), ElementType::f32);
    const float* values = known.data<float>();
    EXPECT_THAT(std::vector<float>(values, values + 6),
                testing::ElementsAre(1.0f, -5.0f, 5.0f, 0.875f, 1.125f, -1.625f));
}

// Other kernels' complaints are not held back.
TEST(ConvertPrecision, ConstantsOfFloatsThatAreWrongAreRefused) {
    EXPECT_THROW(Model::from_text(R"(model "m"
        %i = Const.1 value={1,2} : i64[2]
        %z = Const.1 value={0,0} : i64[2]
        %d = Divide.1(%i, %z) : i64[2]
        %r = Result.1(%d) : i64[2])"),
                 Error);
}

TEST(ConvertPrecision, LeavesPackedConstantsToTheirConverts) {
    expect_converted(R"(model "m"
        %x = Parameter.1 : f32[2]
        %w = Const.1 value={1,7} : u4[2]
        %f = Convert.1(%w) destination_type=f16 : f16[2]
        %n = Const.1 value={1,-1} : nf4[2]
        %g = Convert.1(%n) destination_type=f32 : f32[2]
        %h = Convert.1(%f) destination_type=f32 : f32[2]
        %y = Multiply.1(%x, %h) : f32[2]
        %z = Multiply.1(%y, %g) : f32[2]
        %r = Result.1(%z) : f32[2])",
                     R"(model "m"
        %x = Parameter.1 : f32[2]
        %w = Const.1 value={1,7} : u4[2]
        %f = Convert.1(%w) destination_type=f32 : f32[2]
        %n = Const.1 value={1,-1} : nf4[2]
        %g = Convert.1(%n) destination_type=f32 : f32[2]
        %y = Multiply.1(%x, %f) : f32[2]
        %z = Multiply.1(%y, %g) : f32[2]
        %r = Result.1(%z) : f32[2])");
}

TEST(ConvertPrecision, UnpacksForEveryOtherReader) {
    expect_converted(R"(model "m"
        %x = Parameter.1 : i4[2,2]
        %w = Const.1 value={1,-7} : i4[2]
        %y = Add.1(%x, %w) : i4[2,2]
        %f = Convert.1(%x) destination_type=f32 : f32[2,2]
        %p = Result.1(%x) : i4[2,2]
        %q = Result.1(%y) : i4[2,2]
        %r = Result.1(%f) : f32[2,2])",
                     R"(model "m"
        %x = Parameter.1 : i4[2,2]
        %w = Const.1 value={1,-7} : i4[2]
        %xb = Convert.1(%x) destination_type=i8 : i8[2,2]
        %wb = Convert.1(%w) destination_type=i8 : i8[2]
        %y = Add.1(%xb, %wb) : i8[2,2]
        %yp = Convert.1(%y) destination_type=i4 : i4[2,2]
        %f = Convert.1(%x) destination_type=f32 : f32[2,2]
        %p = Result.1(%x) : i4[2,2]
        %q = Result.1(%yp) : i4[2,2]
        %r = Result.1(%f) : f32[2,2])");
}

// Values out of the range are clamped there, not where they end up.
TEST(ConvertPrecision, KeepsAConvertToAPackedType) {
    expect_converted(R"(model "m"
        %x = Parameter.1 : f32[2]
        %u = Convert.1(%x) destination_type=u4 : u4[2]
        %s = Const.1 value={2,1} : i64[2]
        %y = Reshape.1(%u, %s) special_zero=false : u4[2,1]
        %f = Convert.1(%y) destination_type=f32 : f32[2,1]
        %r = Result.1(%f) : f32[2,1])",
                     R"(model "m"
        %x = Parameter.1 : f32[2]
        %u = Convert.1(%x) destination_type=u4 : u4[2]
        %b = Convert.1(%u) destination_type=u8 : u8[2]
        %s = Const.1 value={2,1} : i64[2]
        %y = Reshape.1(%b, %s) special_zero=false : u8[2,1]
        %f = Convert.1(%y) destination_type=f32 : f32[2,1]
        %r = Result.1(%f) : f32[2,1])");
}

}  // namespace
}  // namespace fuseq
