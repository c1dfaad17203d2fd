// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/groups.hpp"

#include <algorithm>

#include "cpu/lowering/lower_node.hpp"
#include "cpu/lowering/resize_before.hpp"
#include "cpu/lowering/resize_request.hpp"
#include "ops/fake_quantize.hpp"

namespace fuseq::cpu {
namespace {

bool is_dequantize(const Node& node) {
    return node.is("Convert") || node.is("Subtract") || node.is("Multiply");
}

bool is_quantize_only(const Node& node) {
    return node.is("FakeQuantize") && is_integral(node.port(0).type);
}

// Takes back the absorbed nodes after number `keep`.
void truncate(Group& group, std::size_t keep) {
    group.absorbed.resize(keep);
    group.ends.resize(keep);
    group.chain.ops.resize(keep == 0 ? 0 : group.ends.back());
    std::size_t binary_sources = 0;
    for (const post_ops::BasicOp& op : group.chain.ops) {
        if (const auto* binary = std::get_if<post_ops::Binary>(&op)) {
            binary_sources = std::max(binary_sources, binary->input + 1);
        }
    }
    group.binary_sources.resize(binary_sources);
}

// A result that ends in a dequantize of integers of its own (a quantization's, those of a Clamp
// that a ReLU became) is stored as integers instead; those who read it look through the dequantize.
void store_integers(Group& group) {
    for (std::size_t i = group.absorbed.size(); i-- > 0;) {
        if (is_integral(group.absorbed[i]->port(0).type)) {
            truncate(group, i + 1);
            return;
        }
        if (!is_dequantize(*group.absorbed[i])) {
            return;
        }
    }
}

bool absorb(Group& group, Node* node, Output data) {
    if (!has_static_shapes(*node) || !storable(node->port(0).type)) {
        return false;
    }
    std::optional<Lowered> lowered = lower_node(*node, data, group);
    if (!lowered) {
        return false;
    }
    group.chain.ops.insert(group.chain.ops.end(), lowered->ops.begin(), lowered->ops.end());
    group.binary_sources.insert(group.binary_sources.end(), lowered->binary_sources.begin(),
                                lowered->binary_sources.end());
    if (lowered->axis_fixed) {
        group.channel_axis = lowered->channel_axis;
        group.axis_fixed = true;
    }
    group.absorbed.push_back(node);
    group.ends.push_back(group.chain.ops.size());
    return true;
}

// The nodes of the dequantize that ends there, Convert first; none when it is something else.
std::vector<Node*> dequantize_before(Output at) {
    std::vector<Node*> nodes;
    for (const char* type : {"Multiply", "Subtract"}) {
        if (at.node->is(type) && at.node->input_node(1)->is_constant()) {
            nodes.push_back(at.node);
            at = at.node->input(0);
        }
    }
    if (!at.node->is("Convert") || at.type() != ElementType::f32 ||
        (at.node->input(0).type() != ElementType::u8 &&
         at.node->input(0).type() != ElementType::i8)) {
        return {};
    }
    nodes.push_back(at.node);
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
}

// The nodes that a chain on `source` reads through, which others may read too: they are not
// absorbed. Nothing when a chain cannot hold them.
std::optional<Group> chain_through(const Output& source, const std::vector<Node*>& nodes) {
    Group group;
    group.source = source;
    for (Node* node : nodes) {
        if (!has_static_shapes(*node) || !absorb(group, node, node->input(0))) {
            return std::nullopt;
        }
    }
    group.absorbed.clear();
    group.ends.clear();
    return group;
}

class Grouper {
public:
    Grouper(const Model& model, bool fuse, const post_ops::SimplifyOptions& laws)
        : order_(model.ordered_nodes()), fuse_(fuse), laws_(laws) {
        for (std::size_t i = 0; i < order_.size(); ++i) {
            place_.set(order_[i], i);
        }
    }

    Grouping run() {
        // Of two anchors that meet in an Add the later one takes it: the other result is stored, as
        // integers where it can (is_left_to_floats).
        for (std::size_t i = order_.size(); i-- > 0;) {
            if (is_anchor(*order_[i])) {
                add_anchor(order_[i]);
            }
        }
        for (Node* node : order_) {
            if (!result_.group_of.contains(node)) {
                add_chain(node);
            }
        }
        return std::move(result_);
    }

private:
    void add_anchor(Node* node) {
        Group group;
        group.anchor = node;
        group.source = node->output(0);
        group.channel_axis = node->is("MatMul") ? node->port(0).shape.rank() - 1 : 1;
        group.axis_fixed = true;
        if (fuse_) {
            extend(group, node->output(0));
        }
        finish(std::move(group));
    }

