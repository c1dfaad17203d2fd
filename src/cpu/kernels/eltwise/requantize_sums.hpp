// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of a product of integers, i32 or f32 that hold them exactly (|sum| <= 2^24), to u8 or i8: the bias of the channel
// is added, and the product with the multiplier of the channel is rounded (rounded_product.hpp). The
// same bytes on every instruction set and for every split of the work. No allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cpu/kernels/common/range.hpp"
#include "cpu/kernels/common/rule_form.hpp"
#include "cpu/kernels/eltwise/floored_rounding.hpp"
#include "cpu/kernels/eltwise/rounded_product.hpp"
#include "cpu/kernels/eltwise/short_rounding.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// Sums of a channel, whatever the source is; no values: all |sum| <= 2^24.
struct SumBounds {
    std::vector<std::int64_t> min;
    std::vector<std::int64_t> max;
};

// What the channels of a row need, as often as makes vectors full.
class SumColumns {
public:
    // `bias`: one a channel; with it a sum keeps within 32 bits. `fixed` of the fixed-point roundings, else `real`: one a channel.
    SumColumns(ProductRounding rounding,
               std::span<const std::int32_t> bias,
               std::span<const FixedMultiplier> fixed,
               std::span<const float> real);

    // Elements after which the values are repeated.
    std::size_t period() const { return period_; }
    ProductRounding rounding() const { return rounding_; }
    const std::int32_t* bias() const { return bias_.data(); }
    const float* real() const { return real_.data(); }
    const std::int32_t* mantissa() const { return mantissa_.data(); }
    const std::int32_t* left() const { return left_.data(); }
    const std::int32_t* away() const { return away_.data(); }
    const std::int32_t* right() const { return right_.data(); }
    const std::int32_t* last() const { return last_.data(); }
    const std::int32_t* nudge() const { return nudge_.data(); }
    bool shifts_left() const { return shifts_left_; }

    // Where all fixed multipliers are below a half: bias times mantissa and what rounds, added to
    // the product of the sum with the mantissa; the shift to the right that is left; what is added
    // to the result.
    bool has_one_shift() const { return one_shift_; }
    const std::int64_t* begin() const { return begin_.data(); }
    const std::int64_t* shift() const { return shift_.data(); }
    const std::int32_t* after() const { return after_.data(); }

    // Looks for short ways (short_rounding.hpp) onto this grid.
    void find_short_ways(const ByteGrid& grid, const SumBounds& bounds);
    SumRule rule_of(std::size_t channel, const ByteGrid& grid, const SumBounds& bounds) const;
    // Whether `count` columns from c on have one, with one shift or with two.
    bool is_short(std::size_t c, std::size_t count) const { return has_run(short_run_, c, count); }
    bool is_split(std::size_t c, std::size_t count) const { return has_run(split_run_, c, count); }
    const float* short_scale() const { return short_scale_.data(); }
    const float* short_shift() const { return short_shift_.data(); }
    const float* shift_below() const { return shift_below_.data(); }  // of sums below split_at()
    const float* split_at() const { return split_at_.data(); }
    // One a channel, where all channels have a way of this form.
    const std::optional<std::vector<ShortRounding>>& fused() const { return fused_; }
    const std::optional<std::vector<ShortRounding>>& bias_first() const { return bias_first_; }
    // The same of floors; not looked for where there are both of these, or float multipliers.
    const std::optional<std::vector<FloorRounding>>& floored() const { return floored_; }
    // Where there are: those of each column.
    const float* floor_scale() const { return floor_scale_.data(); }
    const float* floor_rest() const { return floor_rest_.data(); }
    const float* floor_shift() const { return floor_shift_.data(); }
    const float* floor_below() const { return floor_below_.data(); }
    bool has_two_floors() const { return two_floors_; }  // in a channel
    const float* floor_offset() const { return floor_offset_.data(); }
    std::size_t channels() const { return channels_; }

private:
    static bool has_run(const std::vector<std::size_t>& runs, std::size_t c, std::size_t count) {
        return c < runs.size() && runs[c] >= count;
    }
    void add_fixed(const FixedMultiplier& m, std::int32_t bias);
    void find_floors(const ByteGrid& grid, const SumBounds& bounds);

