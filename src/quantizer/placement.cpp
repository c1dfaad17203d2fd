// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/placement.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

#include "quantizer/layer_kinds.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// Values of a tensor that a pass over memory of its own is felt for.
constexpr std::size_t kLargeEnd = std::size_t{1} << 18;

class Placer {
public:
    Placer(Model& model,
           const std::set<const Node*>& kept,
           const std::set<const Node*>& own_ranges,
           bool integers_for_time)
        : order_(model.ordered_nodes()),
          kept_(kept),
          own_ranges_(own_ranges),
          integers_for_time_(integers_for_time) {
        for (std::size_t i = 0; i < order_.size(); ++i) {
            position_[order_[i]] = i;
            kinds_[order_[i]] = kept.contains(order_[i]) ? LayerKind::kFloat : kind_of(*order_[i]);
        }
    }

    Placement run() {
        for (auto node = order_.rbegin(); node != order_.rend(); ++node) {
            look_ahead(**node);
        }
        for (Node* node : order_) {
            add_places(*node);
        }
        share_scales();
        for (Node* node : order_) {
            judge(*node);
        }
        return std::move(placement_);
    }

private:
    LayerKind kind(const Node& node) const { return kinds_.at(&node); }

    // Backwards: what follows a layer.
    void look_ahead(const Node& node) {
        for (const OutputPort& port : ports_of(node)) {
            for (const Use& use : port.uses) {
                leads_[&node] = leads_[&node] || leads(use);
                wanted_[&node] = wanted_[&node] || wants(use);
            }
        }
    }
    static std::vector<OutputPort> ports_of(const Node& node) {
        std::vector<OutputPort> ports;
        for (std::size_t i = 0; i < node.output_count(); ++i) {
            if (node.port(i).type == ElementType::f32) {
                ports.push_back(node.port(i));
            }
        }
        return ports;
    }

    // Whether an anchor follows, whatever lies between.
    bool leads(const Use& use) {
        const Node& node = *use.node;
        return kind(node) == LayerKind::kAnchor
                   ? is_data_input(node, use.index)
                   : kind(node) != LayerKind::kFloat && is_data_input(node, use.index) &&
                         leads_[&node];
    }

    // Whether the reader wants integers.
    bool wants(const Use& use) {
        const Node& node = *use.node;
        if (!is_data_input(node, use.index)) {
            return false;
        }
        switch (kind(node)) {
            case LayerKind::kAnchor: return true;
            case LayerKind::kMovement: return wanted_[&node];
            case LayerKind::kCarrier:
                return leads_[&node] ? !is_small(use) && in_epilogue(node) != use.index
                                     : (is_integer_end(use) && in_epilogue(node) != use.index) ||
                                           is_mean_beside_integers(use);
            case LayerKind::kActivation:
            case LayerKind::kFloat: break;
        }
        return false;
    }

