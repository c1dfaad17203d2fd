// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/packed_step.hpp"

#include "model/mapped_memory.hpp"
#include "ops/constant.hpp"

namespace fuseq::cpu {
namespace {

dnnl::memory packed(const PlainWeights& weights, const dnnl::memory::desc& wanted) {
    const OneThread one;
    dnnl::memory source(weights.plain, cpu_engine(), const_cast<void*>(weights.values.data()));
    dnnl::memory result = shared_memory(wanted);
    dnnl::stream stream(cpu_engine());
    dnnl::reorder(source, result).execute(stream, source, result);
    stream.wait();
    return result;
}

}  // namespace

Node* weights_to_give_up(const PlanBuilder& builder, const Node& anchor) {
    Node* weights = anchor.input_node(1);
    const bool mine =
        builder.gives_up_weights() && weights->is_constant() && weights->port().uses.size() == 1;
    return mine ? weights : nullptr;
}

PackedStep::PackedStep(
    DnnlCall call, std::vector<TensorId> inputs, TensorId dst, TensorId scratch, StepInfo info) {
    call_ = std::move(call);
    inputs_ = std::move(inputs);
    outputs_ = {dst};
    if (scratch != kNoTensor) {
        scratch_ = {scratch};
    }
    info_ = std::move(info);
}

void add_packed_step(PlanBuilder& builder,
                     std::unique_ptr<PackedStep> step,
                     const dnnl::primitive_desc_base& desc,
                     PlainWeights weights) {
    DnnlCall& call = step->call();
    if (weights.given_up != nullptr) {
        // From here on only the work below holds the values.
        Tensor& value = weights.given_up->attrs<ConstAttrs>().value;
        value = Tensor(value.get_element_type(), Shape{0});
    }
    builder.finish_later([&call, desc, weights = std::move(weights)]() mutable {
        call.primitive = dnnl::primitive(desc.get());
        if (weights.values) {
            call.shared[DNNL_ARG_WEIGHTS] = packed(weights, desc.query_md(dnnl::query::weights_md));
            let_go_of_pages(weights.values);
            weights.values = Tensor();
        }
    });
    builder.add_step(std::move(step));
}

}  // namespace fuseq::cpu
