// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/text_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

using Align = TextTable::Align;

TEST(TextTable, AlignsColumns) {
    TextTable table({{"name"}, {"us", Align::kRight}, {"kind"}});
    table.add({"conv1", "7", "convolution"});
    table.add({"a", "1234", ""});
    EXPECT_EQ(table.text(),
              "name     us  kind\n"
              "-----  ----  -----------\n"
              "conv1     7  convolution\n"
              "a      1234\n");
}

TEST(TextTable, CutsLongCells) {
    TextTable table({{"n", Align::kLeft, 8}, {"m"}});
    table.add({"abcdefghi", "x"});
    table.add({"abcdefgh", "y"});
    EXPECT_THAT(table.text(), testing::HasSubstr("abc...hi  x\n"));
    EXPECT_THAT(table.text(), testing::HasSubstr("abcdefgh  y\n"));
}

TEST(TextTable, RefusesARowOfAnotherLength) {
    TextTable table({{"a"}, {"b"}});
    EXPECT_THROW(table.add({"1"}), Error);
    EXPECT_TRUE(table.empty());
}

TEST(Fixed, Rounds) {
    EXPECT_EQ(fixed(2.345, 1), "2.3");
    EXPECT_EQ(fixed(-1, 0), "-1");
    EXPECT_EQ(fixed(0.125, 3), "0.125");
}

}  // namespace
}  // namespace fuseq::samples
