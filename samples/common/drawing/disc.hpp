// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "common/pictures/picture.hpp"

namespace fuseq::samples {

// Pixels whose centers are at most `radius` away from that of (column, row). May reach over the
// picture.
void fill_disc(Picture& picture,
               std::int64_t column,
               std::int64_t row,
               std::int64_t radius,
               const Color& color);

}  // namespace fuseq::samples