    ProductRounding rounding_;
    std::size_t channels_;
    std::size_t period_;
    std::vector<std::int32_t> bias_;
    std::vector<float> real_;
    std::vector<std::int32_t> mantissa_;
    std::vector<std::int32_t> left_;
    std::vector<std::int32_t> away_;
    std::vector<std::int32_t> right_;
    std::vector<std::int32_t> last_;
    std::vector<std::int32_t> nudge_;
    std::vector<std::int64_t> begin_;
    std::vector<std::int64_t> shift_;
    std::vector<std::int32_t> after_;
    bool shifts_left_ = false;
    bool one_shift_ = false;
    std::vector<FixedMultiplier> fixed_;  // as given
    std::vector<float> short_scale_;
    std::vector<float> short_shift_;
    std::vector<float> shift_below_;
    std::vector<float> split_at_;
    std::vector<std::size_t> short_run_;  // columns in a row that have a short way
    std::vector<std::size_t> split_run_;
    std::optional<std::vector<ShortRounding>> fused_;
    std::optional<std::vector<ShortRounding>> bias_first_;
    std::optional<std::vector<FloorRounding>> floored_;
    std::vector<float> floor_scale_;
    std::vector<float> floor_rest_;
    std::vector<float> floor_shift_;
    std::vector<float> floor_below_;
    std::vector<float> floor_offset_;
    bool two_floors_ = false;
};

// Sums of some pixels in some channels, as a product leaves them.
template <class Sum>
struct SumTile {
    const Sum* sums = nullptr;
    std::size_t step = 0;  // elements from a pixel to the next
    std::size_t pixels = 0;
    std::size_t channel = 0;   // first
    std::size_t channels = 0;  // up to a vector after the last one may be read
    void* dst = nullptr;       // of the first pixel and channel
    std::size_t dst_step = 0;  // bytes
};
void requantize_tile(const SumColumns& columns,
                     const ByteGrid& grid,
                     const SumTile<std::int32_t>& tile);
void requantize_tile(const SumColumns& columns, const ByteGrid& grid, const SumTile<float>& tile);

// `elements` of the dense tensors [..., channels]. dst: u8 or i8, as the grid is.
void requantize_sums(
    const SumColumns& columns, const ByteGrid& grid, const float* src, void* dst, Range elements);

// The rounding of a layer as the scale, shift and bounds of a kernel that stores bytes itself.
struct OwnRounding {
    std::vector<float> scale{};  // one a channel
    std::vector<float> shift{};
    std::optional<RuleForm> rule{};      // none: the nearest integer
    std::int32_t zero_point = 0;         // of kMirrored, and the shift of kReal
    std::vector<float> rest{};           // of the scale, for floors
    std::vector<float> below{};          // another shift, for two floors
    std::vector<std::int32_t> offset{};  // of the sums, before they become floats; none: 0
    float low = 0.0F;
    float high = 0.0F;
    bool clips = false;  // the bounds are not those of dst
    ElementType dst = ElementType::u8;
};

// The same where some channels have no scale and shift: those within `rest`, vectors of channels,
// are to be rounded by SumRounding::run() after the kernel has stored any bytes there.
struct PartRounding {
    OwnRounding own;
    std::vector<Range> rest{};
};

// The rounding of a layer, all of it: what a kernel needs to store bytes instead of sums.
class SumRounding {
public:
    // `rule`: its name for reports. dst: u8 or i8.
    SumRounding(SumColumns columns,
                const ByteGrid& grid,
                ElementType dst,
                std::string rule,
                const SumBounds& bounds = {});

    std::size_t channels() const { return channels_; }
    ElementType dst_type() const { return dst_; }
    const std::string& rule() const { return rule_; }

    // Of kernels that store fma(f32(sum), scale, shift), and of those that store
    // (f32(sum) + shift) * scale, rounded half to even. Nothing where a channel lacks it.
    std::optional<OwnRounding> fused() const { return own(columns_.fused()); }
    std::optional<OwnRounding> bias_first() const { return own(columns_.bias_first()); }
    // Of kernels that have the rules of rule_form.hpp: products with a float as they are defined,
    // others as floors.
    std::optional<OwnRounding> by_rule() const;
    // Of those that also have the short ones, which are tried first.
    std::optional<OwnRounding> by_short_rule() const;
    // Of kernels that store fma(f32(sum + offset), scale, shift).
    PartRounding fused_in_part() const;

    void run(const float* sums, void* dst, Range elements) const {
        requantize_sums(columns_, grid_, sums, dst, elements);
    }
    template <class Sum>
    void run(const SumTile<Sum>& tile) const {
        requantize_tile(columns_, grid_, tile);
    }

private:
    OwnRounding bounds() const;  // without scale and shift
    std::optional<OwnRounding> by_real() const;
    template <class WayOf>
    std::optional<OwnRounding> by_lines(RuleForm form, const WayOf& way_of) const;
    std::optional<OwnRounding> by_one_floor() const;
    std::optional<OwnRounding> by_mirrored() const;
    std::optional<OwnRounding> own(const std::optional<std::vector<ShortRounding>>& ways) const;

    std::size_t channels_;
    SumColumns columns_;
    ByteGrid grid_;
    SumBounds bounds_;
    ElementType dst_;
    std::string rule_;
};

}  // namespace fuseq::kernels
