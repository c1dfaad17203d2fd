// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/compressed_matrix.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>

#include "cpu/kernels/gemm/compressed_codes.hpp"
#include "model/packed_values.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/gemm/compressed_matrix.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// The first one declares what the others use.
#include "cpu/kernels/gemm/compressed_stream-inl.h"

#include "cpu/kernels/gemm/compressed_integers-inl.h"
#include "cpu/kernels/gemm/compressed_table-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

void stream_impl(const PackedCodes& p,
                 const float* src,
                 std::size_t rows,
                 float* work,
                 float* dst,
                 Range panels) {
    const float* const sums = p.zero_points == nullptr ? nullptr : work;
#if HWY_TARGET == HWY_AVX2
    if (PreparedSource::has_integers(p, rows) && *PreparedSource(p, rows, work).usable != 0) {
        return stream_integers(p, PreparedSource(p, rows, work), dst, panels);
    }
    if (rows == 1 && p.form == CodeForm::kTable) {
        return stream_table(p, src, sums, dst, panels);
    }
#endif
    switch (p.form) {
        case CodeForm::kBytes: return stream_panels<Bytes>(p, src, rows, sums, dst, panels);
        case CodeForm::kNibbles: return stream_panels<Nibbles>(p, src, rows, sums, dst, panels);
        case CodeForm::kTable: return stream_panels<Table>(p, src, rows, sums, dst, panels);
    }
}

void sum_groups(const PackedCodes& p, const float* src, std::size_t rows, float* sums) {
    const Tag d;
    for (std::size_t i = 0; i < rows * p.groups; ++i, src += p.group_depth) {
        Vector sum = hn::Zero(d);
        std::size_t k = 0;
        for (; k + kLanes <= p.group_depth; k += kLanes) {
            sum = hn::Add(sum, hn::LoadU(d, src + k));
        }
        float lanes[kLanes];
        hn::StoreU(sum, d, lanes);
        sums[i] = std::accumulate(src + k, src + p.group_depth,
                                  std::accumulate(lanes, lanes + kLanes, 0.0f));
    }
}

void prepare_impl(const PackedCodes& p, const float* src, std::size_t rows, float* work) {
    if (p.zero_points != nullptr) {
        sum_groups(p, src, rows, work);
    }
#if HWY_TARGET == HWY_AVX2
    if (PreparedSource::has_integers(p, rows)) {
        prepare_integers(p, src, PreparedSource(p, rows, work));
    }
#endif
}

// Rows of the matrix as floats that stay in the first cache while rows of the source go by.
constexpr std::size_t kBlockDepth = 256;

// Turns a panel to floats, one block after the other.
template <class Codes>
class BlockWriter {
public:
    BlockWriter(const PackedCodes& p, std::size_t panel) : p_(p), codes_(p.table), panel_(panel) {}

    // The next rows, at most kBlockDepth. Their number; 0: there are no more.
    std::size_t next(float* block) {
        std::size_t filled = 0;
        while (group_ < p_.groups && filled < kBlockDepth) {
            const std::size_t left = p_.group_depth - offset_;
            std::size_t count = std::min(left, kBlockDepth - filled);
            if (count < left) {  // ends with a unit
                count = count / Codes::kDepth * Codes::kDepth;
            }
            if (count == 0) {
                break;
            }
            write(count, block + filled * kPanel);
            filled += count;
            offset_ += count;
            if (offset_ == p_.group_depth) {
                offset_ = 0;
                ++group_;
            }
        }
        return filled;
    }

private:
    void write(std::size_t count, float* to) const {
        const Tag d;
        const std::size_t place = panel_ * p_.groups + group_;
        const std::uint8_t* from =
            p_.codes + place * p_.group_bytes + offset_ / Codes::kDepth * kPanel * Codes::kBytes;
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Vector scale = hn::LoadU(d, p_.scales + place * kPanel + v * kLanes);
            const Vector zero =
                p_.zero_points == nullptr ? hn::Zero(d) : zero_point_at(p_, panel_, group_, v);
            const std::uint8_t* unit = from + v * kLanes * Codes::kBytes;
            const auto store = [&](std::size_t k, Vector value) HWY_ATTR {
                hn::StoreU(hn::Mul(hn::Sub(value, zero), scale), d, to + k * kPanel + v * kLanes);
            };
            for (std::size_t k = 0; k < count; k += Codes::kDepth) {
                const typename Codes::Unit codes = codes_.load(unit);
                unrolled<Codes::kDepth>([&](auto i) FUSEQ_HWY_LAMBDA {
                    if (i == 0 || k + i < count) {
                        store(k + i, codes_.template value<i>(codes));
                    }
                });
                unit += kPanel * Codes::kBytes;
            }
        }
    }

    const PackedCodes& p_;
    Codes codes_;
    std::size_t panel_;
    std::size_t group_ = 0;
    std::size_t offset_ = 0;  // in the group
};

