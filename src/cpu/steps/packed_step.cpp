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

PackedWeights pack_weights(const Tensor& values,
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
std::vector<char> packed_key(const dnnl::memory::desc& layout,
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

void PackedStep::add_packed_to(PackedTable& table) const {
    table.resize(std::max(table.size(), number_ + 1));
    table[number_] = packed();
}

std::span<const std::int8_t> PackedStep::packed_weights() const {
    const auto it = call_.shared.find(DNNL_ARG_WEIGHTS);
    return it == call_.shared.end()
               ? std::span<const std::int8_t>()
               : std::span(static_cast<const std::int8_t*>(it->second.get_data_handle()),
                           it->second.get_desc().get_size());
}

}  // namespace fuseq::cpu
