// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/reduce/row_table.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/kernels/common/always_inline.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/reduce/row_table.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

// Once a target: its include guard is a toggle.
#include "cpu/kernels/common/hwy_unrolled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fuseq::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using IntTag = hn::RebindToSigned<Tag>;
using Vector = hn::Vec<Tag>;
constexpr std::size_t kLanes = hn::MaxLanes(Tag());
constexpr std::size_t kVectors = 8;  // sums that stay in registers

HWY_INLINE hn::Vec<IntTag> widened(const std::uint8_t* from) {
    return hn::PromoteTo(IntTag(), hn::LoadU(hn::Rebind<std::uint8_t, Tag>(), from));
}

// Codes of kLanes * kStep columns as floats, and sums of them as columns.
struct Bytes {
    static constexpr std::size_t kStep = 1;
    static HWY_INLINE void widen(const std::uint8_t* from, Vector* to) {
        to[0] = hn::ConvertTo(Tag(), widened(from));
    }
    static HWY_INLINE void store(const Vector* from, float* to) { hn::StoreU(from[0], Tag(), to); }
    static float code(const std::uint8_t* row, std::size_t column) { return row[column]; }
};

struct Nibbles {
    static constexpr std::size_t kStep = 2;
    static HWY_INLINE void widen(const std::uint8_t* from, Vector* to) {
        const auto both = widened(from);
        to[0] = hn::ConvertTo(Tag(), hn::And(both, hn::Set(IntTag(), 15)));
        to[1] = hn::ConvertTo(Tag(), hn::ShiftRight<4>(both));
    }
    static HWY_INLINE void store(const Vector* from, float* to) {
        hn::StoreInterleaved2(from[0], from[1], Tag(), to);
    }
    static float code(const std::uint8_t* row, std::size_t column) {
        return static_cast<float>(column % 2 == 0 ? row[column / 2] & 15 : row[column / 2] >> 4);
    }
};

struct Grid {
    float scale;
    float offset;
};

HWY_INLINE Grid grid_of(const std::uint8_t* end, bool half) {
    Grid grid{};
    if (half) {
        const hn::FixedTag<float, 2> d;
        const hn::Rebind<hwy::float16_t, decltype(d)> narrow;
        HWY_ALIGN hwy::float16_t stored[2];
        std::memcpy(stored, end, sizeof stored);
        HWY_ALIGN float values[2];
        hn::Store(hn::PromoteTo(d, hn::Load(narrow, stored)), d, values);
        grid = {values[0], values[1]};
    } else {
        std::memcpy(&grid, end, sizeof grid);
    }
    return grid;
}

// Rows that are asked for before they are read: so many lines of the cache are on their way.
constexpr std::size_t kLine = 64;
constexpr std::size_t kLinesAhead = 64;

class Ahead {
public:
    Ahead(const RowTable& table, const RowBags& bags, std::size_t end)
        : rows_(bags.rows),
          end_(end),
          bytes_(table.row_bytes()),
          distance_(std::max<std::size_t>(2, kLinesAhead / (table.row_bytes() / kLine + 2))) {}
    HWY_INLINE void touch(std::size_t i) const {
        if (i + distance_ < end_ && rows_[i + distance_] != nullptr) {
            const std::uint8_t* row = rows_[i + distance_];
            for (std::size_t at = 0; at < bytes_; at += kLine) {
                hwy::Prefetch(row + at);
            }
            hwy::Prefetch(row + bytes_ - 1);
        }
    }

private:
    const std::uint8_t* const* rows_;
    std::size_t end_;
    std::size_t bytes_;
    std::size_t distance_;
};

// What all parts of a bag have in common.
struct Bag {
    const std::uint8_t* const* rows;
    const float* weights;
    std::size_t begin;
    std::size_t end;
    std::size_t code_bytes;
    bool half;
    float divisor;
    const Ahead* ahead;  // null: the rows are in the cache
};

