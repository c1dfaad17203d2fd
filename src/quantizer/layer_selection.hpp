// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Layers by kind, name or pattern, as users write them.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::quantizer {

// Whether `text` is what `pattern` says: * stands for any characters, ? for one.
bool matches_pattern(std::string_view pattern, std::string_view text);

// Nodes of `lowered` that stand for the layers of `original` that the selectors choose: each is a
// kind ("Add", or as Glow calls it: "Div"), a layer name, or a pattern. Throws Error for one that
// chooses nothing, with the nearest name there is; an operation that this model does not have is a
// remark.
std::set<const Node*> select_layers(const Model& original,
                                    const Model& lowered,
                                    const std::vector<std::string>& selectors,
                                    std::vector<std::string>& remarks);

// Throws Error for what is no operation, with the nearest one.
void check_kinds(const std::vector<std::string>& kinds, std::string_view option);

}  // namespace fuseq::quantizer
