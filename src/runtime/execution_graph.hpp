// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What CompiledModel::get_runtime_model gives: the execution graph of a device as a Model.
//
// A device describes it by the property FUSEQ_EXECUTION_GRAPH, JSON text:
// {"name", "nodes": [{"name", "inputs": [[node, port], ...], "outputs": [{"type", "shape"}],
// "info": {"layerType": "Input", "Output" or the kind of a step, "primitiveType",
// "originalLayersNames", "outputPrecisions", "outputLayouts", "runtimePrecision", "execOrder"}}]};
// inputs are positions of earlier nodes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fuseq/model.hpp"
#include "fuseq/plugin.hpp"

namespace fuseq {

inline constexpr const char* kExecutionGraph = "FUSEQ_EXECUTION_GRAPH";

// Inputs are Parameters, outputs Results, everything else nodes of type ExecutionNode; "info" is in
// Node::rt_info, with "execTimeMcs": the mean of the times that `runs` (one a request) have of the
// step, or "not_executed".
std::shared_ptr<Model> execution_graph(const std::string& json,
                                       const std::vector<std::vector<ProfilingInfo>>& runs);

}  // namespace fuseq
