// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Pieces that the printer and the parser of the text form share.
#pragma once

#include <string>
#include <string_view>

#include "fuseq/element_type.hpp"
#include "fuseq/shape.hpp"

namespace fuseq {

// Whether a name may contain this character without quotes.
bool is_plain_name_char(char c);
// In double quotes, with backslash before a quote and a backslash, and \n for a line break.
std::string quote_text(std::string_view text);
// "f32[1,3,?]".
std::string type_and_shape_to_text(ElementType type, const PartialShape& shape);

}  // namespace fuseq
