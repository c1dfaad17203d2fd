// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_operations.hpp"

#include <map>

#include "ops/opsets.hpp"
#include "ops/refused/refused.hpp"

namespace fuseq {
namespace {

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
    const OpsetForm* form = opset <= kNewestOpset ? find_opset_form(type, opset) : nullptr;
    return form == nullptr ? nullptr : find_op(*form);
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
        const OpSpec* spec = find(operation.type, operation.opset);
        if (spec != nullptr && always_refused(*spec) && reason_.empty()) {
            refused_.id = node.attribute("id").as_llong();
            refused_.name = node.attribute("name").value();
            refused_.operation = operation;
            reason_ = spec->summary;
        }
        if (spec == nullptr) {
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
        if (found_.empty() && !reason_.empty()) {
            source_.fail(refused_, reason_);
        }
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
    IrLayer refused_;  // the first layer that is known by name only, and why
    std::string reason_;
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