    // A large operand of a sum or product of large tensors that no anchor follows. What another
    // such layer computes for it alone stays in registers.
    bool is_integer_end(const Use& use) const {
        const Output& source = use.node->input(use.index);
        return integers_for_time_ && is_one_of(*use.node, {"Add", "Subtract", "Multiply"}) &&
               is_large(use.node->port().shape) && is_large(source.partial_shape()) &&
               (comes_from_anchor(source) || anchor_reads(source));
    }
    // A mean of what others read as integers: floats would be stored for it alone.
    bool is_mean_beside_integers(const Use& use) {
        if (!integers_for_time_ || !is_one_of(*use.node, {"ReduceMean", "AvgPool"})) {
            return false;
        }
        const Output& source = use.node->input(use.index);
        const std::vector<Use>& uses = source.node->port(source.index).uses;
        return std::any_of(uses.begin(), uses.end(),
                           [&](const Use& other) { return leads(other) && wants(other); });
    }
    static bool is_large(const PartialShape& shape) {
        return shape.is_static() && shape_size(shape.to_shape()) >= kLargeEnd;
    }
    bool comes_from_anchor(const Output& tensor) const {
        const Node* node = tensor.node;
        while (kind(*node) == LayerKind::kActivation || kind(*node) == LayerKind::kMovement) {
            node = node->input_node(0);
        }
        return kind(*node) == LayerKind::kAnchor;
    }
    bool anchor_reads(const Output& tensor) const {
        const auto& uses = tensor.node->port(tensor.index).uses;
        return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
            return kind(*use.node) == LayerKind::kAnchor && is_data_input(*use.node, use.index);
        });
    }

    // A gate or a bias that is broadcast: its floats cost nothing.
    static bool is_small(const Use& use) {
        const PartialShape& in = use.node->input(use.index).partial_shape();
        const PartialShape& out = use.node->port().shape;
        return is_one_of(*use.node, {"Add", "Subtract", "Multiply"}) && in.is_static() &&
               out.is_static() && 2 * shape_size(in.to_shape()) <= shape_size(out.to_shape());
    }

    // The operand of an Add or Subtract that an anchor computes for it alone: the anchor adds the
    // other one in its epilogue. Of two, the one that is computed last. kNone: no operand.
    static constexpr std::size_t kNone = SIZE_MAX;
    std::size_t in_epilogue(const Node& node) const {
        if (!is_one_of(node, {"Add", "Subtract"})) {
            return kNone;
        }
        if (integers_for_time_ && is_before_elu(node)) {
            return kNone;
        }
        std::size_t best = kNone;
        std::size_t latest = 0;
        for (std::size_t i = 0; i < node.input_count(); ++i) {
            const Node* from = node.input_node(i);
            bool alone = has_single_use(node.input(i));
            while (alone && kind(*from) == LayerKind::kActivation) {
                alone = has_single_use(from->input(0));
                from = from->input_node(0);
            }
            if (alone && kind(*from) == LayerKind::kAnchor &&
                (best == kNone || position_.at(from) > latest)) {
                best = i;
                latest = position_.at(from);
            }
        }
        return best;
    }

    // A sum of two bytes has few values: a table holds what an Elu makes of them.
    static bool is_before_elu(const Node& node) {
        const std::vector<Use>& uses = node.port().uses;
        return uses.size() == 1 && uses[0].node->is("Elu");
    }

    void add_places(Node& node) {
        // Movements have the scale of their source; constants need none.
        const bool from_source = kind(node) == LayerKind::kMovement;
        if (from_source || node.is_constant() || node.is("Result")) {
            return;
        }
        for (std::size_t i = 0; i < node.output_count(); ++i) {
            if (node.port(i).type != ElementType::f32) {
                continue;
            }
            Place made{node.output(i), {}, placement_.places.size(), true};
            for (const Use& use : node.port(i).uses) {
                if (wants(use)) {
                    made.readers.push_back(use);
                    made.depthwise_only = made.depthwise_only && is_depthwise(*use.node) &&
                                          kind(*use.node) == LayerKind::kAnchor;
                }
            }
            if (!made.readers.empty()) {
                placement_.places.push_back(std::move(made));
            }
        }
    }

    // The places whose values reach a tensor through movements.
    void collect_places(const Output& tensor, std::vector<std::size_t>& found) const {
        if (kind(*tensor.node) == LayerKind::kMovement) {
            for (std::size_t i = 0; i < tensor.node->input_count(); ++i) {
                if (is_data_input(*tensor.node, i)) {
                    collect_places(tensor.node->input(i), found);
                }
            }
            return;
        }
        for (std::size_t p = 0; p < placement_.places.size(); ++p) {
            if (placement_.places[p].tensor == tensor) {
                found.push_back(p);
            }
        }
    }

    void share_scales() {
        std::vector<std::size_t> parent(placement_.places.size());
        std::iota(parent.begin(), parent.end(), std::size_t{0});
        const auto root = [&](std::size_t p) {
            while (parent[p] != p) {
                p = parent[p];
            }
            return p;
        };
        for (Node* node : order_) {
            const LayerKind k = kinds_.at(node);
            const bool shares =
                needs_one_scale(*node) && !own_ranges_.contains(node) &&
                (k == LayerKind::kCarrier || (k == LayerKind::kMovement && wanted_[node]));
            if (!shares) {
                continue;
            }
            std::vector<std::size_t> found;
            for (std::size_t i = 0; i < node->input_count(); ++i) {
                if (is_data_input(*node, i)) {
                    collect_places(node->input(i), found);
                }
            }
            if (is_one_of(*node, {"LRN", "TopK"})) {
                collect_places(node->output(), found);
            }
            for (const std::size_t p : found) {
                parent[root(p)] = root(found[0]);
            }
        }
        std::vector<std::size_t> sizes(parent.size());
        for (std::size_t p = 0; p < parent.size(); ++p) {
            placement_.places[p].group = root(p);
            ++sizes[root(p)];
        }
        for (Place& made : placement_.places) {
            made.depthwise_only = made.depthwise_only && sizes[made.group] == 1;
        }
    }

    bool reads_integers(Node& node) {
        for (std::size_t i = 0; i < node.input_count(); ++i) {
            if (wants({&node, i})) {
                return true;
            }
        }
        return false;
    }

    // What became of layers that could run on integers.
    void judge(Node& node) {
        if (kept_.contains(&node)) {
            const LayerKind own = kind_of(node);
            if (own == LayerKind::kAnchor || own == LayerKind::kCarrier) {
                placement_.reasons[&node] = "kept in its original precision";
            }
            return;
        }
        if (kind(node) == LayerKind::kAnchor) {
            for (std::size_t i = 0; i < node.input_count(); ++i) {
                if (is_data_input(node, i) &&
                    place_read_by(placement_, node, i) == placement_.places.size()) {
                    placement_.reasons[&node] = fmt::format("input {} is not quantized", i);
                    return;
                }
            }
            placement_.quantized.insert(&node);
        } else if (kind(node) == LayerKind::kCarrier) {
            if (leads_[&node] || reads_integers(node)) {
                placement_.quantized.insert(&node);
            } else if (!node.is("TopK")) {  // which computes nothing
                placement_.reasons[&node] = "no layer of integers follows";
            }
        }
    }

    std::vector<Node*> order_;
    const std::set<const Node*>& kept_;
    const std::set<const Node*>& own_ranges_;
    bool integers_for_time_;
    std::unordered_map<const Node*, std::size_t> position_;
    std::unordered_map<const Node*, LayerKind> kinds_;
    std::unordered_map<const Node*, bool> leads_;
    std::unordered_map<const Node*, bool> wanted_;
    Placement placement_;
};

}  // namespace

