// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DepthToSpace-1: [N, C * b^K, D1, ..., DK] -> [N, C, D1 * b, ..., DK * b]; SpaceToDepth-1 is its
// inverse. Channels are [b, ..., b, C] (blocks_first) or [C, b, ..., b] (depth_first).
#include "ops/depth_to_space.hpp"

#include "ops/op_list.hpp"
#include "ops/strided_copy.hpp"

namespace fuseq::depth_to_space_ops {
namespace {

constexpr std::int64_t kLargestBlock = 1 << 10;

// b^K for the K spatial dimensions of a tensor of this rank.
template <class Context>
std::int64_t block_volume(const Context& context, std::size_t rank) {
    const std::int64_t block = context.template attrs<BlockAttrs>().block_size;
    context.require(rank >= 3 && rank <= 5, "src has rank ", rank, ", expected 3, 4 or 5");
    context.require(block >= 1 && block <= kLargestBlock, "block_size is ", block,
                    ", expected a value in [1, ", kLargestBlock, "]");
    std::int64_t volume = 1;
    for (std::size_t d = 2; d < rank; ++d) {
        volume *= block;
    }
    return volume;
}

// size / by where the size is known; refuses a remainder.
template <class Context>
Dimension divided(const Context& context, const Dimension& size, std::int64_t by, std::size_t d) {
    if (!size.is_static()) {
        return Dimension::dynamic();
    }
    context.require(size.get_length() % by == 0, "block_size ",
                    context.template attrs<BlockAttrs>().block_size, " does not fit dimension ", d,
                    " of size ", size.get_length(), ": expected a multiple of ", by);
    return size.get_length() / by;
}

template <class Context>
PartialShape to_space(const Context& context, const PartialShape& src) {
    const std::int64_t volume = block_volume(context, src.rank());
    PartialShape dst = src;
    dst[1] = divided(context, src[1], volume, 1);
    for (std::size_t d = 2; d < src.rank(); ++d) {
        dst[d] = src[d] * Dimension(context.template attrs<BlockAttrs>().block_size);
    }
    return dst;
}

template <class Context>
PartialShape to_depth(const Context& context, const PartialShape& src) {
    PartialShape dst = src;
    dst[1] = src[1] * Dimension(block_volume(context, src.rank()));
    for (std::size_t d = 2; d < src.rank(); ++d) {
        dst[d] = divided(context, src[d], context.template attrs<BlockAttrs>().block_size, d);
    }
    return dst;
}

template <bool kToSpace>
void infer(InferContext& context) {
    const PartialShape& src = context.shape(0);
    if (!src.rank_is_static()) {
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    context.set_output(0, context.type(0),
                       kToSpace ? to_space(context, src) : to_depth(context, src));
}

// Both operations are the same pairing of elements between a deep tensor [N, C * b^K, D...] and a
// wide one [N, C, D * b...]. The deep one seen as [N, C, D1, b1, ..., DK, bK], the order in which
// the wide one holds its elements.
StridedView deep_view(const Shape& deep, const Shape& wide, BlockOrder mode) {
    const std::size_t spatial = deep.size() - 2;
    const std::vector<std::int64_t> strides = dense_strides(deep);
    const auto block = static_cast<std::int64_t>(wide[2] / deep[2]);
    const auto channels = static_cast<std::int64_t>(wide[1]);
    std::int64_t blocks = 1;
    for (std::size_t d = 0; d < spatial; ++d) {
        blocks *= block;
    }
    const bool blocks_first = mode == BlockOrder::kBlocksFirst;
    StridedView view;
    view.strides = {strides[0], blocks_first ? strides[1] : blocks * strides[1]};
    for (std::size_t d = 0; d < spatial; ++d) {
        blocks /= block;  // channels to the next block in this dimension
        view.strides.push_back(strides[d + 2]);
        view.strides.push_back(blocks * (blocks_first ? channels : 1) * strides[1]);
    }
    return view;
}

Shape split_shape(const Shape& deep, const Shape& wide) {
    Shape shape = {wide[0], wide[1]};
    for (std::size_t d = 2; d < deep.size(); ++d) {
        shape.insert(shape.end(), {deep[d], wide[d] / deep[d]});
    }
    return shape;
}

template <bool kToSpace>
void evaluate(EvalContext& context) {
    const Tensor& src = context.input(0);
    const BlockOrder mode = context.attrs<BlockAttrs>().mode;
    const PartialShape from = src.get_shape();
    const Shape to = (kToSpace ? to_space(context, from) : to_depth(context, from)).to_shape();
    Tensor& dst = context.output(0, to);
    if (dst.get_size() == 0) {
        return;
    }
    const Shape& deep = kToSpace ? src.get_shape() : to;
    const Shape& wide = kToSpace ? to : src.get_shape();
    const StridedView view = deep_view(deep, wide, mode);
    const Shape split = split_shape(deep, wide);
    if (kToSpace) {
        Tensor spread = dst.reshaped(split);
        copy_from_view(src, view, spread);
    } else {
        copy_to_view(src.reshaped(split), dst, view);
    }
}

OpSpec row(std::string_view type,
           void (*infer)(InferContext&),
           void (*evaluate)(EvalContext&),
           std::string_view summary) {
    return {.type = type,
            .version = 1,
            .inputs = {1, 1},
            .make_attributes = make_attributes<BlockAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "rank other than 3, 4, 5; a block_size that does not divide"};
}

const OpSpec kOps[] = {
    row("DepthToSpace", infer<true>, evaluate<true>, "Channels to blocks of space"),
    row("SpaceToDepth", infer<false>, evaluate<false>, "Blocks of space to channels"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::depth_to_space_ops
