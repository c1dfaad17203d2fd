// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/constant_cache.hpp"

#include <gmock/gmock.h>

#include "transformations/pass.hpp"

namespace fuseq {
namespace {

// Large enough to be compared by address.
constexpr std::size_t kLarge = 5000;

Tensor filled(std::size_t count, float value) {
    return Tensor::of(Shape{count}, std::vector<float>(count, value));
}

// A model with one large constant.
struct LargeConstant {
    LargeConstant() {
        Node* constant = model.add_constant("large", filled(kLarge, 1.0F));
        model.add("Result", 1, "result", {constant->output()});
        value = constant->constant();
    }
    Model model;
    Tensor value;
};

// Counts how often it is asked to compute.
struct Doubled {
    std::vector<Tensor> operator()() {
        ++calls;
        return {filled(kLarge, 2.0F)};
    }
    int calls = 0;
};

TEST(ConstantCache, ComputesOnceForOneKey) {
    const LargeConstant constant;
    ConstantCache cache(constant.model);
    Doubled doubled;
    const Tensor inputs[] = {constant.value};
    const Tensor first = cache.get("double", inputs, std::ref(doubled))[0];
    const Tensor second = cache.get("double", inputs, std::ref(doubled))[0];
    EXPECT_EQ(doubled.calls, 1);
    EXPECT_EQ(second.data<float>(), first.data<float>());
    EXPECT_EQ(cache.bytes(), kLarge * sizeof(float));
}

TEST(ConstantCache, TellsComputationsAndSmallInputsApart) {
    const LargeConstant constant;
    ConstantCache cache(constant.model);
    Doubled doubled;
    const Tensor one[] = {constant.value, filled(1, 1.0F)};
    const Tensor same[] = {constant.value, filled(1, 1.0F)};
    const Tensor two[] = {constant.value, filled(1, 2.0F)};
    const Tensor reshaped[] = {constant.value.reshaped(Shape{2, kLarge / 2}), filled(1, 1.0F)};
    cache.get("double", one, std::ref(doubled));
    cache.get("double", same, std::ref(doubled));
    EXPECT_EQ(doubled.calls, 1) << "small tensors are compared by their bytes";
    cache.get("double", two, std::ref(doubled));
    EXPECT_EQ(doubled.calls, 2);
    cache.get("triple", one, std::ref(doubled));
    EXPECT_EQ(doubled.calls, 3);
    cache.get("double", reshaped, std::ref(doubled));
    EXPECT_EQ(doubled.calls, 4);
}

TEST(ConstantCache, KeepsNothingOfTensorsThatAPlanMadeForItself) {
    const LargeConstant constant;
    ConstantCache cache(constant.model);
    Doubled doubled;
    const Tensor unknown[] = {filled(kLarge, 1.0F)};
    const Tensor small[] = {filled(1, 1.0F)};
    for (int i = 0; i < 2; ++i) {
        cache.get("double", unknown, std::ref(doubled));
        cache.get("double", small, std::ref(doubled));
    }
    EXPECT_EQ(doubled.calls, 4);
    EXPECT_EQ(cache.bytes(), 0U);
}

TEST(ConstantCache, ResultsAreKnownInputs) {
    const LargeConstant constant;
    ConstantCache cache(constant.model);
    Doubled first;
    Doubled second;
    const Tensor inputs[] = {constant.value};
    for (int i = 0; i < 2; ++i) {
        const Tensor doubled = cache.get("double", inputs, std::ref(first))[0];
        const Tensor again[] = {doubled};
        cache.get("again", again, std::ref(second));
    }
    EXPECT_EQ(first.calls, 1);
    EXPECT_EQ(second.calls, 1);
}

TEST(ConstantCache, ConstantsOfAModelThatStandsForTheOriginalStay) {
    const LargeConstant constant;
    const LargeConstant made;
    ConstantCache cache(constant.model);
    EXPECT_FALSE(cache.keeps(std::as_const(made.value).data()));
    cache.keep(made.model);
    cache.keep(constant.model);  // known before: not counted
    EXPECT_TRUE(cache.keeps(std::as_const(made.value).data()));
    EXPECT_EQ(cache.bytes(), kLarge * sizeof(float));
    Doubled doubled;
    const Tensor inputs[] = {made.value};
    cache.get("double", inputs, std::ref(doubled));
    cache.get("double", inputs, std::ref(doubled));
    EXPECT_EQ(doubled.calls, 1);
    EXPECT_EQ(cache.bytes(), 2 * kLarge * sizeof(float));
}

// What weights become must not depend on whether a cache is there, nor on what it has seen.
TEST(ConstantCache, PassesGiveTheSameModel) {
    const auto original = Model::from_text(R"(model "m"
        %x = Parameter : f32[2,64]
        %w = Const value=random(7,-127,127) : i8[64,80]
        %c = Convert(%w) destination_type=f32 : f32[64,80]
        %s = Const value={0.25} : f32[]
        %d = Multiply(%c, %s)
        %il = Const value={-1} : f32[]
        %ih = Const value={0.9921875} : f32[]
        %q = FakeQuantize(%x, %il, %ih, %il, %ih) levels=256
        %y = MatMul(%q, %d)
        %t = Const value={0.5} : f32[]
        %h = Multiply(%y, %t)
        %r = Result(%h))");
    const auto transformed = [&](ConstantCache* cache) {
        PassOptions options;
        options.constants = cache;
        PassContext context(options);
        const auto model = original->clone();
        transform(*model, context);
        return model->to_text();
    };
    const std::string expected = transformed(nullptr);
    ConstantCache cache(*original);
    EXPECT_EQ(transformed(&cache), expected);
    EXPECT_EQ(transformed(&cache), expected);
    EXPECT_EQ(ConstantCache::current(), nullptr);
}

}  // namespace
}  // namespace fuseq
