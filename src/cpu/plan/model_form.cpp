// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/model_form.hpp"

#include <algorithm>
#include <cstring>

#include "ops/op_spec.hpp"

namespace fuseq::cpu {
namespace {

bool counts_with_sizes(const Node& node) {
    return node.is("Interpolate") || node.spec().type.ends_with("BackpropData") ||
           (node.output_count() != 0 && node.port(0).type == ElementType::u16);
}

bool may_be_in_a_chain(const Tensor& value) {
    const Shape& shape = value.get_shape();
    return is_real(value.get_element_type()) &&
           std::count_if(shape.begin(), shape.end(), [](std::size_t size) { return size != 1; }) <=
               1;
}

bool same_values(const Tensor* a, const Tensor* b) {
    return a->data() == b->data() || (a->get_byte_size() == b->get_byte_size() &&
                                      std::memcmp(a->data(), b->data(), a->get_byte_size()) == 0);
}

}  // namespace

ModelForm::ModelForm(const std::vector<Node*>& nodes) {
    std::vector<std::size_t> places;  // by id
    places.reserve(2 * nodes.size());
    constexpr std::size_t kWordsOfNode = 16;  // about
    words_.reserve(kWordsOfNode * nodes.size());
    for (std::size_t i = 0; i < nodes.size() && exists_; ++i) {
        const std::size_t id = nodes[i]->id();
        places.resize(std::max(places.size(), id + 1));
        places[id] = i;
        add(*nodes[i], places);
    }
}

void ModelForm::add(const Node& node, const std::vector<std::size_t>& places) {
    exists_ = !counts_with_sizes(node);
    words_.push_back(reinterpret_cast<std::size_t>(&node.spec()));
    names_ += node.name();
    names_ += '\n';
    words_.push_back(node.input_count());
    for (const Output& input : node.inputs()) {
        words_.push_back(input ? places[input.node->id()] + 1 : 0);
        words_.push_back(input.index);
    }
    words_.push_back(node.output_count());
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        words_.push_back(static_cast<std::size_t>(node.port(i).type));
        add(node.port(i).shape);
    }
    if (node.is_constant()) {
        const Tensor& value = node.constant();
        if (may_be_in_a_chain(value)) {
            constants_.push_back(&value);
        }
    }
}

void ModelForm::add(const PartialShape& shape) {
    if (!shape.is_static()) {
        exists_ = false;
        return;
    }
    words_.push_back(shape.size());
    for (const Dimension& size : shape) {
        words_.push_back(letter_of(static_cast<std::size_t>(size.get_length())));
    }
}

std::size_t ModelForm::letter_of(std::size_t size) {
    const auto known = std::find(sizes_.begin(), sizes_.end(), size);
    const auto letter = static_cast<std::size_t>(known - sizes_.begin());
    if (known == sizes_.end()) {
        sizes_.push_back(size);
    }
    return letter;
}

void ModelForm::keep() {
    for (const Tensor* value : constants_) {
        kept_.push_back(*value);
    }
    std::transform(kept_.begin(), kept_.end(), constants_.begin(),
                   [](const Tensor& value) { return &value; });
}

bool ModelForm::equals(const ModelForm& other) const {
    return exists_ && other.exists_ && words_ == other.words_ && names_ == other.names_ &&
           std::equal(constants_.begin(), constants_.end(), other.constants_.begin(),
                      other.constants_.end(), same_values);
}

}  // namespace fuseq::cpu
