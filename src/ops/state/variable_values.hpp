// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The values of all variables of one request. An inference assigns to a second buffer
// beside the one that it reads, so that an inference that fails changes nothing.
#pragma once

#include <vector>

#include "fuseq/variable_state.hpp"

namespace fuseq {

class VariableValues {
public:
    explicit VariableValues(std::vector<Variable> variables);

    std::size_t size() const { return slots_.size(); }
    const Variable& variable(std::size_t i) const { return variables_.at(i); }
    // What ReadValue gives, unless it has an initial value and the variable is_reset().
    const Tensor& value(std::size_t i) const { return slots_.at(i).value.tensor; }
    bool is_reset(std::size_t i) const { return slots_.at(i).reset; }
    // A variable whose initial value has to be computed for the next inference.
    bool needs_initial(std::size_t i) const { return is_reset(i) && variables_.at(i).has_initial; }
    // The initial value, for this inference. The variable stays reset until commit().
    void set_initial(std::size_t i, const Tensor& value);

    // Memory for the next value. When it has to be larger than it was it gets half as much again,
    // so that a state that grows by a row an inference is seldom allocated anew.
    const Tensor& next(std::size_t i, const Shape& shape);
    // After an inference: the next values take the place of the values. Throws Error, and changes
    // nothing, when one has a shape that its variable does not allow.
    void commit();

    // See VariableState.
    Tensor get(std::size_t i) const;
    void set(std::size_t i, const Tensor& value);
    void reset(std::size_t i);

private:
    // A tensor whose memory holds `capacity` elements.
    struct Buffer {
        Tensor tensor;
        std::size_t capacity = 0;
    };
    struct Slot {
        Buffer value;
        Buffer next;
        bool reset = true;
    };

    static void give_room(Buffer& buffer, const Shape& shape);
    void check(std::size_t i, const Tensor& value, const char* what) const;
    void store(std::size_t i, const Tensor& value);

    std::vector<Variable> variables_;
    std::vector<Slot> slots_;
};

}  // namespace fuseq
