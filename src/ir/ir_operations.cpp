// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_operations.hpp"

#include <algorithm>
#include <map>

namespace fuseq {
namespace {

struct Revision {
    std::string_view type;
    int opset;
};

constexpr int kNewestOpset = 16;

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

// Collects what is not known: how often, and the first layer.
class UnknownOperations final : public pugi::xml_tree_walker {
public:
    explicit UnknownOperations(const IrSource& source) : source_(source) {}

    bool for_each(pugi::xml_node& node) override {
        if (std::string_view(node.name()) != "layer" ||
            std::string_view(node.parent().name()) != "layers") {
            return true;
        }
        const IrOperation operation = parse_ir_operation(node);
        if (find(operation.type, operation.opset) == nullptr) {
            auto& entry = found_[detail::cat(
                operation.type.empty() ? "a layer without a type" : operation.type, " of ",
                operation.opset_text.empty() ? "opset1" : operation.opset_text,
                known_versions(operation.type))];
            if (entry.count++ == 0) {
                entry.first = node.attribute("name").value();
            }
        }
        return true;
    }

    void report() const {
        if (found_.empty()) {
            return;
        }
        std::string text;
        for (const auto& [operation, entry] : found_) {
            text +=
                detail::cat(text.empty() ? "" : ", ", operation, " (", entry.count,
                            entry.count == 1 ? " layer: '" : " layers, first '", entry.first, "')");
        }
        source_.fail(detail::cat(found_.size(),
                                 found_.size() == 1 ? " operation is" : " operations are",
                                 " not supported: ", text));
    }

private:
    struct Entry {
        std::size_t count = 0;
        std::string first;
    };
    const IrSource& source_;
    std::map<std::string, Entry> found_;
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