constexpr std::size_t kTileRows = 12 / kVectors;

struct Tile {
    const float* src;  // of the first row and the block's first k
    std::size_t src_step;
    const float* block;
    std::size_t depth;
    float* dst;  // kPanel floats a row
    std::size_t dst_step;
    bool first;  // sums begin here
};

template <std::size_t kRows>
void run_tile(const Tile& t) {
    const Tag d;
    Vector sums[kRows][kVectors];
    const float* x[kRows];
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kRows; ++r) {
        x[r] = t.src + r * t.src_step;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            sums[r][v] = t.first ? hn::Zero(d) : hn::LoadU(d, t.dst + r * t.dst_step + v * kLanes);
        }
    }
    const float* w = t.block;
    for (std::size_t k = 0; k < t.depth; ++k, w += kPanel) {
#pragma GCC unroll 12
        for (std::size_t r = 0; r < kRows; ++r) {
            const Vector by = hn::Set(d, x[r][k]);
#pragma GCC unroll 4
            for (std::size_t v = 0; v < kVectors; ++v) {
                sums[r][v] = hn::MulAdd(by, hn::Load(d, w + v * kLanes), sums[r][v]);
            }
        }
    }
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            hn::StoreU(sums[r][v], d, t.dst + r * t.dst_step + v * kLanes);
        }
    }
}

template <std::size_t... kRows>
void run_tile_of(std::size_t rows, const Tile& tile, std::index_sequence<kRows...> /*all*/) {
    using Function = void (*)(const Tile&);
    constexpr Function kFunctions[] = {run_tile<kRows + 1>...};
    kFunctions[rows - 1](tile);
}

// A tile of the last panel, which has fewer channels: sums pass through memory of whole panels.
void run_narrow_tile(std::size_t rows, Tile tile, std::size_t channels) {
    constexpr auto kAll = std::make_index_sequence<kTileRows>();
    float wide[kTileRows * kPanel] = {};
    float* const dst = tile.dst;
    const std::size_t step = tile.dst_step;
    for (std::size_t r = 0; !tile.first && r < rows; ++r) {
        std::copy(dst + r * step, dst + r * step + channels, wide + r * kPanel);
    }
    tile.dst = wide;
    tile.dst_step = kPanel;
    run_tile_of(rows, tile, kAll);
    for (std::size_t r = 0; r < rows; ++r) {
        std::copy(wide + r * kPanel, wide + r * kPanel + channels, dst + r * step);
    }
}

template <class Codes>
void multiply_panel(
    const PackedCodes& p, const float* src, std::size_t rows, float* dst, std::size_t panel) {
    alignas(64) float block[kBlockDepth * kPanel];
    const std::size_t channels = std::min(kPanel, p.channels - panel * kPanel);
    BlockWriter<Codes> writer(p, panel);
    std::size_t at = 0;
    while (const std::size_t depth = writer.next(block)) {
        for (std::size_t r = 0; r < rows; r += kTileRows) {
            const std::size_t count = std::min(kTileRows, rows - r);
            const Tile tile{src + r * p.depth + at,
                            p.depth,
                            block,
                            depth,
                            dst + r * p.channels + panel * kPanel,
                            p.channels,
                            at == 0};
            if (channels == kPanel) {
                run_tile_of(count, tile, std::make_index_sequence<kTileRows>());
            } else {
                run_narrow_tile(count, tile, channels);
            }
        }
        at += depth;
    }
}

template <class Codes>
void multiply_panels(
    const PackedCodes& p, const float* src, std::size_t rows, float* dst, Range panels) {
    for (std::size_t panel = panels.begin; panel < panels.end; ++panel) {
        multiply_panel<Codes>(p, src, rows, dst, panel);
    }
}

