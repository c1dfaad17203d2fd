// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Prefetches of the loops around the micro-kernel: weights, source rows, binary sources. A few with
// each tile, because a burst of misses stops all other loads.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"

namespace fuseq::kernels::gemm {

inline constexpr std::size_t kCacheLine = 64;

// Weights, into L2. The micro-kernels prefetch some bytes for each four bytes of depth.
class WeightsAhead {
public:
    // During the next `steps` steps of depth: `next` and then set_after(), `bytes` in all.
    void expect(std::span<const std::int8_t> next, std::size_t bytes, std::size_t steps) {
        at_ = next.data();
        end_ = at_ + next.size();
        step_ = std::min(kCacheLine, (bytes + steps - 1) / steps);
    }
    void expect_nothing() { at_ = end_ = nullptr; }
    // What follows `next`, in this order.
    void set_after(std::span<const WeightSpan> after) { after_ = after; }

    // The first address that the next `steps` steps prefetch; null: nothing.
    const std::int8_t* take(std::size_t steps) {
        while (at_ >= end_ && !after_.empty()) {
            at_ = after_.front().data();
            end_ = at_ + after_.front().size();
            after_ = after_.subspan(1);
        }
        const std::int8_t* const from = at_ < end_ ? at_ : nullptr;
        at_ += from != nullptr ? steps * step_ : 0;
        return from;
    }
    std::size_t step() const { return step_; }

    // The next address; null: nothing is left.
    const std::int8_t* at() const { return at_ < end_ ? at_ : nullptr; }
    // Leaves out what lies before `at`; null: the whole range.
    void skip_to(const std::int8_t* at) { at_ = at != nullptr ? std::max(at_, at) : end_; }

private:
    const std::int8_t* at_ = nullptr;
    const std::int8_t* end_ = nullptr;
    std::size_t step_ = 0;
    std::span<const WeightSpan> after_;
};

// Source rows of the next block, into L2.
class RowsAhead {
public:
    // Those of `count` rows of dst from row `at` of all images on, while `tiles` tiles are done.
    // Nothing where an image begins.
    void expect_block(const Packed& packed,
                      const void* src,
                      std::size_t at,
                      std::size_t count,
                      std::size_t tiles) {
        const GemmShape& s = packed.shape;
        const std::size_t y = at % s.dst_height;
        const std::size_t row_bytes = s.src_width * s.src_channels;
        const std::ptrdiff_t reach =
            static_cast<std::ptrdiff_t>(y * s.stride_height +
                                        (s.kernel_height - 1) * s.dilation_height) -
            s.pad_top;
        const auto begin = static_cast<std::size_t>(std::max<std::ptrdiff_t>(reach, 0));
        const std::size_t end = std::min(s.src_height, begin + count * s.stride_height);
        at_ = end_ = nullptr;
        if (y == 0 || begin >= end) {
            return;
        }
        const auto* image =
            static_cast<const std::uint8_t*>(src) + at / s.dst_height * s.src_height * row_bytes;
        at_ = image + begin * row_bytes;
        end_ = image + end * row_bytes;
        lines_a_tile_ = (end - begin) * row_bytes / kCacheLine / tiles + 1;
    }
    void fetch() {
        for (std::size_t i = 0; i < lines_a_tile_ && at_ < end_; ++i) {
            __builtin_prefetch(at_, 0, 2);
            at_ += kCacheLine;
        }
    }

private:
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    std::size_t lines_a_tile_ = 0;
};

// Tensors that the epilogue of the next tile reads.
class BinarySourcesAhead {
public:
    BinarySourcesAhead(const Packed& packed, const GemmArgs& args)
        : channels_(packed.shape.dst_channels) {
        for (const PackedOp& op : packed.epilogue.ops) {
            const bool reads = op.kind == GemmOp::Kind::kSum || op.kind == GemmOp::Kind::kBinary;
            if (reads && count_ < binary_sources_.size()) {
                binary_sources_[count_++] = {
                    static_cast<const char*>(args.binary_sources[op.binary.input]),
                    size_of(op.binary.type)};
            }
        }
    }

    // A cache line that begins in the panel before has been fetched with that one.
    void fetch(std::size_t pixel, std::size_t rows, const Panel& panel) const {
        for (std::size_t i = 0; i < count_; ++i) {
            const Source& source = binary_sources_[i];
            const std::size_t pitch = channels_ * source.size;
            const std::size_t begin = panel.channel * source.size;
            const std::size_t end = begin + panel.channels * source.size;
            const bool aligned = pitch % kCacheLine == 0;
            const char* at = source.data + pixel * pitch;
            for (std::size_t line = aligned ? round_up(begin) : begin; line < end;
                 line += kCacheLine) {
                for (std::size_t r = 0; r < rows; ++r) {
                    __builtin_prefetch(at + line + r * pitch);
                }
            }
        }
    }

private:
    struct Source {
        const char* data = nullptr;
        std::size_t size = 0;  // of an element
    };

    static std::size_t round_up(std::size_t bytes) {
        return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
    }

    std::size_t channels_;
    std::array<Source, 4> binary_sources_;
    std::size_t count_ = 0;
};

}  // namespace fuseq::kernels::gemm