    void add_chain(Node* node) {
        if (node->is("Const") || node->is("Parameter") || node->is("Result")) {
            return;
        }
        // Either operand may be the data of the chain: the first that is not constant and works. A
        // linear Interpolate is computed with the chain that begins with it.
        std::vector<Output> inputs(node->inputs().begin(), node->inputs().end());
        std::stable_partition(inputs.begin(), inputs.end(), [](const Output& input) {
            return input && is_linear_resize(*input.node);
        });
        for (const Output& input : inputs) {
            if (!input || input.node->is_constant() || !storable(input.type())) {
                continue;
            }
            Group group = chain_from(input);
            if (absorb(group, node, input)) {
                if (fuse_) {
                    extend(group, node->output(0));
                }
                finish(std::move(group));
                return;
            }
        }
    }

    // A chain that reads the integers after a dequantize, what a linear Interpolate gives before one,
    // or `input` itself.
    Group chain_from(const Output& input) const {
        std::optional<Group> through;
        if (const auto nodes = read_through(input); fuse_ && !nodes.empty()) {
            through = chain_through(nodes.front()->input(0), nodes);
        } else if (fuse_ && is_resized_by_each_reader(input)) {
            const ResizeBefore before = resize_before(input);
            through = chain_through(before.resize, before.dequantize);
        }
        if (through) {
            return std::move(*through);
        }
        Group group;
        group.source = input;
        return group;
    }

    // The dequantize before `input`, or mean and scale of a picture of bytes, which end in an Add. Bytes
    // that a chain computes are not asked for past an Add: that chain goes on over it and keeps floats.
    std::vector<Node*> read_through(const Output& input) const {
        if (!input.node->is("Add") || !input.node->input_node(1)->is_constant()) {
            return dequantize_before(input);
        }
        std::vector<Node*> nodes = dequantize_before(input.node->input(0));
        if (nodes.empty() || result_.group_of.contains(nodes.front()->input_node(0))) {
            return {};
        }
        nodes.push_back(input.node);
        return nodes;
    }

    // Whether a few chains read a resized tensor and nothing else does: each computes it once more,
    // in the cache, from its source of fewer elements.
    bool is_resized_by_each_reader(const Output& at) const {
        constexpr std::size_t kMaxReaders = 3;
        const std::vector<Use>& uses = at.node->port(at.index).uses;
        if (uses.size() < 2 || uses.size() > kMaxReaders) {
            return false;
        }
        const ResizeBefore before = resize_before(at);
        return before.resize && !before.dequantize.empty() &&
               shape_size(before.resize.node->input(0).shape()) <= shape_size(at.shape()) &&
               std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
                   const std::size_t* const of = result_.group_of.find(use.node);
                   const bool with_anchor = of != nullptr && result_.groups[*of].anchor != nullptr;
                   Group chain;
                   chain.source = at;
                   return !with_anchor && lower_node(*use.node, at, chain);
               });
    }

    void extend(Group& group, Output data) {
        while (true) {
            const std::vector<Use>& uses = data.node->port(data.index).uses;
            if (uses.size() != 1 || result_.group_of.contains(uses[0].node)) {
                break;
            }
            Node* next = uses[0].node;
            if (is_left_to_resize(*next, data) ||
                (group.anchor == nullptr
                     ? !is_linear_resize(*group.source.node) && is_left_to_other(*next, data)
                     : is_left_to_floats(*next, data, *group.anchor))) {
                break;
            }
            if (!absorb(group, next, data)) {
                break;
            }
            data = next->output(0);
        }
        store_integers(group);
    }

    // Of two anchors that meet in an Add, one whose result is quantized before leaves the Add to an
    // earlier one whose result is not: bytes are stored then, where it were floats.
    bool is_left_to_floats(const Node& next, const Output& data, const Node& anchor) const {
        if (!next.is("Add") || next.input(0) == next.input(1) || dequantize_before(data).empty()) {
            return false;
        }
        const Output& other = next.input(next.input(0) == data ? 1 : 0);
        if (other.partial_shape() != data.partial_shape() || !dequantize_before(other).empty()) {
            return false;
        }
        const Node* from = other.node;
        while (from->input_count() > 0 && !is_anchor(*from) && from->port().uses.size() == 1 &&
               is_elementwise_of_one(*from)) {
            from = from->input_node(0);
        }
        return from->type() == anchor.type() && from->port().uses.size() == 1 &&
               !result_.group_of.contains(from);
    }

