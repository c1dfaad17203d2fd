// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// drop_clip_before_quantize: where it holds, and where it must refuse, with its reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {
namespace {

using ::testing::HasSubstr;

TEST(DropClipBeforeQuantize, TheQuantizerClips) {
    const Clip levels{0.0f, 255.0f};
    EXPECT_EQ(run(drop_clip_before_quantize, {kRelu, Round{}, levels}), "round clip(0,255) -> f32");
    EXPECT_EQ(run(drop_clip_before_quantize, {Clip{0.0f, 254.7f}, Round{}, levels}),
              "round clip(0,255) -> f32");
    EXPECT_THAT(run(drop_clip_before_quantize, {Clip{0.0f, 200.0f}, Round{}, levels}),
                HasSubstr("refused: clip to [0, 200] is narrower than the quantized range"));
}

}  // namespace
}  // namespace fuseq::post_ops::laws
