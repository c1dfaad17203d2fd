// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Shape: sizes of a tensor. PartialShape: the same where a size may be unknown or an interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace fuseq {

class Shape : public std::vector<std::size_t> {
public:
    using std::vector<std::size_t>::vector;
    Shape() = default;
    explicit Shape(const std::vector<std::size_t>& dims) : std::vector<std::size_t>(dims) {}
};

// Number of elements; 1 for a scalar. Throws Error when the product does not fit in 63 bits.
std::size_t shape_size(const Shape& shape);
std::string to_string(const Shape& shape);

// A size in [min, max]; max == kUnbounded means no upper limit. OpenVINO spelling: "?", "-1",
// "3", "1..8", "2..", "..4".
class Dimension {
public:
    using value_type = std::int64_t;
    static constexpr value_type kUnbounded = -1;

    Dimension() : min_(0), max_(kUnbounded) {}
    // A negative value means "unknown", as in OpenVINO. Not explicit: sizes read as dimensions.
    Dimension(value_type size);  // NOLINT(google-explicit-constructor)
    Dimension(value_type min, value_type max);

    static Dimension dynamic() { return {}; }
    static Dimension parse(std::string_view text);

    bool is_static() const { return min_ == max_; }
    bool is_dynamic() const { return !is_static(); }
    // The size; throws Error when it is not known.
    value_type get_length() const;
    value_type get_min_length() const { return min_; }
    value_type get_max_length() const { return max_; }

    // Whether a size of the other interval could be equal to one of this interval.
    bool compatible(const Dimension& other) const;
    // Every size of the other interval lies in this one.
    bool contains(const Dimension& other) const;
    // Intersection of two intervals in `out`; false when empty.
    static bool merge(Dimension& out, const Dimension& a, const Dimension& b);

    // Interval arithmetic, as shape inference needs it.
    friend Dimension operator+(const Dimension& a, const Dimension& b);
    friend Dimension operator*(const Dimension& a, const Dimension& b);
    friend bool operator==(const Dimension&, const Dimension&) = default;

private:
    value_type min_;
    value_type max_;
};

class PartialShape {
public:
    PartialShape() = default;  // a scalar: rank 0
    PartialShape(std::initializer_list<Dimension> dims) : dims_(dims) {}
    explicit PartialShape(std::vector<Dimension> dims) : dims_(std::move(dims)) {}
    PartialShape(const Shape& shape);  // NOLINT(google-explicit-constructor)
    // "[1,3,?,2..8]", "1,3,224,224", "[]" (scalar), "..." (unknown rank).
    static PartialShape parse(std::string_view text);
    // Nothing known, not even the rank.
    static PartialShape dynamic();
    static PartialShape dynamic(std::size_t rank);

    bool rank_is_static() const { return rank_known_; }
    bool is_static() const;
    bool is_dynamic() const { return !is_static(); }
    // Throws Error when the rank is not known.
    std::size_t rank() const;
    std::size_t size() const { return rank(); }
    const Dimension& operator[](std::size_t i) const { return dims_.at(i); }
    Dimension& operator[](std::size_t i) { return dims_.at(i); }
    const std::vector<Dimension>& dims() const { return dims_; }
    auto begin() const { return dims_.begin(); }
    auto end() const { return dims_.end(); }

    // The sizes; throws Error when one is not known.
    Shape to_shape() const;
    Shape get_shape() const { return to_shape(); }
    bool compatible(const PartialShape& other) const;
    bool contains(const Shape& shape) const;
    friend bool operator==(const PartialShape&, const PartialShape&) = default;

private:
    bool rank_known_ = true;
    std::vector<Dimension> dims_;
};

std::string to_string(const Dimension& dimension);
std::string to_string(const PartialShape& shape);

}  // namespace fuseq
