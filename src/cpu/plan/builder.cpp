// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/builder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_set>
#include <utility>

#include "cpu/kernels/float_conv/float_sums.hpp"
#include "cpu/lowering/deferral.hpp"
#include "cpu/lowering/registry.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/plan/fake_quantize_ranges.hpp"
#include "cpu/plan/shared_groups.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/steps/copy.hpp"
#include "cpu/steps/gemm.hpp"
#include "cpu/steps/named_failure.hpp"
#include "cpu/steps/own_kernels.hpp"
#include "cpu/steps/reference.hpp"
#include "cpu/threading/parallel.hpp"
#include "transformations/support/constant_cache.hpp"

namespace fuseq::cpu {
namespace {

// Of `made` those that the steps after them read, and what these read in turn.
std::unordered_set<const Step*> needed_steps(std::span<const std::unique_ptr<Step>> made,
                                             std::span<const std::unique_ptr<Step>> after) {
    std::unordered_set<TensorId> read;
    for (const auto& step : after) {
        read.insert(step->inputs().begin(), step->inputs().end());
    }
    std::unordered_set<const Step*> needed;
    for (std::size_t s = made.size(); s-- > 0;) {
        const auto& outputs = made[s]->outputs();
        if (std::any_of(outputs.begin(), outputs.end(),
                        [&](TensorId id) { return read.count(id) != 0; })) {
            needed.insert(made[s].get());
            read.insert(made[s]->inputs().begin(), made[s]->inputs().end());
        }
    }
    return needed;
}

// oneDNN counts elements in 32 bits here and there, and divides by what overflowed.
void check_sizes(const Node& node) {
    constexpr std::size_t kMaxElements = std::numeric_limits<std::int32_t>::max();
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        const PartialShape& shape = node.port(i).shape;
        if (shape.is_static() && shape_size(shape.to_shape()) > kMaxElements) {
            throw Error("compile", fmt::format("output {} has the shape {}; the CPU device "
                                               "computes tensors of at most {} elements",
                                               i, to_string(shape), kMaxElements));
        }
    }
}

}  // namespace

PlanBuilder::PlanBuilder(const Model& model,
                         const std::map<std::string, FakeQuantizeResult>& ranges,
                         BuildOptions options)
    : model_(model), ranges_(ranges), options_(std::move(options)), background_(options_.threads) {}

Plan PlanBuilder::build() {
    const kernels::FloatSums::Scope sums(options_.float_sums);
    find_groups();
    for (std::size_t i = 0; i < model_.parameters().size(); ++i) {
        Node* parameter = model_.parameters()[i];
        const TensorId id =
            new_tensor(parameter->port(0).type, parameter->port(0).shape, Layout::kPlain);
        plan_.tensors[id].storage = Storage::kInput;
        plan_.tensors[id].port = i;
        plan_.inputs.push_back(id);
        set_tensor(parameter->output(0), id);
    }
    for (Node* node : model_.ordered_nodes()) {
        if (needed_.contains(node)) {
            naming(*node, [&] {
                if (!node->is("Const")) {
                    check_sizes(*node);
                }
                build_node(node);
            });
        }
    }
    bind_outputs();
    background_.finish();
    if (options_.groups != nullptr) {
        options_.groups->keep(std::move(grouping_));
    }
    return std::move(plan_);
}

void PlanBuilder::find_groups() {
    post_ops::SimplifyOptions laws;
    laws.drop_middle_rounds = options_.drop_middle_rounds;
    grouping_ = options_.groups == nullptr
                    ? attach_post_ops(model_, options_.fuse, laws)
                    : options_.groups->take(model_, options_.fuse, laws, options_.is_copy);
    mark_needed();
}

std::map<std::string, std::vector<CandidateVerdict>> PlanBuilder::anchor_verdicts() {
    find_groups();
    std::map<std::string, std::vector<CandidateVerdict>> verdicts;
    for (const Group& group : grouping_.groups) {
        if (group.anchor != nullptr && needed_.contains(group.result.node)) {
            verdicts[group.anchor->name()] = cpu::anchor_verdicts(*this, group);
        }
    }
    return verdicts;
}

