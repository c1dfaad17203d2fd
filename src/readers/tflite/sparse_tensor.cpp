// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sparse tensors of TFLite: dimensions may be cut into blocks, which makes more of them ("levels"),
// and each level is either dense or a list of the indices that exist for each index of the levels
// before it. Levels 0 to rank - 1 number the blocks along the dimensions in traversal order, the
// others the elements inside of a block.
#include "readers/tflite/sparse_tensor.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace fuseq::tflite_reader {
namespace {

using Indices = std::vector<std::size_t>;

struct Level {
    bool dense = true;
    std::size_t dimension = 0;  // of the tensor
    std::size_t size = 0;       // indices, of a dense one
    std::size_t stride = 1;     // from index to index, in elements of the dimension
    Indices segments;           // of a sparse one: where the list of an outer position begins
    Indices indices;
};

template <class Vector>
Indices to_indices(const Vector* vector) {
    if (vector == nullptr || vector->values() == nullptr) {
        return {};
    }
    Indices list;
    for (const auto value : *vector->values()) {
        // Negative ones are beyond every bound.
        list.push_back(static_cast<std::size_t>(static_cast<std::int64_t>(value)));
    }
    return list;
}

template <class As32, class As16, class As8>
Indices read_indices(::tflite::SparseIndexVector type, As32 as_32, As16 as_16, As8 as_8) {
    switch (type) {
        case ::tflite::SparseIndexVector::Int32Vector: return to_indices(as_32());
        case ::tflite::SparseIndexVector::Uint16Vector: return to_indices(as_16());
        case ::tflite::SparseIndexVector::Uint8Vector: return to_indices(as_8());
        default: return {};
    }
}

Level read_level(const ::tflite::DimensionMetadata& stored, std::size_t at, const Place& place) {
    Level level;
    level.dense = stored.format() == ::tflite::DimensionType::DENSE;
    if (level.dense) {
        place.require(stored.dense_size() >= 1, "is sparse; level ", at, " has the size ",
                      stored.dense_size());
        level.size = static_cast<std::size_t>(stored.dense_size());
        return level;
    }
    level.segments = read_indices(
        stored.array_segments_type(), [&] { return stored.array_segments_as_Int32Vector(); },
        [&] { return stored.array_segments_as_Uint16Vector(); },
        [&] { return stored.array_segments_as_Uint8Vector(); });
    level.indices = read_indices(
        stored.array_indices_type(), [&] { return stored.array_indices_as_Int32Vector(); },
        [&] { return stored.array_indices_as_Uint16Vector(); },
        [&] { return stored.array_indices_as_Uint8Vector(); });
    place.require(!level.segments.empty() && level.segments[0] == 0 &&
                      std::is_sorted(level.segments.begin(), level.segments.end()) &&
                      level.segments.back() == level.indices.size(),
                  "is sparse; the segments of level ", at, " do not cover its ",
                  level.indices.size(), " indices");
    return level;
}

// The dimension of each level: those of the tensor in traversal order, then those of the blocks.
std::vector<Level> read_levels(const ::tflite::SparsityParameters& sparsity,
                               const Shape& shape,
                               const Place& place) {
    const std::size_t rank = shape.size();
    const std::size_t blocks = sparsity.block_map() == nullptr ? 0 : sparsity.block_map()->size();
    const auto* order = sparsity.traversal_order();
    const auto* stored = sparsity.dim_metadata();
    place.require(order != nullptr && stored != nullptr && order->size() == rank + blocks &&
                      stored->size() == rank + blocks,
                  "is sparse; it has ", rank, " dimensions and ", blocks, " blocks, but ",
                  order == nullptr ? 0 : order->size(), " places in the order and ",
                  stored == nullptr ? 0 : stored->size(), " descriptions");
    std::vector<Level> levels;
    std::vector<std::size_t> block_size(rank, 1);
    std::vector<bool> seen(rank + blocks, false);
    for (std::size_t at = 0; at < rank + blocks; ++at) {
        const auto place_in_order =
            static_cast<std::size_t>(static_cast<std::int64_t>((*order)[at]));
        // Blocks come after all dimensions.
        place.require(place_in_order < rank + blocks && !seen[place_in_order] &&
                          (place_in_order < rank) == (at < rank),
                      "is sparse; place ", at, " of the traversal order is ", (*order)[at]);
        seen[place_in_order] = true;
        levels.push_back(read_level(*(*stored)[at], at, place));
        Level& level = levels.back();
        if (at < rank) {
            level.dimension = place_in_order;
            continue;
        }
        level.dimension = static_cast<std::size_t>(
            static_cast<std::int64_t>((*sparsity.block_map())[place_in_order - rank]));
        place.require(level.dimension < rank && level.dense && block_size[level.dimension] == 1,
                      "is sparse; block ", place_in_order - rank, " of dimension ", level.dimension,
                      " is sparse, or the second one");
        block_size[level.dimension] = level.size;
    }
    for (std::size_t at = 0; at < rank; ++at) {
        levels[at].stride = block_size[levels[at].dimension];
    }
    return levels;
}

class Filler {
public:
    Filler(const std::vector<Level>& levels,
           const Tensor& dst,
           std::span<const std::uint8_t> data,
           const Place& place)
        : levels_(levels),
          shape_(dst.get_shape()),
          element_(size_of(dst.get_element_type())),
          to_(static_cast<std::uint8_t*>(const_cast<void*>(dst.data()))),
          data_(data),
          place_(place),
          position_(shape_.size(), 0) {}

