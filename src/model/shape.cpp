// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "fuseq/shape.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "model/trim.hpp"

namespace fuseq {
namespace {

constexpr std::int64_t kMaxSize = std::numeric_limits<std::int64_t>::max();

std::int64_t parse_size(std::string_view text, std::string_view whole) {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size()) {
        throw Error(
            "shape",
            fmt::format(
                "'{}' is no dimension: expected a number, '?', '-1' or an interval like '1..8'",
                whole));
    }
    return value;
}

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
    return a > kMaxSize - b ? Dimension::kUnbounded : a + b;
}
std::int64_t checked_mul(std::int64_t a, std::int64_t b) {
    return a != 0 && b > kMaxSize / a ? Dimension::kUnbounded : a * b;
}

template <class Range>
std::string join(const Range& range) {
    std::string text = "[";
    for (const auto& item : range) {
        if (text.size() > 1) {
            text += ',';
        }
        if constexpr (std::is_same_v<std::decay_t<decltype(item)>, Dimension>) {
            text += to_string(item);
        } else {
            text += std::to_string(item);
        }
    }
    return text + "]";
}

}  // namespace

std::size_t shape_size(const Shape& shape) {
    std::size_t size = 1;
    constexpr auto kLimit = static_cast<std::size_t>(kMaxSize);
    bool empty = false;
    for (const std::size_t d : shape) {
        if (d == 0) {
            empty = true;
        } else if (size > kLimit / d) {
            throw Error("shape", fmt::format("shape {} has too many elements", to_string(shape)));
        } else {
            size *= d;
        }
    }
    return empty ? 0 : size;
}

std::string to_string(const Shape& shape) {
    return join(shape);
}

Dimension::Dimension(value_type size)
    : min_(size < 0 ? 0 : size), max_(size < 0 ? kUnbounded : size) {}

Dimension::Dimension(value_type min, value_type max) : min_(min), max_(max) {
    if (min < 0 || (max != kUnbounded && max < min)) {
        throw Error("shape", fmt::format("dimension interval {}..{} is not valid", min, max));
    }
}

Dimension Dimension::parse(std::string_view text) {
    const std::string_view whole = trim(text);
    if (whole == "?" || whole == "-1" || whole == "..") {
        return dynamic();
    }
    const auto dots = whole.find("..");
    if (dots == std::string_view::npos) {
        const std::int64_t value = parse_size(whole, whole);
        if (value < 0) {
            throw Error("shape",
                        fmt::format("'{}' is no dimension: sizes are not negative", whole));
        }
        return {value};
    }
    const std::string_view low = trim(whole.substr(0, dots));
    const std::string_view high = trim(whole.substr(dots + 2));
    return {low.empty() ? 0 : parse_size(low, whole),
            high.empty() || high == "?" ? kUnbounded : parse_size(high, whole)};
}

Dimension::value_type Dimension::get_length() const {
    if (is_dynamic()) {
        throw Error("shape", fmt::format("dimension {} has no known size", to_string(*this)));
    }
    return min_;
}

bool Dimension::compatible(const Dimension& other) const {
    Dimension ignored;
    return merge(ignored, *this, other);
}

bool Dimension::contains(const Dimension& other) const {
    return min_ <= other.min_ &&
           (max_ == kUnbounded || (other.max_ != kUnbounded && other.max_ <= max_));
}

bool Dimension::merge(Dimension& out, const Dimension& a, const Dimension& b) {
    const value_type low = std::max(a.min_, b.min_);
    value_type high = a.max_ == kUnbounded ? b.max_ : a.max_;
    if (a.max_ != kUnbounded && b.max_ != kUnbounded) {
        high = std::min(a.max_, b.max_);
    }
    if (high != kUnbounded && high < low) {
        return false;
    }
    out.min_ = low;
    out.max_ = high;
    return true;
}

Dimension operator+(const Dimension& a, const Dimension& b) {
    const bool open = a.max_ == Dimension::kUnbounded || b.max_ == Dimension::kUnbounded;
    Dimension sum;
    sum.min_ = std::max<std::int64_t>(0, checked_add(a.min_, b.min_));
    sum.max_ = open ? Dimension::kUnbounded : checked_add(a.max_, b.max_);
    return sum;
}

