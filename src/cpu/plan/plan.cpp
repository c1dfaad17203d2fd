// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

TensorId Plan::root(TensorId id) const {
    while (tensors[id].alias != kNoTensor) {
        id = tensors[id].alias;
    }
    return id;
}

std::size_t Plan::bytes() const {
    std::size_t total = arena_bytes;
    for (const auto& step : steps) {
        total += step->packed_bytes();
    }
    for (const PlanTensor& tensor : tensors) {
        total += tensor.storage == Storage::kConstant && tensor.layout == Layout::kChannelsLast
                     ? tensor.constant.get_byte_size()
                     : 0;
    }
    return total;
}

}  // namespace fuseq::cpu
