// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/core.h>

#include "fuseq/model.hpp"
#include "model/tensor_text.hpp"
#include "model/text.hpp"
#include "ops/op_spec.hpp"
#include "ops/state/state.hpp"

namespace fuseq {
namespace {

std::string describe(const Node& node) {
    return fmt::format("layer '{}' ({})", node.name(), node.type());
}

// Compares in two steps: pairs the nodes from the Results upwards, which finds differences of
// structure, then looks at each pair, producers first, so that a wrong shape is reported where it
// arises.
class Comparison {
public:
    Comparison(const Model& a, const Model& b, const CompareOptions& options)
        : a_(a), b_(b), options_(options) {}

    std::string run() {
        pair_ends();
        pair_sinks();
        pair_upwards();
        for (const auto& [a, b] : constants_) {
            if (difference_.empty()) {
                compare_nodes(*a, *b);
            }
        }
        for (const Node* node : difference_.empty() ? a_.ordered_nodes() : std::vector<Node*>{}) {
            if (const auto twin = twin_.find(node); twin != twin_.end() && difference_.empty()) {
                compare_nodes(*node, *twin->second);
            }
        }
        return difference_;
    }

private:
    template <class... Args>
    void differ(const Args&... args) {
        if (difference_.empty()) {
            difference_ = detail::cat(args...);
        }
    }

    void pair_ends() {
        const auto& params_a = a_.parameters();
        const auto& params_b = b_.parameters();
        const auto& results_a = a_.results();
        const auto& results_b = b_.results();
        if (params_a.size() != params_b.size()) {
            return differ(params_a.size(), " inputs against ", params_b.size());
        }
        if (results_a.size() != results_b.size()) {
            return differ(results_a.size(), " outputs against ", results_b.size());
        }
        for (std::size_t i = 0; i < params_a.size(); ++i) {
            pair(params_a[i], params_b[i]);
            if (params_a[i]->name() != params_b[i]->name()) {
                differ("input ", i, " is '", params_a[i]->name(), "' against '",
                       params_b[i]->name(), "'");
            }
            compare_tensor_names("input", i, params_a[i]->port(0), params_b[i]->port(0));
        }
        for (std::size_t i = 0; i < results_a.size(); ++i) {
            pair(results_a[i], results_b[i]);
            const Output& from_a = results_a[i]->input(0);
            const Output& from_b = results_b[i]->input(0);
            if (from_a && from_b) {
                compare_tensor_names("output", i, from_a.node->port(from_a.index),
                                     from_b.node->port(from_b.index));
            }
        }
    }

    // By the variables that they assign.
    void pair_sinks() {
        const auto sinks_a = sinks_of(a_);
        const auto sinks_b = sinks_of(b_);
        for (const auto& [name, sink] : sinks_a) {
            if (const auto twin = sinks_b.find(name); twin != sinks_b.end()) {
                pair(sink, twin->second);
            } else {
                differ("variable '", name, "' is assigned in one model only");
            }
        }
        if (sinks_a.size() != sinks_b.size()) {
            differ(sinks_a.size(), " assigned variables against ", sinks_b.size());
        }
    }

    static std::map<std::string, const Node*> sinks_of(const Model& model) {
        std::map<std::string, const Node*> sinks;
        for (const Node* node : model.ordered_nodes()) {
            if (is_sink(*node)) {
                sinks[node->attrs<VariableAttrs>().variable_id] = node;
            }
        }
        return sinks;
    }

    void compare_tensor_names(std::string_view what,
                              std::size_t index,
                              const OutputPort& a,
                              const OutputPort& b) {
        if (a.names != b.names) {
            differ(what, " ", index, " has tensor names ", names_to_text(a), " against ",
                   names_to_text(b));
        }
    }

    static std::string names_to_text(const OutputPort& port) {
        std::vector<std::string> names(port.names.begin(), port.names.end());
        std::sort(names.begin(), names.end());
        std::string text = "[";
        for (const std::string& name : names) {
            text += (text.size() > 1 ? "," : "") + quote_text(name);
        }
        return text + "]";
    }

    void pair(const Node* a, const Node* b) {
        if (a->is_constant() && b->is_constant()) {
            // Several readers may share one constant or have one each.
            if (auto& known = constant_twins_[a];
                std::find(known.begin(), known.end(), b) == known.end()) {
                known.push_back(b);
                constants_.emplace_back(a, b);
            }
            return;
        }
        const auto [at, fresh] = twin_.try_emplace(a, b);
        const auto [back, fresh_back] = back_.try_emplace(b, a);
        if (!fresh || !fresh_back) {
            if (at->second != b) {
                differ(describe(*a), " stands for '", at->second->name(), "' and for '", b->name(),
                       "' of the other model");
            } else if (back->second != a) {
                differ(describe(*b), " of the other model stands for '", back->second->name(),
                       "' and for '", a->name(), "'");
            }
            return;
        }
        pending_.emplace_back(a, b);
    }

    void pair_upwards() {
        while (!pending_.empty() && difference_.empty()) {
            const auto [a, b] = pending_.back();
            pending_.pop_back();
            if (&a->spec() != &b->spec()) {
                return differ(describe(*a), " of opset", a->spec().version, " against ",
                              describe(*b), " of opset", b->spec().version);
            }
            if (a->input_count() != b->input_count()) {
                return differ(describe(*a), " has ", a->input_count(), " inputs against ",
                              b->input_count());
            }
            for (std::size_t i = 0; i < a->input_count(); ++i) {
                pair_inputs(*a, *b, i);
            }
        }
    }

