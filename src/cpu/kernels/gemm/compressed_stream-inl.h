// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Codes of a CompressedMatrix as floats in registers, and products of few rows with them. For
// compressed_matrix.cpp; include after hwy/highway.h, once a target.
#if defined(FUSEQ_KERNELS_COMPRESSED_STREAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FUSEQ_KERNELS_COMPRESSED_STREAM_INL_H_
#undef FUSEQ_KERNELS_COMPRESSED_STREAM_INL_H_
#else
#define FUSEQ_KERNELS_COMPRESSED_STREAM_INL_H_
#endif

#include <algorithm>

#include "cpu/kernels/common/always_inline.hpp"
#include "cpu/kernels/gemm/compressed_codes.hpp"
#include "cpu/kernels/gemm/compressed_matrix.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

#include "cpu/kernels/common/hwy_unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPanel = CompressedMatrix::kPanel;
using Tag = hn::CappedTag<float, kPanel>;
using IntTag = hn::RebindToSigned<Tag>;
using Vector = hn::Vec<Tag>;
using IntVector = hn::Vec<IntTag>;
constexpr std::size_t kLanes = hn::MaxLanes(Tag());
constexpr std::size_t kVectors = kPanel / kLanes;

// Codes of kLanes channels. A unit has kDepth codes of each, in kBytes bytes.
struct Bytes {
    static constexpr std::size_t kDepth = 1;
    static constexpr std::size_t kBytes = 1;
    using Unit = Vector;
    explicit Bytes(const float* /*table*/) {}
    HWY_INLINE Unit load(const std::uint8_t* from) const {
        const hn::Rebind<std::int8_t, Tag> narrow;
        return hn::ConvertTo(
            Tag(),
            hn::PromoteTo(IntTag(), hn::LoadU(narrow, reinterpret_cast<const std::int8_t*>(from))));
    }
    template <std::size_t kCode>
    HWY_INLINE Vector value(Unit unit) const {
        return unit;
    }
};

// The floats of `values` at the low four bits of each index; the bits above say nothing.
HWY_INLINE Vector look_up(const float* values, IntVector index) {
    const Tag d;
#if HWY_TARGET <= HWY_AVX3
    return Vector{_mm512_permutexvar_ps(index.raw, hn::LoadU(d, values).raw)};
#elif HWY_TARGET == HWY_AVX2
    // Three bits are a place, and the fourth one, as the sign, is the half of the table.
    const Vector lower{_mm256_permutevar8x32_ps(hn::LoadU(d, values).raw, index.raw)};
    const Vector upper{_mm256_permutevar8x32_ps(hn::LoadU(d, values + 8).raw, index.raw)};
    return hn::IfNegativeThenElse(hn::BitCast(d, hn::ShiftLeft<28>(index)), upper, lower);
#else
    return hn::GatherIndex(d, values, hn::And(index, hn::Set(IntTag(), 15)));
#endif
}

HWY_INLINE IntVector load_nibbles(const std::uint8_t* from) {
    return hn::LoadU(IntTag(), reinterpret_cast<const std::int32_t*>(from));
}
// A code is in the low four bits.
template <std::size_t kCode>
HWY_INLINE IntVector shifted(IntVector unit) {
    constexpr int kShift = 4 * static_cast<int>(nibble_of(kCode));
    const hn::RebindToUnsigned<IntTag> bits;
    return kShift == 0 ? unit
                       : hn::BitCast(IntTag(), hn::ShiftRight<kShift>(hn::BitCast(bits, unit)));
}

struct Nibbles {
    static constexpr std::size_t kDepth = kCodesInUnit;
    static constexpr std::size_t kBytes = 4;
    using Unit = IntVector;
    explicit Nibbles(const float* /*table*/) {}
    HWY_INLINE Unit load(const std::uint8_t* from) const { return load_nibbles(from); }
    template <std::size_t kCode>
    HWY_INLINE Vector value(Unit unit) const {
#if HWY_TARGET <= HWY_AVX3
        // One instruction, where a mask and a conversion are two.
        alignas(64) static constexpr float kCodes[] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                       8, 9, 10, 11, 12, 13, 14, 15};
        return look_up(kCodes, shifted<kCode>(unit));
#else
        return hn::ConvertTo(Tag(), hn::And(shifted<kCode>(unit), hn::Set(IntTag(), 15)));
#endif
    }
};

struct Table {
    static constexpr std::size_t kDepth = kCodesInUnit;
    static constexpr std::size_t kBytes = 4;
    using Unit = IntVector;
    const float* table;

    explicit Table(const float* values) : table(values) {}
    HWY_INLINE Unit load(const std::uint8_t* from) const { return load_nibbles(from); }
    template <std::size_t kCode>
    HWY_INLINE Vector value(Unit unit) const {
        return look_up(table, shifted<kCode>(unit));
    }
};

