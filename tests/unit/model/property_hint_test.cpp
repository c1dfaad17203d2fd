// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "model/property_hint.hpp"

#include <gtest/gtest.h>

namespace fuseq {
namespace {

TEST(PropertyHint, NamesTheNearest) {
    EXPECT_EQ(property_hint("NUM_STREAM", {"PERF_COUNT", "NUM_STREAMS"}),
              "; the nearest is 'NUM_STREAMS'");
}

TEST(PropertyHint, SaysWhatOfOpenVinoIsAbsentByDesign) {
    EXPECT_EQ(property_hint("ENABLE_MMAP", {"ENABLE_CPU_PINNING"}),
              "; it is OpenVINO's, and absent here: weights are always mapped");
    EXPECT_EQ(property_hint("CPU_THREADS_NUM", {"NUM_STREAMS"}),
              "; it is OpenVINO's, and absent here: INFERENCE_NUM_THREADS has its place");
}

}  // namespace
}  // namespace fuseq
