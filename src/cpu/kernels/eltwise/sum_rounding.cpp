// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The constants of a layer's rounding: as vectors want them, and as scale and shift of a kernel.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "cpu/kernels/eltwise/mirrored_rounding.hpp"
#include "cpu/kernels/eltwise/requantize_sums.hpp"

namespace fuseq::kernels {
namespace {

// Max lanes of a vector.
constexpr std::size_t kVector = 16;

// How often a row of so many channels is repeated for its vectors to be full.
std::size_t repeats(std::size_t channels) {
    constexpr std::size_t kMaxPeriod = 4096;
    const std::size_t times = kVector / std::gcd(kVector, channels);
    return channels * times <= kMaxPeriod ? times : 1;
}

// See SumColumns::begin(). Half away from zero also wants that half of the last shift can be added
// in 32 bits.
bool shifts_once(ProductRounding rounding,
                 std::span<const std::int32_t> bias,
                 std::span<const FixedMultiplier> fixed) {
    constexpr std::int64_t kRoom = (std::int64_t{1} << 31) - kMaxFloatSum - 2;
    for (std::size_t c = 0; c < fixed.size(); ++c) {
        const int right = -fixed[c].exponent;
        if (fixed[c].mantissa == 0) {
            continue;
        }
        const std::int64_t half = right < 1 ? 0 : std::int64_t{1} << (right - 1);
        const bool fits = rounding != ProductRounding::kHalfAway ||
                          std::abs(std::int64_t{bias[c]}) + half < kRoom;
        if (right < 1 || right > 31 || !fits) {
            return false;
        }
    }
    return !fixed.empty();
}

// How many in a row are set, from each on.
std::vector<std::size_t> runs_of(const std::vector<std::uint8_t>& set) {
    std::vector<std::size_t> runs(set.size(), 0);
    for (std::size_t i = set.size(); i-- > 0;) {
        const std::size_t next = i + 1 < set.size() ? runs[i + 1] : 0;
        runs[i] = set[i] != 0 ? next + 1 : 0;
    }
    return runs;
}

}  // namespace

SumColumns::SumColumns(ProductRounding rounding,
                       std::span<const std::int32_t> bias,
                       std::span<const FixedMultiplier> fixed,
                       std::span<const float> real)
    : rounding_(rounding),
      channels_(bias.size()),
      period_(bias.size() * repeats(bias.size())),
      one_shift_(shifts_once(rounding, bias, fixed)),
      fixed_(fixed.begin(), fixed.end()) {
    while (bias_.size() < period_) {
        bias_.insert(bias_.end(), bias.begin(), bias.end());
        real_.insert(real_.end(), real.begin(), real.end());
        for (std::size_t c = 0; c < fixed.size(); ++c) {
            add_fixed(fixed[c], bias[c]);
        }
    }
    const auto pad = [](auto& values) { values.resize(values.size() + kVector); };
    pad(bias_);
    pad(real_);
    pad(begin_);
    shift_.resize(shift_.size() + kVector, 32);
    for (auto* values : {&mantissa_, &left_, &away_, &right_, &last_, &nudge_, &after_}) {
        pad(*values);
    }
}

void SumColumns::add_fixed(const FixedMultiplier& m, std::int32_t bias) {
    const ShiftedMultiplier shifted = shifted_multiplier(m, rounding_);
    mantissa_.push_back(shifted.mantissa);
    left_.push_back(shifted.left);
    away_.push_back(shifted.away);
    right_.push_back(shifted.right);
    last_.push_back(shifted.last);
    nudge_.push_back(shifted.nudge);
    shifts_left_ = shifts_left_ || shifted.left != 0;
    if (!one_shift_) {
        return;
    }
    // The product, its high half and the last shift as one: two floors are the floor of both. For a
    // shift without sign 2^62 makes all of it positive.
    const int right = std::max(shifted.right + shifted.last, 1);
    const auto one = [](int bits) { return std::int64_t{1} << bits; };
    const std::int64_t product = std::int64_t{bias} * m.mantissa;
    const bool away = rounding_ == ProductRounding::kHalfAway;
    const std::int64_t first = rounding_ == ProductRounding::kOnce ? 0 : one(30);
    begin_.push_back(product + (away ? one(30) : first + one(30 + right) + one(62)));
    shift_.push_back(31 + right);
    after_.push_back(static_cast<std::int32_t>(away ? one(right - 1) : -one(31 - right)));
    right_.back() = right - 1;
    last_.back() = 1;
}

SumRule SumColumns::rule_of(std::size_t channel,
                            const ByteGrid& grid,
                            const SumBounds& bounds) const {
    SumRule rule{.rounding = rounding_,
                 .bias = bias_[channel],
                 .fixed = fixed_.empty() ? FixedMultiplier{} : fixed_[channel],
                 .real = is_fixed(rounding_) ? 0.0F : real_[channel],
                 .grid = grid};
    if (!bounds.min.empty()) {
        rule.min = bounds.min[channel];
        rule.max = bounds.max[channel];
    }
    return rule;
}

void SumColumns::find_short_ways(const ByteGrid& grid, const SumBounds& bounds) {
    std::vector<std::uint8_t> is_short(period_, 0);
    std::vector<std::uint8_t> is_split(period_, 0);
    for (auto* values : {&short_scale_, &short_shift_, &shift_below_, &split_at_}) {
        values->assign(bias_.size(), 0.0F);
    }
    fused_.emplace();
    bias_first_.emplace();
    const auto add = [](auto& list, const std::optional<ShortRounding>& way) {
        if (list && way) {
            list->push_back(*way);
        } else {
            list.reset();
        }
    };
    for (std::size_t c = 0; c < channels_; ++c) {
        const ShortWays ways = short_ways(rule_of(c, grid, bounds));
        add(fused_, ways.fused);
        add(bias_first_, ways.bias_first);
        const std::optional<SplitRounding>& split = ways.split;
        for (std::size_t i = c; i < period_; i += channels_) {  // columns are repeated
            is_short[i] = ways.fused ? 1 : 0;
            is_split[i] = ways.fused || split ? 1 : 0;
            short_scale_[i] = ways.fused ? ways.fused->scale : split ? split->scale : 0.0F;
            short_shift_[i] = ways.fused ? ways.fused->shift : split ? split->shift : 0.0F;
            shift_below_[i] = ways.fused ? ways.fused->shift : split ? split->below : 0.0F;
            split_at_[i] = split ? split->at : 0.0F;
        }
    }
    short_run_ = runs_of(is_short);
    split_run_ = runs_of(is_split);
    floored_.reset();
    if (is_fixed(rounding_) && (!fused_ || !bias_first_)) {
        find_floors(grid, bounds);
    }
}

void SumColumns::find_floors(const ByteGrid& grid, const SumBounds& bounds) {
    std::vector<FloorRounding> floors;
    floors.reserve(channels_);
    for (std::size_t c = 0; c < channels_; ++c) {
        const auto way = floored_way(rule_of(c, grid, bounds));
        if (!way) {
            return;
        }
        floors.push_back(*way);
    }
    for (auto* values :
         {&floor_scale_, &floor_rest_, &floor_shift_, &floor_below_, &floor_offset_}) {
        values->assign(bias_.size(), 0.0F);
    }
    for (std::size_t i = 0; i < period_; ++i) {  // columns are repeated
        const FloorRounding& way = floors[i % channels_];
        floor_scale_[i] = way.scale;
        floor_rest_[i] = way.rest;
        floor_shift_[i] = way.shift;
        floor_below_[i] = way.below;
        floor_offset_[i] = static_cast<float>(way.offset);
        two_floors_ = two_floors_ || way.is_split();
    }
    floored_ = std::move(floors);
}

SumRounding::SumRounding(SumColumns columns,
                         const ByteGrid& grid,
                         ElementType dst,
                         std::string rule,
                         const SumBounds& bounds)
    : channels_(columns.channels()),
      columns_(std::move(columns)),
      grid_(grid),
      bounds_(bounds),
      dst_(dst),
      rule_(std::move(rule)) {
    columns_.find_short_ways(grid_, bounds_);
}

OwnRounding SumRounding::bounds() const {
    const int lowest = dst_ == ElementType::i8 ? -128 : 0;
    return {.low = static_cast<float>(grid_.lowest),
            .high = static_cast<float>(grid_.highest),
            .clips = grid_.lowest > lowest || grid_.highest < lowest + 255,
            .dst = dst_};
}

std::optional<OwnRounding> SumRounding::own(
    const std::optional<std::vector<ShortRounding>>& ways) const {
    if (!ways) {
        return std::nullopt;
    }
    OwnRounding own = bounds();
    for (const ShortRounding& way : *ways) {
        own.scale.push_back(way.scale);
        own.shift.push_back(way.shift);
    }
    return own;
}

// The sum begins with the bias, and floats of kernels are rounded as the rule's are.
std::optional<OwnRounding> SumRounding::by_real() const {
    constexpr float kMaxMultiplier = 64.0F;  // products stay within 32 bits
    OwnRounding own = bounds();
    own.rule =
        columns_.rounding() == ProductRounding::kReal ? RuleForm::kReal : RuleForm::kRealZeroFirst;
    for (std::size_t c = 0; c < channels_; ++c) {
        if (!(std::abs(columns_.real()[c]) <= kMaxMultiplier) ||
            std::abs(std::int64_t{columns_.bias()[c]}) > kMaxFloatSum) {
            return std::nullopt;
        }
        own.scale.push_back(columns_.real()[c]);
        own.offset.push_back(columns_.bias()[c]);
    }
    own.shift.assign(channels_, static_cast<float>(grid_.zero_point));
    own.zero_point = grid_.zero_point;
    return own;
}

std::optional<OwnRounding> SumRounding::by_rule() const {
    if (!is_fixed(columns_.rounding())) {
        return by_real();
    }
    if (!columns_.floored()) {
        return std::nullopt;
    }
    OwnRounding own = bounds();
    own.rule = columns_.has_two_floors() ? RuleForm::kTwoFloors : RuleForm::kFloor;
    for (const FloorRounding& way : *columns_.floored()) {
        own.scale.push_back(way.scale);
        own.rest.push_back(way.rest);
        own.shift.push_back(way.shift);
        if (columns_.has_two_floors()) {
            own.below.push_back(way.below);
        }
        own.offset.push_back(way.offset);
    }
    return own;
}

// One line a channel; nothing where a channel has none.
template <class WayOf>
std::optional<OwnRounding> SumRounding::by_lines(RuleForm form, const WayOf& way_of) const {
    OwnRounding own = bounds();
    own.rule = form;
    for (std::size_t c = 0; c < channels_; ++c) {
        const auto way = way_of(columns_.rule_of(c, grid_, bounds_));
        if (!way) {
            return std::nullopt;
        }
        own.scale.push_back(way->scale);
        own.shift.push_back(way->shift);
        own.offset.push_back(way->offset);
    }
    return own;
}

std::optional<OwnRounding> SumRounding::by_one_floor() const {
    return by_lines(RuleForm::kOneFloor, one_floor_way);
}

std::optional<OwnRounding> SumRounding::by_mirrored() const {
    std::optional<OwnRounding> own = by_lines(RuleForm::kMirrored, mirrored_way);
    if (own) {
        own->zero_point = grid_.zero_point;
    }
    return own;
}

std::optional<OwnRounding> SumRounding::by_short_rule() const {
    if (is_fixed(columns_.rounding())) {
        if (auto own = by_one_floor()) {
            return own;
        }
        if (auto own = by_mirrored()) {
            return own;
        }
    }
    return by_rule();
}

PartRounding SumRounding::fused_in_part() const {
    PartRounding part{.own = bounds()};
    for (std::size_t c = 0; c < channels_; ++c) {
        const bool is_fused = columns_.is_short(c, 1);
        const auto moved = is_fused ? std::nullopt : moved_way(columns_.rule_of(c, grid_, bounds_));
        const bool is_short = is_fused || moved;
        const ShortRounding way =
            moved ? moved->way
                  : ShortRounding{columns_.short_scale()[c], columns_.short_shift()[c]};
        part.own.scale.push_back(is_short ? way.scale : 0.0F);
        part.own.shift.push_back(is_short ? way.shift : 0.0F);
        part.own.offset.push_back(moved ? moved->offset : 0);
        const std::size_t begin = c / kVector * kVector;
        const std::size_t end = std::min(begin + kVector, channels_);
        if (is_short || (!part.rest.empty() && part.rest.back().end == end)) {
            continue;
        }
        if (!part.rest.empty() && part.rest.back().end == begin) {
            part.rest.back().end = end;
        } else {
            part.rest.push_back({begin, end});
        }
    }
    return part;
}

}  // namespace fuseq::kernels
