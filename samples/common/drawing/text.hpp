// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "common/pictures/picture.hpp"

namespace fuseq::samples {

// Letters are 3 x 5 dots with one dot between them; a dot is scale x scale pixels. Small letters are
// written as capital ones, what the font does not have as '?'.
std::int64_t text_width(std::string_view text, std::int64_t scale);
std::int64_t text_height(std::int64_t scale);
// (column, row) is the upper left corner. May reach over the picture.
void draw_text(Picture& picture,
               std::int64_t column,
               std::int64_t row,
               std::string_view text,
               std::int64_t scale,
               const Color& color);

}  // namespace fuseq::samples
