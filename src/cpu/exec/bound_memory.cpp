// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/exec/bound_memory.hpp"

#include <cstring>
#include <utility>

#include "cpu/kernels/common/large_pages.hpp"

namespace fuseq::cpu {
namespace {

// New pages cost more than a plan's tensors gain by lying close together. One that is much too
// large is given back.
Arena arena_for(std::size_t bytes, Arena before) {
    constexpr std::size_t kMostTimes = 8;
    if (before.memory != nullptr && before.bytes >= bytes && before.bytes / kMostTimes <= bytes) {
        return before;
    }
    before.memory.reset();  // before there is a second one
    return {kernels::on_large_pages(bytes), bytes};
}

}  // namespace

BoundMemory::BoundMemory(const Plan& plan,
                         std::vector<Tensor>& inputs,
                         std::vector<Tensor>& outputs,
                         KernelStates* states,
                         Arena arena)
    : plan_(plan),
      inputs_(inputs),
      outputs_(outputs),
      arena_memory_(arena_for(plan.arena_bytes, std::move(arena))),
      arena_(ElementType::u8, Shape{plan.arena_bytes}, arena_memory_.memory.get()),
      dynamic_(plan.tensors.size()),
      states_(states) {
    for (TensorId id = 0; id < plan.tensors.size(); ++id) {
        roots_.push_back(plan.root(id));
    }
}

void BoundMemory::poison(int byte) {
    std::memset(arena_.data(), byte, arena_.get_byte_size());
    for (const PlanTensor& tensor : plan_.tensors) {
        if (tensor.storage == Storage::kOutput) {
            std::memset(outputs_[tensor.port].data(), byte, outputs_[tensor.port].get_byte_size());
        }
    }
}

bool BoundMemory::in_user_memory(TensorId id) const {
    const Storage storage = plan_.tensors[roots_[id]].storage;
    return storage == Storage::kInput || storage == Storage::kOutput;
}

void* BoundMemory::data(TensorId id) const {
    const PlanTensor& root = plan_.tensors[roots_[id]];
    // Steps only read inputs and constants; the interface of oneDNN has no const handles.
    switch (root.storage) {
        case Storage::kArena:
            return static_cast<char*>(const_cast<void*>(arena_.data())) + root.offset;
        case Storage::kConstant: return const_cast<void*>(root.constant.data());
        case Storage::kInput:
            return const_cast<void*>(static_cast<const Tensor&>(inputs_[root.port]).data());
        case Storage::kOutput: return outputs_[root.port].data();
        case Storage::kDynamic: break;
    }
    return const_cast<void*>(static_cast<const Tensor&>(dynamic_[roots_[id]]).data());
}

void* BoundMemory::rows(TensorId id, const RowPart& part) const {
    const PlanTensor& root = plan_.tensors[roots_[id]];
    auto* at = static_cast<char*>(data(id));
    return root.part_row == 0
               ? at
               : at + part.thread * root.part_bytes + root.part_kept - part.begin * root.part_row;
}

void BoundMemory::keep_rows(TensorId id, const RowPart& part) const {
    const PlanTensor& root = plan_.tensors[roots_[id]];
    if (root.part_kept != 0) {
        char* at = static_cast<char*>(data(id)) + part.thread * root.part_bytes;
        std::memmove(at, at + (part.end - part.begin) * root.part_row, root.part_kept);
    }
}

Tensor BoundMemory::as_tensor(TensorId id) const {
    const PlanTensor& root = plan_.tensors[roots_[id]];
    const PlanTensor& mine = plan_.tensors[id];
    if (root.storage == Storage::kDynamic) {
        return dynamic_[roots_[id]];
    }
    if (root.storage == Storage::kConstant) {
        return root.constant.reshaped(mine.dims());
    }
    return {mine.type, mine.dims(), data(id)};
}

}  // namespace fuseq::cpu
