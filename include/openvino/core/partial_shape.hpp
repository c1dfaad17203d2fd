// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "openvino/core/dimension.hpp"
#include "openvino/core/except.hpp"
#include "openvino/core/rank.hpp"
#include "openvino/core/shape.hpp"

namespace ov {

class PartialShape {
public:
    PartialShape() : PartialShape(std::initializer_list<Dimension>{}) {}
    PartialShape(std::initializer_list<Dimension> dims) : dims_(dims) {}
    PartialShape(std::vector<Dimension> dims) : dims_(std::move(dims)) {}
    PartialShape(const std::vector<Dimension::value_type>& dims)
        : dims_(dims.begin(), dims.end()) {}
    PartialShape(const Shape& shape) {
        for (const std::size_t size : shape) {
            dims_.emplace_back(static_cast<Dimension::value_type>(size));
        }
    }
    PartialShape(const fuseq::PartialShape& shape)
        : rank_known_(shape.rank_is_static()), dims_(shape.dims()) {}
    PartialShape(const std::string& text)
        : PartialShape(detail::guarded([&] { return fuseq::PartialShape::parse(text); })) {}
    operator fuseq::PartialShape() const {
        return rank_known_ ? fuseq::PartialShape(dims_) : fuseq::PartialShape::dynamic();
    }
    static PartialShape dynamic(const Rank& rank = Rank::dynamic()) {
        PartialShape shape;
        shape.rank_known_ = rank.is_static();
        if (rank.is_static()) {
            shape.dims_.resize(static_cast<std::size_t>(rank.get_length()));
        }
        return shape;
    }

    Rank rank() const {
        return rank_known_ ? Rank(static_cast<Rank::value_type>(dims_.size())) : Rank::dynamic();
    }
    std::size_t size() const {
        if (!rank_known_) {
            throw Exception("the rank of a shape is not known");
        }
        return dims_.size();
    }
    bool is_static() const { return fuseq::PartialShape(*this).is_static(); }
    bool is_dynamic() const { return !is_static(); }
    Dimension& operator[](std::size_t i) { return dims_.at(i); }
    const Dimension& operator[](std::size_t i) const { return dims_.at(i); }
    auto begin() { return dims_.begin(); }
    auto end() { return dims_.end(); }
    auto begin() const { return dims_.begin(); }
    auto end() const { return dims_.end(); }

    void push_back(const Dimension& dimension) { dims_.push_back(dimension); }
    template <class... Arguments>
    void emplace_back(Arguments&&... arguments) {
        dims_.emplace_back(std::forward<Arguments>(arguments)...);
    }
    void reserve(std::size_t count) { dims_.reserve(count); }
    void resize(std::size_t count) { dims_.resize(count); }
    template <class Iterator>
    void insert(std::vector<Dimension>::const_iterator position, Iterator first, Iterator last) {
        dims_.insert(position, first, last);
    }

    // Throws when a size is not known.
    Shape to_shape() const {
        return detail::guarded([&] { return Shape(fuseq::PartialShape(*this).to_shape()); });
    }
    Shape get_shape() const { return to_shape(); }
    Shape get_min_shape() const {
        Shape shape;
        for (const Dimension& dimension : dims_) {
            shape.push_back(static_cast<std::size_t>(dimension.get_min_length()));
        }
        return shape;
    }
    Shape get_max_shape() const {
        Shape shape;
        for (const Dimension& dimension : dims_) {
            const Dimension::value_type max = dimension.get_max_length();
            shape.push_back(max < 0 ? std::numeric_limits<std::size_t>::max()
                                    : static_cast<std::size_t>(max));
        }
        return shape;
    }
    bool compatible(const PartialShape& other) const {
        return fuseq::PartialShape(*this).compatible(other);
    }
    bool same_scheme(const PartialShape& other) const { return *this == other; }
    std::string to_string() const { return fuseq::to_string(fuseq::PartialShape(*this)); }

    friend bool operator==(const PartialShape& a, const PartialShape& b) {
        return a.rank_known_ == b.rank_known_ && a.dims_ == b.dims_;
    }
    friend std::ostream& operator<<(std::ostream& out, const PartialShape& shape) {
        return out << shape.to_string();
    }

private:
    bool rank_known_ = true;
    std::vector<Dimension> dims_;
};

}  // namespace ov
