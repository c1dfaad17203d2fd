// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/memory_rows.hpp"

#include <algorithm>

namespace fuseq::cpu {

std::size_t MemoryRows::grain() const {
    constexpr std::size_t kElements = 16384;
    return kElements / std::clamp<std::size_t>(columns, 1, kElements);
}

MemoryRows memory_rows(const PlanTensor& tensor) {
    const Shape dims = tensor.dims();
    if (dims.empty()) {
        return {};
    }
    const std::size_t columns = tensor.layout == Layout::kChannelsLast ? dims[1] : dims.back();
    return {.rows = columns == 0 ? 0 : shape_size(dims) / columns, .columns = columns};
}

}  // namespace fuseq::cpu
