// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/passes/tile_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cpu/plan/passes/arena.hpp"
#include "fuseq/core.hpp"
#include "support/quantized_convolution_text.hpp"
#include "unit/cpu/plan/passes/fake_plan.hpp"

namespace fuseq::cpu {
namespace {

using ::testing::ElementsAre;

class TileGroupsOfAPlan : public FakePlanTest {
protected:
    // "first-last" of each group.
    std::vector<std::string> found() {
        PlanPassContext context({.threads = 2});
        const bool changed = tile_groups(plan_, context);
        EXPECT_EQ(changed, !plan_.tile_groups.empty());
        EXPECT_EQ(context.remarks().size(), plan_.tile_groups.size());
        std::vector<std::string> groups;
        for (const TileGroup& group : plan_.tile_groups) {
            groups.push_back(std::to_string(group.first) + "-" + std::to_string(group.last));
        }
        return groups;
    }
};

TEST_F(TileGroupsOfAPlan, NeighboursOfAsManyRows) {
    const TensorId a = tensor(64);
    const TensorId b = tensor(64);
    const TensorId c = tensor(64);
    const TensorId d = tensor(64);
    const TensorId half = tensor(64, kRows / 2);
    tiled("a", {a}, {b});
    tiled("b", {b}, {c});
    step("pool", {c}, {half});
    tiled("c", {c}, {d}).tiled({.rows = kRows / 2});
    tiled("d", {c}, {d});
    EXPECT_THAT(found(), ElementsAre("0-2"));
    EXPECT_EQ(plan_.tile_groups[0].share_grain, 1u);
}

TEST_F(TileGroupsOfAPlan, WhatIsReadAnywhereIsFinishedBefore) {
    const TensorId a = tensor(64);
    const TensorId b = tensor(64);
    const TensorId c = tensor(64);
    const TensorId d = tensor(64);
    tiled("a", {a}, {b});
    tiled("window of b", {b}, {c}).tiled({.rows = kRows, .grain = 100, .whole = {b}});
    tiled("c", {c}, {d});
    EXPECT_THAT(found(), ElementsAre("1-3"));
    EXPECT_EQ(plan_.tile_groups[0].grain, 100u);
    EXPECT_EQ(plan_.tile_groups[0].share_grain, 100u);
    EXPECT_EQ(plan_.tile_groups[0].part % 100, 0u);
    EXPECT_GE(plan_.tile_groups[0].part, 800u);
}

TEST_F(TileGroupsOfAPlan, WhatIsReadAnywhereIsNotWrittenAfter) {
    const TensorId a = tensor(64);
    const TensorId b = tensor(64);
    const TensorId again = tensor(64);
    plan_.tensors[again].alias = a;
    tiled("window of a", {a}, {b}).tiled({.rows = kRows, .whole = {a}});
    tiled("into a", {b}, {again});
    EXPECT_THAT(found(), ElementsAre());
}

TEST_F(TileGroupsOfAPlan, OtherRowsOfTheSameMemory) {
    const TensorId a = tensor(64);
    const TensorId b = tensor(64);
    const TensorId part = tensor(32);
    plan_.tensors[part].alias = b;
    tiled("a", {a}, {b});
    tiled("part of b", {part}, {tensor(32)});
    EXPECT_THAT(found(), ElementsAre());
}

TEST_F(TileGroupsOfAPlan, FewRowsAreLeftAlone) {
    const TensorId a = tensor(64, 49);
    const TensorId b = tensor(64, 49);
    tiled("a", {a}, {b}).tiled({.rows = 49});
    tiled("b", {b}, {tensor(64, 49)}).tiled({.rows = 49});
    EXPECT_THAT(found(), ElementsAre());
}

TEST_F(TileGroupsOfAPlan, ATensorOfTheGroupHasMemoryForItsParts) {
    const TensorId a = tensor(64);
    const TensorId inner = tensor(256);
    const TensorId read_later = tensor(64);
    const TensorId result = tensor(64);
    tiled("a", {a}, {inner}).info().bytes = 1 << 24;
    tiled("b", {inner}, {read_later});
    tiled("c", {inner}, {result});
    step("later", {read_later}, {tensor(1)});
    plan_.outputs = {result};
    EXPECT_THAT(found(), ElementsAre("0-3"));
    EXPECT_EQ(plan_.tile_groups[0].threads, 2u);
    EXPECT_EQ(plan_.tensors[inner].part_row, 256u);
    EXPECT_EQ(plan_.tensors[inner].parts, 2u);
    EXPECT_GE(plan_.tensors[inner].part_bytes, plan_.tile_groups[0].part * 256);
    EXPECT_LT(plan_.tensors[inner].memory_bytes(), plan_.tensors[inner].bytes());
    for (const TensorId id : {a, read_later, result}) {
        EXPECT_EQ(plan_.tensors[id].memory_bytes(), plan_.tensors[id].bytes());
    }
    PlanPassContext context;
    arena(plan_, context);
    // All of a group's tensors live as long as it does.
    EXPECT_GE(plan_.arena_bytes, plan_.tensors[inner].memory_bytes() +
                                     plan_.tensors[read_later].bytes() +
                                     plan_.tensors[result].bytes());
}

TEST_F(TileGroupsOfAPlan, NothingIsCutDownWhenAllIsLookedAt) {
    const TensorId a = tensor(64);
    const TensorId inner = tensor(256);
    tiled("a", {a}, {inner});
    tiled("b", {inner}, {tensor(64)});
    PlanPassContext context({.keep_intermediates = true, .threads = 2});
    tile_groups(plan_, context);
    EXPECT_EQ(plan_.tile_groups.size(), 1u);
    EXPECT_EQ(plan_.tensors[inner].part_row, 0u);
}

// Images of 100 rows of 200 pixels, as 3x3 windows.
RowTiling windows_of(TensorId src) {
    return {.rows = 20000,
            .grain = 400,
            .whole = {src},
            .window = RowWindow{.src_row = 200,
                                .dst_row = 200,
                                .src_height = 100,
                                .extent = 3,
                                .stride = 1,
                                .pad_top = 1}};
}

TEST_F(TileGroupsOfAPlan, ALargeImageThatOnlyWindowsReadIsTiledWithItsConsumer) {
    const TensorId a = tensor(64);
    const TensorId b = tensor(64);
    const TensorId wide = tensor(256);
    const TensorId windows = tensor(256);
    const TensorId result = tensor(64);
    tiled("before", {a}, {b});
    tiled("expand", {b}, {wide}).info().bytes = 1 << 24;
    tiled("windows", {wide}, {windows}).tiled(windows_of(wide));
    tiled("project", {windows, b}, {result});
    plan_.outputs = {result};
    EXPECT_THAT(found(), ElementsAre("1-4"));
    const TileGroup& group = plan_.tile_groups[0];
    ASSERT_TRUE(group.window.has_value());
    EXPECT_EQ(group.threads, 2u);
    EXPECT_EQ(group.part % 400, 0u);
    // Two rows of the image are kept, a part reads two more than it computes.
    const PlanTensor& cut = plan_.tensors[wide];
    EXPECT_EQ(cut.part_row, 256u);
    EXPECT_EQ(cut.part_kept, 2u * 200 * 256);
    EXPECT_GE(cut.part_bytes, cut.part_kept + (group.part + 400) * 256);
    EXPECT_LT(cut.memory_bytes(), cut.bytes());
    EXPECT_EQ(plan_.tensors[windows].part_row, 256u);
    EXPECT_EQ(plan_.tensors[windows].part_kept, 0u);
}

// Two rows at least, but eight are better where a part has room for them.
TEST_F(TileGroupsOfAPlan, PartsAreMultiplesOfFastRowsIfTheyAreThatLarge) {
    for (const std::size_t fast : {1600u, 1200000u}) {
        plan_ = {};
        const TensorId wide = tensor(64);
        const TensorId windows = tensor(64);
        const TensorId result = tensor(16);
        tiled("expand", {tensor(16)}, {wide}).info().bytes = 1 << 24;
        RowTiling tiling = windows_of(wide);
        tiling.fast = fast;
        tiled("windows", {wide}, {windows}).tiled(tiling);
        tiled("project", {windows}, {result});
        plan_.outputs = {result};
        ASSERT_THAT(found(), ElementsAre("0-3"));
        EXPECT_EQ(plan_.tile_groups[0].share_grain, 400u);
        EXPECT_EQ(plan_.tile_groups[0].grain, fast == 1600 ? 1600u : 400u);
        EXPECT_EQ(plan_.tile_groups[0].part % plan_.tile_groups[0].grain, 0u);
    }
}

TEST_F(TileGroupsOfAPlan, NoTilingOfAnImageThatIsWantedElsewhere) {
    const TensorId b = tensor(64);
    const TensorId wide = tensor(256);
    const TensorId windows = tensor(256);
    tiled("expand", {b}, {wide});
    tiled("windows", {wide}, {windows}).tiled(windows_of(wide));
    tiled("project", {windows}, {tensor(64)});
    step("reader", {wide}, {tensor(1)});
    EXPECT_THAT(found(), ElementsAre());
    EXPECT_EQ(plan_.tensors[wide].part_row, 0u);
}

TEST_F(TileGroupsOfAPlan, NothingInAGroupWritesWhatItsProducerReads) {
    const TensorId b = tensor(64);
    const TensorId wide = tensor(256);
    const TensorId windows = tensor(256);
    const TensorId again = tensor(64);
    plan_.tensors[again].alias = b;
    tiled("expand", {b}, {wide});
    tiled("windows", {wide}, {windows}).tiled(windows_of(wide));
    tiled("in place", {windows}, {again});
    EXPECT_THAT(found(), ElementsAre("0-2"));
}

TEST(RowWindow, RowsThatAPartReads) {
    const RowWindow window{
        .src_row = 10, .dst_row = 5, .src_height = 9, .extent = 3, .stride = 2, .pad_top = 1};
    const auto source = [&](std::size_t begin, std::size_t end) {
        const RowPart part = window.source({begin * 5, end * 5, 3});
        EXPECT_EQ(part.thread, 3u);
        return std::vector<std::size_t>{part.begin / 10, part.end / 10};
    };
    EXPECT_THAT(source(0, 1), ElementsAre(0u, 2u));
    EXPECT_THAT(source(1, 3), ElementsAre(1u, 6u));
    EXPECT_THAT(source(3, 5), ElementsAre(5u, 9u));  // row 9 is padding
    EXPECT_EQ(window.shared(), 10u);
}

// A convolution whose f32 result two quantizations read, a concat of these, another convolution.
std::shared_ptr<Model> two_readers() {
    return Model::from_text(
        "model \"m\"\n%x = Parameter : f32[2,16,71,53]\n" + fuseq::testing::quantized("x") +
        fuseq::testing::quantized_convolution("q", "30,16,3,3", "1") +
        "%al = Const value={-8} : f32[]\n%ah = Const value={7.9375} : f32[]\n"
        "%a = FakeQuantize(%c, %al, %ah, %al, %ah) levels=256\n"
        "%z = Const value={0} : f32[]\n%bh = Const value={4} : f32[]\n"
        "%b = FakeQuantize(%c, %z, %bh, %z, %bh) levels=256\n"
        "%v = Const value=random(6,-127,127) : i8[10,30,1,1]\n"
        "%vf = Convert(%v) destination_type=f32\n%vs = Multiply(%vf, %s)\n"
        "%d = Convolution(%a, %vs) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]\n"
        "%e = Convolution(%b, %vs) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]\n"
        "%y = Add(%d, %e)\n%r = Result(%y)\n");
}

// A wide depthwise convolution between two of 1x1, as in mobile networks; a residual input of one
// before them.
std::shared_ptr<Model> expanded(const std::string& stride, bool residual) {
    const auto weights = [](const std::string& name, const std::string& shape) {
        return "%" + name + "c = Const value=random(7,-127,127) : i8[" + shape + "]\n%" + name +
               "f = Convert(%" + name + "c) destination_type=f32\n%" + name + " = Multiply(%" +
               name + "f, %s)\n";
    };
    const auto relu = [](const std::string& name, const std::string& source) {
        return "%" + name + " = FakeQuantize(%" + source + ", %z, %b, %z, %b) levels=256\n";
    };
    const std::string dense = " strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]\n";
    return Model::from_text(
        "model \"m\"\n%x = Parameter : f32[1,16,75,61]\n" + fuseq::testing::quantized("x") +
        fuseq::testing::quantized_convolution("q", "24,16,3,3", "1") +
        "%z = Const value={0} : f32[]\n%b = Const value={4} : f32[]\n" + relu("in", "c") +
        weights("e", "96,24,1,1") + "%expand = Convolution(%in, %e)" + dense +
        relu("wide", "expand") + weights("d", "96,1,1,3,3") +
        "%dw = GroupConvolution(%wide, %d) strides=[" + stride + "," + stride +
        "] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]\n" + relu("narrow", "dw") +
        weights("p", "24,96,1,1") + "%project = Convolution(%narrow, %p)" + dense +
        (residual ? "%sum = Add(%project, %in)\n%r = Result(%sum)\n" : "%r = Result(%project)\n"));
}

Tensor infer(const std::shared_ptr<Model>& model, int threads, const char* groups) {
    static Core core;
    InferRequest request =
        core.compile_model(model, "CPU",
                           {{"INFERENCE_NUM_THREADS", threads}, {"FUSEQ_TILE_GROUPS", groups}})
            .create_infer_request();
    Tensor x(ElementType::f32, model->inputs()[0].shape());
    for (std::size_t i = 0; i < x.get_size(); ++i) {
        x.data<float>()[i] = static_cast<float>(i * 7919 % 513) / 128.0f - 2.0f;
    }
    request.set_input_tensor(x);
    request.infer();
    request.infer();
    return request.get_output_tensor();
}

void expect_same_bytes(const std::shared_ptr<Model>& model) {
    const Tensor want = infer(model, 1, "NO");
    for (const int threads : {1, 2, 3, 4}) {
        const Tensor got = infer(model, threads, "YES");
        ASSERT_EQ(got.get_byte_size(), want.get_byte_size());
        EXPECT_EQ(std::memcmp(got.data(), want.data(), want.get_byte_size()), 0) << threads;
    }
}

TEST(TileGroups, GiveTheBytesOfStepAfterStep) {
    expect_same_bytes(two_readers());
}

// Convolutions of few channels that read the result of the one before them besides windows of
// a tensor from before the group.
TEST(TileGroups, GiveTheBytesOfConvolutionsOfFewChannels) {
    expect_same_bytes(Model::from_text(R"(model "m"
        %x = Parameter : f32[2,16,71,203]
        %q = Convert(%x) destination_type=u8
        %w = Const value=random(1,-127,127) : i8[8,16,3,3]
        %a = Convolution(%q, %w) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %v = Const value=random(2,-127,127) : i8[8,16,3,3]
        %b = Convolution(%q, %v) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %k = Const value={0.01} : f32[]
        %s = Multiply(%a, %k)
        %c = Add(%b, %s)
        %u = Const value=random(3,-127,127) : i8[8,16,3,3]
        %d = Convolution(%q, %u) strides=[1,1] dilations=[1,1] pads_begin=[1,1] pads_end=[1,1]
        %t = Multiply(%d, %k)
        %e = Add(%t, %c)
        %l = Const value={-40} : f32[]
        %h = Const value={39.6875} : f32[]
        %f = FakeQuantize(%e, %l, %h, %l, %h) levels=256
        %y = ReLU(%f)
        %r = Result(%y)
        )"));
}

TEST(TileGroups, ProducersGiveTheBytesOfStepAfterStep) {
    expect_same_bytes(expanded("1", false));
    expect_same_bytes(expanded("1", true));
    expect_same_bytes(expanded("2", false));
}

// Rows between the windows are read by nobody: there is no room for them.
TEST(TileGroups, ProducersLeaveOutRowsBetweenWindows) {
    expect_same_bytes(Model::from_text(R"(model "m"
        %x = Parameter : f32[1,3,150,61]
        %z = Const value={0} : f32[]
        %b = Const value={4} : f32[]
        %q = FakeQuantize(%x, %z, %b, %z, %b) levels=256
        %s = Const value={0.01} : f32[]
        %ec = Const value=random(1,-127,127) : i8[48,3,1,1]
        %ef = Convert(%ec) destination_type=f32
        %e = Multiply(%ef, %s)
        %expand = Convolution(%q, %e) strides=[1,1] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %wide = FakeQuantize(%expand, %z, %b, %z, %b) levels=256
        %dc = Const value=random(2,-127,127) : i8[48,1,1,1,1]
        %df = Convert(%dc) destination_type=f32
        %d = Multiply(%df, %s)
        %dw = GroupConvolution(%wide, %d) strides=[2,2] dilations=[1,1] pads_begin=[0,0] pads_end=[0,0]
        %r = Result(%dw)
        )"));
}

}  // namespace
}  // namespace fuseq::cpu
