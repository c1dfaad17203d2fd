// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

using nlohmann::json;

// "f": fused into a step, "g": in no step, "h": refused by a pass.
std::shared_ptr<Model> model() {
    return Model::from_text(R"(model "net"
        %x = Parameter : f32[1,2,4,4]
        %z = Const value={0} : f32[]
        %b = Const value={4} : f32[]
        %f = FakeQuantize(%x, %z, %b, %z, %b) levels=256
        %g = FakeQuantize(%f, %z, %b, %z, %b) levels=16
        %h = FakeQuantize(%g, %z, %b, %z, %b) levels=1000
        %r = Result(%h))");
}

class ReportTest : public FakePlanTest {
protected:
    void SetUp() override {
        StepInfo& conv = step("conv", {}, {}).info();
        conv.kind = "convolution";
        conv.implementation = "brgconv";
        conv.layers = {"conv", "f"};
        conv.macs = 300;
        conv.quantized = true;
        StepInfo& product = step("product", {}, {}).info();
        product.kind = "matmul";
        product.implementation = "reference";
        product.layers = {"product", "h"};
        product.macs = 100;
        StepInfo& reorder = step("reorder", {}, {}).info();
        reorder.kind = "reorder";
        reorder.implementation = "jit:uni";
        plan_.arena_bytes = 640;
    }
    json report() const {
        const auto net = model();
        return json::parse(report_json(*net, *net, plan_, {.remarks = remarks_}));
    }

    std::vector<Remark> remarks_;
};

TEST_F(ReportTest, TotalsAreThoseOfTheSteps) {
    const json totals = report()["totals"];
    EXPECT_EQ(totals["steps"], 3);
    EXPECT_EQ(totals["macs"], 400);
    EXPECT_EQ(totals["int8_macs_share"], 0.75);
    EXPECT_EQ(totals["anchors_int8"], 1);
    EXPECT_EQ(totals["anchors_float"], 1);
    EXPECT_EQ(totals["reorders"], 1);
    EXPECT_EQ(totals["reference_steps"], 1);
    EXPECT_EQ(totals["arena_bytes"], 640);
    EXPECT_EQ(totals["fake_quantize"], 3);
    EXPECT_EQ(totals["fake_quantize_fused"], 3);
}

TEST_F(ReportTest, AFakeQuantizeIsFusedFoldedOrInAStepOfItsOwn) {
    plan_.steps[1]->info().kind = "reference";
    remarks_ = {{Remark::Kind::kRefused, "split_fake_quantize", "h", "levels", "1000 levels"}};
    const json rows = report()["fake_quantize"];
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0]["layer"], "f");
    EXPECT_EQ(rows[0]["verdict"], "fused");
    EXPECT_EQ(rows[0]["step"], "conv");
    EXPECT_EQ(rows[1]["verdict"], "folded");
    EXPECT_EQ(rows[1]["step"], "");
    EXPECT_EQ(rows[2]["verdict"], "float");
    EXPECT_EQ(rows[2]["step"], "product");
    EXPECT_EQ(rows[2]["code"], "levels");
    EXPECT_EQ(rows[2]["reason"], "1000 levels");
}

TEST_F(ReportTest, PassesSayWhatTheyDidAndWhatTheyRefused) {
    remarks_ = {{Remark::Kind::kRewritten, "fuse_a", "l1", "", ""},
                {Remark::Kind::kRewritten, "fuse_b", "l1", "", "a sentence"},
                {Remark::Kind::kRefused, "fuse_b", "l3", "many_readers", "two readers"},
                {Remark::Kind::kRewritten, "fuse_a", "l2", "", ""}};
    plan_.remarks = {{Remark::Kind::kRewritten, "tile_groups", "conv", "", "begins a group"}};
    const json whole = report();
    EXPECT_EQ(whole["passes"], json::parse(R"([
        {"pass": "fuse_a", "over": "model",
         "changes": [{"layer": "l1", "text": ""}, {"layer": "l2", "text": ""}]},
        {"pass": "fuse_b", "over": "model", "changes": [{"layer": "l1", "text": "a sentence"}]},
        {"pass": "tile_groups", "over": "plan",
         "changes": [{"layer": "conv", "text": "begins a group"}]}])"));
    EXPECT_EQ(whole["refusals"], json::parse(R"([
        {"pass": "fuse_b", "layer": "l3", "code": "many_readers", "reason": "two readers"}])"));
}

}  // namespace
}  // namespace fuseq::cpu