    void pair_inputs(const Node& a, const Node& b, std::size_t i) {
        const Output& from_a = a.input(i);
        const Output& from_b = b.input(i);
        if (!from_a && !from_b) {
            return;
        }
        if (bool(from_a) != bool(from_b)) {
            return differ(describe(a), ": input ", i, " is ", from_a ? "" : "not ",
                          "connected, in the other model it is ", from_b ? "" : "not");
        }
        if (&from_a.node->spec() != &from_b.node->spec()) {
            return differ(describe(a), ": input ", i, " comes from ", describe(*from_a.node),
                          " against ", describe(*from_b.node));
        }
        if (from_a.index != from_b.index) {
            return differ(describe(a), ": input ", i, " comes from output ", from_a.index, " of '",
                          from_a.node->name(), "' against output ", from_b.index);
        }
        pair(from_a.node, from_b.node);
    }

    void compare_nodes(const Node& a, const Node& b) {
        if (options_.layer_names && a.name() != b.name()) {
            differ(describe(a), " is named '", b.name(), "' in the other model");
        }
        if (a.is_constant()) {
            compare_tensors(describe(a), a.constant(), b.constant());
        } else {
            compare_attributes(a, b);
        }
        if (a.output_count() != b.output_count()) {
            return differ(describe(a), " has ", a.output_count(), " outputs against ",
                          b.output_count());
        }
        for (std::size_t i = 0; i < a.output_count(); ++i) {
            const std::string mine = type_and_shape_to_text(a.port(i).type, a.port(i).shape);
            const std::string other = type_and_shape_to_text(b.port(i).type, b.port(i).shape);
            if (mine != other) {
                differ(describe(a), ": output ", i, " is ", mine, " against ", other);
            }
        }
    }

    void compare_attributes(const Node& a, const Node& b) {
        const auto mine = list_attributes(a.attributes());
        const auto other = list_attributes(b.attributes());
        for (std::size_t i = 0; i < mine.size(); ++i) {
            const std::string where = fmt::format("{}: attribute {}", describe(a), mine[i].name);
            if (const auto* model = std::get_if<std::shared_ptr<Model>*>(&mine[i].ref)) {
                const auto& left = **model;
                const auto& right = *std::get<std::shared_ptr<Model>*>(other[i].ref);
                if (bool(left) != bool(right)) {
                    differ(where, " is ", left ? "a" : "no", " subgraph against ",
                           right ? "one" : "none");
                } else if (left) {
                    if (const std::string text = compare_models(*left, *right, options_);
                        !text.empty()) {
                        differ(where, ": ", text);
                    }
                }
            } else if (const auto* tensor = std::get_if<Tensor*>(&mine[i].ref)) {
                compare_tensors(where, **tensor, *std::get<Tensor*>(other[i].ref));
            } else if (!same_value(mine[i].ref, other[i].ref)) {
                differ(where, " is [", attribute_to_text(mine[i].ref), "] against [",
                       attribute_to_text(other[i].ref), "]");
            }
        }
    }

    void compare_tensors(const std::string& where, const Tensor& a, const Tensor& b) {
        if (a.get_element_type() != b.get_element_type() || a.get_shape() != b.get_shape()) {
            return differ(where, ": value is ",
                          type_and_shape_to_text(a.get_element_type(), a.get_shape()), " against ",
                          type_and_shape_to_text(b.get_element_type(), b.get_shape()));
        }
        if (!a || same_bytes(a, b)) {
            return;
        }
        if (is_packed(a.get_element_type())) {  // bits after the last element do not matter
            const ElementType wide = unpacked_type(a.get_element_type());
            return compare_tensors(where, a.to(wide), b.to(wide));
        }
        const std::size_t size = size_of(a.get_element_type());
        const auto* bytes_a = static_cast<const char*>(a.data());
        const auto* bytes_b = static_cast<const char*>(b.data());
        const bool tolerant = options_.constant_tolerance > 0 && is_real(a.get_element_type());
        const Tensor wide_a = tolerant ? a.to(ElementType::f64) : Tensor();
        const Tensor wide_b = tolerant ? b.to(ElementType::f64) : Tensor();
        for (std::size_t i = 0; i < a.get_size(); ++i) {
            if (std::equal(bytes_a + i * size, bytes_a + (i + 1) * size, bytes_b + i * size) ||
                (tolerant && near(wide_a.data<double>()[i], wide_b.data<double>()[i]))) {
                continue;
            }
            return differ(where, ": element ", i, " is ", element_to_text(a, i), " against ",
                          element_to_text(b, i));
        }
    }

    bool near(double a, double b) const {
        return a == b ||
               std::abs(a - b) <= options_.constant_tolerance * std::max(std::abs(a), std::abs(b));
    }

    const Model& a_;
    const Model& b_;
    const CompareOptions& options_;
    std::string difference_;
    std::unordered_map<const Node*, const Node*> twin_;
    std::unordered_map<const Node*, const Node*> back_;
    std::unordered_map<const Node*, std::vector<const Node*>> constant_twins_;
    std::vector<std::pair<const Node*, const Node*>> constants_;
    std::vector<std::pair<const Node*, const Node*>> pending_;
};

}  // namespace

std::string compare_models(const Model& a, const Model& b, const CompareOptions& options) {
    return Comparison(a, b, options).run();
}

}  // namespace fuseq
