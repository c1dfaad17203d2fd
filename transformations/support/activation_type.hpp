// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The integer type of each quantized activation, by who reads it.
#pragma once

#include <unordered_map>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq {

class ActivationTypes {
public:
    explicit ActivationTypes(const Model& model) : model_(model) {}

    // An FQ that is going to give integers. `symmetric`: i8 would have no zero point.
    void add(const Node& fq, bool symmetric);
    // Gives the inputs of every Concat one type, when all have been added.
    void unify();
    ElementType of(const Node& fq) const;

private:
    // In the order in which one prevails over another in a Concat.
    enum class Choice { kSigned, kUnsigned, kMustBeSigned };

    // The FQs whose integers meet in it; none when something in float does too.
    std::vector<const Node*> quantizers_after(const Node& concat) const;

    const Model& model_;
    std::unordered_map<const Node*, Choice> choices_;
};

}  // namespace fuseq
