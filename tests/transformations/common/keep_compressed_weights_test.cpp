// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/keep_compressed_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr double kTolerance = 1e-4;  // sums of some hundreds

PassOptions float_only() {
    PassOptions options;
    options.low_precision = false;
    return options;
}

struct Weights {
    std::string type = "u4";
    std::string shape = "6,2,16";
    std::string scale = "6,2,1";
    std::string zero_point = "6,2,1";  // empty: none
    std::string matrix = "6,32";       // what a Reshape makes; empty: none
    bool transpose = true;
    std::string src = "3,32";
};

std::string text_of(const Weights& w) {
    const std::string low = w.type == "u4" || w.type == "u8" ? "0" : w.type == "nf4" ? "-1" : "-8";
    const std::string high = w.type == "u4" ? "15" : w.type == "nf4" ? "1" : "7";
    std::string text = R"(model "m"
        %x = Parameter : f32[)" +
                       w.src + "]\n%q = Const value=random(1," + low + "," + high +
                       ") : " + w.type + "[" + w.shape +
                       "]\n%f = Convert(%q) destination_type=f32\n";
    std::string last = "f";
    if (!w.zero_point.empty()) {
        text += "%z = Const value=random(2,0,15) : u8[" + w.zero_point +
                "]\n%zf = Convert(%z) destination_type=f32\n%d = Subtract(%f, %zf)\n";
        last = "d";
    }
    text += "%s = Const value=random(3,-1,1) : f32[" + w.scale + "]\n%m = Multiply(%" + last +
            ", %s)\n";
    last = "m";
    if (!w.matrix.empty()) {
        const auto rank = 1 + std::count(w.matrix.begin(), w.matrix.end(), ',');
        text += "%shape = Const value={" + w.matrix + "} : i64[" + std::to_string(rank) +
                "]\n%w = Reshape(%m, %shape) special_zero=false\n";
        last = "w";
    }
    return text + "%y = MatMul(%x, %" + last + ")" + (w.transpose ? " transpose_b=true" : "") +
           "\n%r = Result(%y)";
}

// Rewritten, with tables of that shape, and the same numbers.
void expect_kept(const Weights& w, const std::string& table, const PassOptions& options = {}) {
    SCOPED_TRACE(text_of(w));
    const PassTest test = run_pass(keep_compressed_weights, text_of(w), options);
    ASSERT_TRUE(test.changed);
    const Node* product = test.after->find("y");
    ASSERT_EQ(product->type(), "CompressedMatMul");
    EXPECT_EQ(to_string(product->input(1).type()), w.type);
    EXPECT_EQ(to_string(product->input(2).shape()), table);
    EXPECT_EQ(product->input_count(), w.zero_point.empty() ? 3u : 4u);
    EXPECT_EQ(test.after->find("f"), nullptr);
    EXPECT_LT(largest_difference(test), kTolerance);
}

TEST(KeepCompressedWeights, InGroupsOfTheDepth) {
    expect_kept({}, "[6,2]");
    expect_kept({.type = "i4", .zero_point = ""}, "[6,2]");
    expect_kept({.type = "nf4", .zero_point = ""}, "[6,2]");
    expect_kept({.type = "i8", .zero_point = ""}, "[6,2]");
    expect_kept({.type = "u8"}, "[6,2]");
    expect_kept({.zero_point = "1"}, "[6,2]");
    expect_kept({.scale = "6,1,1"}, "[6,2]");
    expect_kept({.scale = "1,2,1", .zero_point = ""}, "[6,2]");
    // The depth first.
    expect_kept({.shape = "2,16,6",
                 .scale = "2,1,6",
                 .zero_point = "2,1,6",
                 .matrix = "32,6",
                 .transpose = false},
                "[6,2]");
}

TEST(KeepCompressedWeights, WithOneScaleAChannelOrForAll) {
    expect_kept({.shape = "6,32", .scale = "6,1", .zero_point = "6,1", .matrix = ""}, "[6,1]");
    expect_kept({.shape = "6,32", .scale = "", .zero_point = "", .matrix = ""}, "[6,1]");
    expect_kept(
        {.shape = "32,6", .scale = "6", .zero_point = "1,6", .matrix = "", .transpose = false},
        "[6,1]");
    expect_kept(
        {.shape = "6,32", .scale = "6,1", .zero_point = "", .matrix = "1,6,32", .src = "2,3,32"},
        "[6,1]");
    expect_kept({.shape = "6,32", .scale = "6,1", .zero_point = "", .matrix = "", .src = "32"},
                "[6,1]");
}