// What the Results depend on when groups read raw tensors: a dequantize that every reader has taken
// into its own chain is not computed.
void PlanBuilder::mark_needed() {
    std::vector<Node*> stack(model_.results().begin(), model_.results().end());
    for (const Node* result : stack) {
        needed_.set(result, 0);
    }
    const auto need = [&](const Output& output) {
        if (!output) {
            return;
        }
        ++readers_[Key{output.node, output.index}];
        if (!needed_.contains(output.node)) {
            needed_.set(output.node, 0);
            stack.push_back(output.node);
        }
    };
    while (!stack.empty()) {
        Node* node = stack.back();
        stack.pop_back();
        const std::size_t* const of = grouping_.group_of.find(node);
        if (of == nullptr) {
            for (const Output& input : node->inputs()) {
                need(input);
            }
            continue;
        }
        const Group& group = grouping_.groups[*of];
        // Reached through its result: the last absorbed node stands for the group.
        if (group.anchor != nullptr) {
            for (const Output& input : group.anchor->inputs()) {
                need(input);
            }
        } else {
            need(group.source);
        }
        for (const Output& source : group.binary_sources) {
            need(source);
        }
    }
}

void PlanBuilder::naming(const Node& node, const std::function<void()>& work) {
    current_ = &node;
    try {
        work();
    } catch (...) {
        throw_named("compile", current_->name(), current_->type());
    }
}

void PlanBuilder::build_node(Node* node) {
    if (node->is("Parameter") || node->is("Result") || node->is("Const")) {
        return;
    }
    const std::size_t* const of = grouping_.group_of.find(node);
    if (of == nullptr) {
        if (!finished_nodes_.contains(node)) {
            build_plain(node);
        }
        return;
    }
    const Group& group = grouping_.groups[*of];
    if (group.result.node == node && options_.fuse && may_be_read_as_integers(group)) {
        deferred_[Key{group.result.node, group.result.index}] = &group;
    } else if (group.result.node == node && !finished_.contains(&group)) {
        build_group(group);
    }
}

TensorId PlanBuilder::make_group(const Group& group, std::vector<CandidateVerdict>& verdicts) {
    return group.anchor != nullptr ? make_anchor_step(*this, group, verdicts)
                                   : make_fused_eltwise(*this, group, verdicts);
}

// Steps first, first + 1, ... are those of the group. Dumped steps run before them, as they may
// overwrite a binary source, and on the same implementation: two may round differently.
void PlanBuilder::dump_intermediates(const Group& group, std::size_t first, bool stored) {
    auto& steps = plan_.steps;
    const std::size_t last = steps.size();
    std::string implementation;
    for (std::size_t s = first; s < last && implementation.empty(); ++s) {
        const StepInfo& info = steps[s]->info();
        const bool own =
            group.anchor == nullptr ? info.kind != "reorder" : info.name == group.anchor->name();
        implementation = own ? info.implementation : "";
    }
    for (const std::size_t count : intermediate_quantizations(group, stored)) {
        Group head = head_of(group, count);
        head.preferred_implementation = implementation;
        std::vector<CandidateVerdict> verdicts;
        const TensorId levels = make_group(head, verdicts);
        const auto range = ranges_.find(head.result.node->name());
        if (range != ranges_.end()) {
            plan_.tensors[levels].quantized = range->second;
        }
    }
    for (std::size_t s = last; s < steps.size(); ++s) {
        steps[s]->info().kind = "dump";
    }
    // After what the group made for tensors of others, wherever that stands: reorders, and
    // transpositions that waited for it.
    const auto group_begin = steps.begin() + static_cast<std::ptrdiff_t>(first);
    const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(last);
    const auto needed = needed_steps({steps.data() + first, steps.data() + last},
                                     {steps.data() + last, steps.data() + steps.size()});
    const auto begin = std::stable_partition(
        group_begin, middle, [&](const auto& step) { return needed.count(step.get()) != 0; });
    std::rotate(begin, middle, steps.end());
}

void PlanBuilder::build_group(const Group& group) {
    const std::size_t first = plan_.steps.size();
    current_ = group.anchor != nullptr ? group.anchor : current_;
    std::vector<CandidateVerdict> verdicts;
    const TensorId id = make_group(group, verdicts);
    if (group.anchor != nullptr) {
        for (std::size_t s = first; s < plan_.steps.size(); ++s) {
            plan_.steps[s]->info().group = group.anchor->name();
        }
    }
    note_candidates(first, group.anchor != nullptr ? *group.anchor : *group.result.node,
                    std::move(verdicts));
    if (options_.dump_intermediates && !options_.drop_middle_rounds) {
        dump_intermediates(group, first, id != kNoTensor);
    }
    if (id == kNoTensor) {  // its only reader is computed with it
        return;
    }
    set_tensor(group.result, id);
    note_quantized(group.result, id);
}

