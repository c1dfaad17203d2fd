// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Who reads and writes the memory of a tensor. Tensors that share memory count as their root.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

std::set<TensorId> roots_of(const Plan& plan, const std::vector<TensorId>& ids);

// The roots that a step reads and writes.
struct Touched {
    std::set<TensorId> read;
    std::set<TensorId> written;
};

Touched touched_by(const Plan& plan, const Step& step);

bool meet(const std::set<TensorId>& a, const std::set<TensorId>& b);

// Of tensors whose size is known.
std::size_t bytes_of(const Plan& plan, const std::set<TensorId>& roots);

// Whether one of the tensors lies in the memory of that root.
bool uses(const Plan& plan, const std::vector<TensorId>& ids, TensorId root);

// Whether the tensor has memory of its own in the arena, and is no result of the model.
bool is_inner(const Plan& plan, TensorId id);

// Steps after `after` that read or write the memory of the root, in order.
std::vector<std::size_t> users_after(const Plan& plan, TensorId root, std::size_t after);

// Removes steps, whose numbers are in order.
void remove_steps(Plan& plan, const std::vector<std::size_t>& steps);

// The layers of a removed step belong to the step that does its work.
void take_layers(StepInfo& info, const StepInfo& removed);

}  // namespace fuseq::cpu
