// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The executed nodes as a graph with the keys that OpenVINO's execution graphs have
// (model/execution_graph_json.hpp).
#pragma once

#include <string>
#include <vector>

#include "fuseq/model.hpp"

namespace fuseq::reference {

// `executed`: nodes of the model in the order of execution; what is not among them is folded.
std::string execution_graph_json(const Model& model, const std::vector<const Node*>& executed);

}  // namespace fuseq::reference