// Sums of a group for kRows rows and the channels of a panel: kSplit sums a value, of every
// kSplit-th product, where rows are so few that one sum would wait for the one before.
template <class Codes, std::size_t kRows>
struct GroupSums {
    static constexpr std::size_t kSplit = kRows * kVectors >= 8   ? 1
                                          : kRows * kVectors >= 4 ? 2
                                          : kRows * kVectors >= 2 ? 4
                                                                  : 8;
    static constexpr std::size_t kUnits = kSplit / Codes::kDepth == 0 ? 1 : kSplit / Codes::kDepth;

    Vector sums[kSplit][kRows][kVectors];

    HWY_INLINE void clear() {
#pragma GCC unroll 8
        for (std::size_t s = 0; s < kSplit; ++s) {
#pragma GCC unroll 4
            for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
                for (std::size_t v = 0; v < kVectors; ++v) {
                    sums[s][r][v] = hn::Zero(Tag());
                }
            }
        }
    }

    // kCount units; of the last one kLast codes. Rows of x lie `step` apart.
    template <std::size_t kCount, std::size_t kLast = Codes::kDepth>
    HWY_INLINE void add(const Codes& codes,
                        const std::uint8_t* from,
                        const float* x,
                        std::size_t step) {
        unrolled<kCount>([&](auto u) FUSEQ_HWY_LAMBDA {
            typename Codes::Unit units[kVectors];
            unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
                units[v] = codes.load(from + (u * kPanel + v * kLanes) * Codes::kBytes);
            });
            constexpr std::size_t kCodes = u + 1 == kCount ? kLast : Codes::kDepth;
            unrolled<kCodes>([&](auto k) FUSEQ_HWY_LAMBDA {
                add_code<u * Codes::kDepth + k, k>(codes, units, x, step);
            });
        });
    }

    template <std::size_t kNumber, std::size_t kCode>
    HWY_INLINE void add_code(const Codes& codes,
                             const typename Codes::Unit (&units)[kVectors],
                             const float* x,
                             std::size_t step) {
        Vector w[kVectors];
        unrolled<kVectors>([&](auto v)
                               FUSEQ_HWY_LAMBDA { w[v] = codes.template value<kCode>(units[v]); });
        unrolled<kRows>([&](auto r) FUSEQ_HWY_LAMBDA {
            const Vector by = hn::Set(Tag(), x[r * step + kNumber]);
            unrolled<kVectors>([&](auto v) FUSEQ_HWY_LAMBDA {
                Vector& sum = sums[kNumber % kSplit][r][v];
                sum = hn::MulAdd(by, w[v], sum);
            });
        });
    }

    HWY_INLINE Vector total(std::size_t r, std::size_t v) const {
        Vector sum = sums[0][r][v];
#pragma GCC unroll 8
        for (std::size_t s = 1; s < kSplit; ++s) {
            sum = hn::Add(sum, sums[s][r][v]);
        }
        return sum;
    }
};

// Asks for the codes that are read some steps later. The hardware asks for them too, but it stops at
// the end of a page of 4 KB, and waits for a first miss in the next one.
template <std::size_t kBytes>
HWY_INLINE void fetch_ahead(const std::uint8_t* from) {
    constexpr std::size_t kLine = 64;
    constexpr std::size_t kAhead = 2048;
    if constexpr (kBytes >= kLine) {  // less in a step: several rows, whose sums take the time
#pragma GCC unroll 2
        for (std::size_t at = 0; at < kBytes; at += kLine) {
            hwy::Prefetch(from + kAhead + at);
        }
    }
}

// The last codes of a group, fewer than a unit has.
template <class Codes, std::size_t kRows>
HWY_INLINE void sum_rest(const Codes& codes,
                         const std::uint8_t* from,
                         std::size_t left,
                         const float* x,
                         std::size_t step,
                         GroupSums<Codes, kRows>& sums) {
    if constexpr (Codes::kDepth > 1) {
        unrolled<Codes::kDepth - 1>([&](auto less) FUSEQ_HWY_LAMBDA {
            if (left == less + 1) {
                sums.template add<1, less + 1>(codes, from, x, step);
            }
        });
    }
}

template <class Codes, std::size_t kRows>
HWY_INLINE void sum_group(const Codes& codes,
                          const std::uint8_t* from,
                          std::size_t depth,
                          const float* x,
                          std::size_t step,
                          GroupSums<Codes, kRows>& sums) {
    constexpr std::size_t kUnits = GroupSums<Codes, kRows>::kUnits;
    constexpr std::size_t kUnitBytes = kPanel * Codes::kBytes;
    sums.clear();
    std::size_t left = depth;
    for (; left >= kUnits * Codes::kDepth; left -= kUnits * Codes::kDepth) {
        fetch_ahead<kUnits * kUnitBytes>(from);
        sums.template add<kUnits>(codes, from, x, step);
        from += kUnits * kUnitBytes;
        x += kUnits * Codes::kDepth;
    }
    for (; left >= Codes::kDepth; left -= Codes::kDepth) {
        sums.template add<1>(codes, from, x, step);
        from += kUnitBytes;
        x += Codes::kDepth;
    }
    sum_rest(codes, from, left, x, step, sums);
}

