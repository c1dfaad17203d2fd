// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What makers of steps see of the plan being made: its tensors (TensorTable), what reads an output
// and what is deferred (GraphReaders), its steps and packed weights (StepSink). PlanBuilder
// implements them. One thread uses it; only work given to defer() runs elsewhere.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "cpu/lowering/group.hpp"
#include "cpu/steps/packed_table.hpp"
#include "cpu/steps/plan_tensor.hpp"
#include "cpu/steps/step.hpp"
#include "fuseq/model.hpp"

namespace fuseq::kernels {
class GemmWeightsCache;
}

namespace fuseq::cpu {

// What the names of the own matrix product begin with, among them Group::preferred_implementation.
inline constexpr const char* kOwnGemm = "fuseq:gemm_";
inline constexpr const char* kAmxGemm = "fuseq:gemm_amx";  // one of them

// What of the properties decides which steps are made.
struct LoweringOptions {
    // Convolutions and matrix products by the device's own kernel where it is faster.
    bool own_gemm = true;
    // Consecutive steps that work on rows share depth-first tile groups
    // (plan/passes/tile_groups.hpp); false: steps need not be fit for that, and the pass does not
    // run.
    bool tile_groups = true;
};

// The tensors of the plan, and which of them hold an output in which layout.
class TensorTable {
public:
    // Valid until the next tensor is made.
    virtual const PlanTensor& tensor(TensorId id) const = 0;
    // The tensor of an output in a layout; reorders, views and constants are made on demand. Throws
    // Error when the output has not been computed.
    virtual TensorId tensor_of(const Output& output, Layout layout) = 0;
    // In the layout in which it exists (channels-last first).
    virtual TensorId tensor_of(const Output& output) = 0;
    // Whether it exists in that layout at no cost.
    virtual bool available(const Output& output, Layout layout) const = 0;
    virtual TensorId new_tensor(ElementType type, const PartialShape& shape, Layout layout) = 0;
    // A tensor over the memory of another one.
    virtual TensorId new_view(TensorId of,
                              ElementType type,
                              const PartialShape& shape,
                              Layout layout) = 0;
    // Memory that lives during one step.
    virtual TensorId new_scratch(std::size_t bytes) = 0;
    // The output is now computed in that tensor.
    virtual void set_tensor(const Output& output, TensorId id) = 0;
    // Whether the step being made may write its result over that tensor: nobody else reads it, and
    // it is no memory of the user's and no constant.
    virtual bool may_overwrite(const Output& output, Layout layout) const = 0;

protected:
    ~TensorTable() = default;
};

// Who reads an output, for steps that compute their reader too, and outputs that are computed only
// when somebody asks for them.
class GraphReaders {
public:
    // The run of element-wise nodes that is the only reader of an output, and begins with it; null
    // when there is none.
    virtual const Group* chain_after(const Output& output) const = 0;
    // The same, of one that reads no other tensor.
    virtual const Group* eltwise_after(const Output& output) const = 0;
    // All that read an output in steps, if they are runs of element-wise nodes that begin with it or
    // read it beside their source; nothing when something else reads it too.
    virtual std::vector<const Group*> chains_reading(const Output& output) const = 0;
    // Whether nothing but runs of element-wise nodes reads a result.
    virtual bool only_chains_read(const Output& output) const = 0;
    // The only reader of an output, when it is in no group and a step may compute it at once
    // instead of the output; null when there are more.
    virtual Node* only_reader(const Output& output) const = 0;
    // Of a deferred output that is only the integers of a tensor as f32: that tensor. Who reads it
    // takes the integers, or asks for the output, which is computed then.
    virtual Output integers_before_convert(const Output& output) const = 0;
    // The Transpose whose result that is, while it is deferred because a matrix product may read
    // its source with other strides; null: there is none, or somebody has asked for the result.
    virtual const Node* deferred_transpose(const Output& output) const = 0;
    // The linear Interpolate whose result that is, while it is deferred because the runs of
    // element-wise nodes after it may be computed with it; null as above.
    virtual Node* deferred_resize(const Output& output) const = 0;
    // The group is computed in that tensor by a step already added: it gets none of its own.
    virtual void finish_group(const Group& group, TensorId id) = 0;
    // The same for a node of one result that is in no group.
    virtual void finish_node(Node& node, TensorId id) = 0;

protected:
    ~GraphReaders() = default;
};

// The steps of the plan and their packed weights.
class StepSink {
public:
    virtual void add_step(std::unique_ptr<Step> step) = 0;
    // Work for a step that nothing else of building the plan waits for: creating its primitive,
    // packing its weights. Other threads begin with it at once; it is done before the plan is. It
    // must not touch the builder.
    virtual void defer(std::function<void()> work) = 0;
    // The next number of a step with packed weights, and what there is of its key; null: nothing.
    virtual std::size_t next_packed() = 0;
    virtual const PackedWeights* packed(std::size_t number,
                                        const std::vector<char>& key,
                                        const void* source) const = 0;
    // Where packed weights of such a constant can be shared with other plans; null: nowhere.
    virtual kernels::GemmWeightsCache* shared_weights(const Tensor& constant) const = 0;
    // What oneDNN said of descriptors, by all that it was asked: layers of the same shapes ask once.
    virtual std::map<std::vector<char>, bool>& answers() = 0;
    // Whether a step may empty a Const that nothing else reads.
    virtual bool releases_weights() const = 0;

protected:
    ~StepSink() = default;
};

class StepBuilder : public TensorTable, public GraphReaders, public StepSink {
public:
    virtual const LoweringOptions& options() const = 0;

protected:
    ~StepBuilder() = default;
};

}  // namespace fuseq::cpu
