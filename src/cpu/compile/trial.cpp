// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/trial.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace fuseq::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// The same bytes at each run: zeros would let implementations agree that do not.
void fill(Tensor& tensor) {
    const std::size_t count = tensor.get_size();
    std::uint32_t state = 1;
    const auto next = [&] {
        state = state * 1664525u + 1013904223u;
        return state >> 8;
    };
    if (tensor.get_element_type() == ElementType::f32) {
        float* values = tensor.data<float>();
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = static_cast<float>(next() % 512) - 256.0f;
        }
        return;
    }
    // Small whole numbers suit indices and images.
    std::vector<std::int64_t> values(count);
    for (std::int64_t& value : values) {
        value = next() % 2;
    }
    tensor = Tensor::of(tensor.get_shape(), values).to(tensor.get_element_type());
}

}  // namespace

Trial::Trial(Plan plan, const Model& model) : plan_(std::move(plan)) {
    for (const Output& port : model.inputs()) {
        inputs_.emplace_back(port.type(), port.shape());
        fill(inputs_.back());
    }
    for (const TensorId id : plan_.outputs) {
        const PlanTensor& tensor = plan_.tensors[id];
        outputs_.emplace_back(tensor.type, tensor.shape.is_static() ? tensor.dims() : Shape{0});
    }
    bound_ = std::make_unique<BoundPlan>(plan_, inputs_, outputs_);
    times_.assign(plan_.steps.size(), std::numeric_limits<double>::infinity());
}

void Trial::run() {
    bound_->run_step_by_step();
    for (std::size_t s = 0; s < times_.size(); ++s) {
        times_[s] = std::min(times_[s], bound_->times_us()[s]);
    }
}

double Trial::run_whole() {
    const auto begin = Clock::now();
    bound_->run();
    return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

}  // namespace fuseq::cpu
