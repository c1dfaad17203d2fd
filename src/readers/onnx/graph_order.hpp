// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether the values of a graph fit together, and an order of its nodes with producers first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "readers/onnx/file_error.hpp"

namespace onnx {
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace fuseq::onnx_reader {

// Name of the layer that a node becomes: its own, else that of its first output.
std::string layer_name(const ::onnx::NodeProto& node);
// "Conv", "com.microsoft:QGemm"
std::string operator_name(const ::onnx::NodeProto& node);
// "", "ai.onnx" and "ai.onnx.ml" spelled in one way: "ai.onnx" is the empty name.
std::string domain_of(const std::string& domain);

// Positions of the nodes. The order of the file stays where it is one. Throws Error for a value
// that is defined twice, one that is read and defined nowhere (`outer` says what is defined around
// the graph), and a cycle, naming the nodes.
std::vector<int> ordered_nodes(const ::onnx::GraphProto& graph,
                               const std::function<bool(const std::string&)>& outer,
                               const Place& place);

}  // namespace fuseq::onnx_reader