Dimension operator*(const Dimension& a, const Dimension& b) {
    const bool zero = a.max_ == 0 || b.max_ == 0;
    const bool open = a.max_ == Dimension::kUnbounded || b.max_ == Dimension::kUnbounded;
    Dimension product;
    product.min_ = std::max<std::int64_t>(0, checked_mul(a.min_, b.min_));
    product.max_ = zero ? 0 : open ? Dimension::kUnbounded : checked_mul(a.max_, b.max_);
    return product;
}

PartialShape::PartialShape(const Shape& shape) {
    dims_.reserve(shape.size());
    for (const std::size_t d : shape) {
        if (d > static_cast<std::size_t>(kMaxSize)) {
            throw Error("shape", fmt::format("size {} is too large", d));
        }
        dims_.emplace_back(static_cast<std::int64_t>(d));
    }
}

PartialShape PartialShape::parse(std::string_view text) {
    std::string_view rest = trim(text);
    if (rest == "...") {
        return dynamic();
    }
    if (!rest.empty() && (rest.front() == '[' || rest.front() == '{')) {
        const char close = rest.front() == '[' ? ']' : '}';
        if (rest.back() != close) {
            throw Error("shape", fmt::format("'{}' lacks a closing {}", text, close));
        }
        rest = trim(rest.substr(1, rest.size() - 2));
    }
    if (rest == "...") {
        return dynamic();
    }
    PartialShape shape;
    while (!rest.empty()) {
        const auto comma = rest.find(',');
        shape.dims_.push_back(Dimension::parse(rest.substr(0, comma)));
        if (comma == std::string_view::npos) {
            break;
        }
        rest = rest.substr(comma + 1);
        if (trim(rest).empty()) {
            throw Error("shape", fmt::format("'{}' ends in a comma", text));
        }
    }
    return shape;
}

PartialShape PartialShape::dynamic() {
    PartialShape shape;
    shape.rank_known_ = false;
    return shape;
}

PartialShape PartialShape::dynamic(std::size_t rank) {
    return PartialShape(std::vector<Dimension>(rank));
}

bool PartialShape::is_static() const {
    return rank_known_ && std::all_of(dims_.begin(), dims_.end(),
                                      [](const Dimension& d) { return d.is_static(); });
}

std::size_t PartialShape::rank() const {
    if (!rank_known_) {
        throw Error("shape", "the rank of the shape is not known");
    }
    return dims_.size();
}

Shape PartialShape::to_shape() const {
    if (!is_static()) {
        throw Error("shape", fmt::format("shape {} is not static", to_string(*this)));
    }
    Shape shape;
    shape.reserve(dims_.size());
    for (const Dimension& d : dims_) {
        shape.push_back(static_cast<std::size_t>(d.get_length()));
    }
    return shape;
}

bool PartialShape::compatible(const PartialShape& other) const {
    if (!rank_known_ || !other.rank_known_) {
        return true;
    }
    return std::equal(dims_.begin(), dims_.end(), other.dims_.begin(), other.dims_.end(),
                      [](const Dimension& a, const Dimension& b) { return a.compatible(b); });
}

bool PartialShape::contains(const Shape& shape) const {
    if (!rank_known_) {
        return true;
    }
    return std::equal(dims_.begin(), dims_.end(), shape.begin(), shape.end(),
                      [](const Dimension& d, std::size_t s) {
                          return d.contains(Dimension(static_cast<std::int64_t>(s)));
                      });
}

std::string to_string(const Dimension& dimension) {
    if (dimension.is_static()) {
        return std::to_string(dimension.get_length());
    }
    if (dimension == Dimension::dynamic()) {
        return "?";
    }
    const std::string high = dimension.get_max_length() == Dimension::kUnbounded
                                 ? ""
                                 : std::to_string(dimension.get_max_length());
    return std::to_string(dimension.get_min_length()) + ".." + high;
}

std::string to_string(const PartialShape& shape) {
    return shape.rank_is_static() ? join(shape.dims()) : "[...]";
}

}  // namespace fuseq