    void run() {
        fill(0, 0);
        place_.require(read_ == data_.size(), "is sparse; it has ", data_.size() / element_,
                       " values, its description names ", read_ / element_);
    }

private:
    // `outer`: number of this position among those of the levels before.
    void fill(std::size_t at, std::size_t outer) {
        if (at == levels_.size()) {
            store();
            return;
        }
        const Level& level = levels_[at];
        if (level.dense) {
            for (std::size_t i = 0; i < level.size; ++i) {
                enter(at, i, outer * level.size + i);
            }
            return;
        }
        place_.require(outer + 1 < level.segments.size(), "is sparse; level ", at, " has ",
                       level.segments.size() - 1, " segments, and segment ", outer, " is read");
        for (std::size_t i = level.segments[outer]; i < level.segments[outer + 1]; ++i) {
            enter(at, level.indices[i], i);
        }
    }

    void enter(std::size_t at, std::size_t index, std::size_t outer) {
        const Level& level = levels_[at];
        std::size_t& position = position_[level.dimension];
        const std::size_t size = shape_[level.dimension];
        place_.require(index < size && position + index * level.stride < size, "is sparse; index ",
                       index, " of level ", at, " lies outside of dimension ", level.dimension,
                       " of size ", size);
        position += index * level.stride;
        fill(at + 1, outer);
        position -= index * level.stride;
    }

    void store() {
        place_.require(read_ + element_ <= data_.size(), "is sparse; it has ",
                       data_.size() / element_, " values, its description names more");
        std::size_t at = 0;
        for (std::size_t d = 0; d < shape_.size(); ++d) {
            at = at * shape_[d] + position_[d];
        }
        std::memcpy(to_ + at * element_, data_.data() + read_, element_);
        read_ += element_;
    }

    const std::vector<Level>& levels_;
    const Shape& shape_;
    std::size_t element_;
    std::uint8_t* to_;
    std::span<const std::uint8_t> data_;
    const Place& place_;
    std::vector<std::size_t> position_;
    std::size_t read_ = 0;  // bytes
};

}  // namespace

Tensor dense_value(const ::tflite::SparsityParameters& sparsity,
                   const TensorInfo& info,
                   std::span<const std::uint8_t> data,
                   const Place& place) {
    place.require(info.type != ElementType::undefined && !is_packed(info.type) &&
                      info.type != ElementType::boolean,
                  "is sparse and of type ", info.type_name, ", which is not supported");
    // A value may stand for at most so many elements; more is a damaged file.
    constexpr std::size_t kMaxGrowth = 4096;
    const std::size_t bytes = byte_size_of(info.type, shape_size(info.shape));
    place.require(bytes / kMaxGrowth <= data.size(), "is sparse; ", data.size(),
                  " bytes of values are too few for shape ", to_string(info.shape));
    const std::vector<Level> levels = read_levels(sparsity, info.shape, place);
    Tensor dense(info.type, info.shape);
    std::memset(dense.data(), 0, bytes);
    Filler(levels, dense, data, place).run();
    return dense;
}

}  // namespace fuseq::tflite_reader
