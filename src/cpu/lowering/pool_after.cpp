// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/pool_after.hpp"

#include "cpu/lowering/step_makers.hpp"
#include "ops/pooling.hpp"

namespace fuseq::cpu {

Node* pool_after(const StepBuilder& builder, const Group& group) {
    Node* node = group.for_dump ? nullptr : builder.only_reader(group.result);
    if (node == nullptr || !node->is("MaxPool") || !gives_maxima_only(*node)) {
        return nullptr;
    }
    const PoolGeometry geometry = pool_geometry(pool_attrs(*node), group.result.shape());
    const auto& windows = geometry.windows;
    for (std::size_t d = 0; d < windows.size(); ++d) {
        const auto src = static_cast<std::int64_t>(group.result.shape()[d + 2]);
        if (windows[d].size != 2 || windows[d].stride != 2 || windows[d].dilation != 1 ||
            windows[d].pad_begin != 0 || geometry.positions[d] != src / 2) {
            return nullptr;
        }
    }
    return windows.size() == 2 && group.result.shape() == group.anchor->port(0).shape.to_shape()
               ? node
               : nullptr;
}

void add_pool(StepInfo& info, const Node& pool, const PlanTensor& dst) {
    const auto layers = origins_of(pool);
    info.layers.insert(info.layers.end(), layers.begin(), layers.end());
    info.post_ops += ", max_pool(2x2)";
    info.bytes +=
        static_cast<std::int64_t>(dst.bytes()) - 4 * static_cast<std::int64_t>(dst.bytes());
}

}  // namespace fuseq::cpu