    // Of the first input alone, and in floats.
    static bool is_elementwise_of_one(const Node& node) {
        const bool activation =
            node.is("ReLU") || node.is("PReLU") || node.is("Clamp") || node.is("Sigmoid");
        const bool with_constant =
            (node.is("Add") || node.is("Multiply")) && node.input_node(1)->is_constant();
        return node.port().type == ElementType::f32 && (activation || with_constant);
    }

    // Of two chains that meet, the one that begins later takes the node: what the other one does
    // may be read through, or is stored.
    bool is_left_to_other(const Node& next, const Output& data) const {
        if (next.input_count() != 2 || next.input(0) == next.input(1)) {
            return false;
        }
        const Output& other = next.input(next.input(0) == data ? 1 : 0);
        return !other.node->is_constant() && other.partial_shape() == data.partial_shape() &&
               place_.at(other.node) > place_.at(data.node) &&
               !result_.group_of.contains(other.node) &&
               other.node->port(other.index).uses.size() == 1 &&
               (is_dequantize(*other.node) || other.node->is("FakeQuantize"));
    }

    // A quantized result that is added to a linear Interpolate, or to a sum of such: its integers
    // are stored, and the Interpolate adds them as it writes, instead of storing its floats. One
    // that is added to such a sum is computed by the chain of that.
    static bool is_left_to_resize(const Node& next, const Output& data) {
        const bool resized = static_cast<bool>(resize_before(data).resize);
        if (!next.is("Add") || (dequantize_before(data).empty() && !resized)) {
            return false;
        }
        const Output& other = next.input(next.input(0) == data ? 1 : 0);
        return other.partial_shape() == data.partial_shape() &&
               (is_sum_of_resized(other) || (!resized && is_read_once_after_resize(other)));
    }

    void finish(Group group) {
        group.result = group.absorbed.empty() ? group.source : group.absorbed.back()->output(0);
        group.chain.dst_type = group.result.type();
        group.laws = laws_;
        result_.add(std::move(group));
    }

    std::vector<Node*> order_;
    NodeNumbers place_;  // in order_
    bool fuse_;
    post_ops::SimplifyOptions laws_;
    Grouping result_;
};

}  // namespace

void Grouping::add(Group group) {
    groups.push_back(std::move(group));
    number_nodes_of(groups.size() - 1);
}

void Grouping::number_nodes() {
    group_of = {};
    for (std::size_t i = 0; i < groups.size(); ++i) {
        number_nodes_of(i);
    }
}

void Grouping::number_nodes_of(std::size_t group) {
    if (groups[group].anchor != nullptr) {
        group_of.set(groups[group].anchor, group);
    }
    for (const Node* node : groups[group].absorbed) {
        group_of.set(node, group);
    }
}

Grouping attach_post_ops(const Model& model, bool fuse, const post_ops::SimplifyOptions& laws) {
    return Grouper(model, fuse, laws).run();
}

Group head_of(const Group& group, std::size_t count) {
    Group head = group;
    head.composer.reset();  // of another chain
    truncate(head, count);
    head.result = head.absorbed.back()->output(0);
    auto& ops = head.chain.ops;
    while (!ops.empty() && !std::holds_alternative<post_ops::Clip>(ops.back())) {
        ops.pop_back();
    }
    head.chain.dst_type = ElementType::f32;
    head.may_overwrite = false;
    head.for_dump = true;
    return head;
}

std::vector<std::size_t> intermediate_quantizations(const Group& group, bool stored) {
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i + (stored ? 1 : 0) < group.absorbed.size(); ++i) {
        if (is_quantize_only(*group.absorbed[i])) {
            counts.push_back(i + 1);
        }
    }
    return counts;
}

std::string to_text(const Group& group) {
    return (group.anchor != nullptr ? group.anchor->name() : group.source.node->name()) + " | " +
           post_ops::to_text(group.chain);
}

}  // namespace fuseq::cpu
