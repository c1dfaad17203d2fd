// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/proposal.hpp"

#include "unit/ops_heads/run_op.hpp"

namespace fuseq::test {
namespace {

using testing::HasSubstr;

ProposalAttrs make() {
    ProposalAttrs attrs;
    attrs.base_size = 16;
    attrs.pre_nms_topn = 10;
    attrs.post_nms_topn = 3;
    attrs.nms_thresh = 0.7F;
    attrs.feat_stride = 16;
    attrs.min_size = 8;
    attrs.ratio = {1};
    attrs.scale = {1};
    return attrs;
}

TEST(ProposalAnchors, FollowCaffeAndTensorFlow) {
    ProposalAttrs attrs = make();
    attrs.ratio = {0.5F, 2};
    attrs.scale = {8};
    // The well-known anchors of Faster R-CNN.
    auto anchors = proposal_anchors(attrs);
    ASSERT_EQ(anchors.size(), 2u);
    EXPECT_EQ((std::vector<double>{anchors[0].x1, anchors[0].y1, anchors[0].x2, anchors[0].y2}),
              (std::vector<double>{-84, -40, 99, 55}));
    EXPECT_EQ((std::vector<double>{anchors[1].x1, anchors[1].y1, anchors[1].x2, anchors[1].y2}),
              (std::vector<double>{-36, -80, 51, 95}));
    attrs.framework = "tensorflow";
    attrs.ratio = {4};
    attrs.scale = {0.5F};
    anchors = proposal_anchors(attrs);  // 4 x 16
    EXPECT_EQ((std::vector<double>{anchors[0].x1, anchors[0].y1, anchors[0].x2, anchors[0].y2}),
              (std::vector<double>{-2, -8, 2, 8}));
}

// A grid of 1 x 2 cells with one anchor: boxes [0, 15] and [16, 31] in x.
const Tensor kScores = floats({1, 2, 1, 2}, {0.9F, 0.9F, 0.25F, 0.75F});
const Tensor kStill = floats({1, 4, 1, 2}, {0, 0, 0, 0, 0, 0, 0, 0});
const Tensor kImage = floats({3}, {16, 32, 1});

TEST(Proposal, KeepsBoxesByScore) {
    const auto out = run_op("Proposal", 4, make(), {kScores, kStill, kImage});
    // The centre moves by half a pixel, as Caffe does it: x + width / 2 - width / 2.
    expect_values(out[0], {0, 16, 0, 31, 15, 0, 0, 0, 16, 15, -1, 0, 0, 0, 0});
    expect_values(out[1], {0.75F, 0.25F, 0});
    const auto old = run_op("Proposal", 1, make(), {kScores, kStill, kImage});
    EXPECT_EQ(old.size(), 1u);
    EXPECT_TRUE(same_bytes(old[0], out[0]));
}

TEST(Proposal, MovesAndClipsBoxes) {
    ProposalAttrs attrs = make();
    attrs.normalize = true;
    attrs.box_coordinate_scale = 2;
    // Cell 0 moves by 16 * 0.5 / 2 = 4 to the right, cell 1 by 8 beyond the image.
    const Tensor moved = floats({1, 4, 1, 2}, {0.5F, 1, 0, 0, 0, 0, 0, 0});
    const auto out = run_op("Proposal", 4, attrs, {kScores, moved, kImage});
    expect_values(out[0], {0, 24.F / 32, 0, 31.F / 32, 15.F / 16, 0, 4.F / 32, 0, 20.F / 32,
                           15.F / 16, -1, 0, 0, 0, 0});
}

TEST(Proposal, DropsSmallAndCoveredBoxes) {
    ProposalAttrs attrs = make();
    attrs.min_size = 17;  // a side clipped to the image has 16
    auto out = run_op("Proposal", 4, attrs, {kScores, kStill, kImage});
    expect_values(out[1], {0, 0, 0});
    attrs = make();
    attrs.nms_thresh = 0;  // the boxes share a column of pixels
    out = run_op("Proposal", 4, attrs, {kScores, kStill, kImage});
    expect_values(out[1], {0.75F, 0, 0});
}

TEST(Proposal, InfersAndRefuses) {
    EXPECT_EQ(shapes_of("Proposal", 4, make(), {open("[?,2,?,?]"), open("[2,4,3,3]"), open("[3]")}),
              "[6,5] [6]");
    EXPECT_THAT(refusal("Proposal", 1, make(), {open("[1,4,1,1]"), open("[1,4,1,1]"), open("[3]")}),
                HasSubstr("expected [N,2,H,W] and [N,4,H,W]"));
    ProposalAttrs attrs = make();
    attrs.ratio = {0};
    EXPECT_THAT(refusal("Proposal", 1, attrs, {open("[1,2,1,1]"), open("[1,4,1,1]"), open("[3]")}),
                HasSubstr("ratio has the value 0"));
    attrs = make();
    attrs.post_nms_topn = 0;
    EXPECT_THAT(refusal("Proposal", 1, attrs, {open("[1,2,1,1]"), open("[1,4,1,1]"), open("[3]")}),
                HasSubstr("post_nms_topn is 0"));
    EXPECT_THAT(refusal("Proposal", 1, make(), {open("[1,2,1,1]"), open("[1,4,1,1]"), open("[5]")}),
                HasSubstr("image_shape has shape [5]"));
}

}  // namespace
}  // namespace fuseq::test
