// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Which steps become attention by heads, and why others do not. What the joined step computes:
// unit/cpu/steps/attention_test.cpp.
#include "cpu/plan/passes/attention_by_heads.hpp"

#include <gmock/gmock.h>

#include "cpu/plan/passes/pipeline.hpp"
#include "cpu/steps/attention.hpp"
#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;

// 3 heads of 10 queries by 12 keys of depth 16.
constexpr std::size_t kHeads = 3, kQueries = 10, kKeys = 12, kDepth = 16;

class AttentionByHeads : public FakePlanTest {
protected:
    AttentionByHeads() {
        q_ = heads(ElementType::i8, kQueries, kDepth);
        k_ = heads(ElementType::i8, kKeys, kDepth);
        v_ = heads(ElementType::i8, kKeys, kDepth);
        scores_ = heads(ElementType::f32, kQueries, kKeys);
        probabilities_ = heads(ElementType::u8, kQueries, kKeys);
        context_ = heads(ElementType::i8, kQueries, kDepth);

        product_.dims = {kHeads, kQueries, kKeys};
        product_.depth = kDepth;
        product_.a = matrix(q_, {kQueries * kDepth, kDepth, 1});
        product_.b = matrix(k_, {kKeys * kDepth, 1, kDepth});
        product_.dst = matrix(scores_, {kQueries * kKeys, kKeys, 1}, ElementType::f32);
        product_.scale = {0.01f};

        softmax_.params.length = kKeys;
        softmax_.params.dst_type = ElementType::u8;
        softmax_.params.scale = 255.0f;
        softmax_.scores = scores_;
        softmax_.dst = probabilities_;
        softmax_.count = kHeads * kQueries;

        last_.dims = {kHeads, kQueries, kDepth};
        last_.depth = kKeys;
        last_.a = matrix(probabilities_, {kQueries * kKeys, kKeys, 1}, ElementType::u8);
        last_.b = matrix(v_, {kKeys * kDepth, kDepth, 1});
        last_.dst = matrix(context_, {kQueries * kDepth, kDepth, 1});
        last_.scale = {0.02f};
        product_.own = last_.own = true;
    }

    TensorId heads(ElementType type, std::size_t rows, std::size_t row) {
        const TensorId id = tensor(1);
        plan_.tensors[id].type = type;
        plan_.tensors[id].shape = Shape{kHeads, rows, row};
        return id;
    }
    static ComputedProduct::Matrix matrix(TensorId id,
                                          std::vector<std::size_t> strides,
                                          ElementType type = ElementType::i8) {
        return {id, type, 0, std::move(strides)};
    }

    void add_scores() {
        step("scores", {q_, k_}, {scores_})
            .set_computed_product(std::make_shared<const ComputedProduct>(product_));
    }
    void add_softmax() {
        step("softmax", {scores_}, {probabilities_})
            .set_softmax_rows(std::make_shared<const SoftmaxRows>(softmax_));
    }
    void add_context() {
        step("context", {probabilities_, v_}, {context_})
            .set_computed_product(std::make_shared<const ComputedProduct>(last_));
        plan_.outputs = {context_};
    }
    void add_all() {
        add_scores();
        add_softmax();
        add_context();
    }

    // Of the refusal: "code: sentence"; "joined" without one.
    std::string verdict(PlanPassOptions options = {}) {
        PlanPassContext context(std::move(options));
        const bool changed = attention_by_heads(plan_, context);
        if (context.remarks().empty()) {
            return changed ? "changed in silence" : "nothing";
        }
        const Remark& remark = context.remarks()[0];
        EXPECT_EQ(changed, remark.kind != Remark::Kind::kRefused);
        return changed ? "joined" : remark.code + ": " + remark.text;
    }

    TensorId q_, k_, v_, scores_, probabilities_, context_;
    ComputedProduct product_, last_;
    SoftmaxRows softmax_;
};

TEST_F(AttentionByHeads, ThreeStepsBecomeOne) {
    add_all();
    step("after", {context_}, {tensor(1)});
    PlanPassContext context;
    EXPECT_TRUE(attention_by_heads(plan_, context));
    EXPECT_THAT(order(), ElementsAre("context", "after"));
    EXPECT_THAT(sentences(context.remarks()),
                ElementsAre("context: computes 'scores' and 'softmax' too, some rows of a head at "
                            "a time"));
    const Step& joined = *plan_.steps[0];
    EXPECT_EQ(joined.info().kind, "attention");
    EXPECT_THAT(joined.inputs(), ElementsAre(q_, k_, v_));
    EXPECT_THAT(joined.outputs(), ElementsAre(context_));
    EXPECT_EQ(joined.scratch().size(), 1u);
}

