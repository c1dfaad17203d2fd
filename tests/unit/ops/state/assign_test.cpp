// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/variable_state.hpp"
#include "support/op_runner.hpp"
#include "support/small_model.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

std::shared_ptr<Model> with(const std::string& lines) {
    return Model::from_text(
        "%x = Parameter : f32[2]\n%i = Parameter : i32[2]\n"
        "%w = Parameter : f32[3]\n" +
        lines);
}

std::string refusal(const std::string& lines) {
    return message_of([&] { variables_of(*with(lines)); });
}

constexpr const char* kRead =
    "%r = ReadValue.6 variable_id=\"v\" variable_type=f32 variable_shape=[2]\n";

std::shared_ptr<Model> counter() {
    return with(std::string(kRead) + R"(
        %sum = Add(%r, %x)
        %a = Assign.6(%sum) variable_id="v"
        %out = Result(%r))");
}

TEST(Assign, PassesTypeAndShapeOn) {
    const auto model = counter();
    EXPECT_EQ(model->find("a")->port().type, ElementType::f32);
    EXPECT_EQ(to_string(model->find("a")->port().shape), "[2]");
}

TEST(Assign, StaysThoughNobodyReadsIt) {
    const auto model = counter();
    model->add("ReLU", 1, "dead", {model->find("sum")->output()});
    EXPECT_EQ(model->remove_dead_nodes(), 1u);
    EXPECT_NE(model->find("a"), nullptr);
    EXPECT_NE(model->find("sum"), nullptr);
    EXPECT_NE(model->clone()->find("a"), nullptr);
    EXPECT_EQ(compare_models(*Model::from_text(model->to_text()), *model, {.layer_names = true}),
              "");
}

TEST(Assign, IsComparedThoughNoResultReadsIt) {
    const auto model = counter();
    const auto other = with(std::string(kRead) + R"(
        %sum = Subtract(%r, %x)
        %a = Assign.6(%sum) variable_id="v"
        %out = Result(%r))");
    EXPECT_THAT(compare_models(*model, *other), HasSubstr("comes from"));
    const auto renamed = with(R"(
        %r = ReadValue.6 variable_id="u" variable_type=f32 variable_shape=[2]
        %sum = Add(%r, %x)
        %a = Assign.6(%sum) variable_id="u"
        %out = Result(%r))");
    EXPECT_THAT(compare_models(*model, *renamed),
                HasSubstr("variable 'v' is assigned in one model only"));
}

TEST(Assign, VariablesAreSortedByName) {
    const auto model = with(R"(
        %r2 = ReadValue.6 variable_id="z" variable_type=f32 variable_shape=[?,2]
        %r1 = ReadValue.3(%i) variable_id="a"
        %a1 = Assign.6(%r2) variable_id="z"
        %a2 = Assign.3(%r1) variable_id="a")");
    const std::vector<Variable> variables = variables_of(*model);
    ASSERT_EQ(variables.size(), 2u);
    EXPECT_EQ(variables[0].name, "a");
    EXPECT_EQ(variables[0].type, ElementType::i32);
    EXPECT_TRUE(variables[0].has_initial);
    EXPECT_EQ(variables[1].name, "z");
    EXPECT_EQ(to_string(variables[1].shape), "[?,2]");
    EXPECT_FALSE(variables[1].has_initial);
    EXPECT_TRUE(may_grow(variables));
    EXPECT_FALSE(may_grow({variables[0]}));
}

TEST(Assign, RefusesWhatIsNoPair) {
    EXPECT_EQ(refusal(std::string(kRead) + "%a = Assign.6(%x) variable_id=\"v\""), "no error");
    EXPECT_THAT(refusal("%a = Assign.6(%x) variable_id=\"v\""),
                HasSubstr("'a' (Assign): variable 'v' has no ReadValue; each variable has one "
                          "ReadValue and one Assign"));
    EXPECT_THAT(refusal(kRead), HasSubstr("'r' (ReadValue): variable 'v' has no Assign"));
    EXPECT_THAT(refusal(std::string(kRead) + R"(
                    %r2 = ReadValue.6 variable_id="v" variable_type=f32 variable_shape=[2]
                    %a = Assign.6(%x) variable_id="v")"),
                HasSubstr("'r2' (ReadValue): variable 'v' has a ReadValue already, 'r'"));
    EXPECT_THAT(refusal(std::string(kRead) + R"(
                    %a = Assign.6(%x) variable_id="v"
                    %b = Assign.6(%x) variable_id="v")"),
                HasSubstr("'b' (Assign): variable 'v' has a Assign already, 'a'"));
    EXPECT_THAT(refusal(std::string(kRead) + "%a = Assign.3(%x) variable_id=\"v\""),
                HasSubstr("has a ReadValue of opset6 and an Assign of opset3"));
}

TEST(Assign, RefusesAnotherTypeOrShape) {
    EXPECT_THAT(refusal(std::string(kRead) + "%a = Assign.6(%i) variable_id=\"v\""),
                HasSubstr("variable 'v' is f32 in ReadValue 'r', the value is i32"));
    EXPECT_THAT(refusal(std::string(kRead) + "%a = Assign.6(%w) variable_id=\"v\""),
                HasSubstr("variable 'v' has shape [2] in ReadValue 'r', the value has shape [3]"));
    EXPECT_THAT(message_of([] { with("%a = Assign.6(%x) variable_id=\"\""); }),
                HasSubstr("variable_id is empty"));
}

TEST(Assign, RefusesVariablesInBodies) {
    EXPECT_THAT(refusal(R"(
        %op = TensorIterator.1(%x) body={
            %part = Parameter.1 : f32[1]
            %in = ReadValue.6 variable_id="v" variable_type=f32 variable_shape=[1]
            %sum = Add.1(%part, %in)
            %keep = Assign.6(%sum) variable_id="v"
            %next = Result.1(%sum)
        } input_map=[0,0,1,0,0,-1,1,1] output_map=[0,0,1,0,0,-1,1,1]
        %out = Result(%op))"),
                HasSubstr("'in' (ReadValue): stands in body"));
}

}  // namespace
}  // namespace fuseq::test