void PlanBuilder::build_plain(Node* node) {
    if (deferred_nodes_.erase(Key{node, 0}) == 0 && options_.fuse &&
        (may_be_read_with_strides(*this, *node) || may_be_resized_with_chain(*this, *node))) {
        deferred_nodes_.insert(Key{node, 0});
        return;
    }
    const std::size_t first = plan_.steps.size();
    std::vector<CandidateVerdict> verdicts;
    const bool made = make_node_step(*this, *node, verdicts);
    if (!made) {
        build_reference(node);
    }
    note_candidates(first, *node, std::move(verdicts));
    if (made && is_integral(node->port(0).type)) {
        note_quantized(node->output(0), tensor_of(node->output(0)));
    }
}

// On the step named after the layer, else on the last one: an Add that is part of a softmax. None
// where a view was made.
void PlanBuilder::note_candidates(std::size_t first,
                                  const Node& node,
                                  std::vector<CandidateVerdict> verdicts) {
    if (first == plan_.steps.size()) {
        return;
    }
    const auto begin = plan_.steps.begin() + static_cast<std::ptrdiff_t>(first);
    const auto named = std::find_if(begin, plan_.steps.end(), [&](const auto& step) {
        return step->info().name == node.name();
    });
    Step& own = named != plan_.steps.end() ? **named : *plan_.steps.back();
    if (own.info().candidates.empty()) {
        own.info().candidates = std::move(verdicts);
    }
}

CompiledBodies PlanBuilder::compile_bodies(const Node& node) const {
    CompiledBodies bodies;
    if (!options_.compile_body) {
        return bodies;
    }
    for (const NamedAttribute& named : list_attributes(node.attributes())) {
        const auto* const* body = std::get_if<std::shared_ptr<Model>*>(&named.ref);
        if (body == nullptr || !**body) {
            continue;
        }
        if (auto compiled = options_.compile_body(***body)) {
            bodies.emplace((*body)->get(), std::move(*compiled));
        }
    }
    return bodies;
}

void PlanBuilder::build_reference(Node* node) {
    std::vector<TensorId> inputs;
    for (const Output& input : node->inputs()) {
        inputs.push_back(input ? tensor_of(input, Layout::kPlain) : kNoTensor);
    }
    std::vector<TensorId> outputs;
    for (std::size_t i = 0; i < node->output_count(); ++i) {
        const OutputPort& port = node->port(i);
        const TensorId id = new_tensor(port.type, port.shape, Layout::kPlain);
        if (port.shape.is_dynamic()) {
            plan_.tensors[id].storage = Storage::kDynamic;
        }
        outputs.push_back(id);
        set_tensor(node->output(i), id);
    }
    add_step(std::make_unique<ReferenceStep>(*node, std::move(inputs), std::move(outputs),
                                             compile_bodies(*node), own_kernel_of(*node)));
}

void PlanBuilder::defer(std::function<void()> work) {
    // Primitives are made for the number of threads of inference, whatever thread makes them.
    background_.add([threads = omp_get_max_threads(), sums = options_.float_sums,
                     work = std::move(work), layer = current_->name(), type = current_->type()] {
        const ThreadCount scope(threads);
        const kernels::FloatSums::Scope known(sums);
        try {
            work();
        } catch (...) {
            throw_named("compile", layer, type);
        }
    });
}

// Results are written straight into the user's memory where one step makes them; else copied.
void PlanBuilder::bind_outputs() {
    for (std::size_t i = 0; i < model_.results().size(); ++i) {
        const Output source = model_.results()[i]->input(0);
        TensorId id = kNoTensor;
        naming(*source.node, [&] { id = tensor_of(source, Layout::kPlain); });
        PlanTensor& root = plan_.tensors[plan_.root(id)];
        if (root.storage == Storage::kArena && root.bytes() == plan_.tensors[id].bytes()) {
            root.storage = Storage::kOutput;
            root.port = i;
        } else if (root.storage != Storage::kDynamic) {
            const PlanTensor from = plan_.tensors[id];
            const TensorId copy = new_tensor(from.type, from.shape, Layout::kPlain);
            plan_.tensors[copy].storage = Storage::kOutput;
            plan_.tensors[copy].port = i;
            add_step(std::make_unique<CopyStep>(from, id, copy));
            id = copy;
        }
        plan_.outputs.push_back(id);
    }
}

void PlanBuilder::add_step(std::unique_ptr<Step> step) {
    plan_.steps.push_back(std::move(step));
}

