// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/packed_step.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "cpu/kernels/common/large_pages.hpp"
#include "model/mapped_memory.hpp"
#include "ops/constant.hpp"

namespace fuseq::cpu {
namespace {

PackedWeights packed(const Tensor& values,
                     const dnnl::memory::desc& plain,
                     const dnnl::memory::desc& wanted) {
    const OneThread one;
    dnnl::memory source(plain, cpu_engine(), const_cast<void*>(values.data()));
    const std::shared_ptr<void> memory = kernels::on_large_pages(wanted.get_size());
    dnnl::memory result(wanted, cpu_engine(), memory.get());
    dnnl::stream stream(cpu_engine());
    dnnl::reorder(source, result).execute(stream, source, result);
    stream.wait();
    return {{}, Tensor(ElementType::u8, Shape{wanted.get_size()}, memory.get(), memory)};
}

// oneDNN's descriptor is plain data. The name tells apart weights of the same shape: the steps of a
// model that was stored may be in another order. Of other input shapes the scale may be another.
std::vector<char> key_of(const dnnl::memory::desc& layout,
                         const std::string& step,
                         const post_ops::Values& scale) {
    static_assert(std::is_trivially_copyable_v<decltype(layout.data)>);
    std::vector<char> key;
    const auto append = [&](const void* data, std::size_t size) {
        const char* bytes = static_cast<const char*>(data);
        key.insert(key.end(), bytes, bytes + size);
    };
    append(&layout.data, sizeof layout.data);
    append(step.data(), step.size());
    if (!scale.all_equal_to(1.0f)) {
        append(scale.list().data(), scale.list().size() * sizeof(float));
    }
    return key;
}

}  // namespace

Node* weights_to_give_up(const PlanBuilder& builder, const Node& anchor) {
    Node* weights = anchor.input_node(1);
    const bool mine =
        builder.gives_up_weights() && weights->is_constant() && weights->port().uses.size() == 1;
    return mine ? weights : nullptr;
}

void give_up(Node* weights) {
    if (weights != nullptr) {
        Tensor& value = weights->attrs<ConstAttrs>().value;
        value = Tensor(value.get_element_type(), Shape{0});
    }
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

void PackedStep::use_packed(const PackedWeights& packed, const dnnl::memory::desc& layout) {
    stored_ = packed.bytes;
    // Primitives only read weights; the interface has no const handles.
    call_.shared[DNNL_ARG_WEIGHTS] = dnnl::memory(
        layout, cpu_engine(), const_cast<void*>(static_cast<const Tensor&>(stored_).data()));
}

PackedWeights PackedStep::packed() const {
    const auto it = call_.shared.find(DNNL_ARG_WEIGHTS);
    if (it == call_.shared.end()) {
        return {};
    }
    return {key_, stored_, source_};
}

std::span<const std::int8_t> PackedStep::packed_weights() const {
    const auto it = call_.shared.find(DNNL_ARG_WEIGHTS);
    return it == call_.shared.end()
               ? std::span<const std::int8_t>()
               : std::span(static_cast<const std::int8_t*>(it->second.get_data_handle()),
                           it->second.get_desc().get_size());
}

PackedTable packed_table(const Plan& plan) {
    PackedTable table;
    for (const auto& step : plan.steps) {
        if (const auto* packed = dynamic_cast<const PackedStep*>(step.get())) {
            table.resize(std::max(table.size(), packed->number() + 1));
            table[packed->number()] = packed->packed();
        }
    }
    return table;
}

void add_packed_step(PlanBuilder& builder,
                     std::unique_ptr<PackedStep> step,
                     const dnnl::primitive_desc_base& desc,
                     const PlainWeights& weights) {
    step->set_number(builder.next_packed());
    const dnnl::memory::desc layout = desc.query_md(dnnl::query::weights_md);
    step->set_key(key_of(layout, step->info().name, weights.scale), weights.source);
    const PackedWeights* stored = builder.packed(step->number(), step->key(), weights.source);
    Tensor values;
    if (weights.values && stored != nullptr && stored->bytes &&
        stored->bytes.get_byte_size() == layout.get_size()) {
        step->use_packed(*stored, layout);
    } else if (weights.values) {
        values = weights.values();
    }
    give_up(weights.given_up);  // from here on only the work below holds the values
    PackedStep* const later = step.get();
    builder.add_step(std::move(step));
    builder.finish_later([later, desc, layout, plain = weights.plain, values]() mutable {
        const ThreadCount threads(later->call().one_thread ? 1 : 0);
        later->call().primitive = dnnl::primitive(desc.get());
        if (values) {
            later->use_packed(packed(values, plain, layout), layout);
            let_go_of_pages(values);
            values = Tensor();
        }
    });
}

}  // namespace fuseq::cpu
