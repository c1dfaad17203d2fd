// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Variables in the reports of devices.
#pragma once

#include <vector>

#include "fuseq/variable_state.hpp"

namespace fuseq {

// [{name, type, shape, initial}]. `Json`: nlohmann::json or its ordered form.
template <class Json>
Json variables_json(const std::vector<Variable>& variables) {
    Json rows = Json::array();
    for (const Variable& variable : variables) {
        rows.push_back({{"name", variable.name},
                        {"type", to_string(variable.type)},
                        {"shape", to_string(variable.shape)},
                        {"initial", variable.has_initial}});
    }
    return rows;
}

}  // namespace fuseq
