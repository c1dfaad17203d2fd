// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a DepthToSpace of the three operations that exporters write for a pixel shuffle, so that
// no tensor of rank 6 takes part and channels-last memory stays what it is.
//
//   Law:     DepthToSpace is defined as this reshape, transposition and reshape.
//   Before:  Reshape [N,C,r,r,H,W] -> Transpose 0,1,4,2,5,3 -> Reshape [N,C,H*r,W*r], or
//            Reshape [N,r,r,C,H,W] -> Transpose 0,3,4,1,5,2 -> Reshape [N,C,H*r,W*r]
//   After:   DepthToSpace(x), depth_first or blocks_first
//   Refuses: shapes or orders that are not known, blocks that are not square, results in the
//            middle that something else reads.
//   Source:  sub-pixel convolution, as exported from PyTorch.
#include "transformations/common/fuse_depth_to_space.hpp"

#include <cstdint>
#include <optional>
#include <vector>

#include "ops/depth_to_space.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fuse_depth_to_space_pass {
namespace {

constexpr std::string_view kName = "fuse_depth_to_space";

// What the three shapes and the order mean; nothing when it is no pixel shuffle.
std::optional<BlockAttrs> block_of(const Shape& src,
                                   const Shape& split,
                                   const std::vector<std::int64_t>& order,
                                   const Shape& dst) {
    if (src.size() != 4 || split.size() != 6 || dst.size() != 4) {
        return std::nullopt;
    }
    const bool depth_first = order == std::vector<std::int64_t>{0, 1, 4, 2, 5, 3};
    if (!depth_first && order != std::vector<std::int64_t>{0, 3, 4, 1, 5, 2}) {
        return std::nullopt;
    }
    const std::size_t block = split[2];
    const std::size_t channels = depth_first ? split[1] : split[3];
    const bool square = block == (depth_first ? split[3] : split[1]);
    const bool same_image = split[0] == src[0] && split[4] == src[2] && split[5] == src[3];
    if (!square || !same_image || dst != Shape{src[0], channels, src[2] * block, src[3] * block}) {
        return std::nullopt;
    }
    BlockAttrs attrs;
    attrs.mode = depth_first ? BlockOrder::kDepthFirst : BlockOrder::kBlocksFirst;
    attrs.block_size = static_cast<std::int64_t>(block);
    return attrs;
}

bool fuse(Node& last) {
    const std::vector<const Node*> nodes = chain_to(last, {"Transpose", "Reshape"});
    if (nodes.empty()) {
        return false;
    }
    const Node* split = nodes[0];
    const Node* transpose = nodes[1];
    const Output source = split->input(0);
    const auto order = evaluate_constant(transpose->input(1));
    if (!order || !source.partial_shape().is_static() || !split->port().shape.is_static() ||
        !last.port().shape.is_static()) {
        return false;
    }
    const auto attrs = block_of(source.shape(), split->port().shape.to_shape(), to_ints(*order),
                                last.port().shape.to_shape());
    if (!attrs) {
        return false;
    }
    Node* made = last.model().add("DepthToSpace", 1, last.name(), {source}, *attrs);
    made->origins = origins_of(last);
    add_origins(*made, *split);
    add_origins(*made, *transpose);
    redirect(last.output(), made->output());
    return true;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "Reshape", context, kName, fuse);
}

}  // namespace
}  // namespace fuse_depth_to_space_pass

bool fuse_depth_to_space(Model& model, PassContext& context) {
    return fuse_depth_to_space_pass::run(model, context);
}

}  // namespace fuseq
