// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_operations.hpp"

#include <algorithm>
#include <map>

#include "ir/ir_attributes.hpp"
#include "ir/ir_export_hints.hpp"

namespace fuseq {
namespace {

struct Revision {
    std::string_view type;
    int opset;
};

// Opsets that gave an operation another meaning. A layer of such an opset must not be read as the
// older version. Source: OpenVINO, "Operation sets", opset1 to opset16.
constexpr Revision kRevisions[] = {
    {"AdaptiveAvgPool", 8},
    {"Assign", 6},
    {"AvgPool", 14},
    {"AvgPool", 16},
    {"Broadcast", 3},
    {"Bucketize", 3},
    {"CTCGreedyDecoderSeqLen", 6},
    {"DeformableConvolution", 8},
    {"DetectionOutput", 8},
    {"EmbeddingBagOffsets", 15},
    {"EmbeddingBagPacked", 15},
    {"Gather", 7},
    {"Gather", 8},
    {"GatherND", 8},
    {"Gelu", 7},
    {"Interpolate", 4},
    {"Interpolate", 11},
    {"LSTMCell", 4},
    {"LSTMSequence", 5},
    {"MVN", 6},
    {"MaxPool", 8},
    {"MaxPool", 14},
    {"MulticlassNms", 9},
    {"NonMaxSuppression", 3},
    {"NonMaxSuppression", 4},
    {"NonMaxSuppression", 5},
    {"NonMaxSuppression", 9},
    {"OneHot", 16},
    {"Pad", 12},
    {"PriorBox", 8},
    {"Proposal", 4},
    {"ROIAlign", 9},
    {"Range", 4},
    {"ReadValue", 6},
    {"ScatterElementsUpdate", 12},
    {"ScatterNDUpdate", 15},
    {"ShapeOf", 3},
    {"SoftMax", 8},
    {"Softmax", 8},
    {"Squeeze", 15},
    {"TopK", 3},
    {"TopK", 11},
};

bool revised_between(std::string_view type, int known, int asked) {
    return std::any_of(std::begin(kRevisions), std::end(kRevisions), [&](const Revision& r) {
        return r.type == type && r.opset > known && r.opset <= asked;
    });
}

std::string known_versions(std::string_view type) {
    std::string text;
    for (const OpSpec* spec : all_ops()) {
        if (spec->type == type && !spec->internal) {
            text += (text.empty() ? "; known: opset" : ", opset") + std::to_string(spec->version);
        }
    }
    return text;
}

const OpSpec* find(std::string_view type, int opset) {
    const OpSpec* spec = find_op(type, opset);
    const bool usable = spec != nullptr && !spec->internal && opset <= kNewestOpset &&
                        !revised_between(type, spec->version, opset);
    return usable ? spec : nullptr;
}

// Layers with the same problem.
class Layers {
public:
    void add(std::string name) {
        if (++count_ <= kMostNames) {
            names_ += (names_.empty() ? "'" : ", '") + std::move(name) + "'";
        }
    }
    std::string text() const {
        const std::string more =
            count_ > kMostNames ? detail::cat(" and ", count_ - kMostNames, " more") : "";
        return detail::cat(count_, count_ == 1 ? " layer: " : " layers: ", names_, more);
    }

private:
    static constexpr std::size_t kMostNames = 3;
    std::size_t count_ = 0;
    std::string names_;
};

// One kind of problem: what it is about, in which layers, and what helps.
class Problems {
public:
    void add(const std::string& what, std::string layer, std::string hint) {
        Entry& entry = found_[what];
        entry.layers.add(std::move(layer));
        entry.hint = std::move(hint);
    }
    bool empty() const { return found_.empty(); }
    std::size_t size() const { return found_.size(); }
    std::string text(std::string_view one, std::string_view several) const {
        std::string list;
        for (const auto& [what, entry] : found_) {
            list += detail::cat(list.empty() ? "" : ", ", what, " (", entry.layers.text(),
                                entry.hint.empty() ? "" : "; ", entry.hint, ")");
        }
        return detail::cat(found_.size(), found_.size() == 1 ? one : several,
                           " not supported: ", list);
    }

private:
    struct Entry {
        Layers layers;
        std::string hint;
    };
    std::map<std::string, Entry> found_;
};

// Collects the operations that are not known, and the attributes of the others that say what is not
// known. A file with one such attribute is left to the reader, whose message names the layer.
class UnknownOperations final : public pugi::xml_tree_walker {
public:
    explicit UnknownOperations(const IrSource& source) : source_(source) {}

    bool for_each(pugi::xml_node& node) override {
        if (std::string_view(node.name()) != "layer" ||
            std::string_view(node.parent().name()) != "layers") {
            return true;
        }
        const IrOperation operation = parse_ir_operation(node);
        const std::string layer = node.attribute("name").value();
        if (const OpSpec* spec = find(operation.type, operation.opset)) {
            for (const IrAttributeFault& fault : attribute_faults(node, *spec->make_attributes())) {
                attributes_.add(detail::cat(fault.name, " of ", operation.type, ": ", fault.rule),
                                layer, "");
            }
        } else {
            operations_.add(
                detail::cat(operation.type.empty() ? "a layer without a type" : operation.type,
                            " of ", operation.opset_text.empty() ? "opset1" : operation.opset_text,
                            known_versions(operation.type)),
                layer, export_hint(operation));
        }
        return true;
    }

    void report() const {
        if (operations_.empty() && attributes_.size() < 2) {
            return;
        }
        std::string text;
        if (!operations_.empty()) {
            text = operations_.text(" operation is", " operations are");
        }
        if (!attributes_.empty()) {
            text += detail::cat(text.empty() ? "" : "; ",
                                attributes_.text(" attribute is", " attributes are"));
        }
        source_.fail(text);
    }

private:
    const IrSource& source_;
    Problems operations_;
    Problems attributes_;
};

}  // namespace

const OpSpec* find_ir_op(const IrLayer& layer) {
    return find(layer.operation.type, layer.operation.opset);
}

void require_known_operations(pugi::xml_node net, const IrSource& source) {
    UnknownOperations unknown(source);
    net.traverse(unknown);
    unknown.report();
}

}  // namespace fuseq
