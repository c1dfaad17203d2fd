// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/node_attributes.hpp"

#include <onnx/onnx_pb.h>

#include <utility>

#include "readers/onnx/tensor_proto.hpp"

namespace fuseq::onnx_reader {

using ::onnx::AttributeProto;

const AttributeProto* NodeAttributes::find(const char* name) const {
    for (const AttributeProto& attribute : node_->attribute()) {
        if (attribute.name() == name) {
            return &attribute;
        }
    }
    return nullptr;
}

const AttributeProto* NodeAttributes::find(const char* name, int kind) const {
    const AttributeProto* found = find(name);
    // Files of before IR 2 do not state the kind.
    if (found != nullptr && found->has_type() && static_cast<int>(found->type()) != kind) {
        place_.fail(
            "attribute ", name, " is of kind ", AttributeProto::AttributeType_Name(found->type()),
            ", expected ",
            AttributeProto::AttributeType_Name(static_cast<AttributeProto::AttributeType>(kind)));
    }
    return found;
}

std::int64_t NodeAttributes::integer(const char* name, std::int64_t fallback) const {
    const AttributeProto* found = find(name, AttributeProto::INT);
    return found == nullptr ? fallback : found->i();
}

std::int64_t NodeAttributes::required_integer(const char* name) const {
    place_.require(has(name), "attribute ", name, " is missing");
    return integer(name, 0);
}

float NodeAttributes::real(const char* name, float fallback) const {
    const AttributeProto* found = find(name, AttributeProto::FLOAT);
    return found == nullptr ? fallback : found->f();
}

std::string NodeAttributes::text(const char* name, const std::string& fallback) const {
    const AttributeProto* found = find(name, AttributeProto::STRING);
    return found == nullptr ? fallback : found->s();
}

std::vector<std::int64_t> NodeAttributes::integers(const char* name,
                                                   std::vector<std::int64_t> fallback) const {
    const AttributeProto* found = find(name, AttributeProto::INTS);
    return found == nullptr ? std::move(fallback)
                            : std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
}

std::vector<float> NodeAttributes::reals(const char* name) const {
    const AttributeProto* found = find(name, AttributeProto::FLOATS);
    return found == nullptr ? std::vector<float>()
                            : std::vector<float>(found->floats().begin(), found->floats().end());
}

std::vector<std::string> NodeAttributes::texts(const char* name) const {
    const AttributeProto* found = find(name, AttributeProto::STRINGS);
    return found == nullptr
               ? std::vector<std::string>()
               : std::vector<std::string>(found->strings().begin(), found->strings().end());
}

Tensor NodeAttributes::tensor(const char* name) const {
    const AttributeProto* found = find(name, AttributeProto::TENSOR);
    place_.require(found != nullptr, "attribute ", name, " is missing");
    return read_tensor(found->t(), folder_, place_);
}

const ::onnx::GraphProto& NodeAttributes::graph(const char* name) const {
    const AttributeProto* found = find(name, AttributeProto::GRAPH);
    place_.require(found != nullptr, "attribute ", name, " is missing");
    return found->g();
}

}  // namespace fuseq::onnx_reader
