// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Elements in another order: blocks of pixels, and sequences read backwards.
#include "readers/tflite/operator_table.hpp"

namespace fuseq::tflite_reader::arrangement_operators {
namespace {

std::int64_t block_size(const Operator& op, std::int32_t stated) {
    op.require(stated >= 1 && stated <= 1 << 16, "block_size is ", stated, ", expected 1 or more");
    return stated;
}

// A block's pixels are the slower part of the channels, on both sides.
Values space_to_depth(Operator& op) {
    const std::int64_t size =
        block_size(op, op.options<::tflite::SpaceToDepthOptions>().block_size());
    return image(
        op.add("SpaceToDepth", {op.image(0)}, {{"mode", "blocks_first"}, {"block_size", size}}));
}

Values depth_to_space(Operator& op) {
    const std::int64_t size =
        block_size(op, op.options<::tflite::DepthToSpaceOptions>().block_size());
    return image(
        op.add("DepthToSpace", {op.image(0)}, {{"mode", "blocks_first"}, {"block_size", size}}));
}

// Blocks and borders of the spatial dimensions, of all: 1 and 0 for the others.
struct Blocks {
    Output x;
    Output sizes;
    Output before;
    Output after;
};

Blocks read_blocks(Operator& op) {
    const std::vector<std::int64_t> sizes = op.constant_ints(1, "the block shape");
    const std::vector<std::int64_t> borders = op.constant_ints(2, "the list of borders");
    const std::size_t rank = op.rank(op.input(0));
    op.require(rank >= sizes.size() + 1 && borders.size() == 2 * sizes.size(), "the block has ",
               sizes.size(), " dimensions, ", borders.size(), " borders, the input rank ", rank);
    std::vector<std::int64_t> block(rank, 1);
    std::vector<std::int64_t> before(rank, 0);
    std::vector<std::int64_t> after(rank, 0);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        op.require(sizes[d] >= 1 && borders[2 * d] >= 0 && borders[2 * d + 1] >= 0, "dimension ", d,
                   " of the block is ", sizes[d], " with borders ", borders[2 * d], " and ",
                   borders[2 * d + 1]);
        block[d + 1] = sizes[d];
        before[d + 1] = borders[2 * d];
        after[d + 1] = borders[2 * d + 1];
    }
    return {op.input(0), op.int_list(block), op.int_list(before), op.int_list(after)};
}

Values batch_to_space(Operator& op) {
    const Blocks blocks = read_blocks(op);
    return plain(op.add("BatchToSpace", {blocks.x, blocks.sizes, blocks.before, blocks.after}));
}

// Pads of quantized tensors hold what stands for 0, not the integer 0.
Values space_to_batch(Operator& op) {
    const Blocks blocks = read_blocks(op);
    const TensorInfo& source = op.tensor(0);
    if (!source.quantized() || source.quantization.zero_point() == 0) {
        return plain(op.add("SpaceToBatch", {blocks.x, blocks.sizes, blocks.before, blocks.after}));
    }
    const auto zero = static_cast<double>(source.quantization.zero_point());
    const Output padded =
        op.add("Pad", {blocks.x, blocks.before, blocks.after, op.scalar(zero, source.type)},
               {{"pad_mode", "constant"}});
    const Output none = op.int_list(std::vector<std::int64_t>(op.rank(blocks.x), 0));
    return plain(op.add("SpaceToBatch", {padded, blocks.sizes, none, none}));
}

Values reverse(Operator& op) {
    return plain(op.add("Reverse", {op.input(0), op.input(1)}, {{"mode", "index"}}));
}

Values reverse_sequence(Operator& op) {
    const auto& options = op.options<::tflite::ReverseSequenceOptions>();
    return plain(op.add("ReverseSequence", {op.input(0), op.input(1)},
                        {{"batch_axis", static_cast<std::int64_t>(options.batch_dim())},
                         {"seq_axis", static_cast<std::int64_t>(options.seq_dim())}}));
}

const OperatorRow kRows[] = {
    {.type = "BATCH_TO_SPACE_ND", .newest = 4, .translate = batch_to_space},
    {.type = "DEPTH_TO_SPACE", .newest = 2, .translate = depth_to_space},
    {.type = "REVERSE_SEQUENCE", .newest = 1, .translate = reverse_sequence},
    {.type = "REVERSE_V2", .newest = 3, .translate = reverse},
    {.type = "SPACE_TO_BATCH_ND", .newest = 4, .translate = space_to_batch},
    {.type = "SPACE_TO_DEPTH", .newest = 2, .translate = space_to_depth},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::arrangement_operators
