// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/constant_cache.hpp"

#include <fmt/core.h>

#include "fuseq/attributes.hpp"
#include "fuseq/error.hpp"
#include "ops/op_spec.hpp"

namespace fuseq {
namespace {

// Scales and limits: passes make new ones each time, so that their addresses say nothing.
constexpr std::size_t kSmallBytes = 4096;

template <class T>
void append(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool is_large(const Tensor& tensor) {
    return tensor && tensor.get_byte_size() > kSmallBytes;
}

thread_local ConstantCache* current_cache = nullptr;

const void* address_of(const Tensor& tensor) {
    return tensor.data();
}

void append_tensor(std::string& key, const Tensor& tensor) {
    append(key, tensor.get_element_type());
    if (!tensor) {
        return;
    }
    append(key, tensor.get_shape().size());
    for (const std::size_t length : tensor.get_shape()) {
        append(key, length);
    }
    if (is_large(tensor)) {
        append(key, address_of(tensor));
    } else {
        key.append(static_cast<const char*>(tensor.data()), tensor.get_byte_size());
    }
}

}  // namespace

ConstantCache::ConstantCache(const Model& original) {
    for (const Node* node : original.ordered_nodes()) {
        if (node->is_constant() && is_large(node->constant())) {
            constants_.push_back(node->constant());
            known_.insert(address_of(node->constant()));
        }
    }
}

std::vector<Tensor> ConstantCache::get(const std::string& what,
                                       std::span<const Tensor> inputs,
                                       const Compute& compute) {
    std::string key = what;
    key.push_back('\0');
    bool large = false;
    bool known = true;
    {
        const std::lock_guard lock(mutex_);
        for (const Tensor& input : inputs) {
            append_tensor(key, input);
            large = large || is_large(input);
            known = known && (!is_large(input) || known_.contains(address_of(input)));
        }
        if (const auto found = results_.find(key); found != results_.end()) {
            return found->second;
        }
    }
    std::vector<Tensor> results = compute();
    if (!large || !known) {
        return results;
    }
    const std::lock_guard lock(mutex_);
    const auto [kept, fresh] = results_.try_emplace(std::move(key), std::move(results));
    for (const Tensor& result : kept->second) {
        if (fresh && is_large(result)) {
            known_.insert(address_of(result));
        }
    }
    return kept->second;
}

void ConstantCache::keep(const Model& model) {
    const std::lock_guard lock(mutex_);
    for (const Node* node : model.ordered_nodes()) {
        if (node->is_constant() && is_large(node->constant()) &&
            known_.insert(address_of(node->constant())).second) {
            kept_.push_back(node->constant());
        }
    }
}

bool ConstantCache::keeps(const void* values) const {
    const std::lock_guard lock(mutex_);
    return known_.contains(values);
}

std::size_t ConstantCache::bytes() const {
    const std::lock_guard lock(mutex_);
    std::unordered_set<const void*> counted;
    for (const Tensor& constant : constants_) {
        counted.insert(address_of(constant));
    }
    std::size_t total = 0;
    for (const Tensor& constant : kept_) {
        counted.insert(address_of(constant));
        total += constant.get_byte_size();
    }
    for (const auto& [key, results] : results_) {
        for (const Tensor& result : results) {
            // Integers of weights may be those of the model.
            if (is_large(result) && counted.insert(address_of(result)).second) {
                total += result.get_byte_size();
            }
        }
    }
    return total;
}

ConstantCache::Scope::Scope(ConstantCache* cache) : before_(current_cache) {
    current_cache = cache;
}

ConstantCache::Scope::~Scope() {
    current_cache = before_;
}

ConstantCache* ConstantCache::current() {
    return current_cache;
}

std::string computation_of(const Node& node) {
    std::string text = fmt::format("{}.{} {}", node.type(), node.spec().version, node.name());
    const auto defaults = node.spec().make_attributes();
    for (const AttributeText& attribute : attributes_to_text(node.attributes(), *defaults)) {
        text += fmt::format(" {}={}", attribute.name, attribute.text);
    }
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        text += fmt::format(" {}", to_string(node.port(i).type));
    }
    return text;
}

}  // namespace fuseq
