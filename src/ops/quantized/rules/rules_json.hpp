// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of a model in the reports of devices.
#pragma once

#include <vector>

#include "ops/quantized/rules/method_choice.hpp"

namespace fuseq {

template <class Json>
Json rounding_rules_json(const std::vector<LayerRule>& rules) {
    Json rows = Json::array();
    for (const LayerRule& rule : rules) {
        rows.push_back({{"layer", rule.layer}, {"op", rule.operation}, {"rule", rule.rule}});
    }
    return rows;
}

}  // namespace fuseq
