// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// BatchToSpace and SpaceToBatch: blocks of pixels become images of the batch, and back.
//   inputs: data [N, D1, D2, ...], block [rank], begin [rank], end [rank]; block[0] is 1
#include <algorithm>
#include <cstring>
#include <vector>

#include <fmt/core.h>

#include "ops/op_list.hpp"
#include "ops/op_spec.hpp"

namespace fuseq::batch_to_space_ops {
namespace {

constexpr std::int64_t kLargest = 1 << 24;

struct Blocks {
    std::vector<std::int64_t> block;
    std::vector<std::int64_t> begin;  // crops or pads
    std::vector<std::int64_t> end;
    std::int64_t count() const {  // images that an image is spread over
        std::int64_t product = 1;
        for (const std::int64_t b : block) {
            product *= b;
        }
        return product;
    }
};

// The rule that the values break, or nothing.
std::string broken_rule(const Blocks& blocks, std::size_t rank) {
    for (const auto* list : {&blocks.block, &blocks.begin, &blocks.end}) {
        if (list->size() != rank) {
            return fmt::format(
                "block_shape or a list of borders has {} values for a tensor of rank {}",
                list->size(), rank);
        }
    }
    std::int64_t count = 1;
    for (std::size_t d = 0; d < rank; ++d) {
        if (blocks.block[d] < 1 || blocks.block[d] > kLargest / count) {
            return fmt::format("block_shape has the value {}", blocks.block[d]);
        }
        count *= blocks.block[d];
        for (const std::int64_t v : {blocks.begin[d], blocks.end[d]}) {
            if (v < 0 || v > kLargest) {
                return fmt::format("a border has the value {}", v);
            }
        }
    }
    if (rank == 0 || blocks.block[0] != 1 || blocks.begin[0] != 0 || blocks.end[0] != 0) {
        return "the batch has a block or a border of its own";
    }
    return {};
}

// Size of the output for one dimension; nothing when it does not come out even or is negative.
std::optional<std::int64_t> resized(bool to_space,
                                    const Blocks& blocks,
                                    std::size_t d,
                                    std::int64_t size) {
    const std::int64_t parts = d == 0 ? blocks.count() : blocks.block[d];
    const bool grows = to_space != (d == 0);
    const std::int64_t borders = blocks.begin[d] + blocks.end[d];
    if (size > INT64_MAX / (kLargest * 4)) {
        return std::nullopt;
    }
    if (to_space) {
        const std::int64_t result = grows ? size * parts - borders : size / parts;
        const bool fits = result >= 0 && (grows || size % parts == 0);
        return fits ? std::optional(result) : std::nullopt;
    }
    const std::int64_t padded = size + borders;
    if (grows) {
        return padded * parts;
    }
    return padded % parts == 0 ? std::optional(padded / parts) : std::nullopt;
}

template <bool to_space>
void infer(InferContext& context) {
    const PartialShape& shape = context.shape(0);
    for (const std::size_t i : {1, 2, 3}) {
        context.require(is_integral(context.type(i)), "input ", i, " is ",
                        to_string(context.type(i)), ", expected an integer type");
    }
    if (!shape.rank_is_static()) {
        context.set_output(0, context.type(0), PartialShape::dynamic());
        return;
    }
    PartialShape result = PartialShape::dynamic(shape.rank());
    const auto block = context.ints(1);
    const auto begin = context.ints(2);
    const auto end = context.ints(3);
    if (block && begin && end) {
        const Blocks blocks{*block, *begin, *end};
        const std::string rule = broken_rule(blocks, shape.rank());
        context.require(rule.empty(), rule);
        for (std::size_t d = 0; d < shape.rank(); ++d) {
            if (shape[d].is_static()) {
                const auto size = resized(to_space, blocks, d, shape[d].get_length());
                context.require(size.has_value(), "dimension ", d, " of ", to_string(shape),
                                " does not fit block_shape and borders");
                result[d] = size.value_or(0);
            }
        }
    }
    context.set_output(0, context.type(0), result);
}

// Calls copy(position in the spread tensor, position in the whole tensor) for every element of
// the spread tensor [N * blocks, D1, ...] that lies within the whole one [N, D1, ...].
template <class Copy>
void for_each_pair(const Blocks& blocks, const Shape& spread, const Shape& whole, Copy copy) {
    std::vector<std::size_t> index(spread.size(), 0);
    const std::size_t size = shape_size(spread);
    for (std::size_t i = 0; i < size; ++i) {
        std::size_t rest = index[0] / whole[0];
        std::size_t to = index[0] % whole[0];
        std::vector<std::size_t> within(spread.size(), 0);
        for (std::size_t d = spread.size(); d-- > 1;) {
            within[d] = rest % static_cast<std::size_t>(blocks.block[d]);
            rest /= static_cast<std::size_t>(blocks.block[d]);
        }
        bool inside = true;
        for (std::size_t d = 1; d < spread.size(); ++d) {
            const std::int64_t at = static_cast<std::int64_t>(index[d]) * blocks.block[d] +
                                    static_cast<std::int64_t>(within[d]) - blocks.begin[d];
            inside = inside && at >= 0 && at < static_cast<std::int64_t>(whole[d]);
            to = to * whole[d] + static_cast<std::size_t>(std::max<std::int64_t>(at, 0));
        }
        if (inside) {
            copy(i, to);
        }
        for (std::size_t d = spread.size(); d-- > 0 && ++index[d] == spread[d];) {
            index[d] = 0;
        }
    }
}

template <bool to_space>
void evaluate(EvalContext& context) {
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const Blocks blocks{to_ints(context.input(1)), to_ints(context.input(2)),
                        to_ints(context.input(3))};
    const std::string rule = broken_rule(blocks, shape.size());
    context.require(rule.empty(), rule);
    Shape result;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const auto size = resized(to_space, blocks, d, static_cast<std::int64_t>(shape[d]));
        context.require(size.has_value(), "dimension ", d, " of ", to_string(shape),
                        " does not fit block_shape and borders");
        result.push_back(static_cast<std::size_t>(*size));
    }
    Tensor& output = context.output(0, result);
    const std::size_t bytes = size_of(in.get_element_type());
    const auto* src = static_cast<const std::byte*>(in.data());
    auto* dst = static_cast<std::byte*>(output.data());
    if (output.get_size() == 0) {
        return;
    }
    std::memset(dst, 0, output.get_byte_size());
    for_each_pair(blocks, to_space ? shape : result, to_space ? result : shape,
                  [&](std::size_t spread, std::size_t whole) {
                      const std::size_t from = to_space ? spread : whole;
                      const std::size_t to = to_space ? whole : spread;
                      std::memcpy(dst + to * bytes, src + from * bytes, bytes);
                  });
}

const OpSpec kOps[] = {
    {.type = "BatchToSpace",
     .version = 2,
     .inputs = {4, 4},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer<true>,
     .evaluate = evaluate<true>,
     .summary = "Images of the batch become blocks of pixels, then crops",
     .refused = "blocks that do not divide the batch, crops beyond the size"},
    {.type = "SpaceToBatch",
     .version = 2,
     .inputs = {4, 4},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer<false>,
     .evaluate = evaluate<false>,
     .summary = "Pads, then blocks of pixels become images of the batch",
     .refused = "blocks that do not divide the padded size"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::batch_to_space_ops
