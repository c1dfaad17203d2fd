// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What CompiledModel::get_runtime_model gives: the execution graph of a device as a Model.
//
// A device describes it as model/execution_graph_json.hpp says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "fuseq/plugin.hpp"

namespace fuseq {

// Inputs are Parameters, outputs Results, everything else nodes of type ExecutionNode; "info" is in
// Node::rt_info, with "execTimeMcs": the mean of the times that `runs` (one a request) have of the
// step, or "not_executed".
std::shared_ptr<Model> execution_graph(const std::string& json,
                                       const std::vector<std::vector<ProfilingInfo>>& runs);

}  // namespace fuseq
