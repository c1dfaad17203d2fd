// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/movement.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/runtime/parallel.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kBytesPerPiece = 1 << 15;

// The largest block that is worth a byte permutation: larger ones are copied at full speed.
constexpr std::size_t kMostShuffled = 63;
constexpr std::size_t kLongestRow = 4096;

// A map whose every group of blocks fills bytes of dst that lie side by side.
std::optional<kernels::ByteShuffle> shuffle_of(const MovementMap& map) {
    if (map.blocks() == 0 || map.block > kMostShuffled ||
        map.src_inner.size() * map.block > kLongestRow || map.src_inner.size() == 1) {
        return std::nullopt;
    }
    const auto block = static_cast<std::int32_t>(map.block);
    std::vector<std::int32_t> sources;
    for (std::size_t t = 0; t < map.src_inner.size(); ++t) {
        if (map.dst_inner[t] != static_cast<std::int32_t>(t) * block) {
            return std::nullopt;
        }
        for (std::int32_t i = 0; i < block; ++i) {
            sources.push_back(map.src_inner[t] + i);
        }
    }
    return kernels::ByteShuffle::make(sources);
}

class MovementRunner final : public Runner {
public:
    MovementRunner(const Step& step,
                   const std::vector<MovementStep::Move>& moves,
                   const std::vector<std::byte>& constant,
                   RequestMemory& memory)
        : step_(step), moves_(moves), constant_(constant), memory_(memory) {
        for (const MovementStep::Move& move : moves_) {
            bytes_ += move.map.blocks() * move.map.block;
        }
    }

    void run() override {
        for (std::size_t i = 0; i < moves_.size(); ++i) {
            if (moves_[i].map.has_constant) {
                fill(moves_[i].map, static_cast<std::byte*>(memory_.data(step_.outputs()[i])));
            }
        }
        // Each thread takes its share of every result: one barrier for all of them.
        const std::size_t useful = 1 + bytes_ / kBytesPerPiece;
        const std::size_t shares =
            std::min(useful, static_cast<std::size_t>(omp_get_max_threads()));
        parallel_for(shares, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = 0; i < moves_.size(); ++i) {
                const std::size_t units = moves_[i].units();
                move(i, {units * begin / shares, units * end / shares});
            }
        });
    }

private:
    void move(std::size_t i, kernels::Range units) const {
        const void* src = memory_.data(step_.inputs()[0]);
        void* dst = memory_.data(step_.outputs()[i]);
        const MovementMap& map = moves_[i].map;
        if (moves_[i].shuffle) {
            moves_[i].shuffle->run(src, map.src_outer, dst, map.dst_outer, units);
            return;
        }
        copy_blocks(map, src, dst, units.begin, units.end);
    }

    void fill(const MovementMap& map, std::byte* dst) const {
        const std::byte first = constant_[0];
        const bool one_byte = std::all_of(constant_.begin(), constant_.end(),
                                          [&](std::byte b) { return b == first; });
        parallel_for(map.elements, kBytesPerPiece, [&](std::size_t begin, std::size_t end) {
            std::byte* at = dst + begin * map.element;
            if (one_byte) {
                std::memset(at, static_cast<int>(first), (end - begin) * map.element);
                return;
            }
            for (std::size_t i = begin; i < end; ++i, at += map.element) {
                std::memcpy(at, constant_.data(), map.element);
            }
        });
    }

    const Step& step_;
    const std::vector<MovementStep::Move>& moves_;
    const std::vector<std::byte>& constant_;
    RequestMemory& memory_;
    std::size_t bytes_ = 0;  // that are moved
};

}  // namespace

MovementStep::MovementStep(const PlanTensor& src,
                           TensorId src_id,
                           std::vector<TensorId> dst_ids,
                           std::vector<std::byte> constant)
    : constant_(std::move(constant)) {
    inputs_ = {src_id};
    outputs_ = std::move(dst_ids);
    info_.kind = "movement";
    info_.implementation = "fuseq:movement";
    info_.src_type = to_string(src.type);
    info_.dst_type = to_string(src.type);
    info_.layout = to_string(src.layout);
}

void MovementStep::set_maps(std::vector<MovementMap> maps) {
    for (MovementMap& map : maps) {
        info_.bytes += static_cast<std::int64_t>(map.blocks() * map.block);
        info_.bytes += static_cast<std::int64_t>(map.elements * map.element);
        auto shuffle = shuffle_of(map);
        moves_.push_back({std::move(map), std::move(shuffle)});
    }
}

std::unique_ptr<Runner> MovementStep::bind(RequestMemory& memory) const {
    return std::make_unique<MovementRunner>(*this, moves_, constant_, memory);
}

}  // namespace fuseq::cpu
