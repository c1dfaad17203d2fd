// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "support/op_runner.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

TEST(PriorBoxClustered, PlacesBoxesAroundCells) {
    // Layer 1x2 over an image 10x20: centres at (5, 5) and (15, 5) with steps of 10.
    const auto out =
        run_op("PriorBoxClustered", 1,
               "width=4,20; height=2,10; offset=0.5; step=10; variance=0.1,0.1,0.2,0.2",
               {ints({1, 2}), ints({10, 20})});
    expect_near(out[0], {2, 16}, {0.15F, 0.4F, 0.35F, 0.6F, -0.25F, 0,    0.75F, 1,  //
                                  0.65F, 0.4F, 0.85F, 0.6F, 0.25F,  0,    1.25F, 1,  //
                                  0.1F,  0.1F, 0.2F,  0.2F, 0.1F,   0.1F, 0.2F,  0.2F,
                                  0.1F,  0.1F, 0.2F,  0.2F, 0.1F,   0.1F, 0.2F,  0.2F});
}

TEST(PriorBoxClustered, SpreadsOverTheImageAndClips) {
    const auto out = run_op("PriorBoxClustered", 1, "width=20; height=5; offset=0.5; clip=true",
                            {ints({2, 1}), ints({10, 10})});
    expect_near(out[0], {2, 8},
                {0, 0, 1, 0.5F, 0, 0.5F, 1, 1, 0.1F, 0.1F, 0.1F, 0.1F, 0.1F, 0.1F, 0.1F, 0.1F});
}

TEST(PriorBoxClustered, StepsOfOneAxis) {
    // step_w for x, step for y.
    const auto out = run_op("PriorBoxClustered", 1,
                            "width=2; height=2; offset=0.5; step=4; step_w=8; variance=0.5",
                            {ints({1, 1}), ints({8, 8})});
    expect_near(out[0], {2, 4}, {0.375F, 0.125F, 0.625F, 0.375F, 0.5F, 0.5F, 0.5F, 0.5F});
}

TEST(PriorBoxClustered, InfersOpenShapes) {
    EXPECT_EQ(shape_of("PriorBoxClustered", 1, "width=4,20; height=2,10; offset=0.5",
                       {open(ElementType::i64, "[2]"), open(ElementType::i64, "[2]")}),
              "[2,?]");
}

TEST(PriorBoxClustered, RefusesBadAttributes) {
    const std::vector<In> sizes = {ints({1, 2}), ints({10, 20})};
    EXPECT_THAT(error_of("PriorBoxClustered", 1, "width=4,20; height=2; offset=0.5", sizes),
                HasSubstr("width has 2 values and height 1"));
    EXPECT_THAT(
        error_of("PriorBoxClustered", 1, "width=4; height=2; offset=0.5; variance=1,2", sizes),
        HasSubstr("variance has 2 values"));
    EXPECT_THAT(error_of("PriorBoxClustered", 1, "width=4; height=2; offset=0.5",
                         {ints({0, 2}), ints({10, 20})}),
                HasSubstr("input 0 has the value 0"));
    EXPECT_THAT(error_of("PriorBoxClustered", 1, "width=4; height=2; offset=0.5",
                         {ints({1, 2, 3}), ints({10, 20})}),
                HasSubstr("expected height and width"));
}

}  // namespace
}  // namespace fuseq::test
