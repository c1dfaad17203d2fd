// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Movement: results that are made of elements of one tensor and of a constant, by tables of
// offsets. Any element type and memory order.
#pragma once

#include <optional>

#include "cpu/kernels/common/byte_shuffle.hpp"
#include "cpu/steps/movement_map.hpp"
#include "cpu/steps/step.hpp"

namespace fuseq::cpu {

class MovementStep final : public Step {
public:
    // `constant`: the bytes of the element that fills what no map writes.
    MovementStep(const PlanTensor& src,
                 TensorId src_id,
                 std::vector<TensorId> dst_ids,
                 std::vector<std::byte> constant);
    // One map a dst; before the first bind().
    void set_maps(std::vector<MovementMap> maps);
    std::unique_ptr<Runner> bind(RequestMemory& memory) const override;
    // When every row of the source becomes a row of each result: channels are moved, not pixels.
    std::optional<RowTiling> row_tiling() const override;

    // A map, and a slice of channels or byte permutations of its rows where that is faster than
    // block after block by the table.
    struct Move {
        MovementMap map{};
        std::optional<StridedRun> run{};
        std::optional<kernels::ByteShuffle> shuffle{};
        // What a thread takes at least one of.
        std::size_t units() const { return shuffle ? map.src_outer.size() : map.blocks(); }
    };

    const std::vector<Move>& moves() const { return moves_; }
    const MovementMap* movement_map() const override {
        return inputs_.size() == 1 && moves_.size() == 1 ? &moves_[0].map : nullptr;
    }

private:
    std::vector<Move> moves_;
    std::vector<std::byte> constant_;
    std::size_t rows_;  // of the source: what lies in its last dimension in memory
    std::size_t src_bytes_;
};

}  // namespace fuseq::cpu
