// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes of one node of the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fuseq/tensor.hpp"
#include "readers/onnx/file_error.hpp"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace fuseq::onnx_reader {

// Valid while the node lives. A getter throws Error where the attribute is of another kind. The
// fallback is what the operator's definition says of an attribute that is not there.
class NodeAttributes {
public:
    NodeAttributes(const ::onnx::NodeProto& node, std::filesystem::path folder, Place place)
        : node_(&node), folder_(std::move(folder)), place_(std::move(place)) {}

    bool has(const char* name) const { return find(name) != nullptr; }
    std::int64_t integer(const char* name, std::int64_t fallback) const;
    float real(const char* name, float fallback) const;
    std::string text(const char* name, const std::string& fallback) const;
    std::vector<std::int64_t> integers(const char* name,
                                       std::vector<std::int64_t> fallback = {}) const;
    std::vector<float> reals(const char* name) const;
    std::vector<std::string> texts(const char* name) const;
    Tensor tensor(const char* name) const;
    const ::onnx::GraphProto& graph(const char* name) const;
    // Throws Error where it is not there.
    std::int64_t required_integer(const char* name) const;

private:
    const ::onnx::AttributeProto* find(const char* name) const;
    // Null where it is not there; throws Error where its kind is another.
    const ::onnx::AttributeProto* find(const char* name, int kind) const;

    const ::onnx::NodeProto* node_;
    std::filesystem::path folder_;
    Place place_;
};

}  // namespace fuseq::onnx_reader
