// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "common/drawing/text.hpp"

#include <array>

#include "common/drawing/rectangle.hpp"

namespace fuseq::samples {
namespace {

constexpr std::int64_t kGlyphWidth = 3;
constexpr std::int64_t kGlyphHeight = 5;

// Five rows from the top, an octal digit each: 4 is the left dot, 1 the right one.
struct Glyph {
    char letter;
    std::string_view rows;
};
constexpr Glyph kUnknown = {'?', "71202"};
constexpr std::array kGlyphs = {
    Glyph{'0', "75557"}, Glyph{'1', "26227"}, Glyph{'2', "71747"}, Glyph{'3', "71717"},
    Glyph{'4', "55711"}, Glyph{'5', "74717"}, Glyph{'6', "74757"}, Glyph{'7', "71111"},
    Glyph{'8', "75757"}, Glyph{'9', "75717"}, Glyph{'A', "25755"}, Glyph{'B', "65656"},
    Glyph{'C', "34443"}, Glyph{'D', "65556"}, Glyph{'E', "74647"}, Glyph{'F', "74644"},
    Glyph{'G', "34553"}, Glyph{'H', "55755"}, Glyph{'I', "72227"}, Glyph{'J', "11152"},
    Glyph{'K', "55655"}, Glyph{'L', "44447"}, Glyph{'M', "57755"}, Glyph{'N', "65555"},
    Glyph{'O', "25552"}, Glyph{'P', "65644"}, Glyph{'Q', "25563"}, Glyph{'R', "65655"},
    Glyph{'S', "34216"}, Glyph{'T', "72222"}, Glyph{'U', "55557"}, Glyph{'V', "55552"},
    Glyph{'W', "55775"}, Glyph{'X', "55255"}, Glyph{'Y', "55222"}, Glyph{'Z', "71247"},
    Glyph{'%', "51245"}, Glyph{'.', "00002"}, Glyph{'-', "00700"}, Glyph{'_', "00007"},
    Glyph{':', "02020"}, Glyph{' ', "00000"}};

std::string_view rows_of(char letter) {
    const char capital =
        letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
    for (const Glyph& glyph : kGlyphs) {
        if (glyph.letter == capital) {
            return glyph.rows;
        }
    }
    return kUnknown.rows;
}

}  // namespace

std::int64_t text_width(std::string_view text, std::int64_t scale) {
    return text.empty() ? 0
                        : (static_cast<std::int64_t>(text.size()) * (kGlyphWidth + 1) - 1) * scale;
}

std::int64_t text_height(std::int64_t scale) {
    return kGlyphHeight * scale;
}

void draw_text(Picture& picture,
               std::int64_t column,
               std::int64_t row,
               std::string_view text,
               std::int64_t scale,
               const Color& color) {
    for (const char letter : text) {
        const std::string_view rows = rows_of(letter);
        for (std::int64_t y = 0; y < kGlyphHeight; ++y) {
            const int dots = rows[static_cast<std::size_t>(y)] - '0';
            for (std::int64_t x = 0; x < kGlyphWidth; ++x) {
                if ((dots >> (kGlyphWidth - 1 - x) & 1) != 0) {
                    const std::int64_t left = column + x * scale;
                    const std::int64_t top = row + y * scale;
                    fill_rectangle(picture, {left, top, left + scale - 1, top + scale - 1}, color);
                }
            }
        }
        column += (kGlyphWidth + 1) * scale;
    }
}

}  // namespace fuseq::samples
