// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

// How channels are made of blocks: [block, C] or [C, block].
enum class BlockOrder { kBlocksFirst, kDepthFirst };
template <>
struct EnumNames<BlockOrder> {
    static constexpr const char* kNames[] = {"blocks_first", "depth_first"};
};

// DepthToSpace and SpaceToDepth.
struct BlockAttrs final : AttributesOf<BlockAttrs> {
    BlockOrder mode = BlockOrder::kBlocksFirst;
    std::int64_t block_size = 1;
    void visit(AttributeVisitor& v) override {
        v.required("mode", mode);
        v.optional("block_size", block_size);
    }
};

}  // namespace fuseq
