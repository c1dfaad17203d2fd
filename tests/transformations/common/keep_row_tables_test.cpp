// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/common/keep_row_tables.hpp"

#include <gtest/gtest.h>

#include "ops/interpreter.hpp"
#include "support/pass_testing.hpp"

namespace fuseq::testing {
namespace {

constexpr double kTolerance = 1e-4;

// Rows of codes with scale and offset; what reads them is "y".
std::string text_of(const std::string& type, const std::string& chain, const std::string& reader) {
    return R"(model "m"
        %i = Parameter : i64[2,3]
        %q = Const value={1,2,3,4,5,6,7,0} : )" +
           type + R"([4,2]
        %c = Convert(%q) destination_type=f32
        %s = Const value={1,2,0.5,4} : f32[4,1]
        %o = Const value={-1,0.5,8,0} : f32[4,1]
        %z = Const value={3,0,1,2} : f32[4,1]
        %one = Const value={0.5} : f32[]
        %axis = Const value={0} : i64[]
        )" +
           chain + "\n%y = " + reader + "\n%r = Result(%y)";
}

constexpr const char* kAdd = "%m = Multiply(%c, %s)\n%t = Add(%m, %o)";

PassTest rewritten(const std::string& text) {
    return run_pass(keep_row_tables, text);
}

void expect_kept(const std::string& text, const std::vector<float>& offsets = {}) {
    SCOPED_TRACE(text);
    const PassTest test = rewritten(text);
    ASSERT_TRUE(test.changed);
    const Node* rows = test.after->find("y");
    ASSERT_EQ(rows->type(), "CompressedEmbedding");
    EXPECT_EQ(test.after->find("c"), nullptr);
    if (!offsets.empty()) {
        EXPECT_EQ(to_floats(rows->input_node(2)->constant()), offsets);
    }
    const Tensor indices = Tensor::of<std::int64_t>({2, 3}, {0, 3, 1, 1, 2, 2});
    const std::vector<float> before = to_floats(Interpreter(*test.before).run({{indices}})[0]);
    const std::vector<float> after = to_floats(Interpreter(*test.after).run({{indices}})[0]);
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_NEAR(before[i], after[i], kTolerance);
    }
}

TEST(KeepRowTables, OfEveryTypeAndSpelling) {
    for (const std::string type : {"u8", "i8", "u4", "i4"}) {
        expect_kept(text_of(type, kAdd, "Gather.8(%t, %i, %axis)"), {-1, 0.5f, 8, 0});
    }
    const std::string bag = "EmbeddingBagPackedSum.3(%t, %i)";
    expect_kept(text_of("u8", kAdd, bag), {-1, 0.5f, 8, 0});
    expect_kept(text_of("u8", "%m = Multiply(%s, %c)\n%t = Subtract(%m, %o)", bag),
                {1, -0.5f, -8, 0});
    expect_kept(text_of("u4", "%d = Subtract(%c, %z)\n%t = Multiply(%d, %s)", bag),
                {-3, 0, -0.5f, -8});
    expect_kept(text_of("i8", "%t = Multiply(%c, %one)", bag), {0, 0, 0, 0});
}

TEST(KeepRowTables, OfEveryOperation) {
    const std::string list =
        "\n%shape = Const value={6} : i64[1]\n%l = Reshape(%i, %shape) "
        "special_zero=false\n%b = Const value={0,2,2} : i64[3]\n"
        "%g = Const value={0,2,1,1,0,3} : i64[6]\n%n = Const value={5} : i64[]\n"
        "%e = Const value={1} : i64[]\n%w = Const value={1,2,3,4,5,6} : f32[6]";
    const std::string chain = kAdd + list;
    for (const std::string reader :
         {"EmbeddingBagOffsetsSum.3(%t, %l, %b, %e, %w)", "EmbeddingBagOffsetsSum.3(%t, %l, %b)",
          "EmbeddingBagOffsets.15(%t, %l, %b) reduction=mean",
          "EmbeddingBagPacked.15(%t, %i) reduction=mean",
          "EmbeddingSegmentsSum.3(%t, %l, %g, %n, %e, %w)"}) {
        expect_kept(text_of("u8", chain, reader));
    }
}

// One scale of all, which gather_before_dequantize leaves after the rows.
TEST(KeepRowTables, LeavesAGatherOfBytesWithOneScale) {
    EXPECT_FALSE(
        rewritten(text_of("u8", "%t = Multiply(%c, %one)", "Gather.8(%t, %i, %axis)")).changed);
}

TEST(KeepRowTables, RefusesWithAReason) {
    const auto refused = [](const std::string& chain, const std::string& reader) {
        const PassTest test = rewritten(text_of("u8", chain, reader));
        EXPECT_FALSE(test.changed);
        return refusal_at(test.context, "y").substr(0, 9);
    };
    const std::string columns = "%k = Const value={1,2} : f32[1,2]\n%t = Multiply(%c, %k)";
    EXPECT_EQ(refused(columns, "EmbeddingBagPackedSum.3(%t, %i)"), "row_scale");
    const std::string wide = "%k = Const value={inf} : f32[]\n%t = Multiply(%c, %k)";
    EXPECT_EQ(refused(wide, "EmbeddingBagPackedSum.3(%t, %i)"), "row_range");
    const std::string axis = std::string(kAdd) + "\n%a = Const value={1} : i64[]";
    EXPECT_EQ(refused(axis, "Gather.8(%t, %i, %a)").substr(0, 8), "row_axis");
}

}  // namespace
}  // namespace fuseq::testing