void multiply_impl(
    const PackedCodes& p, const float* src, std::size_t rows, float* dst, Range panels) {
    switch (p.form) {
        case CodeForm::kBytes: return multiply_panels<Bytes>(p, src, rows, dst, panels);
        case CodeForm::kNibbles: return multiply_panels<Nibbles>(p, src, rows, dst, panels);
        case CodeForm::kTable: return multiply_panels<Table>(p, src, rows, dst, panels);
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(stream_impl);
HWY_EXPORT(prepare_impl);
HWY_EXPORT(multiply_impl);

namespace {

bool is_byte(ElementType type) {
    return type == ElementType::i8 || type == ElementType::u8;
}

CodeForm form_of(ElementType type) {
    return is_byte(type)              ? CodeForm::kBytes
           : type == ElementType::nf4 ? CodeForm::kTable
                                      : CodeForm::kNibbles;
}

// What packed codes are more than the model's: u8 - 128, i4 + 8.
float packed_offset(ElementType type) {
    return type == ElementType::u8 ? -128.0f : type == ElementType::i4 ? 8.0f : 0.0f;
}

// The same on the bits of a byte, or of both of its nibbles.
std::uint8_t packed_flip(ElementType type) {
    return type == ElementType::u8 ? 0x80 : type == ElementType::i4 ? 0x88 : 0;
}

const float* nf4_values() {
    static const std::array<float, 16> values = [] {
        std::array<std::uint8_t, 8> codes{};
        for (unsigned i = 0; i < codes.size(); ++i) {
            codes[i] = static_cast<std::uint8_t>(2 * i | (2 * i + 1) << 4u);
        }
        std::array<float, 16> result{};
        unpack_values(ElementType::nf4, codes.data(), result.size(), result.data());
        return result;
    }();
    return values.data();
}

// Of a panel.
std::size_t group_bytes_of(ElementType type, std::size_t depth) {
    constexpr std::size_t kUnit = CompressedMatrix::kPanel * kCodesInUnit / 2;
    return is_byte(type) ? depth * CompressedMatrix::kPanel
                         : (depth + kCodesInUnit - 1) / kCodesInUnit * kUnit;
}

// The four bytes of a unit of two times two bytes of codes one after the other.
std::uint32_t unit_of(const std::uint8_t* codes) {
    const auto spread = [](std::uint32_t v) {  // one nibble a byte
        v = (v | v << 8u) & 0x00FF00FFu;
        return (v | v << 4u) & 0x0F0F0F0Fu;
    };
    return spread(codes[0] | std::uint32_t{codes[1]} << 8u) |
           spread(codes[2] | std::uint32_t{codes[3]} << 8u) << 4u;
}

PackedCodes packed_codes(const CompressedMatrixParams& p,
                         std::span<const std::int8_t> codes,
                         const std::vector<float>& scales,
                         const std::vector<float>& zero_points) {
    PackedCodes packed;
    packed.form = form_of(p.type);
    packed.codes = reinterpret_cast<const std::uint8_t*>(codes.data());
    packed.scales = scales.data();
    packed.zero_points = zero_points.empty() ? nullptr : zero_points.data();
    packed.zero_point_step = zero_points.size() == 1 ? 0 : CompressedMatrix::kPanel;
    packed.channels = p.channels;
    packed.depth = p.depth;
    packed.groups = p.groups;
    packed.group_depth = p.depth / p.groups;
    packed.group_bytes = group_bytes_of(p.type, packed.group_depth);
    packed.table = p.type == ElementType::nf4 ? nf4_values() : nullptr;
    return packed;
}

}  // namespace

CompressedMatrix::CompressedMatrix(const CompressedMatrixParams& params) : p_(params) {}

void CompressedMatrix::pack(const Source& source) {
    pack_codes(source);
    pack_scales(source);
}

void CompressedMatrix::pack_codes(const Source& source) {
    const std::size_t bytes = p_.groups * group_bytes_of(p_.type, p_.depth / p_.groups);
    codes_.assign(panels() * bytes, packed_flip(p_.type));
    for (std::size_t panel = 0; panel < panels(); ++panel) {
        is_byte(p_.type) ? pack_bytes(source, panel) : pack_nibbles(source, panel);
    }
}

void CompressedMatrix::pack_bytes(const Source& source, std::size_t panel) {
    const auto* codes = static_cast<const std::uint8_t*>(source.codes);
    const std::size_t first = panel * kPanel;
    const std::size_t count = std::min(kPanel, p_.channels - first);
    const std::uint8_t flip = packed_flip(p_.type);
    std::uint8_t* const to = codes_.data() + panel * p_.depth * kPanel;
    for (std::size_t c = 0; c < count; ++c) {
        const std::uint8_t* from =
            codes + (source.channels_first ? (first + c) * p_.depth : first + c);
        const std::size_t step = source.channels_first ? 1 : p_.channels;
        for (std::size_t k = 0; k < p_.depth; ++k) {
            to[k * kPanel + c] = from[k * step] ^ flip;
        }
    }
}

void CompressedMatrix::pack_nibbles(const Source& source, std::size_t panel) {
    const auto* codes = static_cast<const std::uint8_t*>(source.codes);
    const std::size_t first = panel * kPanel;
    const std::size_t count = std::min(kPanel, p_.channels - first);
    const std::size_t group_depth = p_.depth / p_.groups;
    const std::size_t group_bytes = group_bytes_of(p_.type, group_depth);
    const std::uint32_t flip = packed_flip(p_.type) * 0x01010101u;
    std::uint8_t* const to = codes_.data() + panel * p_.groups * group_bytes;
    // No unit holds parts of two groups.
    if (source.channels_first && group_depth % kCodesInUnit == 0) {
        const std::size_t units = p_.depth / kCodesInUnit;
        for (std::size_t c = 0; c < count; ++c) {
            const std::uint8_t* from = codes + (first + c) * (p_.depth / 2);
            for (std::size_t u = 0; u < units; ++u) {
                const std::uint32_t unit = unit_of(from + 4 * u) ^ flip;
                std::memcpy(to + (u * kPanel + c) * sizeof(unit), &unit, sizeof(unit));
            }
        }
        return;
    }
    const auto code = [&](std::size_t i) -> unsigned { return codes[i / 2] >> (i % 2 * 4) & 15u; };
    for (std::size_t k = 0; k < p_.depth; ++k) {
        const std::size_t in_group = k % group_depth;
        const std::size_t nibble = nibble_of(in_group % kCodesInUnit);
        std::uint8_t* const unit =
            to + k / group_depth * group_bytes + in_group / kCodesInUnit * kPanel * 4 + nibble / 2;
        for (std::size_t c = 0; c < count; ++c) {
            const std::size_t i =
                source.channels_first ? (first + c) * p_.depth + k : k * p_.channels + first + c;
            unit[4 * c] = static_cast<std::uint8_t>(unit[4 * c] ^ code(i) << nibble % 2 * 4);
        }
    }
}

void CompressedMatrix::pack_scales(const Source& source) {
    const std::size_t count = panels() * p_.groups * kPanel;
    scales_.assign(count, 0.0f);
    const float offset = packed_offset(p_.type);
    std::vector<float> zero_points(count, 0.0f);
    float low = offset;
    float high = offset;
    for (std::size_t n = 0; n < p_.channels; ++n) {
        for (std::size_t g = 0; g < p_.groups; ++g) {
            const std::size_t from = n * p_.groups + g;
            const std::size_t to = (n / kPanel * p_.groups + g) * kPanel + n % kPanel;
            const float zero =
                source.zero_points.empty() ? offset : source.zero_points[from] + offset;
            scales_[to] = source.scales[from];
            zero_points[to] = zero;
            low = from == 0 ? zero : std::min(low, zero);
            high = from == 0 ? zero : std::max(high, zero);
        }
    }
    if (low == high) {
        zero_points.assign(low == 0 ? 0 : 1, low);
        zero_points.shrink_to_fit();
    }
    zero_points_ = std::move(zero_points);
}

std::size_t CompressedMatrix::work_size(std::size_t rows) const {
    return PreparedSource::size(packed_codes(p_, codes(), scales_, zero_points_), rows);
}

void CompressedMatrix::prepare(const float* src, std::size_t rows, float* work) const {
    HWY_DYNAMIC_DISPATCH(prepare_impl)
    (packed_codes(p_, codes(), scales_, zero_points_), src, rows, work);
}

void CompressedMatrix::stream(
    const float* src, std::size_t rows, float* work, float* dst, Range panels) const {
    HWY_DYNAMIC_DISPATCH(stream_impl)
    (packed_codes(p_, codes(), scales_, zero_points_), src, rows, work, dst, panels);
}

void CompressedMatrix::multiply(const float* src,
                                std::size_t rows,
                                float* dst,
                                Range panels) const {
    HWY_DYNAMIC_DISPATCH(multiply_impl)
    (packed_codes(p_, codes(), scales_, zero_points_), src, rows, dst, panels);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
