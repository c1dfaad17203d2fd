// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::cpu {

// What groups of nodes depend on, of models that are copies of one model at other sizes, and so have
// the attributes of their nodes in common: which nodes there are, what they read, the types, and of the
// sizes of dimensions which are 0, 1 or equal to which others. Real constants with one dimension, whose
// values chains take, count by their values; others, such as shapes, are only read. Where groups
// depend on sizes in other ways (Interpolate, deconvolutions, products of 16 bits) models have no form.
class ModelForm {
public:
    // Refers to values of the nodes until it is kept.
    explicit ModelForm(const std::vector<Node*>& nodes);
    ModelForm(const ModelForm&) = delete;  // refers to itself
    ModelForm& operator=(const ModelForm&) = delete;
    void keep();
    // Both have a form, and it is the same.
    bool equals(const ModelForm& other) const;

private:
    void add(const Node& node, const std::vector<std::size_t>& places);
    void add(const PartialShape& shape);
    std::size_t letter_of(std::size_t size);

    bool exists_ = true;
    std::vector<std::size_t> words_;
    std::vector<std::size_t> sizes_{0, 1};  // by the letters that they have in words_
    std::string names_;
    std::vector<const Tensor*> constants_;
    std::vector<Tensor> kept_;  // what they refer to then
};

}  // namespace fuseq::cpu
