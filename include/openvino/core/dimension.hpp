// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "fuseq/shape.hpp"

namespace ov {
using Dimension = fuseq::Dimension;
}  // namespace ov

namespace fuseq {
// Found by argument, so it stands where the class is.
inline std::ostream& operator<<(std::ostream& out, const Dimension& dimension) {
    return out << to_string(dimension);
}
}  // namespace fuseq
