// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// A step of the plan: immutable once compiled, shared by all requests. bind() makes the part that
// belongs to one request.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cpu/plan/plan_tensor.hpp"

namespace fuseq::cpu {

// Memory of one request: where each tensor of the plan is now.
class RequestMemory {
public:
    virtual ~RequestMemory() = default;
    // Address of a tensor that has static shape. Fixed for the life of the request, except for
    // tensors in the user's memory.
    virtual void* data(TensorId id) const = 0;
    // Whether data(id) may change between runs.
    virtual bool in_user_memory(TensorId id) const = 0;
    virtual const PlanTensor& tensor(TensorId id) const = 0;
    // Any tensor as a dense Tensor in plain layout; constants and dynamic ones included.
    virtual Tensor as_tensor(TensorId id) const = 0;
    // Result of a step whose output shape is known only now.
    virtual void set_dynamic(TensorId id, Tensor value) = 0;
};

class Runner {
public:
    virtual ~Runner() = default;
    virtual void run() = 0;
};

// What explain and profiling show of a step.
struct StepInfo {
    std::string name;                 // layer that gave the step its name
    std::string kind;                 // "convolution", "chain", "reorder", ...
    std::string implementation;       // "brgconv:avx512_core_vnni", "fuseq:chain", "reference"
    std::vector<std::string> layers;  // IR layers that it executes
    std::string group;                // the anchor's layer, of all steps made for it
    std::string src_type;
    std::string wei_type;
    std::string dst_type;
    std::string layout;
    std::string post_ops;
    std::int64_t macs = 0;
    std::int64_t bytes = 0;  // read and written
    bool quantized = false;  // computes on integers
    std::vector<std::string> notes;
};

// Kinds of steps that stand for an anchor.
inline bool is_anchor_kind(const std::string& kind) {
    return kind == "convolution" || kind == "deconvolution" || kind == "matmul";
}

class Step {
public:
    virtual ~Step() = default;
    virtual std::unique_ptr<Runner> bind(RequestMemory& memory) const = 0;

    // Memory that the step owns for all requests: packed weights, constants of post-ops.
    virtual std::size_t packed_bytes() const { return 0; }

    const StepInfo& info() const { return info_; }
    StepInfo& info() { return info_; }
    // Tensors read and written, for liveness. Scratch tensors live during this step only.
    const std::vector<TensorId>& inputs() const { return inputs_; }
    const std::vector<TensorId>& outputs() const { return outputs_; }
    const std::vector<TensorId>& scratch() const { return scratch_; }

protected:
    StepInfo info_;
    std::vector<TensorId> inputs_;
    std::vector<TensorId> outputs_;
    std::vector<TensorId> scratch_;
};

}  // namespace fuseq::cpu
