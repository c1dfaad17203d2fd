// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// How the work of a matrix product is cut into parts: by pixels, by panels of channels, or both.
#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels {

using namespace gemm;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t kCacheLine = 64;

// Cache lines of dst that two threads would write with this split.
std::size_t shared_lines(const Packed& p, const GemmSplit& split) {
    const std::size_t size = p.store == Store::kF32 ? 4 : 1;
    const std::size_t pixels =
        p.shape.batch * p.shape.dst_height * p.shape.dst_width / (p.window() * p.window());
    std::size_t lines = 0;
    for (std::size_t c = 1; c < split.columns; ++c) {
        const std::size_t panel = p.panels.size() * c / split.columns;
        const bool apart = p.panels[panel].channel * size % kCacheLine == 0 &&
                           p.shape.dst_channels * size % kCacheLine == 0;
        lines += apart ? 0 : pixels / split.rows;
    }
    return lines;
}

// The cost of a byte, in bytes of weights that a tile multiplies.
struct ByteCosts {
    double weight;  // that a part reads
    double source;
    double remote;  // written or read by another core
};

ByteCosts byte_costs(std::size_t tile, bool remote_is_slow) {
    constexpr double kRemoteMacs = 20;  // multiplied while such a byte arrives
    constexpr double kWeightMacs = 2;   // most weights are there before they are needed
    if (!remote_is_slow) {
        return {.weight = 0.02, .source = 0.02, .remote = 0};
    }
    const auto rows = static_cast<double>(tile);
    return {.weight = kWeightMacs / rows, .source = 0, .remote = kRemoteMacs / rows};
}

// Bytes of src and dst.
double moved_bytes(const Packed& p) {
    const GemmShape& s = p.shape;
    const std::size_t src = s.src_height * s.src_width * s.src_channels;
    const std::size_t dst = s.dst_height * s.dst_width / (p.window() * p.window()) *
                            s.dst_channels * (p.store == Store::kF32 ? 4 : 1);
    return static_cast<double>(s.batch * (src + dst));
}

// First the largest part, in tiles of a panel, should be small. Then threads should read little and
// not write to the same cache lines.
GemmSplit split_for(const Packed& p, std::size_t parts, bool remote_is_slow) {
    const std::size_t tile = p.mode == SourceMode::kRows ? 1 : p.tile_rows(p.panels[0]);
    const std::size_t tiles = (p.units() + tile - 1) / tile;
    const std::size_t src_bytes = p.units() * p.depth4 * 4;
    const ByteCosts byte = byte_costs(p.tile_rows(p.panels[0]), remote_is_slow);
    GemmSplit best{.rows = parts, .columns = 1};
    double min = -1;
    for (std::size_t rows = parts; rows > 0; --rows) {
        if (parts % rows != 0) {
            continue;
        }
        const std::size_t columns = parts / rows;
        const std::size_t work =
            ((tiles + rows - 1) / rows) * ((p.panels.size() + columns - 1) / columns);
        const double others = 1 - 1 / static_cast<double>(columns);
        const double bytes =
            byte.weight * static_cast<double>(p.wei.size()) / static_cast<double>(columns) +
            byte.source * static_cast<double>(src_bytes) / static_cast<double>(rows) +
            byte.remote * others * moved_bytes(p);
        constexpr double kSharedLine = 500;
        const double cost =
            static_cast<double>(work) * static_cast<double>(p.panels[0].bytes) + bytes +
            kSharedLine * static_cast<double>(shared_lines(p, {.rows = rows, .columns = columns}));
        if (min < 0 || cost < min) {
            min = cost;
            best = {.rows = rows, .columns = columns};
        }
    }
    return best;
}

}  // namespace

GemmSplit GemmVnni::split(std::size_t parts) const {
    return split(parts, other_cores_lines_are_slow());
}

GemmSplit GemmVnni::split(std::size_t parts, bool remote_is_slow) const {
    return split_for(*packed_, parts, remote_is_slow);
}

}  // namespace fuseq::kernels
