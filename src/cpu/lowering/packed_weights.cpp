// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/packed_weights.hpp"

#include <utility>

#include "model/mapped_memory.hpp"
#include "ops/constant.hpp"

namespace fuseq::cpu {

Node* weights_to_release(const StepBuilder& builder, const Node& anchor) {
    Node* weights = anchor.input_node(1);
    const bool mine =
        builder.releases_weights() && weights->is_constant() && weights->port().uses.size() == 1;
    return mine ? weights : nullptr;
}

void release(Node* weights) {
    if (weights != nullptr) {
        Tensor& value = weights->attrs<ConstAttrs>().value;
        value = Tensor(value.get_element_type(), Shape{0});
    }
}

void add_packed_step(StepBuilder& builder,
                     std::unique_ptr<PackedStep> step,
                     const dnnl::primitive_desc_base& desc,
                     const PlainWeights& weights) {
    step->set_number(builder.next_packed());
    const dnnl::memory::desc layout = desc.query_md(dnnl::query::weights_md);
    step->set_key(packed_key(layout, step->info().name, weights.scale), weights.source);
    const PackedWeights* stored = builder.packed(step->number(), step->key(), weights.source);
    Tensor values;
    if (weights.values && stored != nullptr && stored->bytes &&
        stored->bytes.get_byte_size() == layout.get_size()) {
        step->use_packed(*stored, layout);
    } else if (weights.values) {
        values = weights.values();
    }
    release(weights.released);  // from here on only the work below holds the values
    PackedStep* const later = step.get();
    builder.add_step(std::move(step));
    builder.defer([later, desc, layout, plain = weights.plain, values]() mutable {
        const ThreadCount threads(later->call().one_thread ? 1 : 0);
        later->call().primitive = dnnl::primitive(desc.get());
        if (values) {
            later->use_packed(pack_weights(values, plain, layout), layout);
            let_go_of_pages(values);
            values = Tensor();
        }
    });
}

}  // namespace fuseq::cpu
