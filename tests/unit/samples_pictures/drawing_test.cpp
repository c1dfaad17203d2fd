// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pixels of shapes, drawn on paper.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "common/drawing/boxes.hpp"
#include "common/drawing/disc.hpp"
#include "common/drawing/mask.hpp"
#include "common/drawing/palette.hpp"
#include "common/drawing/rectangle.hpp"
#include "common/drawing/text.hpp"

namespace fuseq::samples {
namespace {

constexpr Color kInk = {255, 255, 255};

// '#' where there is ink, rows from the top.
std::string drawn(const Picture& picture) {
    std::string text;
    for (std::size_t y = 0; y < picture.height; ++y) {
        for (std::size_t x = 0; x < picture.width; ++x) {
            text += picture.at(y, x) == Color{} ? '.' : '#';
        }
        text += '\n';
    }
    return text;
}

TEST(Drawing, RectangleIsAFrameInsideItsArea) {
    Picture picture(5, 6);
    draw_rectangle(picture, {1, 1, 4, 3}, 1, kInk);
    EXPECT_EQ(drawn(picture),
              "......\n"
              ".####.\n"
              ".#..#.\n"
              ".####.\n"
              "......\n");
    draw_rectangle(picture, {0, 0, 5, 4}, 2, kInk);
    EXPECT_EQ(drawn(picture),
              "######\n"
              "######\n"
              "##..##\n"
              "######\n"
              "######\n");
}

TEST(Drawing, ShapesMayReachOverThePicture) {
    Picture picture(2, 3);
    draw_rectangle(picture, {-5, 1, 9, 9}, 1, kInk);
    EXPECT_EQ(drawn(picture), "...\n###\n");
    fill_disc(picture, -1, 0, 1, kInk);
    EXPECT_EQ(drawn(picture), "#..\n###\n");
    fill_rectangle(picture, {2, 1, 1, 0}, {});  // nothing
    EXPECT_EQ(drawn(picture), "#..\n###\n");
}

TEST(Drawing, DiscHasThePixelsWithinItsRadius) {
    Picture picture(5, 5);
    fill_disc(picture, 2, 2, 2, kInk);
    EXPECT_EQ(drawn(picture),
              "..#..\n"
              ".###.\n"
              "#####\n"
              ".###.\n"
              "..#..\n");
}

TEST(Drawing, TextIsOfDots) {
    Picture picture(5, 7);
    draw_text(picture, 0, 0, "1t", 1, kInk);
    EXPECT_EQ(drawn(picture),
              ".#..###\n"
              "##...#.\n"
              ".#...#.\n"
              ".#...#.\n"
              "###..#.\n");
    EXPECT_EQ(text_width("1t", 1), 7);
    EXPECT_EQ(text_width("1t", 3), 21);
    EXPECT_EQ(text_width("", 3), 0);
    EXPECT_EQ(text_height(2), 10);
}

TEST(Drawing, TextTakesAnyBytes) {
    Picture picture(5, 3);
    Picture question(5, 3);
    draw_text(picture, 0, 0, "\xc3", 1, kInk);
    draw_text(question, 0, 0, "?", 1, kInk);
    EXPECT_EQ(picture, question);
}

TEST(Drawing, MaskMixesHalfAndHalfAndLeavesClassZero) {
    Picture picture(2, 4);
    std::fill(picture.pixels.begin(), picture.pixels.end(), Color{100, 100, 101});
    draw_mask(picture, {1, 2, {0, 1}});  // one row of two cells, stretched
    const Color mixed = {(100 + 230) / 2, (100 + 80) / 2, (101 + 30) / 2};
    EXPECT_EQ(color_of_class(1), (Color{230, 80, 30}));
    for (std::size_t y = 0; y < 2; ++y) {
        EXPECT_EQ(picture.at(y, 1), (Color{100, 100, 101}));
        EXPECT_EQ(picture.at(y, 2), mixed);
    }
}

TEST(Drawing, BoxesHaveTheColorOfTheirLabel) {
    Picture picture(40, 40);
    draw_boxes(picture, {{1, 0.5F, 0.25F, 0.5F, 0.75F, 1.0F}}, {"zero", "one"});
    const Color color = color_of_class(1);
    EXPECT_EQ(picture.at(20, 10), color);
    EXPECT_EQ(picture.at(39, 29), color);
    EXPECT_EQ(picture.at(30, 10), color);
    EXPECT_EQ(picture.at(30, 20), Color{});
    EXPECT_EQ(picture.at(30, 30), Color{});
    // The caption, 7 rows, stands above.
    EXPECT_EQ(picture.at(13, 10), color);
    EXPECT_EQ(picture.at(12, 10), Color{});
}

// Far outside: only the caption and the frame that lie inside are drawn.
TEST(Drawing, BoxesOfAnyNumbersAreNoHarm) {
    Picture picture(40, 40);
    draw_boxes(picture, {{99, 0.5F, 1e30F, 1e30F, 2e30F, std::nanf("")}}, {});
    EXPECT_EQ(picture, Picture(40, 40));
    draw_boxes(picture, {{-3, 0.5F, -1e30F, -1e30F, 1e30F, 1e30F}}, {});
    EXPECT_EQ(picture, Picture(40, 40));
}

TEST(Drawing, PaletteRepeatsAndTextIsReadable) {
    EXPECT_EQ(color_of_class(3), color_of_class(19));
    EXPECT_EQ(readable_on({255, 255, 255}), (Color{0, 0, 0}));
    EXPECT_EQ(readable_on({0, 0, 0}), (Color{255, 255, 255}));
}

}  // namespace
}  // namespace fuseq::samples