TEST_F(AttentionByHeads, StepsBetweenThemMayStay) {
    add_scores();
    step("between", {v_}, {tensor(1)});
    add_softmax();
    const TensorId other = tensor(1);
    step("values", {other}, {v_});
    add_context();
    EXPECT_EQ(verdict(), "joined");
    EXPECT_THAT(order(), ElementsAre("between", "values", "context"));
}

TEST_F(AttentionByHeads, SeveralInAPlan) {
    add_all();
    const TensorId first = scores_;
    scores_ = heads(ElementType::f32, kQueries, kKeys);
    probabilities_ = heads(ElementType::u8, kQueries, kKeys);
    context_ = heads(ElementType::i8, kQueries, kDepth);
    ASSERT_NE(first, scores_);
    product_.dst.id = softmax_.scores = scores_;
    softmax_.dst = last_.a.id = probabilities_;
    last_.dst.id = context_;
    add_all();
    PlanPassContext context;
    EXPECT_TRUE(attention_by_heads(plan_, context));
    EXPECT_THAT(order(), ElementsAre("context", "context"));
}

TEST_F(AttentionByHeads, KeepsTensorsThatAreToBeSeen) {
    add_all();
    EXPECT_EQ(verdict({.keep_intermediates = true}), "nothing");
}

TEST_F(AttentionByHeads, ASoftmaxAloneIsNothing) {
    add_softmax();
    EXPECT_EQ(verdict(), "nothing");
}

TEST_F(AttentionByHeads, NoScores) {
    step("add", {q_}, {scores_});
    add_softmax();
    add_context();
    EXPECT_EQ(verdict(),
              "no_scores: its scores come out of 'add', which is no product of two computed "
              "matrices of integers alone");
}

TEST_F(AttentionByHeads, NoContext) {
    add_scores();
    add_softmax();
    EXPECT_EQ(verdict(),
              "no_context: no product of two computed matrices of integers reads its result, and "
              "alone");
}

TEST_F(AttentionByHeads, AResultThatOthersRead) {
    add_all();
    step("other", {probabilities_}, {tensor(1)});
    EXPECT_TRUE(verdict().starts_with("no_context"));
    EXPECT_EQ(plan_.steps.size(), 4u);
}

TEST_F(AttentionByHeads, ScoresThatOthersRead) {
    add_all();
    step("other", {scores_}, {tensor(1)});
    EXPECT_EQ(verdict(), "scores_are_read: others read its scores too");
}

TEST_F(AttentionByHeads, ScoresThatAreAResult) {
    add_all();
    plan_.outputs.push_back(scores_);
    EXPECT_EQ(verdict(), "scores_are_read: others read its scores too");
}

TEST_F(AttentionByHeads, RowsThatAreNotDense) {
    product_.dst.strides = {kQueries * kKeys, 1, kQueries};
    add_all();
    EXPECT_EQ(verdict(), "other_rows: scores, SoftMax and context have not the same dense rows");
}

TEST_F(AttentionByHeads, QueriesThatAreOverwritten) {
    add_scores();
    step("overwrites", {v_}, {q_});
    add_softmax();
    add_context();
    EXPECT_EQ(verdict(), "overwritten: 'overwrites' overwrites what its scores are made of");
}

TEST_F(AttentionByHeads, KeysOfWhichProductsArePairs) {
    product_.own = false;
    product_.b.type = ElementType::u8;
    product_.b.zero_point = 3;
    add_all();
    EXPECT_EQ(verdict(),
              "pairs: the second matrix of 'scores' is u8 with a zero point of 3: oneDNN's product "
              "is faster than pairs");
}

TEST_F(AttentionByHeads, SmallHeads) {
    product_.own = last_.own = false;
    product_.form = last_.form = kernels::GemmForm::kVnni512;
    add_all();
    EXPECT_EQ(verdict(), "small: 10 by 12 scores a head, at least 64 by 64");
}

TEST_F(AttentionByHeads, CanBeSwitchedOff) {
    add_all();
    PlanPassContext context(PlanPassOptions{.disabled = {"attention_by_heads"}});
    run_plan_passes(plan_, context, plan_passes());
    EXPECT_EQ(plan_.steps.size(), 3u);
}

}  // namespace
}  // namespace fuseq::cpu