TEST(KeepCompressedWeights, BytesWithAScaleAChannelWaitForTheIntegerPasses) {
    for (const std::string type : {"i8", "u8"}) {
        const Weights w{
            .type = type, .shape = "6,32", .scale = "6,1", .zero_point = "", .matrix = ""};
        EXPECT_FALSE(run_pass(keep_compressed_weights, text_of(w)).changed);
        expect_kept(w, "[6,1]", float_only());
        const PassTest late = run_pass(keep_compressed_bytes, text_of(w));
        EXPECT_EQ(late.after->find("y")->type(), "CompressedMatMul");
        EXPECT_LT(largest_difference(late), kTolerance);
    }
}

// code * 0.5 + 2 is (code + 4) * 0.5; of the other channel, (code - 3) * -2 - 1 is (code - 2.5) * -2.
TEST(KeepCompressedWeights, WithOffsetsThatAreRealNumbers) {
    const std::string head = R"(model "m"
        %x = Parameter : f32[3,2]
        %q = Const value={1,200,7,0} : u8[2,2]
        %f = Convert(%q) destination_type=f32
        %z = Const value={0,3} : f32[2,1]
        %d = Subtract(%f, %z)
        %s = Const value={0.5,-2} : f32[2,1]
        %m = Multiply(%d, %s)
        )";
    const std::string tail = R"(
        %w = Add(%m, %o)
        %y = MatMul(%x, %w) transpose_b=true
        %r = Result(%y))";
    const PassTest test =
        run_pass(keep_compressed_weights, head + "%o = Const value={2,-1} : f32[2,1]" + tail);
    ASSERT_TRUE(test.changed);
    const Node* product = test.after->find("y");
    ASSERT_EQ(product->type(), "CompressedMatMul");
    EXPECT_EQ(to_floats(product->input_node(3)->constant()), (std::vector<float>{-4, 2.5f}));
    EXPECT_LT(largest_difference(test), kTolerance);
    EXPECT_FALSE(
        run_pass(keep_compressed_weights, head + "%o = Const value={2,-1} : f32[1,2]" + tail)
            .changed);
    std::string flat = head + "%o = Const value={2,-1} : f32[2,1]" + tail;
    flat.replace(flat.find("{0.5,-2}"), 8, "{0,-2}");
    EXPECT_EQ(refusal_at(run_pass(keep_compressed_weights, flat).context, "y"),
              "weight_range: a scale is 0, but the weights have offsets");
}

TEST(KeepCompressedWeights, ThroughATransposeOfTheMatrix) {
    const PassTest test = run_pass(keep_compressed_weights, R"(model "m"
        %x = Parameter : f32[3,32]
        %q = Const value=random(1,-8,7) : i4[6,32]
        %f = Convert(%q) destination_type=f32
        %s = Const value=random(3,-1,1) : f32[6,1]
        %m = Multiply(%f, %s)
        %order = Const value={1,0} : i64[2]
        %w = Transpose(%m, %order)
        %y = MatMul(%x, %w)
        %r = Result(%y))");
    ASSERT_EQ(test.after->find("y")->type(), "CompressedMatMul");
    EXPECT_LT(largest_difference(test), kTolerance);
}

TEST(KeepCompressedWeights, StandForTheLayersThatTheyReplace) {
    const PassTest test = run_pass(keep_compressed_weights, text_of({}));
    const auto& origins = test.after->find("y")->origins;
    for (const char* layer : {"y", "w", "m", "d", "f"}) {
        EXPECT_EQ(std::count(origins.begin(), origins.end(), layer), 1) << layer;
    }
}

std::string refused(const std::string& text) {
    const PassTest test = run_pass(keep_compressed_weights, text);
    EXPECT_FALSE(test.changed);
    EXPECT_EQ(test.after->find("y")->type(), "MatMul");
    return refusal_at(test.context, "y");
}

