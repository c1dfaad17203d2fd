// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/plan_tensor.hpp"

namespace fuseq::cpu {

std::string to_string(Layout layout) {
    return layout == Layout::kPlain ? "plain" : "channels_last";
}

bool layouts_agree(const Shape& shape) {
    if (shape.size() < 3 || shape[1] == 1) {
        return true;
    }
    std::size_t spatial = 1;
    for (std::size_t d = 2; d < shape.size(); ++d) {
        spatial *= shape[d];
    }
    return spatial <= 1;
}

}  // namespace fuseq::cpu
