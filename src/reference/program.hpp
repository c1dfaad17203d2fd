// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Program: a Model as the list of kernels to call. Values that follow from constants are computed
// once, when it is made; every other value lives from its producer to its last reader.
// Immutable; any number of threads may run it, each with its own ProgramRun.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuseq/model.hpp"
#include "fuseq/plugin.hpp"
#include "ops/kernel_states.hpp"

namespace fuseq::reference {

// What one run reads and writes.
struct ProgramRun {
    std::vector<Tensor> inputs;          // one a Parameter
    std::vector<Tensor> outputs;         // one a Result; computed tensors, not copies
    bool profile = false;                // fill `profile_info`
    bool keep_intermediates = false;     // fill `intermediates`
    const std::atomic<bool>* cancelled;  // asked before each step
    KernelStates states;                 // kept by the request
    std::vector<ProfilingInfo> profile_info;
    std::vector<std::pair<std::string, Tensor>> intermediates;
};

class Program {
public:
    // Throws Error listing every layer that has no kernel.
    explicit Program(std::shared_ptr<const Model> model);

    // Runs all steps; ProgramRun::outputs is filled. Throws Error naming the layer.
    void run(ProgramRun& run) const;
    const Model& model() const { return *model_; }
    // Nodes in the order of execution, without what was folded.
    std::vector<const Node*> executed_nodes() const;

private:
    struct Step {
        const Node* node = nullptr;
        std::vector<std::size_t> inputs;   // slots; kNoSlot where nothing is connected
        std::vector<std::size_t> outputs;  // slots
        std::vector<std::size_t> dead;     // slots that no later step reads
    };

    Step make_step(const Node& node, std::vector<std::vector<std::size_t>>& slots);
    bool fold(const Step& step);
    void find_dead_slots();
    void drop_unread_constants();
    void execute(const Step& step, std::vector<Tensor>& values, ProgramRun& run) const;

    std::shared_ptr<const Model> model_;
    std::vector<Step> steps_;
    std::vector<Tensor> constants_;  // by slot; empty where a value is computed at run time
    std::vector<std::size_t> parameter_slots_;
    std::vector<std::size_t> result_slots_;
    std::vector<std::pair<std::string, Tensor>> folded_quantize_;  // FakeQuantize of constants
};

}  // namespace fuseq::reference