// kCount vectors of columns from `column` on.
template <class Codes, std::size_t kCount>
HWY_INLINE void sum_columns(const Bag& bag, std::size_t column, float* dst) {
    constexpr std::size_t kStep = Codes::kStep;
    const Tag d;
    Vector sums[kCount];
    unrolled<kCount>([&](auto v) FUSEQ_HWY_LAMBDA { sums[v] = hn::Zero(d); });
    for (std::size_t i = bag.begin; i < bag.end; ++i) {
        if (bag.ahead != nullptr) {
            bag.ahead->touch(i);
        }
        const std::uint8_t* row = bag.rows[i];
        if (row == nullptr) {
            continue;
        }
        const Grid grid = grid_of(row + bag.code_bytes, bag.half);
        const Vector scale = hn::Set(d, grid.scale);
        const Vector offset = hn::Set(d, grid.offset);
        const Vector weight = hn::Set(d, bag.weights == nullptr ? 1.0f : bag.weights[i]);
        const std::uint8_t* from = row + column / kStep;
        unrolled<kCount / kStep>([&](auto v) FUSEQ_HWY_LAMBDA {
            Vector codes[kStep];
            Codes::widen(from + v * kLanes, codes);
            unrolled<kStep>([&](auto s) FUSEQ_HWY_LAMBDA {
                Vector& sum = sums[v * kStep + s];
                sum = hn::MulAdd(weight, hn::MulAdd(codes[s], scale, offset), sum);
            });
        });
    }
    const Vector divisor = hn::Set(d, bag.divisor);
    unrolled<kCount>([&](auto v) FUSEQ_HWY_LAMBDA { sums[v] = hn::Div(sums[v], divisor); });
    unrolled<kCount / kStep>([&](auto v) FUSEQ_HWY_LAMBDA {
        Codes::store(sums + v * kStep, dst + column + v * kStep * kLanes);
    });
}

// Columns that fill no vector.
template <class Codes>
void sum_rest(const Bag& bag, std::size_t width, std::size_t column, float* dst) {
    std::fill(dst + column, dst + width, 0.0f);
    for (std::size_t i = bag.begin; i < bag.end; ++i) {
        const std::uint8_t* row = bag.rows[i];
        if (row == nullptr) {
            continue;
        }
        const Grid grid = grid_of(row + bag.code_bytes, bag.half);
        const float weight = bag.weights == nullptr ? 1.0f : bag.weights[i];
        for (std::size_t c = column; c < width; ++c) {
            dst[c] += weight * (Codes::code(row, c) * grid.scale + grid.offset);
        }
    }
    for (std::size_t c = column; c < width; ++c) {
        dst[c] /= bag.divisor;
    }
}

template <class Codes>
void sum_bag(Bag bag, std::size_t width, float* dst) {
    constexpr std::size_t kMany = kVectors * kLanes;
    constexpr std::size_t kFew = Codes::kStep * kLanes;
    std::size_t column = 0;
    for (; column + kMany <= width; column += kMany) {
        sum_columns<Codes, kVectors>(bag, column, dst);
        bag.ahead = nullptr;
    }
    for (; column + kFew <= width; column += kFew) {
        sum_columns<Codes, Codes::kStep>(bag, column, dst);
        bag.ahead = nullptr;
    }
    if (column < width) {
        sum_rest<Codes>(bag, width, column, dst);
    }
}

template <class Codes>
void sum_bags(const RowTable& table, const RowBags& bags, float* dst, Range part) {
    const bool single = bags.begins == nullptr;
    const Ahead ahead(table, bags, single ? part.end : bags.begins[part.end]);
    for (std::size_t b = part.begin; b < part.end; ++b) {
        Bag bag{bags.rows,
                bags.weights,
                single ? b : bags.begins[b],
                single ? b + 1 : bags.begins[b + 1],
                table.code_bytes(),
                table.half(),
                1.0f,
                &ahead};
        if (bag.begin == bag.end && bags.fallback != nullptr) {
            bag.rows = &bags.fallback;
            bag.weights = nullptr;
            bag.begin = 0;
            bag.end = 1;
            bag.ahead = nullptr;
        } else if (bags.mean && bag.begin != bag.end) {
            bag.divisor = static_cast<float>(bag.end - bag.begin);
        }
        sum_bag<Codes>(bag, table.width(), dst + b * table.width());
    }
}

