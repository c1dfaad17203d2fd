// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/shape.hpp"

#include <gtest/gtest.h>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

TEST(Dimension, ParsesEveryForm) {
    EXPECT_EQ(Dimension::parse("3"), Dimension(3));
    EXPECT_EQ(Dimension::parse("?"), Dimension::dynamic());
    EXPECT_EQ(Dimension::parse("-1"), Dimension::dynamic());
    EXPECT_EQ(Dimension::parse("1..8"), Dimension(1, 8));
    EXPECT_EQ(Dimension::parse("2.."), Dimension(2, Dimension::kUnbounded));
    EXPECT_EQ(Dimension::parse("..4"), Dimension(0, 4));
}

TEST(Dimension, RefusesWhatIsNoSize) {
    EXPECT_THROW(Dimension::parse("x"), Error);
    EXPECT_THROW(Dimension::parse("-3"), Error);
    EXPECT_THROW(Dimension::parse("5..2"), Error);
}

TEST(PartialShape, PrintsWhatItParsed) {
    for (const char* text : {"[1,3,224,224]", "[]", "[?,3,2..8,..4]", "[...]"}) {
        const std::string printed = to_string(PartialShape::parse(text));
        EXPECT_EQ(PartialShape::parse(printed), PartialShape::parse(text)) << text;
    }
    EXPECT_EQ(to_string(PartialShape::parse("1, 3,?")), "[1,3,?]");
}

TEST(ShapeSize, RefusesOverflow) {
    EXPECT_EQ(shape_size(Shape{2, 0, 3}), 0u);
    EXPECT_EQ(shape_size(Shape{}), 1u);
    EXPECT_THROW(shape_size(Shape{1ul << 40, 1ul << 40}), Error);
}

}  // namespace
}  // namespace fuseq
