// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/channel_values.hpp"

#include <algorithm>

namespace fuseq {

ChannelValues::ChannelValues(std::vector<float> values, std::size_t axis)
    : values_(std::move(values)), axis_(axis) {
    if (values_.empty()) {
        values_ = {0.0f};
    }
    const auto differs = [&](float v) { return v != values_.front(); };
    if (std::none_of(values_.begin(), values_.end(), differs)) {
        values_.resize(1);
        axis_ = 0;
    }
}

float ChannelValues::min() const {
    return *std::min_element(values_.begin(), values_.end());
}
float ChannelValues::max() const {
    return *std::max_element(values_.begin(), values_.end());
}

ChannelValues ChannelValues::at_axis(std::size_t axis) const {
    return {values_, axis};
}

Tensor ChannelValues::to_tensor(std::size_t rank) const {
    if (per_tensor()) {
        return Tensor::scalar(values_[0]);
    }
    Shape shape(rank, 1);
    shape.at(axis_) = values_.size();
    return Tensor::of(shape, values_);
}

std::optional<ChannelValues> channel_values(const Tensor& constant, std::size_t rank) {
    const Shape& shape = constant.get_shape();
    std::size_t axis = 0;
    std::size_t dims_larger_than_one = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] != 1) {
            ++dims_larger_than_one;
            // Aligned at the last dimension; a size beyond the data's rank cannot broadcast to it.
            if (shape.size() - d > rank) {
                return std::nullopt;
            }
            axis = rank - (shape.size() - d);
        }
    }
    if (dims_larger_than_one > 1 || shape.size() > rank || constant.get_size() == 0) {
        return std::nullopt;
    }
    return ChannelValues(to_floats(constant), axis);
}

bool same_axis(const ChannelValues& a, const ChannelValues& b) {
    return a.per_tensor() || b.per_tensor() || (a.axis() == b.axis() && a.size() == b.size());
}

}  // namespace fuseq
