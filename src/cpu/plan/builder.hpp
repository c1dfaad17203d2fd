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
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cpu/plan/groups.hpp"
#include "cpu/plan/plan.hpp"
#include "cpu/steps/body.hpp"
#include "cpu/steps/packed_table.hpp"
#include "fuseq/model.hpp"
#include "model/parallel_tasks.hpp"

namespace fuseq {
class ConstantCache;
}

namespace fuseq::kernels {
class FloatSums;
class GemmWeightsCache;
}  // namespace fuseq::kernels

namespace fuseq::cpu {

// Choices that name no implementation: the first or second one of oneDNN, a kernel of the plugin's
// own where it takes the anchor.
inline constexpr const char* kFirstOneDnn = "oneDNN";
inline constexpr const char* kSecondOneDnn = "oneDNN:second";  // kSecondImplementation
inline constexpr const char* kOwnGemm = "fuseq:gemm_";

struct BuildOptions {
    bool fuse = true;
    // For -dump: quantizations in the middle of a chain are computed once more by the same
    // primitive cut off after them. The plan itself stays as it is.
    bool dump_intermediates = false;
    // Constants that only one step reads, in a form of its own, are given up when it has them. The
    // model cannot be planned a second time then.
    bool release_weights = false;
    // Of an earlier plan of the same model; null: none. Must live until build() is done.
    const PackedTable* packed = nullptr;
    // Of several plans of one model: constants that stay where they are, and packed weights of own
    // kernels that were made of them. Null: there is one plan. As long.
    const ConstantCache* constants = nullptr;
    kernels::GemmWeightsCache* gemm_weights = nullptr;
    // What kernels need not search for again; null: nothing is known. As long.
    kernels::FloatSums* float_sums = nullptr;
    // Implementations to prefer, by name of the anchor's layer; "" for all that have no other.
    std::map<std::string, std::string> choices;
    std::size_t threads = 1;  // to build with; the plan is the same for any number
    // Convolutions and matrix products by the plugin's own kernel where it is faster.
    bool own_gemm = true;
    // Consecutive steps that work on rows share depth-first tile groups (passes/tile_groups.hpp);
    // false: steps need not be fit for that, and the pass does not run.
    bool tile_groups = true;
    // For the passes over the plan: FUSEQ_DISABLE, and where to dump; empty: nowhere.
    std::vector<std::string> disabled_passes;
    std::string dump_dir;
    // Leaves out roundings in the middle of chains, which changes results. What is hidden is not
    // shown then: it is not computed.
    bool drop_middle_rounds = false;
    // Makes a plan for a body of TensorIterator, Loop or If. Nothing, or no function: the reference
    // kernels run it.
    std::function<std::optional<CompiledBody>(const Model&)> compile_body;
};

class PlanBuilder {
public:
    // `ranges`: what the FakeQuantize layers of the model stand for, by layer name. The model must
    // outlive the plan.
    PlanBuilder(const Model& model,
                const std::map<std::string, FakeQuantizeResult>& ranges,
                BuildOptions options);
    // Without memory for its tensors: passes over the plan come first (compile/make_plan.hpp).
    Plan build();

    // --- for the makers of steps ----------------------------------------------------------------
    const PlanTensor& tensor(TensorId id) const { return plan_.tensors[id]; }
    const BuildOptions& options() const { return options_; }
    // The tensor of an output in a layout; reorders, views and constants are made on demand.
    TensorId tensor_of(const Output& output, Layout layout);
    // In the layout in which it exists (channels-last first).
    TensorId tensor_of(const Output& output);
    // Whether it exists in that layout at no cost.
    bool available(const Output& output, Layout layout) const;
    TensorId new_tensor(ElementType type, const PartialShape& shape, Layout layout);
    // A tensor over the memory of another one.
    TensorId new_view(TensorId of, ElementType type, const PartialShape& shape, Layout layout);
    // Memory that lives during one step.
    TensorId new_scratch(std::size_t bytes);
    // The output is now computed in that tensor.
    void set_tensor(const Output& output, TensorId id);
    void add_step(std::unique_ptr<Step> step);
    // Work for a step that nothing else of building the plan waits for: creating its primitive,
    // packing its weights. Other threads begin with it at once, build() returns when all of it is
    // done; it must not touch the builder.
    void defer(std::function<void()> work);
    // The next number of a step with packed weights, and what there is of its key; null: nothing.
    std::size_t next_packed() { return packed_count_++; }
    const PackedWeights* packed(std::size_t number,
                                const std::vector<char>& key,
                                const void* source) const;
    // Where packed weights of such a constant can be shared with other plans; null: nowhere.
    kernels::GemmWeightsCache* shared_weights(const Tensor& constant) const;
    // Whether a step may empty a Const that nothing else reads.
    bool releases_weights() const {
        return options_.release_weights && !options_.dump_intermediates;
    }
    // Whether the step being made may write its result over that tensor: nobody else reads it, and
    // it is no memory of the user's and no constant.
    bool may_overwrite(const Output& output, Layout layout) const;
    // The run of element-wise nodes that is the only reader of an output and reads no other tensor;
    // null when there is none.
    const Group* eltwise_after(const Output& output) const;
    // Whether nothing but runs of element-wise nodes reads a result.
    bool only_chains_read(const Output& output) const;
    // Of an output that is only the integers of a tensor as f32, and not computed yet: that tensor.
    // Who reads it takes the integers, or asks for the output, which is computed then.
    Output integers_before_convert(const Output& output) const;
    // The Transpose whose result that is, while it is not computed yet because a matrix product may
    // read its source with other strides; null: there is none, or somebody has asked for the
    // result.
    const Node* deferred_transpose(const Output& output) const;
    // The group is computed in that tensor by a step already added: it gets none of its own.
    void finish_group(const Group& group, TensorId id);
    // The only reader of an output, when a step may compute it at once instead of the output; null
    // when there are more.
    Node* only_reader(const Output& output) const;
    // The same for a node of one result that is in no group.
    void finish_node(Node& node, TensorId id);

private:
    struct Key {
        const Node* node;
        std::size_t index;
        auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
    };
    using Places = std::array<TensorId, 2>;  // by layout

    void mark_needed();
    // Work for a node: failures that know nothing of layers get its name.
    void naming(const Node& node, const std::function<void()>& work);
    void build_node(Node* node);
    void build_group(const Group& group);
    TensorId make_group(const Group& group);
    void dump_intermediates(const Group& group, std::size_t first, bool stored);
    void build_plain(Node* node);
    void build_reference(Node* node);
    CompiledBodies compile_bodies(const Node& node) const;
    void bind_outputs();
    void apply_choices();
    TensorId constant(const Output& output);
    void note_quantized(const Output& output, TensorId id);

    const Model& model_;
    const std::map<std::string, FakeQuantizeResult>& ranges_;
    BuildOptions options_;
    Grouping grouping_;
    std::unordered_set<const Node*> needed_;
    const Node* current_ = nullptr;  // what is being built
    bool may_defer(const Group& group) const;
    bool may_defer(const Node& node) const;
    void make_deferred(const Output& output);

    std::map<Key, const Group*> deferred_;       // computed when somebody asks for the result
    std::map<Key, Node*> deferred_transposes_;   // the same
    std::unordered_set<const Group*> finished_;  // as part of a step of another node
    std::unordered_set<const Node*> finished_nodes_;
    std::map<Key, std::size_t> readers_;  // steps that read an output
    std::map<Key, Places> places_;
    std::size_t packed_count_ = 0;
    Plan plan_;
    BackgroundTasks background_;  // after the plan, which its tasks refer to
};

}  // namespace fuseq::cpu
