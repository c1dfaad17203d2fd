// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "fuseq/shape.hpp"
#include "openvino/core/except.hpp"

namespace ov {

class Shape : public std::vector<std::size_t> {
public:
    using std::vector<std::size_t>::vector;
    Shape() = default;
    Shape(const fuseq::Shape& shape) : std::vector<std::size_t>(shape) {}
    explicit Shape(const std::vector<std::size_t>& dims) : std::vector<std::size_t>(dims) {}
    explicit Shape(const std::string& text)
        : Shape(detail::guarded([&] { return fuseq::PartialShape::parse(text).to_shape(); })) {}
    operator fuseq::Shape() const { return fuseq::Shape(static_cast<const vector&>(*this)); }
    operator fuseq::PartialShape() const { return fuseq::Shape(*this); }
    std::string to_string() const { return fuseq::to_string(fuseq::Shape(*this)); }
    friend std::ostream& operator<<(std::ostream& out, const Shape& shape) {
        return out << shape.to_string();
    }
};

using Strides = std::vector<std::size_t>;

inline std::size_t shape_size(const Shape& shape) {
    return detail::guarded([&] { return fuseq::shape_size(fuseq::Shape(shape)); });
}

}  // namespace ov