const PackedWeights* PlanBuilder::packed(std::size_t number,
                                         const std::vector<char>& key,
                                         const void* source) const {
    if (options_.packed == nullptr) {
        return nullptr;
    }
    const auto matches = [&](const PackedWeights& packed) {
        return packed.key == key && (packed.source == nullptr || packed.source == source);
    };
    const PackedTable& table = *options_.packed;
    if (number < table.size() && matches(table[number])) {
        return &table[number];
    }
    const auto it = std::find_if(table.begin(), table.end(), matches);
    return it != table.end() ? &*it : nullptr;
}

kernels::GemmWeightsCache* PlanBuilder::shared_weights(const Tensor& constant) const {
    const bool stays = options_.constants != nullptr && options_.constants->keeps(constant.data());
    return stays ? options_.gemm_weights : nullptr;
}

const Group* PlanBuilder::chain_after(const Output& output) const {
    const std::vector<Use>& uses = output.node->port(output.index).uses;
    const auto readers = readers_.find(Key{output.node, output.index});
    // Chains that read through a dequantize after it are readers too.
    if (!options_.fuse || uses.size() != 1 || readers == readers_.end() || readers->second != 1) {
        return nullptr;
    }
    const std::size_t* const of = grouping_.group_of.find(uses[0].node);
    if (of == nullptr) {
        return nullptr;
    }
    const Group& group = grouping_.groups[*of];
    const bool begins =
        group.anchor == nullptr && group.source == output && needed_.contains(group.result.node);
    return begins ? &group : nullptr;
}

const Group* PlanBuilder::eltwise_after(const Output& output) const {
    const Group* group = chain_after(output);
    return group != nullptr && group->binary_sources.empty() ? group : nullptr;
}

bool PlanBuilder::only_chains_read(const Output& output) const {
    const std::vector<Use>& uses = output.node->port(output.index).uses;
    return !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
        const std::size_t* const of = grouping_.group_of.find(use.node);
        return of != nullptr && grouping_.groups[*of].anchor == nullptr;
    });
}

void PlanBuilder::make_deferred(const Output& output) {
    const auto it = deferred_.find(Key{output.node, output.index});
    if (it != deferred_.end()) {
        const Group& group = *it->second;
        deferred_.erase(it);
        build_group(group);
    }
    if (deferred_nodes_.contains(Key{output.node, output.index})) {
        build_plain(output.node);
    }
}

Node* PlanBuilder::deferred_node(const Output& output, const char* type) const {
    const bool is_one =
        output.node->is(type) && deferred_nodes_.contains(Key{output.node, output.index});
    return is_one ? output.node : nullptr;
}

const Node* PlanBuilder::deferred_transpose(const Output& output) const {
    return deferred_node(output, "Transpose");
}

Node* PlanBuilder::deferred_resize(const Output& output) const {
    return deferred_node(output, "Interpolate");
}

Output PlanBuilder::integers_before_convert(const Output& output) const {
    const auto it = deferred_.find(Key{output.node, output.index});
    return it == deferred_.end() ? Output{} : it->second->source;
}

Node* PlanBuilder::only_reader(const Output& output) const {
    const std::vector<Use>& uses = output.node->port(output.index).uses;
    const bool alone = options_.fuse && uses.size() == 1 && needed_.contains(uses[0].node) &&
                       !grouping_.group_of.contains(uses[0].node);
    return alone ? uses[0].node : nullptr;
}

void PlanBuilder::finish_node(Node& node, TensorId id) {
    finished_nodes_.insert(&node);
    set_tensor(node.output(0), id);
    note_quantized(node.output(0), id);
}

void PlanBuilder::finish_group(const Group& group, TensorId id) {
    finished_.insert(&group);
    set_tensor(group.result, id);
    note_quantized(group.result, id);
}

// Says of an integer tensor which FakeQuantize of the IR it is the result of. A quantization that
// was moved before a pooling has that result after the pooling; one that was moved before a
// movement has given it its name.
void PlanBuilder::note_quantized(const Output& output, TensorId id) {
    const Node* node = output.node;
    if (!is_integral(output.type())) {
        return;
    }
    while (node->is("MaxPool")) {
        node = node->input_node(0);
    }
    const auto range = ranges_.find(node->name());
    if (range == ranges_.end() || !range->second.shape.compatible(output.partial_shape()) ||
        !holds_result(output, range->second)) {
        return;
    }
    while (!node->is("FakeQuantize")) {
        if (node->input_count() == 0) {
            return;
        }
        node = node->input_node(0);
    }
    FakeQuantizeResult result = range->second;
    result.first_level = to_floats(node->input_node(3)->constant()).at(0);
    plan_.tensors[id].quantized = std::move(result);
}

}  // namespace fuseq::cpu
