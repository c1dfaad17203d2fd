// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// From a transformed Model to a Plan: one step a node or group, layouts, reorders. Reorders are
// placed here and nowhere else.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cpu/lowering/step_builder.hpp"
#include "cpu/plan/build_options.hpp"
#include "cpu/plan/groups.hpp"
#include "cpu/plan/plan.hpp"
#include "fuseq/model.hpp"
#include "model/parallel_tasks.hpp"

namespace fuseq::cpu {

class PlanBuilder final : private StepBuilder {
public:
    // `ranges`: what the FakeQuantize layers of the model stand for, by layer name. The model must
    // outlive the plan.
    PlanBuilder(const Model& model,
                const std::map<std::string, FakeQuantizeResult>& ranges,
                BuildOptions options);
    // Without memory for its tensors: passes over the plan come first (compile/make_plan.hpp).
    Plan build();

    // Of each anchor that the results depend on, by its layer: what the candidates for it say
    // (lowering/registry.hpp) before anything is built. Makes no steps: for another machine's
    // choices, see ScopedMachineTraits. Instead of build().
    std::map<std::string, std::vector<CandidateVerdict>> anchor_verdicts();

private:
    // StepBuilder: what the makers of steps see.
    const PlanTensor& tensor(TensorId id) const override { return plan_.tensors[id]; }
    TensorId tensor_of(const Output& output, Layout layout) override;
    TensorId tensor_of(const Output& output) override;
    bool available(const Output& output, Layout layout) const override;
    TensorId new_tensor(ElementType type, const PartialShape& shape, Layout layout) override;
    TensorId new_view(TensorId of,
                      ElementType type,
                      const PartialShape& shape,
                      Layout layout) override;
    TensorId new_scratch(std::size_t bytes) override;
    void set_tensor(const Output& output, TensorId id) override;
    bool may_overwrite(const Output& output, Layout layout) const override;
    const Group* chain_after(const Output& output) const override;
    const Group* eltwise_after(const Output& output) const override;
    std::vector<const Group*> chains_reading(const Output& output) const override;
    bool only_chains_read(const Output& output) const override;
    Node* only_reader(const Output& output) const override;
    Output integers_before_convert(const Output& output) const override;
    const Node* deferred_transpose(const Output& output) const override;
    Node* deferred_resize(const Output& output) const override;
    void finish_group(const Group& group, TensorId id) override;
    void finish_node(Node& node, TensorId id) override;
    void add_step(std::unique_ptr<Step> step) override;
    void defer(std::function<void()> work) override;
    std::size_t next_packed() override { return packed_count_++; }
    const PackedWeights* packed(std::size_t number,
                                const std::vector<char>& key,
                                const void* source) const override;
    kernels::GemmWeightsCache* shared_weights(const Tensor& constant) const override;
    std::map<std::vector<char>, bool>& answers() override { return answers_; }
    bool releases_weights() const override {
        return options_.release_weights && !options_.dump_intermediates;
    }
    const LoweringOptions& options() const override { return options_; }

    struct Key {
        const Node* node;
        std::size_t index;
        auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
    };
    using Places = std::array<TensorId, 2>;  // by layout

    void find_groups();
    void mark_needed();
    // Work for a node: failures that know nothing of layers get its name.
    void naming(const Node& node, const std::function<void()>& work);
    void build_node(Node* node);
    void build_group(const Group& group);
    TensorId make_group(const Group& group, std::vector<CandidateVerdict>& verdicts);
    void note_candidates(std::size_t first,
                         const Node& node,
                         std::vector<CandidateVerdict> verdicts);
    void dump_intermediates(const Group& group, std::size_t first, bool stored);
    void build_plain(Node* node);
    void build_reference(Node* node);
    void make_deferred(const Output& output);
    // Its node, if that is of the type and deferred.
    Node* deferred_node(const Output& output, const char* type) const;
    CompiledBodies compile_bodies(const Node& node) const;
    void bind_outputs();
    TensorId constant(const Output& output);
    void note_quantized(const Output& output, TensorId id);

    const Model& model_;
    const std::map<std::string, FakeQuantizeResult>& ranges_;
    BuildOptions options_;
    Grouping grouping_;
    NodeNumbers needed_;             // whatever the numbers are
    const Node* current_ = nullptr;  // what is being built

    std::map<Key, const Group*> deferred_;       // computed when somebody asks for the result
    std::set<Key> deferred_nodes_;               // the same, in no group
    std::unordered_set<const Group*> finished_;  // as part of a step of another node
    std::unordered_set<const Node*> finished_nodes_;
    std::map<Key, std::size_t> readers_;  // steps that read an output
    std::map<Key, Places> places_;
    std::size_t packed_count_ = 0;
    std::map<std::vector<char>, bool> answers_;
    Plan plan_;
    BackgroundTasks background_;  // after the plan, which its tasks refer to
};

}  // namespace fuseq::cpu
