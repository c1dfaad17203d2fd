// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/memory_rows.hpp"

#include <gtest/gtest.h>

namespace fuseq::cpu {
namespace {

MemoryRows rows_of(const Shape& shape, Layout layout) {
    PlanTensor tensor;
    tensor.shape = shape;
    tensor.layout = layout;
    return memory_rows(tensor);
}

TEST(MemoryRows, AreOfTheDimensionThatIsLastInMemory) {
    EXPECT_EQ(rows_of({2, 3, 4, 5}, Layout::kPlain).columns, 5u);
    EXPECT_EQ(rows_of({2, 3, 4, 5}, Layout::kPlain).rows, 24u);
    EXPECT_EQ(rows_of({2, 3, 4, 5}, Layout::kChannelsLast).columns, 3u);
    EXPECT_EQ(rows_of({2, 3, 4, 5}, Layout::kChannelsLast).rows, 40u);
    EXPECT_EQ(rows_of({}, Layout::kPlain).rows, 1u);
}

TEST(MemoryRows, AnEmptyTensorHasNone) {
    EXPECT_EQ(rows_of({2, 0}, Layout::kPlain).rows, 0u);
    EXPECT_EQ(rows_of({2, 0}, Layout::kPlain).columns, 0u);
    EXPECT_EQ(rows_of({0, 3}, Layout::kPlain).rows, 0u);
    EXPECT_EQ(rows_of({2, 0, 4, 5}, Layout::kChannelsLast).rows, 0u);
}

TEST(MemoryRows, AThreadGetsAtLeastOne) {
    EXPECT_EQ((MemoryRows{.rows = 9, .columns = 16}).grain(), 1024u);
    EXPECT_EQ((MemoryRows{.rows = 9, .columns = 100'000}).grain(), 1u);
    EXPECT_GE((MemoryRows{.rows = 0, .columns = 0}).grain(), 1u);
}

}  // namespace
}  // namespace fuseq::cpu
