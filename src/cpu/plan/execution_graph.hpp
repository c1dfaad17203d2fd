// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The plan as a graph, with the keys that OpenVINO's execution graphs have: the JSON text of the
// property FUSEQ_EXECUTION_GRAPH, in the form of model/execution_graph_json.hpp.
#pragma once

#include <string>

#include "cpu/plan/plan.hpp"
#include "fuseq/model.hpp"

namespace fuseq::cpu {

// `transformed`: the model that the plan was made of.
std::string execution_graph_json(const Model& transformed, const Plan& plan);

}  // namespace fuseq::cpu
