// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/movement.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/kernels/common/channel_copy.hpp"
#include "cpu/steps/memory_rows.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kBytesPerPiece = 1 << 15;

// The largest block that is worth a byte permutation: larger ones are copied at full speed.
constexpr std::size_t kMaxShuffled = 15;
constexpr std::size_t kLongestRow = 4096;

// Shorter blocks are several to a byte permutation.
constexpr std::size_t kMinOfRun = 5;

void copy_run(const MovementStep::Move& move, const void* src, void* dst, kernels::Range blocks) {
    const StridedRun& run = *move.run;
    const kernels::ChannelCopy copy{.src = static_cast<const std::byte*>(src) + run.src,
                                    .dst = static_cast<std::byte*>(dst) + run.dst,
                                    .src_stride = run.src_step,
                                    .dst_stride = run.dst_step,
                                    .bytes = move.map.block};
    kernels::copy_channels({&copy, 1}, blocks);
}

// A map whose every group of blocks fills bytes of dst that lie side by side.
std::optional<kernels::ByteShuffle> shuffle_of(const MovementMap& map) {
    if (map.blocks() == 0 || map.block > kMaxShuffled ||
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

// Whether rows of dst consist of bytes of the rows of src with their numbers, in equally many
// groups of blocks.
bool keeps_rows(const MovementMap& map, std::size_t rows, std::size_t src_bytes) {
    const std::size_t dst_bytes = map.elements * map.element;
    const std::size_t groups = map.src_outer.size();
    if (rows == 0 || groups == 0 || map.has_constant || groups % rows != 0 ||
        src_bytes % rows != 0 || dst_bytes % rows != 0) {
        return false;
    }
    const auto inside = [&](const std::vector<std::ptrdiff_t>& outer,
                            const std::vector<std::int32_t>& inner, std::size_t row) {
        const auto [low, high] = std::minmax_element(inner.begin(), inner.end());
        const auto end = static_cast<std::ptrdiff_t>(map.block) + *high;
        for (std::size_t q = 0; q < groups; ++q) {
            const auto begin = static_cast<std::ptrdiff_t>(q / (groups / rows) * row);
            if (outer[q] + *low < begin ||
                outer[q] + end > begin + static_cast<std::ptrdiff_t>(row)) {
                return false;
            }
        }
        return true;
    };
    return inside(map.src_outer, map.src_inner, src_bytes / rows) &&
           inside(map.dst_outer, map.dst_inner, dst_bytes / rows);
}

class MovementRunner final : public Runner {
public:
    MovementRunner(const Step& step,
                   const std::vector<MovementStep::Move>& moves,
                   const std::vector<std::byte>& constant,
                   std::size_t rows,
                   RequestMemory& memory)
        : step_(step), moves_(moves), constant_(constant), rows_(rows), memory_(memory) {
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

    void run_rows(const RowPart& part) override {
        const void* src = memory_.rows(step_.inputs()[0], part);
        for (std::size_t i = 0; i < moves_.size(); ++i) {
            const MovementMap& map = moves_[i].map;
            void* dst = memory_.rows(step_.outputs()[i], part);
            const std::size_t outer = map.src_outer.size() / rows_;
            if (moves_[i].shuffle) {
                moves_[i].shuffle->run(src, map.src_outer, dst, map.dst_outer,
                                       {part.begin * outer, part.end * outer});
                continue;
            }
            const std::size_t blocks = outer * map.src_inner.size();
            if (moves_[i].run) {
                copy_run(moves_[i], src, dst, {part.begin * blocks, part.end * blocks});
                continue;
            }
            copy_blocks(map, src, dst, part.begin * blocks, part.end * blocks);
        }
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
        if (moves_[i].run) {
            copy_run(moves_[i], src, dst, units);
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
    std::size_t rows_;
    RequestMemory& memory_;
    std::size_t bytes_ = 0;  // that are moved
};

}  // namespace

MovementStep::MovementStep(const PlanTensor& src,
                           TensorId src_id,
                           std::vector<TensorId> dst_ids,
                           std::vector<std::byte> constant)
    : constant_(std::move(constant)), src_bytes_(src.bytes()) {
    rows_ = memory_rows(src).rows;
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
        auto run = map.block < kMinOfRun ? std::nullopt : strided_run(map);
        auto shuffle = run ? std::nullopt : shuffle_of(map);
        moves_.push_back({std::move(map), run, std::move(shuffle)});
    }
}

std::optional<RowTiling> MovementStep::row_tiling() const {
    const bool by_row = std::all_of(moves_.begin(), moves_.end(), [&](const Move& move) {
        return keeps_rows(move.map, rows_, src_bytes_);
    });
    return by_row && !moves_.empty() ? std::optional(RowTiling{.rows = rows_}) : std::nullopt;
}

std::unique_ptr<Runner> MovementStep::bind(RequestMemory& memory) const {
    return std::make_unique<MovementRunner>(*this, moves_, constant_, rows_, memory);
}

}  // namespace fuseq::cpu
