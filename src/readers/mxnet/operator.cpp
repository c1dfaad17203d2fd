// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/mxnet/operator.hpp"

#include <cmath>

namespace fuseq::mxnet_reader {

Output Operator::input(std::size_t i) const {
    require(i < inputs_.size(), "input ", i, " is missing");
    return inputs_[i];
}

void Operator::require_inputs(std::size_t count) const {
    require(inputs_.size() == count, "has ", inputs_.size(), " inputs, expected ", count);
}

const Symbol& Operator::subgraph() const {
    require(!stated_.subgraphs.empty(), "has no subgraph");
    return *stated_.subgraphs[0];
}

Output Operator::channels(const Output& vector, std::size_t rank) {
    std::vector<std::int64_t> sizes(rank, 1);
    sizes.at(1) = -1;
    return reshape(vector, sizes);
}

Grid Operator::grid_of_range(ElementType type, double min, double max) const {
    require(type == ElementType::i8 || type == ElementType::u8 || type == ElementType::i32,
            "a quantized tensor is ", to_string(type), ", expected i8, u8 or i32");
    require(std::isfinite(min) && std::isfinite(max) && min <= max, "the range is ", min, " to ",
            max, ", expected finite values in that order");
    const Grid grid = grid_of(type, min, max);
    require(std::isfinite(grid.scale) && grid.scale > 0, "the range is ", min, " to ", max,
            ", which gives the scale ", grid.scale);
    return grid;
}

Operator::Range Operator::range(std::size_t min, std::size_t max) const {
    return {real(input(min), "the minimum of a range"), real(input(max), "the maximum of a range")};
}

Grid Operator::grid(std::size_t tensor, std::size_t min, std::size_t max) const {
    const Range stated = range(min, max);
    return grid_of_range(input(tensor).type(), stated.min, stated.max);
}

std::optional<Operator::Range> Operator::calibrated() const {
    if (!attributes.has("min_calib_range") || !attributes.has("max_calib_range")) {
        return std::nullopt;
    }
    return Range{attributes.real("min_calib_range", 0), attributes.real("max_calib_range", 0)};
}

std::vector<Output> Operator::with_range(const Output& tensor, const Range& range) {
    const auto one = [&](double value) {
        return constant(Tensor::of<double>(Shape{1}, {value}).to(ElementType::f32));
    };
    return {tensor, one(range.min), one(range.max)};
}

ModelAttributes grids(const std::vector<Grid>& inputs, const Grid& result, ElementType type) {
    std::vector<float> scales;
    std::vector<std::int64_t> zeros;
    for (const Grid& grid : inputs) {
        scales.push_back(grid.scale);
        zeros.push_back(grid.zero_point);
    }
    return {{"method", kMethod},
            {"input_scales", scales},
            {"input_zero_points", zeros},
            {"output_scale", result.scale},
            {"output_zero_point", result.zero_point},
            {"output_type", type}};
}

}  // namespace fuseq::mxnet_reader
