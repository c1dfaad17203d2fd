// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/dnnl_support.hpp"

#include <cstring>

#include "cpu/machine/isa_limit.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {

const dnnl::engine& cpu_engine() {
    static const dnnl::engine engine = [] {
        fix_isa_level();
        return dnnl::engine(dnnl::engine::kind::cpu, 0);
    }();
    return engine;
}

dnnl::memory::data_type dnnl_type(ElementType type) {
    using Type = dnnl::memory::data_type;
    switch (type) {
        case ElementType::f32: return Type::f32;
        case ElementType::i32: return Type::s32;
        case ElementType::u8: return Type::u8;
        case ElementType::i8: return Type::s8;
        case ElementType::f16: return Type::f16;
        case ElementType::bf16: return Type::bf16;
        default: break;
    }
    throw Error("compile", "oneDNN has no element type " + to_string(type));
}

Carrier carrier(ElementType type) {
    switch (size_of(type)) {
        case 1: return {ElementType::u8, 1};
        case 2: return {ElementType::u8, 2};
        case 4: return {ElementType::i32, 1};
        default: return {ElementType::i32, 2};
    }
}

dnnl::memory::dims dnnl_dims(const Shape& shape) {
    return {shape.begin(), shape.end()};
}

std::vector<std::size_t> memory_order(std::size_t rank, Layout layout) {
    std::vector<std::size_t> order;
    order.reserve(rank);
    for (std::size_t d = 0; d < rank; ++d) {
        if (layout == Layout::kPlain || d != 1) {
            order.push_back(d);
        }
    }
    if (layout == Layout::kChannelsLast) {
        order.push_back(1);
    }
    return order;
}

dnnl::memory::desc dnnl_desc(ElementType type, const Shape& dims, Layout layout) {
    // oneDNN has no rank 0.
    const Shape shape = dims.empty() ? Shape{1} : dims;
    const std::vector<std::size_t> order = memory_order(shape.size(), layout);
    dnnl::memory::dims strides(shape.size());
    dnnl::memory::dim stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = stride;
        stride *= static_cast<dnnl::memory::dim>(shape[order[i]]);
    }
    return {dnnl_dims(shape), dnnl_type(type), strides};
}

dnnl::memory::desc bytes_desc(ElementType type, const Shape& dims, Layout layout) {
    const Carrier as = carrier(type);
    const dnnl::memory::desc part = dnnl_desc(as.type, dims, layout);
    if (as.parts == 1) {
        return part;
    }
    dnnl::memory::dims sizes = part.dims();
    const auto* from = part.data.format_desc.blocking.strides;
    dnnl::memory::dims strides(from, from + sizes.size());
    for (auto& stride : strides) {
        stride *= as.parts;
    }
    sizes.push_back(as.parts);
    strides.push_back(1);
    return {sizes, dnnl_type(as.type), strides};
}

dnnl::memory::desc dnnl_desc(const PlanTensor& tensor) {
    return dnnl_desc(tensor.type, tensor.dims(), tensor.layout);
}

dnnl::memory shared_memory(const dnnl::memory::desc& desc) {
    return {desc, cpu_engine()};
}

dnnl::memory shared_memory(const std::vector<float>& values) {
    dnnl::memory memory = shared_memory(
        dnnl::memory::desc({static_cast<dnnl::memory::dim>(values.size())},
                           dnnl::memory::data_type::f32, dnnl::memory::format_tag::a));
    std::memcpy(memory.get_data_handle(), values.data(), values.size() * sizeof(float));
    return memory;
}

std::string implementation_name(const dnnl::primitive_desc_base& desc) {
    return desc.impl_info_str();
}

namespace {

// The first implementation whose name `fits`; the first of all when none does.
template <class Fits>
dnnl::primitive_desc first_that(const dnnl::primitive_desc& first, const Fits& fits) {
    // next_impl() gives `found` a new descriptor; `first` keeps its own.
    dnnl::primitive_desc found = first;
    do {
        if (fits(implementation_name(found))) {
            return found;
        }
    } while (found.next_impl());
    return first;
}

}  // namespace

dnnl::primitive_desc implementation_named(const dnnl::primitive_desc& first,
                                          const std::string& name) {
    return name.empty()
               ? first
               : first_that(first, [&](const std::string& other) { return other == name; });
}

dnnl::primitive_desc implementation_without(const dnnl::primitive_desc& first,
                                            const std::string& prefix) {
    return first_that(first, [&](const std::string& name) { return !name.starts_with(prefix); });
}

DnnlRunner::DnnlRunner(const DnnlCall& call, RequestMemory& memory)
    : call_(call), memory_(memory), stream_(cpu_engine()) {
    const auto add = [&](int argument, const dnnl::memory& handle) {
        memories_.push_back(handle);
        arguments_.push_back({argument, handle.get()});
    };
    for (const auto& [argument, shared] : call.shared) {
        add(argument, shared);
    }
    for (const auto& [argument, tensor, desc] : call.tensors) {
        const bool moves = memory.in_user_memory(tensor);
        dnnl::memory handle(desc, cpu_engine(), moves ? nullptr : memory.data(tensor));
        add(argument, handle);
        if (moves) {
            moving_.emplace_back(handle, tensor);
        }
    }
}

void DnnlRunner::run() {
    for (auto& [handle, tensor] : moving_) {
        handle.set_data_handle(memory_.data(tensor));
    }
    if (call_.one_thread) {
        const OneThread one;
        execute();
        return;
    }
    execute();
}

// dnnl::primitive::execute() makes a list of its map at each call.
void DnnlRunner::execute() {
    dnnl::error::wrap_c_api(
        dnnl_primitive_execute(call_.primitive.get(), stream_.get(),
                               static_cast<int>(arguments_.size()), arguments_.data()),
        "could not execute a primitive");
}

std::size_t DnnlStep::packed_bytes() const {
    std::size_t bytes = 0;
    for (const auto& [argument, memory] : call_.shared) {
        bytes += memory.get_desc().get_size();
    }
    return bytes;
}

}  // namespace fuseq::cpu
