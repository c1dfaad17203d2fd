// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "fuseq/error.hpp"
#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::ptrdiff_t place_of(std::string_view name) {
    const auto& passes = plan_passes();
    const auto it = std::find_if(passes.begin(), passes.end(),
                                 [&](const PlanPass& pass) { return pass.name == name; });
    EXPECT_NE(it, passes.end()) << name;
    return it - passes.begin();
}

// FUSEQ_DISABLE names passes of both lists.
TEST(PlanPasses, NamesAreUniqueAmongAllPasses) {
    std::set<std::string_view> names;
    for (const auto* list : {&common_passes(), &low_precision_passes(), &cpu_passes()}) {
        for (const Pass& pass : *list) {
            names.insert(pass.name);
        }
    }
    for (const PlanPass& pass : plan_passes()) {
        EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
    }
}

TEST(PlanPasses, OrderIsThatOfWhatTheyDependOn) {
    for (const char* removes_steps :
         {"rounded_sums", "requantized_results", "depth_to_space_stores", "attention_by_heads",
          "concat_slices"}) {
        EXPECT_LT(place_of(removes_steps), place_of("move_to_readers"));
    }
    EXPECT_LT(place_of("requantized_results"), place_of("depth_to_space_stores"));
    EXPECT_LT(place_of("move_to_readers"), place_of("tile_groups"));
    EXPECT_LT(place_of("tile_groups"), place_of("prefetch_weights"));
    EXPECT_LT(place_of("prefetch_next_weights"), place_of("prefetch_weights"));
    EXPECT_EQ(plan_passes().back().name, "arena");  // tensors change until then
}

class PlanPassesOnAPlan : public FakePlanTest {
protected:
    // Two steps of a tile group, whose tensor between them is cut down; another one that the first
    // pass would move between them.
    void SetUp() override {
        const TensorId input = tensor(16);
        const TensorId inner = tensor(256);
        const TensorId result = tensor(16);
        const TensorId small = tensor(1, 1);
        tiled("large", {input}, {inner}).info().kind = "eltwise";
        step("other", {input}, {small});
        tiled("reader", {inner, small}, {result});
        for (const TensorId id : {input, result}) {
            plan_.tensors[id].storage = id == input ? Storage::kInput : Storage::kOutput;
        }
        plan_.outputs = {result};
    }
    void run(PlanPassOptions options) {
        PlanPassContext context(std::move(options));
        run_plan_passes(plan_, context, plan_passes());
    }
};

TEST_F(PlanPassesOnAPlan, AllRunAndLeaveRemarks) {
    run({.threads = 2});
    EXPECT_THAT(order(), ElementsAre("other", "large", "reader"));
    ASSERT_EQ(plan_.tile_groups.size(), 1u);
    EXPECT_GT(plan_.arena_bytes, 0u);
    const auto said = sentences(plan_.remarks);
    ASSERT_EQ(said.size(), 2u);
    EXPECT_EQ(said[0], "large: runs before 'reader', 1 steps later");
    EXPECT_THAT(said[1], HasSubstr("large: begins a group that ends with 'reader': "));
    EXPECT_EQ(plan_.remarks[1].pass, "tile_groups");
}

TEST_F(PlanPassesOnAPlan, ADisabledPassIsSkippedWithThoseThatPrepareForIt) {
    run({.disabled = {"tile_groups"}});
    EXPECT_THAT(order(), ElementsAre("large", "other", "reader"));
    EXPECT_TRUE(plan_.tile_groups.empty());
    EXPECT_TRUE(plan_.remarks.empty());
    EXPECT_GT(plan_.arena_bytes, 0u);
}

TEST_F(PlanPassesOnAPlan, APassThatOnlyPreparesCanBeDisabledAlone) {
    run({.disabled = {"move_to_readers"}});
    EXPECT_THAT(order(), ElementsAre("large", "other", "reader"));
    EXPECT_TRUE(plan_.tile_groups.empty());  // the steps are not neighbours
}

TEST_F(PlanPassesOnAPlan, TheArenaCannotBeDisabled) {
    try {
        run({.disabled = {"arena"}});
        FAIL() << "the plan has no memory";
    } catch (const Error& error) {
        EXPECT_EQ(error.info().stage, "plan");
        EXPECT_EQ(error.info().rule,
                  "pass 'arena' cannot be disabled: no tensor would have memory");
    }
}

TEST_F(PlanPassesOnAPlan, AFailureNamesThePass) {
    const std::vector<PlanPass> passes = {
        {"good", [](Plan&, PlanPassContext&) { return true; }},
        {"bad", [](Plan&, PlanPassContext&) -> bool { throw Error("x", "the reason"); }}};
    PlanPassContext context;
    try {
        run_plan_passes(plan_, context, passes);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.info().stage, "plan bad");
        EXPECT_EQ(error.info().rule, "the reason");
    }
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    EXPECT_TRUE(in) << file;
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

TEST_F(PlanPassesOnAPlan, DumpsShowThePlanBeforeAndAfterEachPass) {
    const auto folder = std::filesystem::path(::testing::TempDir()) / "fuseq_plan_dumps";
    std::filesystem::remove_all(folder);
    run({.disabled = {"concat_slices"}, .dump_dir = folder.string(), .threads = 2});
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        files.insert(entry.path().filename().string());
    }
    EXPECT_THAT(
        files, ElementsAre("plan_000_built.txt", "plan_001_rounded_sums.txt",
                           "plan_002_requantized_results.txt", "plan_003_depth_to_space_stores.txt",
                           "plan_004_attention_by_heads.txt", "plan_006_move_to_readers.txt",
                           "plan_007_tile_groups.txt", "plan_008_prefetch_next_weights.txt",
                           "plan_009_prefetch_weights.txt", "plan_010_arena.txt"));
    EXPECT_THAT(text_of(folder / "plan_000_built.txt"), HasSubstr("step 0 eltwise \"large\""));
    EXPECT_THAT(text_of(folder / "plan_006_move_to_readers.txt"),
                HasSubstr("step 1 eltwise \"large\""));
    EXPECT_THAT(text_of(folder / "plan_006_move_to_readers.txt"), Not(HasSubstr("group steps")));
    EXPECT_THAT(text_of(folder / "plan_007_tile_groups.txt"), HasSubstr("group steps 1 to 2: "));
    EXPECT_THAT(text_of(folder / "plan_007_tile_groups.txt"), HasSubstr(" 0 bytes of arena"));
    EXPECT_THAT(text_of(folder / "plan_010_arena.txt"), Not(HasSubstr(" 0 bytes of arena")));
    std::filesystem::remove_all(folder);
}

TEST_F(PlanPassesOnAPlan, AFolderThatCannotBeMadeIsAnError) {
    try {
        run({.dump_dir = "/proc/fuseq_plan_dumps"});
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.info().rule, HasSubstr("cannot make folder '/proc/fuseq_plan_dumps'"));
    }
}

}  // namespace
}  // namespace fuseq::cpu