Placement place(Model& model,
                const std::set<const Node*>& kept,
                const std::set<const Node*>& own_ranges,
                bool integers_for_time) {
    return Placer(model, kept, own_ranges, integers_for_time).run();
}

std::size_t integers_for_time(Model& model, const std::set<const Node*>& kept) {
    const auto readers = [](const Placement& placement) {
        std::size_t count = 0;
        for (const Place& made : placement.places) {
            count += made.readers.size();
        }
        return count;
    };
    return readers(place(model, kept, {}, true)) - readers(place(model, kept));
}

std::size_t place_read_by(const Placement& placement, Node& node, std::size_t i) {
    Node* reader = &node;
    std::size_t index = i;
    while (true) {
        const Use use{reader, index};
        for (std::size_t p = 0; p < placement.places.size(); ++p) {
            const auto& readers = placement.places[p].readers;
            if (std::find(readers.begin(), readers.end(), use) != readers.end()) {
                return p;
            }
        }
        reader = reader->input_node(index);
        index = 0;
        if (reader->input_count() == 0 || kind_of(*reader) != LayerKind::kMovement) {
            return placement.places.size();
        }
    }
}

std::string tensor_name(const Output& tensor) {
    return tensor.node->output_count() == 1
               ? tensor.node->name()
               : fmt::format("{}.{}", tensor.node->name(), tensor.index);
}

namespace {

// Whether a MatMul reads the tensor, perhaps after layers that work on it element by element.
bool leads_to_matmul(const Node& node, const PartialShape& shape) {
    for (const Use& use : node.port().uses) {
        const Node& reader = *use.node;
        if (reader.is("MatMul")) {
            return true;
        }
        const LayerKind kind = kind_of(reader);
        const bool same =
            (kind == LayerKind::kActivation || reader.is("Add")) && reader.port().shape == shape;
        if (same && leads_to_matmul(reader, shape)) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::size_t channel_dim_of(const Output& tensor) {
    const PartialShape& shape = tensor.partial_shape();
    if (!shape.rank_is_static() || shape.rank() < 3) {
        return 1;
    }
    const bool rows = tensor.node->is("MatMul") ||
                      (tensor.node->output_count() == 1 && leads_to_matmul(*tensor.node, shape));
    return rows ? shape.rank() - 1 : 1;
}

}  // namespace fuseq::quantizer
