// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/compile_body.hpp"

#include <algorithm>

#include "cpu/plugin/compiled_model.hpp"
#include "cpu/plugin/infer_request.hpp"
#include "cpu/compile/plan_options.hpp"

namespace fuseq::cpu {
namespace {

bool has_static_parameters(const Model& body) {
    return std::all_of(body.parameters().begin(), body.parameters().end(),
                       [](const Node* p) { return p->port(0).shape.is_static(); });
}

std::string summary_of(const Plan& plan) {
    std::size_t anchors = 0;
    std::size_t integer = 0;
    for (const auto& step : plan.steps) {
        if (is_anchor_kind(step->info().kind)) {
            ++anchors;
            integer += step->info().quantized ? 1 : 0;
        }
    }
    return detail::cat(plan.steps.size(), " steps, ", integer, " of ", anchors,
                       " convolutions and matmuls on integers");
}

// What a request gives is overwritten when it runs again.
Tensor copy_of(const Tensor& tensor) {
    Tensor copy(tensor.get_element_type(), tensor.get_shape());
    tensor.copy_to(copy);
    return copy;
}

std::vector<Tensor> run(CpuInferRequest& request,
                        std::size_t results,
                        std::span<const Tensor> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        request.set_input(i, inputs[i]);
    }
    request.infer();
    std::vector<Tensor> outputs;
    for (std::size_t i = 0; i < results; ++i) {
        outputs.push_back(copy_of(request.get_output(i)));
    }
    return outputs;
}

}  // namespace

std::optional<CompiledBody> compile_body(const Model& body, const Config& outer) {
    if (!has_static_parameters(body)) {
        return std::nullopt;
    }
    const auto compiled = std::make_shared<CpuCompiledModel>(body.clone(), config_of_part(outer));
    const auto plan = compiled->plan_for({});
    const std::size_t results = body.results().size();
    CompiledBody made;
    made.summary = summary_of(plan->plan);
    made.bytes = plan->plan.bytes();
    made.bind = [compiled, results]() -> BodyFunction {
        const auto request = std::make_shared<CpuInferRequest>(compiled);
        return BodyWithStates{[request, results](std::span<const Tensor> inputs) {
                                  return run(*request, results, inputs);
                              },
                              [request](KernelStates& states) { request->keep_states_in(states); }};
    };
    return made;
}

}  // namespace fuseq::cpu
