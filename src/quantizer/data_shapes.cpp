// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/data_shapes.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace fuseq::quantizer {
namespace {

void set_shapes(Model& model, const std::vector<PartialShape>& shapes) {
    std::map<std::string, PartialShape> by_name;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        by_name[model.parameters()[i]->name()] = shapes[i];
    }
    model.reshape(by_name);
}

std::vector<PartialShape> shapes_of(const std::vector<Tensor>& tensors) {
    std::vector<PartialShape> shapes;
    shapes.reserve(tensors.size());
    for (const Tensor& tensor : tensors) {
        shapes.emplace_back(tensor.get_shape());
    }
    return shapes;
}

}  // namespace

DataShapes::DataShapes(Model& model, std::size_t count, const CalibrationInputs& inputs) {
    std::vector<PartialShape> own;
    for (const Node* parameter : model.parameters()) {
        own.push_back(parameter->port().shape);
    }
    const auto is_open = [](const PartialShape& shape) { return !shape.is_static(); };
    if (count == 0 || std::none_of(own.begin(), own.end(), is_open)) {
        return;
    }
    const std::vector<PartialShape> first = shapes_of(inputs(0));
    if (first.size() != own.size()) {
        return;  // refused where the data runs
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
        if (!own[i].compatible(first[i])) {
            return;
        }
    }
    for (std::size_t i = 1; i < count; ++i) {
        if (shapes_of(inputs(i)) != first) {
            return;
        }
    }
    set_shapes(model, first);
    before_ = std::move(own);
}

void DataShapes::give_back(Model& model) const {
    if (!before_.empty()) {
        set_shapes(model, before_);
    }
}

}  // namespace fuseq::quantizer
