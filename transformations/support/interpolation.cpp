// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/interpolation.hpp"

#include <algorithm>

#include "transformations/support/attributes.hpp"

namespace fuseq {

bool has_pads(const Node& interpolate) {
    const auto some = [](std::int64_t pad) { return pad != 0; };
    const auto& begin = attribute<std::vector<std::int64_t>>(interpolate, "pads_begin");
    const auto& end = attribute<std::vector<std::int64_t>>(interpolate, "pads_end");
    return std::any_of(begin.begin(), begin.end(), some) ||
           std::any_of(end.begin(), end.end(), some);
}

}  // namespace fuseq
