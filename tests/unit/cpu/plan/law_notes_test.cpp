// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/law_notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fuseq/fuseq.hpp"
#include "support/quantized_convolution_text.hpp"

namespace fuseq::cpu {
namespace {

using post_ops::LawNote;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

const char* const kTwoProducts = R"(model "m"
    %x = Parameter : f32[1,2,4,4]
    %a = Const value={0.5} : f32[1]
    %b = Const value={4} : f32[1]
    %y = Multiply(%x, %a)
    %z = Multiply(%y, %b)
    %r = Result(%z)
)";

TEST(LawNotes, BelongToTheLastLayerOfAChain) {
    const auto model = Model::from_text(kTwoProducts);
    const auto notes = law_notes(*model, true, {});
    ASSERT_EQ(notes.count("z"), 1u);
    EXPECT_THAT(notes.at("z"),
                Contains(LawNote{"fold_scales", true, "scale(0.5) scale(4) => scale(2)"}));
    EXPECT_EQ(notes.count("y"), 0u);
}

TEST(LawNotes, NothingIsFoldedWithoutFusion) {
    const auto model = Model::from_text(kTwoProducts);
    const auto notes = law_notes(*model, false, {});
    EXPECT_THAT(notes.at("y"), IsEmpty());
    EXPECT_THAT(notes.at("z"), IsEmpty());
}

// In the report of a compiled model: a FakeQuantize in the middle of what follows a convolution.
nlohmann::json laws_of(const std::string& step, const AnyMap& properties) {
    const auto model = Model::from_text(R"(model "m"
    %x = Parameter : f32[1,16,8,8]
    %z = Const value={0} : f32[]
    %h = Const value={15.9375} : f32[]
    %h2 = Const value={63.75} : f32[]
    %q = FakeQuantize(%x, %z, %h, %z, %h) levels=256
)" + testing::quantized_convolution("q", "16,16,3,3", "1") +
                                        R"(
    %middle = FakeQuantize(%c, %z, %h2, %z, %h2) levels=16
    %q2 = FakeQuantize(%middle, %z, %h, %z, %h) levels=256
    %c2 = Convolution(%q2, %wd) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
    %out = Result(%c2)
)");
    Core core;
    const CompiledModel compiled = core.compile_model(model, "CPU", properties);
    const auto report = nlohmann::json::parse(compiled.get_runtime_report());
    for (const auto& row : report["steps"]) {
        if (row["name"] == step) {
            return row["laws"];
        }
    }
    ADD_FAILURE() << "no step " << step << " in " << report.dump(1);
    return {};
}

TEST(LawNotes, RefusalsAreInTheReport) {
    const nlohmann::json refused{
        {"law", "drop_middle_round"},
        {"applied", false},
        {"text", "a rounding in the middle of a chain stays, drop_middle_rounds is off"}};
    EXPECT_THAT(laws_of("c", {}), Contains(refused));
    EXPECT_THAT(laws_of("c", {{"FUSEQ_DROP_MIDDLE_ROUNDS", "YES"}}), Not(Contains(refused)));
}

}  // namespace
}  // namespace fuseq::cpu
