// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/cpu/expand_constants.hpp"

#include "support/pass_testing.hpp"
#include "unit/cpu/steps/on_devices.hpp"

namespace fuseq::test {
namespace {

// A convolution of `batch` images, arithmetic with a constant, ReLU.
std::string text_of(const std::string& batch, const std::string& shape, const std::string& type) {
    return "model \"m\"\n%x = Parameter : f32[" + batch + R"(,2,2,3]
        %w = Const value={1,-2,3,0.5} : f32[2,2,1,1]
        %c = Convolution(%x, %w) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %k = Const value={1,2,3,4,5,6,-7,8,9,10,-11,12} : f32)" +
           shape + "\n%s = " + type + R"((%c, %k)
        %y = ReLU(%s)
        %r = Result(%y))";
}

TEST(ExpandConstants, ImagesOfABatchFuseLikeOne) {
    const DeviceRun one = check_on_devices(text_of("1", "[1,2,2,3]", "Add"), 1, 1e-5);
    ASSERT_NE(one.post_ops_of("c").find("add(#0 f32)"), std::string::npos) << one.report;
    for (const char* shape : {"[1,2,2,3]", "[2,2,3]"}) {
        for (const char* type : {"Add", "Multiply"}) {
            const DeviceRun run = check_on_devices(text_of("3", shape, type), 2, 1e-5);
            EXPECT_EQ(run.step_of("y"), run.step_of("c")) << shape << type;
            EXPECT_NE(run.post_ops_of("c").find("(#0 f32)"), std::string::npos) << shape << type;
        }
    }
}

TEST(ExpandConstants, DynamicBatchesExpandForEachPlan) {
    const std::shared_ptr<const Model> model(Model::from_text(text_of("?", "[1,2,2,3]", "Add")));
    std::mt19937 random(3);
    for (const std::size_t batch : {1, 4, 2}) {
        const std::vector<Tensor> inputs = {
            random_tensor(ElementType::f32, {batch, 2, 2, 3}, random)};
        const DeviceRun got = run_on("CPU", model, inputs);
        const DeviceRun want = run_on("REFERENCE", model, inputs);
        EXPECT_EQ(got.step_of("y"), got.step_of("c"));
        for (std::size_t i = 0; i < batch * 12; ++i) {
            EXPECT_NEAR(got.outputs[0].data<float>()[i], want.outputs[0].data<float>()[i], 1e-4);
        }
    }
}

}  // namespace
}  // namespace fuseq::test

namespace fuseq::testing {
namespace {

TEST(ExpandConstants, LeavesValuesOfChannelsAndOtherBroadcastsAlone) {
    const PassTest test = run_pass(expand_constants, R"(model "m"
        %x = Parameter : f32[2,3,2,2]
        %a = Const value={1,2,3} : f32[1,3,1,1]
        %b = Const value={1,2,3,4} : f32[1,1,2,2]
        %p = Add(%x, %a)
        %y = Add(%p, %b)
        %r = Result(%y))");
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(test.after->find("p")->input(1).shape(), (Shape{1, 3, 1, 1}));
    EXPECT_EQ(test.after->find("y")->input(1).shape(), (Shape{1, 1, 2, 2}));
}

TEST(ExpandConstants, RepeatsAnImageForTheBatch) {
    const PassTest test = run_pass(expand_constants, R"(model "m"
        %x = Parameter : f32[2,1,2,3]
        %a = Const value={1,2,3,4,5,6} : f32[1,2,3]
        %y = Subtract(%a, %x)
        %r = Result(%y))");
    EXPECT_TRUE(test.changed);
    EXPECT_EQ(differs_from(test, R"(model "m"
        %x = Parameter : f32[2,1,2,3]
        %a = Const value={1,2,3,4,5,6,1,2,3,4,5,6} : f32[2,1,2,3]
        %y = Subtract(%a, %x)
        %r = Result(%y))"),
              "");
    EXPECT_EQ(largest_difference(test), 0.0);
    ASSERT_EQ(test.context.remarks().size(), 1u);
    EXPECT_EQ(test.context.remarks()[0].text, "'a' is repeated for 2 images");
}

}  // namespace
}  // namespace fuseq::testing
