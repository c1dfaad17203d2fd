// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/strided_map.hpp"

#include <algorithm>

#include "cpu/steps/dnnl_support.hpp"
#include "fuseq/tensor.hpp"
#include "ops/depth_to_space.hpp"

namespace fuseq::cpu {
namespace {

// Elements to the next one in each dimension of the IR.
std::vector<std::int64_t> memory_strides(const PlanTensor& tensor) {
    const Shape shape = tensor.dims();
    const std::vector<std::size_t> order = memory_order(shape.size(), tensor.layout);
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = stride;
        stride *= static_cast<std::int64_t>(shape[order[i]]);
    }
    return strides;
}

// Outermost in dst first; neighbours that are one loop in both tensors become one.
std::vector<MovedDim> merged(std::vector<MovedDim> dims) {
    std::erase_if(dims, [](const MovedDim& d) { return d.size == 1; });
    std::sort(dims.begin(), dims.end(),
              [](const MovedDim& a, const MovedDim& b) { return a.dst_stride > b.dst_stride; });
    std::vector<MovedDim> result;
    for (const MovedDim& d : dims) {
        const auto size = static_cast<std::int64_t>(d.size);
        if (!result.empty() && result.back().src_stride == d.src_stride * size &&
            result.back().dst_stride == d.dst_stride * size) {
            result.back() = {result.back().size * d.size, d.src_stride, d.dst_stride};
        } else {
            result.push_back(d);
        }
    }
    return result;
}

struct Offsets {
    std::vector<std::int64_t> src{0};
    std::vector<std::int64_t> dst{0};
};

// Of all positions of the loops, in bytes.
Offsets offsets_of(const std::vector<MovedDim>& dims,
                   std::size_t begin,
                   std::size_t end,
                   std::int64_t bytes) {
    Offsets all;
    for (std::size_t d = begin; d < end; ++d) {
        Offsets next;
        next.src.clear();
        next.dst.clear();
        for (std::size_t p = 0; p < all.src.size(); ++p) {
            for (std::size_t i = 0; i < dims[d].size; ++i) {
                const auto at = static_cast<std::int64_t>(i) * bytes;
                next.src.push_back(all.src[p] + at * dims[d].src_stride);
                next.dst.push_back(all.dst[p] + at * dims[d].dst_stride);
            }
        }
        all = std::move(next);
    }
    return all;
}

// How many of the outer loops make the smallest tables.
std::size_t best_split(const std::vector<MovedDim>& dims) {
    std::size_t inner = 1;
    for (const MovedDim& d : dims) {
        inner *= d.size;
    }
    std::size_t outer = 1;
    std::size_t best = 0;
    std::size_t smallest = inner + outer;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        outer *= dims[d].size;
        inner /= dims[d].size;
        if (outer + inner < smallest) {
            smallest = outer + inner;
            best = d + 1;
        }
    }
    return best;
}

// Channels of the deep tensor are [b, ..., b, C] or [C, b, ..., b]; the wide tensor has the blocks
// in its spatial dimensions. `deep` and `wide`: strides. Loops as from deep to wide.
std::vector<MovedDim> block_dims(const Shape& deep_shape,
                                 const std::vector<std::int64_t>& deep,
                                 const std::vector<std::int64_t>& wide,
                                 const BlockAttrs& attrs) {
    const auto block = static_cast<std::size_t>(attrs.block_size);
    std::size_t volume = 1;
    for (std::size_t d = 2; d < deep_shape.size(); ++d) {
        volume *= block;
    }
    const std::size_t channels = deep_shape[1] / volume;
    const bool blocks_first = attrs.mode == BlockOrder::kBlocksFirst;
    const auto apart = [&](std::size_t count) {
        return static_cast<std::int64_t>(count) * deep[1];
    };
    std::vector<MovedDim> dims = {{deep_shape[0], deep[0], wide[0]},
                                  {channels, blocks_first ? deep[1] : apart(volume), wide[1]}};
    std::size_t blocks = volume;
    for (std::size_t d = 2; d < deep_shape.size(); ++d) {
        blocks /= block;
        dims.push_back({deep_shape[d], deep[d], wide[d] * attrs.block_size});
        dims.push_back({block, apart(blocks * (blocks_first ? channels : 1)), wide[d]});
    }
    return dims;
}

}  // namespace

MovementMap make_strided_map(std::vector<MovedDim> dims, std::size_t element_bytes) {
    MovementMap map;
    map.element = element_bytes;
    map.elements = 1;
    for (const MovedDim& d : dims) {
        map.elements *= d.size;
    }
    dims = merged(std::move(dims));
    map.block = element_bytes;
    if (!dims.empty() && dims.back().src_stride == 1 && dims.back().dst_stride == 1) {
        map.block *= dims.back().size;
        dims.pop_back();
    }
    const std::size_t split = best_split(dims);
    const auto bytes = static_cast<std::int64_t>(element_bytes);
    const Offsets outer = offsets_of(dims, 0, split, bytes);
    const Offsets inner = offsets_of(dims, split, dims.size(), bytes);
    map.src_outer.assign(outer.src.begin(), outer.src.end());
    map.dst_outer.assign(outer.dst.begin(), outer.dst.end());
    for (std::size_t t = 0; t < inner.src.size(); ++t) {
        map.src_inner.push_back(static_cast<std::int32_t>(inner.src[t]));
        map.dst_inner.push_back(static_cast<std::int32_t>(inner.dst[t]));
    }
    return map;
}

std::optional<std::vector<MovedDim>> strided_dims(const Node& node,
                                                  const PlanTensor& src,
                                                  const PlanTensor& dst) {
    const std::vector<std::int64_t> from = memory_strides(src);
    const std::vector<std::int64_t> to = memory_strides(dst);
    if (node.is("DepthToSpace")) {
        return block_dims(src.dims(), from, to, node.attrs<BlockAttrs>());
    }
    if (node.is("SpaceToDepth")) {
        std::vector<MovedDim> dims = block_dims(dst.dims(), to, from, node.attrs<BlockAttrs>());
        for (MovedDim& d : dims) {
            std::swap(d.src_stride, d.dst_stride);
        }
        return dims;
    }
    if (!node.is("Transpose")) {
        return std::nullopt;
    }
    const Shape shape = dst.dims();
    const std::vector<std::int64_t> order =
        node.has_input(1) ? to_ints(node.input_node(1)->constant()) : std::vector<std::int64_t>();
    std::vector<MovedDim> dims;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        // An empty order reverses the dimensions.
        const std::size_t source =
            order.empty() ? shape.size() - 1 - d : static_cast<std::size_t>(order.at(d));
        dims.push_back({shape[d], from.at(source), to[d]});
    }
    return dims;
}

}  // namespace fuseq::cpu
