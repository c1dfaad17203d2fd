// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/variable_state.hpp"
#include "support/op_runner.hpp"
#include "support/small_model.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

std::string type_of_read(const std::string& read) {
    const auto model = Model::from_text("%x = Parameter : f32[2,?]\n%r = " + read);
    const OutputPort& port = model->find("r")->port();
    return to_string(port.type) + to_string(port.shape);
}

std::string error_of_read(const std::string& read) {
    return message_of([&] { type_of_read(read); });
}

TEST(ReadValue, Opset3HasTypeAndShapeOfItsInput) {
    EXPECT_EQ(type_of_read("ReadValue.3(%x) variable_id=\"v\""), "f32[2,?]");
}

TEST(ReadValue, Opset6HasThoseOfTheVariable) {
    EXPECT_EQ(type_of_read("ReadValue.6 variable_id=\"v\" variable_type=i32 variable_shape=[?,4]"),
              "i32[?,4]");
    // The initial value may be one of the shapes that the variable has.
    EXPECT_EQ(
        type_of_read("ReadValue.6(%x) variable_id=\"v\" variable_type=f32 variable_shape=[?,?]"),
        "f32[?,?]");
}

TEST(ReadValue, Opset6OfOldFilesTakesThemFromTheInitialValue) {
    EXPECT_EQ(type_of_read("ReadValue.6(%x) variable_id=\"v\""), "f32[2,?]");
}

TEST(ReadValue, Refuses) {
    EXPECT_THAT(error_of_read("ReadValue.6 variable_id=\"v\""),
                HasSubstr("has no initial value, so variable_type and a variable_shape of known "
                          "rank must be given; they are undefined and [...]"));
    EXPECT_THAT(error_of_read("ReadValue.6 variable_id=\"\" variable_type=f32 variable_shape=[1]"),
                HasSubstr("variable_id is empty"));
    EXPECT_THAT(error_of_read("ReadValue.3(%x) variable_id=\"\""),
                HasSubstr("variable_id is empty"));
    EXPECT_THAT(
        error_of_read("ReadValue.6(%x) variable_id=\"v\" variable_type=i32 variable_shape=[2,3]"),
        HasSubstr("the initial value is f32, variable_type is i32"));
    EXPECT_THAT(
        error_of_read("ReadValue.6(%x) variable_id=\"v\" variable_type=f32 variable_shape=[3,3]"),
        HasSubstr("the initial value has shape [2,?], variable_shape is [3,3]"));
}

// Its value is not that of its input, however well that is known.
TEST(ReadValue, IsNeverKnownBeforeInference) {
    const auto model = Model::from_text(R"(
        %c = Const value={1,2} : i64[2]
        %r = ReadValue.3(%c) variable_id="v"
        %a = Assign.3(%r) variable_id="v"
        %out = Result(%r))");
    EXPECT_FALSE(model->find("r")->port().known_value);
}

}  // namespace
}  // namespace fuseq::test
