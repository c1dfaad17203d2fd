// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Interpreter: runs a Model node by node with the reference kernels. The bodies of TensorIterator,
// Loop and If run in it, and so may whole models (the REFERENCE device).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fuseq/model.hpp"
#include "fuseq/tensor.hpp"

namespace fuseq {

class KernelStates;

class Interpreter {
public:
    // Called after each executed node with its outputs; not for Parameter, Const and Result.
    using AfterNode = std::function<void(const Node& node, std::span<const Tensor> outputs)>;

    // Plans the order of execution. The model must outlive the interpreter and stay unchanged.
    // Nodes that no Result depends on are left out.
    explicit Interpreter(const Model& model);

    // `inputs`: one tensor a Parameter, in the order of Model::parameters(), of the Parameter's
    // type and a shape that its PartialShape allows. Returns one tensor a Result, in the order of
    // Model::results(); it may share memory with an input or a constant. A tensor is freed after
    // its last reader. Several threads may call it concurrently, each with its own `states`.
    // Throws Error.
    std::vector<Tensor> run(std::span<const Tensor> inputs,
                            const AfterNode& after = {},
                            KernelStates* states = nullptr) const;

private:
    struct Step {
        const Node* node;
        std::vector<std::size_t> inputs;  // slots in the list of values, or kNoSlot
        std::size_t first_output;         // slot; the others follow
        std::vector<std::size_t> last_uses;
    };

    void find_last_uses(std::vector<bool> kept);
    void check_input(std::size_t index, const Tensor& value) const;

    const Model& model_;
    std::vector<Step> steps_;
    std::vector<std::size_t> parameter_slots_;
    std::vector<std::size_t> result_slots_;
    std::vector<std::pair<std::size_t, Tensor>> constants_;
    std::size_t slot_count_ = 0;
};

}  // namespace fuseq
