// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels keep from one run to the next: how many random numbers a layer has drawn. Of one
// request; used by one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "fuseq/node.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {

class KernelStates {
public:
    // 0 before the first run. By name: a layer keeps it when the model is planned for other shapes.
    std::uint64_t& drawn(const Node& node) { return drawn_[node.name()]; }
    // Those of the layers in the bodies of `node`.
    KernelStates& in_bodies(const Node& node) { return bodies_[node.name()]; }

private:
    std::map<std::string, std::uint64_t> drawn_;
    std::map<std::string, KernelStates> bodies_;
};

// An EvalContext may be one too, and so may the memory of a request.
class StateKeeper {
public:
    virtual ~StateKeeper() = default;
    // Null: each run is the first one.
    virtual KernelStates* kernel_states() const = 0;
};

template <class Context>
KernelStates* states_of(const Context& context) {
    const auto* keeper = dynamic_cast<const StateKeeper*>(&context);
    return keeper == nullptr ? nullptr : keeper->kernel_states();
}

// What a BodyFunction may hold (ops/control/body_runner.hpp): a body with a request of its own,
// which is given the states of the one that runs the loop.
struct BodyWithStates {
    std::function<std::vector<Tensor>(std::span<const Tensor>)> run;
    std::function<void(KernelStates&)> keep_states_in;
    std::vector<Tensor> operator()(std::span<const Tensor> inputs) const { return run(inputs); }
};

// Runs the reference kernel as evaluate_node() does, in a request that keeps states.
std::vector<Tensor> evaluate_in_request(const Node& node,
                                        std::span<const Tensor> inputs,
                                        KernelStates* states);

// The node, or one in its bodies, draws random numbers: it must run at each inference, whatever its
// inputs are.
bool is_random(const Node& node);

}  // namespace fuseq
