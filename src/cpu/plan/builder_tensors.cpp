// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The tensors of a plan being built: which of them holds an output, in which layout, and what is
// made where somebody asks for one that is not there: a constant, a view, a reorder.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "cpu/plan/builder.hpp"
#include "cpu/steps/io_reorder.hpp"
#include "cpu/steps/reorder.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

std::size_t slot(Layout layout) {
    return layout == Layout::kPlain ? 0 : 1;
}

Layout other(Layout layout) {
    return layout == Layout::kPlain ? Layout::kChannelsLast : Layout::kPlain;
}

}  // namespace

TensorId PlanBuilder::new_tensor(ElementType type, const PartialShape& shape, Layout layout) {
    PlanTensor tensor;
    tensor.type = type;
    tensor.shape = shape;
    tensor.layout = layout;
    plan_.tensors.push_back(std::move(tensor));
    return plan_.tensors.size() - 1;
}

TensorId PlanBuilder::new_view(TensorId of,
                               ElementType type,
                               const PartialShape& shape,
                               Layout layout) {
    const TensorId id = new_tensor(type, shape, layout);
    plan_.tensors[id].alias = of;
    plan_.tensors[id].quantized.reset();
    return id;
}

TensorId PlanBuilder::new_scratch(std::size_t bytes) {
    return new_tensor(ElementType::u8, Shape{bytes}, Layout::kPlain);
}

void PlanBuilder::set_tensor(const Output& output, TensorId id) {
    auto [it, fresh] =
        places_.try_emplace(Key{output.node, output.index}, Places{kNoTensor, kNoTensor});
    it->second[slot(plan_.tensors[id].layout)] = id;
}

bool PlanBuilder::may_overwrite(const Output& output, Layout layout) const {
    const auto readers = readers_.find(Key{output.node, output.index});
    const auto places = places_.find(Key{output.node, output.index});
    if (readers == readers_.end() || readers->second != 1 || places == places_.end()) {
        return false;
    }
    const TensorId id = places->second[slot(layout)];
    if (id == kNoTensor) {
        return false;
    }
    // A view of a tensor that somebody else may still read.
    const PlanTensor& mine = plan_.tensors[id];
    return mine.alias == kNoTensor && mine.storage == Storage::kArena;
}

TensorId PlanBuilder::constant(const Output& output) {
    const Tensor& value = output.node->constant();
    const TensorId id = new_tensor(value.get_element_type(), value.get_shape(), Layout::kPlain);
    plan_.tensors[id].storage = Storage::kConstant;
    plan_.tensors[id].constant = value;
    set_tensor(output, id);
    return id;
}

bool PlanBuilder::available(const Output& output, Layout layout) const {
    if (const Output integers = integers_before_convert(output)) {
        return available(integers, layout);
    }
    const auto it = places_.find(Key{output.node, output.index});
    if (it == places_.end()) {
        return layout == Layout::kPlain;
    }
    return it->second[slot(layout)] != kNoTensor || layouts_agree(output.shape());
}

TensorId PlanBuilder::tensor_of(const Output& output) {
    make_deferred(output);
    const auto it = places_.find(Key{output.node, output.index});
    if (it != places_.end() && it->second[1] != kNoTensor) {
        return it->second[1];
    }
    return tensor_of(output, Layout::kPlain);
}

TensorId PlanBuilder::tensor_of(const Output& output, Layout layout) {
    make_deferred(output);
    auto it = places_.find(Key{output.node, output.index});
    if (it == places_.end()) {
        if (!output.node->is_constant()) {
            throw Error("compile", fmt::format("layer '{}' is read before it is computed",
                                               output.node->name()));
        }
        constant(output);
        it = places_.find(Key{output.node, output.index});
    }
    if (it->second[slot(layout)] != kNoTensor) {
        return it->second[slot(layout)];
    }
    const TensorId from = it->second[slot(other(layout))];
    const PlanTensor source = plan_.tensors[from];
    TensorId id = kNoTensor;
    if (layouts_agree(source.dims())) {
        id = new_view(from, source.type, source.shape, layout);
    } else if (source.storage == Storage::kConstant) {
        id = new_tensor(source.type, source.shape, layout);
        plan_.tensors[id].storage = Storage::kConstant;
        plan_.tensors[id].constant = reordered(source.constant, layout);
    } else {
        id = new_tensor(source.type, source.shape, layout);
        std::unique_ptr<Step> step;
        if (io_reorder_takes(source.type)) {
            step = std::make_unique<IoReorderStep>(source, from, plan_.tensors[id], id,
                                                   IoReorderFunction{});
        } else {
            step = std::make_unique<ReorderStep>(source, from, plan_.tensors[id], id);
        }
        step->info().name = output.node->name() + "/reorder";
        add_step(std::move(step));
    }
    set_tensor(output, id);
    return id;
}

std::vector<const Group*> PlanBuilder::chains_reading(const Output& output) const {
    std::vector<const Group*> chains;
    std::size_t places = 0;
    const auto readers = readers_.find(Key{output.node, output.index});
    for (const Group& group : grouping_.groups) {
        const auto& others = group.binary_sources;
        const auto count = static_cast<std::size_t>(
            (group.source == output) + std::count(others.begin(), others.end(), output));
        if (count != 0 && group.anchor == nullptr && needed_.contains(group.result.node)) {
            chains.push_back(&group);
            places += count;
        }
    }
    const bool all = options_.fuse && readers != readers_.end() && readers->second == places;
    return all ? chains : std::vector<const Group*>{};
}

}  // namespace fuseq::cpu