TEST(KeepCompressedWeights, RefusesWithAReason) {
    EXPECT_EQ(refused(text_of({.scale = "6,1,16", .zero_point = ""})),
              "small_groups: groups of 1 weights, expected 8 or more");
    EXPECT_EQ(refused(text_of({.shape = "6,8,4", .scale = "6,8,1", .zero_point = ""})),
              "small_groups: groups of 4 weights, expected 8 or more");
    EXPECT_EQ(refused(text_of({.shape = "3,64", .scale = "3,1", .zero_point = ""})),
              "weight_groups: scales of shape [3,1] for weights of shape [3,64] are not one a "
              "channel and group");
    EXPECT_EQ(
        refused(text_of(
            {.shape = "1,16,2,6,1", .scale = "1,16,2,6,1", .zero_point = "", .matrix = "6,32"})),
        "weight_groups: scales of shape [1,16,2,6,1] for weights of shape [1,16,2,6,1] are "
        "not one a channel and group");
    EXPECT_EQ(refused(text_of({.shape = "2,6,32",
                               .scale = "2,6,1",
                               .zero_point = "",
                               .matrix = "",
                               .src = "2,3,32"})),
              "weight_batch: weights of shape [2,6,32] are more than the matrix of a source");
    const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_EQ(refused(replaced(text_of({.src = "32,3"}), "transpose_b=true",
                               "transpose_a=true transpose_b=true")),
              "transposed_source: the source of the product is transposed");
    EXPECT_EQ(
        refused(replaced(text_of({.scale = "1", .zero_point = ""}), "random(3,-1,1)", "{inf}")),
        "weight_range: a scale, zero point or offset is no finite number");
    EXPECT_EQ(refused(R"(model "m"
        %x = Parameter : f32[3,32]
        %q = Const value=random(1,-8,7) : i4[2,6,16]
        %f = Convert(%q) destination_type=f32
        %s = Const value={0.5} : f32[]
        %m = Multiply(%f, %s)
        %order = Const value={1,0,2} : i64[3]
        %t = Transpose(%m, %order)
        %shape = Const value={6,32} : i64[2]
        %w = Reshape(%t, %shape) special_zero=false
        %y = MatMul(%x, %w) transpose_b=true
        %r = Result(%y))"),
              "weight_layout: Transpose 't' does not exchange rows and columns");
}

// Weights without a scale, of other types, computed ones, and those of a constant source.
TEST(KeepCompressedWeights, LeavesOtherProducts) {
    const auto untouched = [](const std::string& text) { return refused(text) == ""; };
    EXPECT_TRUE(untouched(R"(model "m"
        %x = Parameter : f32[3,32]
        %q = Const value=random(1,-8,7) : i4[6,32]
        %w = Convert(%q) destination_type=f32
        %y = MatMul(%x, %w) transpose_b=true
        %r = Result(%y))"));
    EXPECT_TRUE(untouched(text_of({.type = "i16"})));
    EXPECT_TRUE(untouched(R"(model "m"
        %x = Parameter : f32[3,32]
        %q = Parameter : i8[6,32]
        %f = Convert(%q) destination_type=f32
        %s = Const value=random(3,-1,1) : f32[6,1]
        %w = Multiply(%f, %s)
        %y = MatMul(%x, %w) transpose_b=true
        %r = Result(%y))"));
}

// One product reads quantized data: it becomes integer; the other one keeps its bytes.
TEST(KeepCompressedWeights, LeavesIntegerProductsTheirWeights) {
    const PassTest test = run_transform(R"(model "m"
        %x = Parameter : f32[3,32]
        %il = Const value={0} : f32[]
        %ih = Const value={2.55} : f32[]
        %a = FakeQuantize(%x, %il, %ih, %il, %ih) levels=256
        %q = Const value=random(1,-90,90) : i8[6,32]
        %f = Convert(%q) destination_type=f32
        %s = Const value=random(3,0.1,1) : f32[6,1]
        %w = Multiply(%f, %s)
        %y = MatMul(%a, %w) transpose_b=true
        %q2 = Const value=random(1,-90,90) : i8[6,32]
        %f2 = Convert(%q2) destination_type=f32
        %w2 = Multiply(%f2, %s)
        %y2 = MatMul(%x, %w2) transpose_b=true
        %r = Result(%y)
        %r2 = Result(%y2))");
    EXPECT_EQ(test.after->find_all("MatMul").size(), 1u);
    EXPECT_EQ(to_string(test.after->find_all("MatMul")[0]->input(0).type()), "u8");
    ASSERT_EQ(test.after->find_all("CompressedMatMul").size(), 1u);
    EXPECT_EQ(to_string(test.after->find_all("CompressedMatMul")[0]->input(1).type()), "i8");
}

}  // namespace
}  // namespace fuseq::testing