HWY_INLINE Vector zero_point_at(const PackedCodes& p,
                                std::size_t panel,
                                std::size_t group,
                                std::size_t v) {
    const Tag d;
    return p.zero_point_step == 0
               ? hn::Set(d, p.zero_points[0])
               : hn::LoadU(d, p.zero_points + (panel * p.groups + group) * kPanel + v * kLanes);
}

// kPanel floats or, of the last panel, as many as there are channels left.
HWY_INLINE void store_panel(const PackedCodes& p, std::size_t panel, const float* row, float* dst) {
    const std::size_t first = panel * kPanel;
    std::copy(row, row + std::min(kPanel, p.channels - first), dst + first);
}

// Of one row, for the channels of vector v: adds the sum of a group, less its zero point times the
// sum of the row's values, times the scale of the group.
HWY_INLINE void add_group(const PackedCodes& p,
                          std::size_t panel,
                          std::size_t group,
                          std::size_t v,
                          Vector sum,
                          const float* row_sums,
                          Vector& total) {
    const Tag d;
    if (p.zero_points != nullptr) {
        sum = hn::NegMulAdd(zero_point_at(p, panel, group, v), hn::Set(d, row_sums[group]), sum);
    }
    const float* const scales = p.scales + (panel * p.groups + group) * kPanel;
    total = hn::MulAdd(sum, hn::LoadU(d, scales + v * kLanes), total);
}

HWY_INLINE void store_panel(const PackedCodes& p,
                            std::size_t panel,
                            const Vector (&totals)[kVectors],
                            float* dst) {
    float row[kPanel];
    unrolled<kVectors>([&](auto v)
                           FUSEQ_HWY_LAMBDA { hn::StoreU(totals[v], Tag(), row + v * kLanes); });
    store_panel(p, panel, row, dst);
}

template <class Codes, std::size_t kRows>
void stream_panel(const PackedCodes& p,
                  const float* src,
                  const float* group_sums,
                  float* dst,
                  std::size_t panel) {
    const Tag d;
    const Codes codes(p.table);
    Vector totals[kRows][kVectors];
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            totals[r][v] = hn::Zero(d);
        }
    }
    const std::uint8_t* from = p.codes + panel * p.panel_bytes();
    const float* scales = p.scales + panel * p.groups * kPanel;
    for (std::size_t g = 0; g < p.groups; ++g, from += p.group_bytes, scales += kPanel) {
        GroupSums<Codes, kRows> sums;
        sum_group<Codes, kRows>(codes, from, p.group_depth, src + g * p.group_depth, p.depth, sums);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Vector scale = hn::LoadU(d, scales + v * kLanes);
            const Vector zero =
                p.zero_points == nullptr ? hn::Zero(d) : zero_point_at(p, panel, g, v);
#pragma GCC unroll 4
            for (std::size_t r = 0; r < kRows; ++r) {
                Vector sum = sums.total(r, v);
                if (p.zero_points != nullptr) {
                    sum = hn::NegMulAdd(zero, hn::Set(d, group_sums[r * p.groups + g]), sum);
                }
                totals[r][v] = hn::MulAdd(sum, scale, totals[r][v]);
            }
        }
    }
#pragma GCC unroll 4
    for (std::size_t r = 0; r < kRows; ++r) {
        store_panel(p, panel, totals[r], dst + r * p.channels);
    }
}

// Four rows at a time, which leave registers for the codes; the panel stays in a cache.
template <class Codes>
void stream_panels(const PackedCodes& p,
                   const float* src,
                   std::size_t rows,
                   const float* sums,
                   float* dst,
                   Range panels) {
    constexpr std::size_t kRows = 4;
    for (std::size_t panel = panels.begin; panel < panels.end; ++panel) {
        for (std::size_t row = 0; row < rows; row += kRows) {
            const float* x = src + row * p.depth;
            const float* group_sums = sums == nullptr ? nullptr : sums + row * p.groups;
            float* to = dst + row * p.channels;
            switch (std::min(kRows, rows - row)) {
                case 1: stream_panel<Codes, 1>(p, x, group_sums, to, panel); break;
                case 2: stream_panel<Codes, 2>(p, x, group_sums, to, panel); break;
                case 3: stream_panel<Codes, 3>(p, x, group_sums, to, panel); break;
                default: stream_panel<Codes, 4>(p, x, group_sums, to, panel); break;
            }
        }
    }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#endif  // per target
