// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ChannelValues: what a scale, a zero point or a limit is: one value, or one a channel.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fuseq/shape.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

class ChannelValues {
public:
    ChannelValues() : values_{0.0f} {}
    ChannelValues(float value) : values_{value} {}  // NOLINT(google-explicit-constructor)
    // One value a position of dimension `axis`. Equal values become one.
    ChannelValues(std::vector<float> values, std::size_t axis);

    bool per_tensor() const { return values_.size() == 1; }
    std::size_t size() const { return values_.size(); }
    // Dimension of the data that the values belong to; 0 when per tensor.
    std::size_t axis() const { return axis_; }
    float operator[](std::size_t channel) const {
        return values_.size() == 1 ? values_[0] : values_[channel];
    }
    const std::vector<float>& list() const { return values_; }
    bool all_equal_to(float value) const { return per_tensor() && values_[0] == value; }
    float min() const;
    float max() const;
    // The same values for another dimension of moved data.
    ChannelValues at_axis(std::size_t axis) const;
    // A constant that broadcasts to data of `rank` dimensions: shape [] or [1, .., C, .., 1].
    Tensor to_tensor(std::size_t rank) const;
    friend bool operator==(const ChannelValues&, const ChannelValues&) = default;

private:
    std::vector<float> values_;
    std::size_t axis_ = 0;
};

// A constant that broadcasts (numpy rules) to data of `rank` dimensions, as values of one
// dimension. Nothing when it varies along several dimensions or would add dimensions.
std::optional<ChannelValues> channel_values(const Tensor& constant, std::size_t rank);

// Whether both may describe the same data: not per channel of different dimensions or sizes.
bool same_axis(const ChannelValues& a, const ChannelValues& b);

// function(a[c], b[c]) for every channel. Precondition: same_axis(a, b).
template <class Function>
ChannelValues combine(const ChannelValues& a, const ChannelValues& b, Function function) {
    const ChannelValues& longer = a.per_tensor() ? b : a;
    std::vector<float> values(longer.size());
    for (std::size_t c = 0; c < values.size(); ++c) {
        values[c] = static_cast<float>(function(a[c], b[c]));
    }
    return {std::move(values), longer.axis()};
}

}  // namespace fuseq
