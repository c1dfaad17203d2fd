// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes run once for shapes of a kind, and give what they give of the model with these shapes.
#include "cpu/compile/open_passes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "cpu/compile/planned_model.hpp"
#include "support/quantized_convolution_text.hpp"
#include "transformations/support/constant_cache.hpp"

namespace fuseq::cpu {
namespace {

const Config kConfig;

// The model, its passes for all shapes, and the same shapes without them.
class Passes {
public:
    explicit Passes(const std::string& text) : open_(Model::from_text(text)), constants_(*open_) {}

    // How often the passes ran for these shapes.
    std::size_t runs(const std::vector<Shape>& shapes) {
        const std::size_t before = passes_.runs();
        const Transformed made = passes_.transform(*open_, shapes, kConfig, constants_);
        const Transformed alone = transform_in_place(with_shapes(*open_, shapes), kConfig);
        EXPECT_EQ(compare_models(*made.model, *alone.model, {.layer_names = true}), "");
        EXPECT_EQ(made.remarks_left_out, passes_.runs() == before);
        return passes_.runs() - before;
    }

private:
    std::shared_ptr<Model> open_;
    ConstantCache constants_;
    OpenPasses passes_;
};

// Tokens of several texts by quantized weights of 8x8, in two heads by a shape that is computed.
std::string tokens() {
    return "model \"tokens\"\n%x = Parameter : f32[?,?,8]\n" + testing::quantized("x") + R"(
    %k = Const value=random(5,-127,127) : i8[8,8]
    %kf = Convert(%k) destination_type=f32
    %s = Const value={0.0078125} : f32[]
    %kd = Multiply(%kf, %s)
    %y = MatMul(%q, %kd)
    %n = ShapeOf.3(%x) output_type=i64
    %i = Const value={0,1} : i64[2]
    %a = Const value={0} : i64[]
    %n01 = Gather.1(%n, %i, %a)
    %mid = Const value={2,4} : i64[2]
    %to = Concat(%n01, %mid) axis=0
    %r = Reshape(%y, %to) special_zero=false
    %order = Const value={0,2,1,3} : i64[4]
    %t = Transpose(%r, %order)
    %p = MatMul(%t, %t) transpose_b=true
    %m = SoftMax(%p) axis=3
    %out = Result(%m))";
}

TEST(OpenPasses, RunOnceForAllLengths) {
    Passes passes(tokens());
    EXPECT_EQ(passes.runs({{2, 5, 8}}), 2u);  // with these shapes, and with none
    for (const std::size_t length : {6ul, 128ul, 8ul, 7ul, 4ul}) {
        EXPECT_EQ(passes.runs({{2, length, 8}}), 0u) << length;
    }
}

// A dimension of 1 and two that are equal may mean more to a pass.
TEST(OpenPasses, RunForEachKindOfShapes) {
    Passes passes(tokens());
    EXPECT_EQ(passes.runs({{2, 5, 8}}), 2u);
    EXPECT_EQ(passes.runs({{2, 1, 8}}), 1u);
    EXPECT_EQ(passes.runs({{1, 5, 8}}), 1u);
    EXPECT_EQ(passes.runs({{3, 3, 8}}), 1u);
    EXPECT_EQ(passes.runs({{4, 1, 8}}), 0u);
    EXPECT_EQ(passes.runs({{1, 6, 8}}), 0u);
    EXPECT_EQ(passes.runs({{4, 4, 8}}), 0u);
}

std::string convolution_of(const std::string& shape) {
    return "model \"image\"\n%x = Parameter : f32" + shape + "\n" + testing::quantized("x") +
           testing::quantized_convolution("q", "8,3,3,3", "1") + "%out = Result(%c)\n";
}

// What a padded border adds depends on the height.
TEST(OpenPasses, RunForEachSizeOfAPicture) {
    Passes passes(convolution_of("[1,3,?,?]"));
    EXPECT_EQ(passes.runs({{1, 3, 8, 9}}), 1u);
    EXPECT_EQ(passes.runs({{1, 3, 9, 8}}), 1u);
    EXPECT_EQ(passes.runs({{1, 3, 10, 9}}), 1u);
}

TEST(OpenPasses, RunOnceForAnyNumberOfPictures) {
    Passes passes(convolution_of("[?,3,8,9]"));
    EXPECT_EQ(passes.runs({{2, 3, 8, 9}}), 2u);
    EXPECT_EQ(passes.runs({{5, 3, 8, 9}}), 0u);
}

// Where shapes that are known let the passes do more, they run for each of them.
TEST(OpenPasses, RunAgainWhereShapesMeanMore) {
    // The mask has a value a token: a constant of its own, which folds into the Multiply before it.
    Passes passes(R"(model "mask"
    %x = Parameter : f32[?]
    %two = Const value={2} : f32[]
    %d = Multiply(%x, %two)
    %n = ShapeOf.3(%x) output_type=i64
    %three = Const value={3} : f32[]
    %b = Broadcast.3(%three, %n) mode=numpy
    %y = Multiply(%d, %b)
    %out = Result(%y))");
    EXPECT_EQ(passes.runs({{5}}), 2u);
    EXPECT_EQ(passes.runs({{6}}), 1u);
}

// The layer of the model, not one that a pass made.
TEST(OpenPasses, RefuseShapesAsTheModelDoes) {
    const auto open = Model::from_text(R"(model "three"
    %a = Parameter : f32[?,4]
    %b = Parameter : f32[?,4]
    %c = Parameter : f32[?]
    %ab = Concat(%a, %b) axis=0
    %y = MatMul(%ab, %c)
    %out = Result(%y))");
    ConstantCache constants(*open);
    OpenPasses passes;
    const auto refusal_of = [](const std::function<void()>& work) {
        try {
            work();
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    const auto transform = [&](const std::vector<Shape>& shapes) {
        return refusal_of([&] { passes.transform(*open, shapes, kConfig, constants); });
    };
    const std::vector<Shape> wrong = {{2, 4}, {3, 4}, {7}};
    const std::string expected = refusal_of([&] { with_shapes(*open, wrong); });
    EXPECT_THAT(expected, ::testing::HasSubstr("'y' (MatMul)"));
    EXPECT_EQ(transform({{2, 4}, {3, 4}, {4}}), "accepted");
    EXPECT_EQ(transform({{5, 4}, {6, 4}, {4}}), "accepted");
    EXPECT_EQ(transform(wrong), expected);
}

// Plans of new shapes do not run them either.
TEST(OpenPasses, ServeThePlans) {
    const auto open = Model::from_text(tokens());
    SharedByPlans shared(*open);
    for (const std::size_t length : {5ul, 9ul, 6ul, 12ul}) {
        plan_model(open, {{2, length, 8}}, kConfig, shared);
    }
    EXPECT_EQ(shared.passes.runs(), 2u);
}

TEST(OpenPasses, RunForEachShapeWhereTheyAreToBeSeen) {
    Config keeping;
    keeping.keep_intermediates = true;
    const auto open = Model::from_text(tokens());
    ConstantCache constants(*open);
    OpenPasses passes;
    for (const std::size_t length : {5ul, 9ul, 6ul}) {
        EXPECT_FALSE(
            passes.transform(*open, {{2, length, 8}}, keeping, constants).remarks_left_out);
    }
    EXPECT_EQ(passes.runs(), 3u);
}

}  // namespace
}  // namespace fuseq::cpu
