// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/part_of.hpp"

#include <gtest/gtest.h>

namespace fuseq {
namespace {

const std::string kHead = R"(model "m"
    %x = Parameter : f32[?,6,4]
    %m0 = Const value={0} : i64[]
    %m1 = Const value={1} : i64[]
    %m2 = Const value={2} : i64[]
    %minus = Const value={-1} : i64[]
    %far = Const value={7} : i64[]
    %sizes = Const value={1,2,3} : i64[3]
    %l0 = Const value={0} : i64[1]
    %l1 = Const value={1} : i64[1]
    %l2 = Const value={2} : i64[1]
    %end = Const value={2147483647} : i64[1]
    %z3 = Const value={0,1,0} : i64[3]
    %e3 = Const value={2147483647,-1,9} : i64[3]
    %f3 = Const value={5,5,9} : i64[3]
    %s3 = Const value={1,1,1} : i64[3]
)";

std::optional<Part> part(const std::string& text, std::size_t port = 0) {
    static std::shared_ptr<Model> model;
    model = Model::from_text(kHead + text + "\n%r = Result(%y)");
    for (Node* node : model->ordered_nodes()) {
        if (node->name() == "y") {
            return part_of(node->output(port));
        }
    }
    return std::nullopt;
}

void expect_part(const std::optional<Part>& given, const Part& expected) {
    ASSERT_TRUE(given);
    EXPECT_EQ(given->axis, expected.axis);
    EXPECT_EQ(given->begin, expected.begin);
    EXPECT_EQ(given->size, expected.size);
    EXPECT_EQ(given->drops_axis, expected.drops_axis);
}

TEST(PartOf, Split) {
    expect_part(part("%y = Split(%x, %m1) num_splits=3", 2), {1, 4, 2, false});
    expect_part(part("%y = VariadicSplit(%x, %m1, %sizes)", 2), {1, 3, 3, false});
    EXPECT_FALSE(part("%y = Split(%x, %m0) num_splits=3")) << "the axis is open";
}

TEST(PartOf, Gather) {
    expect_part(part("%y = Gather.8(%x, %m2, %minus) batch_dims=0"), {2, 2, 1, true});
    expect_part(part("%y = Gather.8(%x, %minus, %m1) batch_dims=0"), {1, 5, 1, true});
    expect_part(part("%y = Gather.1(%x, %l2, %m1)"), {1, 2, 1, false});
    EXPECT_FALSE(part("%y = Gather.1(%x, %sizes, %m1)")) << "several indices";
    EXPECT_FALSE(part("%y = Gather.8(%x, %m0, %m0) batch_dims=0")) << "the axis is open";
}

TEST(PartOf, Slice) {
    expect_part(part("%y = Slice.8(%x, %l1, %end, %l1, %l1)"), {1, 1, 5, false});
    // Axes 0 and 2 are taken whole.
    expect_part(part("%y = Slice.8(%x, %z3, %e3, %s3)"), {1, 1, 4, false});
    EXPECT_FALSE(part("%y = Slice.8(%x, %z3, %f3, %s3)")) << "axis 0 is cut too";
    EXPECT_FALSE(part("%y = Slice.8(%x, %l0, %end, %l2, %l1)")) << "every second one";
}

TEST(PartOf, StridedSlice) {
    expect_part(part("%y = StridedSlice(%x, %z3, %f3, %s3) begin_mask=[1,0,1] end_mask=[1,0,1]"),
                {1, 1, 4, false});
    expect_part(part("%y = StridedSlice(%x, %z3, %f3, %s3) begin_mask=[1,0,1] end_mask=[1,0,1] "
                     "shrink_axis_mask=[0,1,0]"),
                {1, 1, 1, true});
    EXPECT_FALSE(
        part("%y = StridedSlice(%x, %z3, %f3, %s3) begin_mask=[1,0,1] end_mask=[1,0,1] "
             "new_axis_mask=[0,1,0]"));
}

TEST(PartOf, OtherOperations) {
    EXPECT_FALSE(part("%y = ReLU(%x)"));
}

}  // namespace
}  // namespace fuseq
