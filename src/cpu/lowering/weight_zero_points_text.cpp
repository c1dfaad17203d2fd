// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/weight_zero_points_text.hpp"

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::cpu {

std::string text_of_zero_points(const std::vector<float>& zero_points) {
    if (zero_points.empty()) {
        return {};
    }
    return zero_points.size() == 1 ? fmt::format("wei_zero_point:{} ", zero_points[0])
                                   : "wei_zero_point:per_oc ";
}

}  // namespace fuseq::cpu
