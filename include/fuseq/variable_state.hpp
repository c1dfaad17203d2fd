// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables: values that a model with ReadValue and Assign keeps from one inference to the next.
// Every InferRequest has values of its own; docs/state.md explains them with examples.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fuseq/element_type.hpp"
#include "fuseq/shape.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

class InferRequestImpl;
class Model;

// A variable of a model: what its ReadValue gives and its Assign takes.
struct Variable {
    std::string name;  // variable_id
    ElementType type = ElementType::undefined;
    PartialShape shape;        // every value has a shape that this one allows
    bool has_initial = false;  // ReadValue has an input, the value before the first Assign
};

// The variables of a model, sorted by name. Throws Error when a variable has not exactly one
// ReadValue and one Assign, when these do not agree in type, shape or opset, or when a body of a
// TensorIterator, Loop or If has variables.
std::vector<Variable> variables_of(const Model& model);

// Whether one of them has open dimensions: its shape may differ from one inference to the next.
bool may_grow(const std::vector<Variable>& variables);

// One variable of one InferRequest. A handle: copies share the variable, and keep the request. One
// thread at a time uses a request and its variables; while the request runs every function but
// get_name() throws Error "busy".
class VariableState {
public:
    // Empty handle; only operator bool and assignment may be used.
    VariableState() = default;
    VariableState(std::shared_ptr<InferRequestImpl> request, std::size_t index);
    explicit operator bool() const { return request_ != nullptr; }

    const std::string& get_name() const;
    // A copy of the value; later inferences do not change it. Of a variable that was reset or never
    // assigned: zeros, where open dimensions have their lower bound (0 unless the model states
    // another one; [0] where the rank is open). The next inference computes the initial value.
    Tensor get_state() const;
    // The value that ReadValue gives in the next inference; it replaces the initial value too. It
    // is copied. Throws Error when the tensor is empty, when its type is not that of the variable,
    // or when Variable::shape does not allow its shape; the variable keeps its value then.
    void set_state(const Tensor& value);
    // As before the first inference: ReadValue gives its initial value, or zeros without one.
    void reset();

private:
    std::shared_ptr<InferRequestImpl> request_;
    std::size_t index_ = 0;
};

}  // namespace fuseq
