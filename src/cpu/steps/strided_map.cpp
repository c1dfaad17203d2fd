// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/strided_map.hpp"

#include <algorithm>

#include "cpu/steps/dnnl_support.hpp"
#include "fuseq/tensor.hpp"
#include "ops/depth_to_space.hpp"
#include "ops/gather.hpp"
#include "ops/op_spec.hpp"

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
        const bool both_whole = !result.empty() && result.back().picked.empty() && d.picked.empty();
        if (both_whole && result.back().src_stride == d.src_stride * size &&
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
        next.src.reserve(all.src.size() * dims[d].size);
        next.dst.reserve(all.src.size() * dims[d].size);
        for (std::size_t p = 0; p < all.src.size(); ++p) {
            for (std::size_t i = 0; i < dims[d].size; ++i) {
                const auto at = static_cast<std::int64_t>(i);
                const std::int64_t from = dims[d].picked.empty() ? at : dims[d].picked[i];
                next.src.push_back(all.src[p] + from * bytes * dims[d].src_stride);
                next.dst.push_back(all.dst[p] + at * bytes * dims[d].dst_stride);
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

// A list of elements that lie equally far apart is a stride; the first one counts for `src_begin`.
std::vector<MovedDim> plain_steps(MovedDims& moved) {
    std::vector<MovedDim> dims = moved.dims;
    for (MovedDim& d : dims) {
        if (d.picked.empty()) {
            continue;
        }
        const std::int64_t first = d.picked[0];
        const std::int64_t step = d.picked.size() == 1 ? 1 : d.picked[1] - first;
        bool even = true;
        for (std::size_t i = 0; i < d.picked.size(); ++i) {
            even = even && d.picked[i] == first + static_cast<std::int64_t>(i) * step;
        }
        if (even) {
            moved.src_begin += first * d.src_stride;
            d.src_stride *= step;
            d.picked.clear();
        }
    }
    return dims;
}

struct Strides {
    Shape shape;  // that the maker needs
    std::vector<std::int64_t> src;
    std::vector<std::int64_t> dst;
};

MovedDims transpose_dims(const Node& node, const Strides& at) {
    const std::size_t rank = at.shape.size();
    const std::vector<std::int64_t> order =
        node.has_input(1) ? to_ints(node.input_node(1)->constant()) : std::vector<std::int64_t>();
    MovedDims moved;
    for (std::size_t d = 0; d < rank; ++d) {
        // An empty order reverses the dimensions.
        const std::size_t source =
            order.empty() ? rank - 1 - d : static_cast<std::size_t>(order.at(d));
        moved.dims.push_back({at.shape[d], at.src.at(source), at.dst[d]});
    }
    return moved;
}

// The axis that input `input` holds; checked when the shapes were inferred.
std::size_t axis_of(const Node& node, std::size_t input, std::size_t rank) {
    const std::int64_t axis = to_ints(node.input_node(input)->constant()).at(0);
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

// Each output begins where the one before it ends. at.shape: of dst.
MovedDims split_dims(const Node& node, std::size_t port, const Strides& at) {
    const std::size_t axis = axis_of(node, 1, at.shape.size());
    MovedDims moved;
    for (std::size_t i = 0; i < port; ++i) {
        const std::size_t size = node.port(i).shape.to_shape().at(axis);
        moved.src_begin += static_cast<std::int64_t>(size) * at.src.at(axis);
    }
    for (std::size_t d = 0; d < at.shape.size(); ++d) {
        moved.dims.push_back({at.shape[d], at.src[d], at.dst[d]});
    }
    return moved;
}

// at.shape: of src. Nothing for indices that are not inside the axis, or of more dimensions.
std::optional<MovedDims> gather_dims(const Node& node, const Strides& at) {
    const std::size_t axis = axis_of(node, 2, at.shape.size());
    const Tensor& indices = node.input_node(1)->constant();
    const std::size_t rank = indices.get_shape().size();
    const bool batched = node.spec().version != 1 && node.attrs<GatherAttrs>().batch_dims != 0;
    if (rank > 1 || batched || indices.get_size() == 0) {
        return std::nullopt;
    }
    const auto size = static_cast<std::int64_t>(at.shape.at(axis));
    std::vector<std::int64_t> picked = to_ints(indices);
    for (std::int64_t& index : picked) {
        index += index < 0 ? size : 0;
        if (index < 0 || index >= size) {
            return std::nullopt;
        }
    }
    MovedDims moved;
    if (rank == 0) {
        moved.src_begin = picked[0] * at.src[axis];
    } else {
        moved.dims.push_back({picked.size(), at.src[axis], at.dst.at(axis), picked});
    }
    for (std::size_t d = 0; d < at.shape.size(); ++d) {
        if (d != axis) {
            const std::size_t to = d < axis ? d : d + rank - 1;
            moved.dims.push_back({at.shape[d], at.src[d], at.dst.at(to)});
        }
    }
    return moved;
}

}  // namespace

MovementMap make_strided_map(MovedDims moved, std::size_t element_bytes) {
    MovementMap map;
    map.element = element_bytes;
    map.elements = 1;
    for (const MovedDim& d : moved.dims) {
        map.elements *= d.size;
    }
    std::vector<MovedDim> dims = merged(plain_steps(moved));
    map.block = element_bytes;
    if (!dims.empty() && dims.back().picked.empty() && dims.back().src_stride == 1 &&
        dims.back().dst_stride == 1) {
        map.block *= dims.back().size;
        dims.pop_back();
    }
    const std::size_t split = best_split(dims);
    const auto bytes = static_cast<std::int64_t>(element_bytes);
    const Offsets outer = offsets_of(dims, 0, split, bytes);
    const Offsets inner = offsets_of(dims, split, dims.size(), bytes);
    map.src_outer.reserve(outer.src.size());
    map.dst_outer.reserve(outer.src.size());
    for (std::size_t q = 0; q < outer.src.size(); ++q) {
        map.src_outer.push_back(outer.src[q] + moved.src_begin * bytes);
        map.dst_outer.push_back(outer.dst[q]);
    }
    map.src_inner.reserve(inner.src.size());
    map.dst_inner.reserve(inner.src.size());
    for (std::size_t t = 0; t < inner.src.size(); ++t) {
        map.src_inner.push_back(static_cast<std::int32_t>(inner.src[t]));
        map.dst_inner.push_back(static_cast<std::int32_t>(inner.dst[t]));
    }
    return map;
}

std::optional<MovedDims> strided_dims(const Node& node,
                                      std::size_t port,
                                      const PlanTensor& src,
                                      const PlanTensor& dst) {
    const std::vector<std::int64_t> from = memory_strides(src);
    const std::vector<std::int64_t> to = memory_strides(dst);
    if (node.is("DepthToSpace")) {
        return MovedDims{block_dims(src.dims(), from, to, node.attrs<BlockAttrs>())};
    }
    if (node.is("SpaceToDepth")) {
        std::vector<MovedDim> dims = block_dims(dst.dims(), to, from, node.attrs<BlockAttrs>());
        for (MovedDim& d : dims) {
            std::swap(d.src_stride, d.dst_stride);
        }
        return MovedDims{std::move(dims)};
    }
    if (node.is("Split") || node.is("VariadicSplit")) {
        return split_dims(node, port, {dst.dims(), from, to});
    }
    if (node.is("Gather")) {
        return gather_dims(node, {src.dims(), from, to});
    }
    if (node.is("Transpose")) {
        return transpose_dims(node, {dst.dims(), from, to});
    }
    return std::nullopt;
}

}  // namespace fuseq::cpu
