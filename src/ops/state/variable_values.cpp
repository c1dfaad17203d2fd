// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/state/variable_values.hpp"

#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq {
namespace {

// Of a variable that was never assigned: open dimensions are as small as they may be.
Shape smallest_shape(const PartialShape& shape) {
    if (!shape.rank_is_static()) {
        return {0};
    }
    Shape sizes;
    for (const Dimension& dimension : shape) {
        sizes.push_back(static_cast<std::size_t>(dimension.get_min_length()));
    }
    return sizes;
}

}  // namespace

VariableValues::VariableValues(std::vector<Variable> variables)
    : variables_(std::move(variables)), slots_(variables_.size()) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        const Variable& variable = variables_[i];
        const Tensor zeros(variable.type, smallest_shape(variable.shape));
        slots_[i].value = {zeros, zeros.get_size()};
        slots_[i].next = {Tensor(variable.type, Shape{0}), 0};
    }
}

void VariableValues::give_room(Buffer& buffer, const Shape& shape) {
    const std::size_t size = shape_size(shape);
    if (size > buffer.capacity) {
        // The first allocation has no reserve: most states do not grow.
        buffer.capacity = buffer.capacity == 0 ? size : size + size / 2;
        buffer.tensor = Tensor(buffer.tensor.get_element_type(), Shape{buffer.capacity});
    }
    buffer.tensor.set_shape(shape);
}

void VariableValues::check(std::size_t i, const Tensor& value, const char* what) const {
    const Variable& variable = variables_.at(i);
    const auto fail = [&](const std::string& rule) {
        throw Error("infer", fmt::format("variable '{}': {}", variable.name, rule));
    };
    if (!value) {
        fail("the tensor is an empty handle");
    }
    if (value.get_element_type() != variable.type) {
        fail(fmt::format("{} is a tensor of {}, expected {}", what,
                         to_string(value.get_element_type()), to_string(variable.type)));
    }
    if (!variable.shape.contains(value.get_shape())) {
        fail(fmt::format("{} has shape {}, expected {}", what, to_string(value.get_shape()),
                         to_string(variable.shape)));
    }
}

void VariableValues::store(std::size_t i, const Tensor& value) {
    Buffer& buffer = slots_[i].value;
    give_room(buffer, value.get_shape());
    value.copy_to(buffer.tensor);
}

void VariableValues::set_initial(std::size_t i, const Tensor& value) {
    check(i, value, "the initial value");
    store(i, value);
}

const Tensor& VariableValues::next(std::size_t i, const Shape& shape) {
    Buffer& buffer = slots_.at(i).next;
    give_room(buffer, shape);
    return buffer.tensor;
}

void VariableValues::commit() {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        check(i, slots_[i].next.tensor, "the assigned value");
    }
    for (Slot& slot : slots_) {
        std::swap(slot.value, slot.next);
        slot.reset = false;
    }
}

Tensor VariableValues::get(std::size_t i) const {
    const Tensor& value = slots_.at(i).value.tensor;
    if (needs_initial(i)) {  // the buffer holds the value of an inference that failed
        return {variables_[i].type, smallest_shape(variables_[i].shape)};
    }
    Tensor copy(value.get_element_type(), value.get_shape());
    value.copy_to(copy);
    return copy;
}

void VariableValues::set(std::size_t i, const Tensor& value) {
    check(i, value, "the value");
    store(i, value);
    slots_[i].reset = false;
}

void VariableValues::reset(std::size_t i) {
    Slot& slot = slots_.at(i);
    give_room(slot.value, smallest_shape(variables_[i].shape));
    Tensor& tensor = slot.value.tensor;
    if (tensor.get_byte_size() != 0) {
        std::memset(tensor.data(), 0, tensor.get_byte_size());
    }
    slot.reset = true;
}

}  // namespace fuseq
