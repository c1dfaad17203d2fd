// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/ir_operations.hpp"

#include <map>

#include <fmt/core.h>

#include "ir/ir_attributes.hpp"
#include "ir/ir_export_hints.hpp"
#include "model/nearest_name.hpp"
#include "ops/opsets.hpp"
#include "ops/refused/refused.hpp"

namespace fuseq {
namespace {

// The versions of the operation that are known, or the operation that may be meant.
std::string known_operation(const IrOperation& operation) {
    const std::string& type = operation.type;
    std::string text;
    std::vector<std::string> types;
    for (const OpSpec* spec : all_ops()) {
        if (spec->internal) {
            continue;
        }
        types.emplace_back(spec->type);
        if (spec->type == type) {
            text += (text.empty() ? "; known: opset" : ", opset") + std::to_string(spec->version);
        }
    }
    // The names of extensions are their own.
    const bool of_an_opset =
        operation.opset_text.empty() || operation.opset_text.starts_with("opset");
    return text.empty() && of_an_opset ? did_you_mean(type, types) : text;
}

const OpSpec* find(const IrOperation& operation) {
    const std::string& type = operation.type;
    const int opset = operation.opset;
    if (operation.opset_text == kOwnSet) {
        const OpSpec* spec = find_op(type, kNewestOpset);
        return spec != nullptr && spec->own_set ? spec : nullptr;
    }
    const OpsetForm* form = opset <= kNewestOpset ? find_opset_form(type, opset) : nullptr;
    return form == nullptr ? nullptr : find_op(*form);
}

// Layers with the same problem.
class Layers {
public:
    void add(std::string name) {
        if (++count_ <= kMaxNames) {
            names_ += (names_.empty() ? "'" : ", '") + std::move(name) + "'";
        }
    }
    std::string text() const {
        const std::string more =
            count_ > kMaxNames ? fmt::format(" and {} more", count_ - kMaxNames) : "";
        return fmt::format("{}{}{}{}", count_, count_ == 1 ? " layer: " : " layers: ", names_,
                           more);
    }

private:
    static constexpr std::size_t kMaxNames = 3;
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
            list += fmt::format("{}{} ({}{}{})", list.empty() ? "" : ", ", what,
                                entry.layers.text(), entry.hint.empty() ? "" : "; ", entry.hint);
        }
        return fmt::format("{}{} not supported: {}", found_.size(),
                           found_.size() == 1 ? one : several, list);
    }

private:
    struct Entry {
        Layers layers;
        std::string hint;
    };
    std::map<std::string, Entry> found_;
};

// Collects the operations that are not known, and the attributes of the others that say what is not
// known. A file with one attribute that is missing or has a wrong value is left to the reader, whose
// message names the layer's number.
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
        const OpSpec* spec = find(operation);
        if (spec != nullptr && always_refused(*spec)) {
            note_refused(node, operation, *spec);
            operations_.add(fmt::format("{} of {}", operation.type, operation.opset_text), layer,
                            std::string(spec->summary));
        } else if (spec != nullptr) {
            for (const IrAttributeFault& fault : attribute_faults(node, *spec->make_attributes())) {
                attributes_.add(fmt::format("{} of {}: {}", fault.name, operation.type, fault.rule),
                                layer, "");
                unknown_name_ = unknown_name_ || fault.unknown_name;
            }
        } else {
            operations_.add(
                fmt::format("{} of {}{}",
                            operation.type.empty() ? "a layer without a type" : operation.type,
                            operation.opset_text.empty() ? "opset1" : operation.opset_text,
                            known_operation(operation)),
                layer, export_hint(operation));
        }
        return true;
    }

    void report() const {
        if (refused_count_ == 1 && operations_.size() == 1 && attributes_.empty()) {
            source_.fail(refused_, reason_);
        }
        if (operations_.empty() && attributes_.size() < 2 && !unknown_name_) {
            return;
        }
        std::string text;
        if (!operations_.empty()) {
            text = operations_.text(" operation is", " operations are");
        }
        if (!attributes_.empty()) {
            text += fmt::format("{}{}", text.empty() ? "" : "; ",
                                attributes_.text(" attribute is", " attributes are"));
        }
        source_.fail(text);
    }

private:
    void note_refused(pugi::xml_node node, const IrOperation& operation, const OpSpec& spec) {
        if (++refused_count_ == 1) {
            refused_.id = node.attribute("id").as_llong();
            refused_.name = node.attribute("name").value();
            refused_.operation = operation;
            reason_ = spec.summary;
        }
    }

    const IrSource& source_;
    Problems operations_;
    Problems attributes_;
    bool unknown_name_ = false;
    IrLayer refused_;  // the first layer that is known by name only, and why
    std::string reason_;
    std::size_t refused_count_ = 0;
};

}  // namespace

const OpSpec* find_ir_op(const IrLayer& layer) {
    return find(layer.operation);
}

void require_known_operations(pugi::xml_node net, const IrSource& source) {
    UnknownOperations unknown(source);
    net.traverse(unknown);
    unknown.report();
}

}  // namespace fuseq
