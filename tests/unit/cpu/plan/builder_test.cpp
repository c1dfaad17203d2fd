// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/core.hpp"
#include "support/small_model.hpp"

namespace fuseq::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(PlanBuilder, TensorsOfMoreElementsThan32BitsCountAreRefused) {
    Core core;
    const auto compile = [&](const PartialShape& shape) {
        return message_of([&] { core.compile_model(relu_model(shape), "CPU"); });
    };
    EXPECT_THAT(compile({8, 2147483647}),
                AllOf(HasSubstr("'in' (Parameter)"), HasSubstr("[8,2147483647]"),
                      HasSubstr("at most 2147483647 elements")));
    EXPECT_EQ(compile({8, 64}), "no error");
}

// The input fits, what is computed does not.
TEST(PlanBuilder, TheNodeWhoseResultIsTooLargeIsNamed) {
    auto model = std::make_shared<Model>("sums");
    Node* rows = model->add_parameter("rows", ElementType::f32, PartialShape{65536, 1});
    Node* columns = model->add_parameter("columns", ElementType::f32, PartialShape{1, 65536});
    Node* sum = model->add("Add", 1, "sum", {rows->output(), columns->output()});
    model->add_result("result", sum->output());
    EXPECT_THAT(message_of([&] { Core().compile_model(model, "CPU"); }),
                AllOf(HasSubstr("'sum' (Add)"), HasSubstr("[65536,65536]")));
}

// An input that is quantized and turned to channels-last, without an image in it.
TEST(PlanBuilder, AnEmptyInputIsCompiledAndRun) {
    const auto model = Model::from_text(R"(model "m"
        %x = Parameter : f32[0,3,4,4]
        %il = Const value={0} : f32[]
        %ih = Const value={2.55} : f32[]
        %q = FakeQuantize(%x, %il, %ih, %il, %ih) levels=256
        %p = MaxPool.1(%q) kernel=[2,2] strides=[2,2] pads_begin=[0,0] pads_end=[0,0]
        %r = Result(%p))");
    InferRequest request = Core().compile_model(model, "CPU").create_infer_request();
    request.infer();
    EXPECT_EQ(request.get_output_tensor().get_shape(), (Shape{0, 3, 2, 2}));
}

}  // namespace
}  // namespace fuseq::test
