// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "benchmark_app/progress.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace fuseq::samples {
namespace {

TEST(ProgressBar, HasADotForEachTwentieth) {
    std::ostringstream out;
    ProgressBar bar(&out);
    bar.show(0.04);
    EXPECT_EQ(out.str(), "Progress: [");
    bar.show(0.11);
    EXPECT_EQ(out.str(), "Progress: [..");
    bar.show(0.05);
    bar.finish();
    EXPECT_EQ(out.str(), "Progress: [....................] 100 %\n");
}

}  // namespace
}  // namespace fuseq::samples