void sum_rows_impl(const RowTable& table, const RowBags& bags, float* dst, Range part) {
    table.nibbles() ? sum_bags<Nibbles>(table, bags, dst, part)
                    : sum_bags<Bytes>(table, bags, dst, part);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace fuseq::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fuseq::kernels {

HWY_EXPORT(sum_rows_impl);

namespace {

bool is_half(std::span<const float> values) {
    return std::all_of(values.begin(), values.end(),
                       [](float value) { return static_cast<float>(Float16(value)) == value; });
}

template <class T>
void write_grid(float scale, float offset, std::uint8_t* to) {
    const T values[] = {T(scale), T(offset)};
    std::memcpy(to, values, sizeof values);
}

// What signed integers begin at, below zero.
std::uint8_t sign_offset(ElementType type) {
    return type == ElementType::i8 ? 128 : type == ElementType::i4 ? 8 : 0;
}

// Codes of a row that begins anywhere in packed memory.
class CodeReader {
public:
    CodeReader(const RowTable::Source& source, std::size_t width)
        : source_(source), width_(width) {}

    // Those of signed integers with sign_offset() added.
    void read(std::size_t row, std::vector<std::uint8_t>& codes) {
        const auto* bytes = static_cast<const std::uint8_t*>(source_.codes);
        if (!is_packed(source_.type)) {
            std::memcpy(codes.data(), bytes + row * width_, width_);
        } else {
            for (std::size_t c = 0; c < width_; ++c) {
                const std::size_t at = row * width_ + c;
                codes[c] = at % 2 == 0 ? bytes[at / 2] & 15 : bytes[at / 2] >> 4;
            }
        }
        for (std::uint8_t& code : codes) {
            code = static_cast<std::uint8_t>(code ^ sign_offset(source_.type));
        }
    }

private:
    const RowTable::Source& source_;
    std::size_t width_;
};

}  // namespace

void RowTable::pack(const Source& source) {
    nibbles_ = is_packed(source.type);
    // Signed integers become unsigned ones, and the offset moves along.
    const double shift = sign_offset(source.type);
    std::vector<float> offsets(source.offsets.begin(), source.offsets.end());
    for (std::size_t r = 0; shift != 0 && r < rows_; ++r) {
        offsets[r] = static_cast<float>(static_cast<double>(offsets[r]) -
                                        shift * static_cast<double>(source.scales[r]));
    }
    half_ = is_half(source.scales) && is_half(offsets);
    row_bytes_ = code_bytes() + (half_ ? 2 * sizeof(Float16) : 2 * sizeof(float));
    bytes_.resize(rows_ * row_bytes_);
    CodeReader reader(source, width_);
    std::vector<std::uint8_t> codes(width_);
    for (std::size_t r = 0; r < rows_; ++r) {
        std::uint8_t* to = bytes_.data() + r * row_bytes_;
        reader.read(r, codes);
        for (std::size_t c = 0; c < width_; ++c) {
            if (!nibbles_) {
                to[c] = codes[c];
            } else {
                to[c / 2] = static_cast<std::uint8_t>(to[c / 2] | codes[c] << (c % 2 * 4));
            }
        }
        to += code_bytes();
        half_ ? write_grid<Float16>(source.scales[r], offsets[r], to)
              : write_grid<float>(source.scales[r], offsets[r], to);
    }
}

void sum_rows(const RowTable& table, const RowBags& bags, float* dst, Range part) {
    HWY_DYNAMIC_DISPATCH(sum_rows_impl)(table, bags, dst, part);
}

}  // namespace fuseq::kernels
#endif  // HWY_ONCE
