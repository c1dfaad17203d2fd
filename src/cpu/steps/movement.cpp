// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/movement.hpp"

#include <algorithm>
#include <cstring>

#include "cpu/runtime/parallel.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kBytesPerPiece = 1 << 15;

class MovementRunner final : public Runner {
public:
    MovementRunner(const Step& step,
                   const std::vector<MovementMap>& maps,
                   const std::vector<std::byte>& constant,
                   RequestMemory& memory)
        : step_(step), maps_(maps), constant_(constant), memory_(memory) {}

    void run() override {
        const void* src = memory_.data(step_.inputs()[0]);
        for (std::size_t i = 0; i < maps_.size(); ++i) {
            const MovementMap& map = maps_[i];
            void* dst = memory_.data(step_.outputs()[i]);
            if (map.has_constant) {
                fill(map, static_cast<std::byte*>(dst));
            }
            parallel_for(map.blocks(), 1 + kBytesPerPiece / (map.block + 1),
                         [&](std::size_t begin, std::size_t end) {
                             copy_blocks(map, src, dst, begin, end);
                         });
        }
    }

private:
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
    const std::vector<MovementMap>& maps_;
    const std::vector<std::byte>& constant_;
    RequestMemory& memory_;
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
    maps_ = std::move(maps);
    for (const MovementMap& map : maps_) {
        info_.bytes += static_cast<std::int64_t>(map.blocks() * map.block);
        info_.bytes += static_cast<std::int64_t>(map.elements * map.element);
    }
}

std::unique_ptr<Runner> MovementStep::bind(RequestMemory& memory) const {
    return std::make_unique<MovementRunner>(*this, maps_, constant_, memory);
}

}  // namespace fuseq::cpu
