// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/tflite/custom_options.hpp"

#include <flatbuffers/flexbuffers.h>

#include <cstring>

namespace fuseq::tflite_reader {
namespace {

flexbuffers::Reference value(const std::vector<std::uint64_t>& bytes,
                             std::size_t size,
                             const std::string& name) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return flexbuffers::GetRoot(data, size).AsMap()[name];
}

}  // namespace

CustomOptions::CustomOptions(const Operator& op) : op_(op) {
    const std::span<const std::uint8_t> stated = op.custom_options();
    op.require(!stated.empty(), "has no custom options");
    size_ = stated.size();
    bytes_.resize((size_ + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t));
    std::memcpy(bytes_.data(), stated.data(), size_);
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes_.data());
    op.require(flexbuffers::VerifyBuffer(data, size_) && flexbuffers::GetRoot(data, size_).IsMap(),
               "its custom options, ", size_, " bytes, are no map of a FlexBuffer, or damaged");
}

bool CustomOptions::has(const std::string& name) const {
    return !value(bytes_, size_, name).IsNull();
}

std::int64_t CustomOptions::integer(const std::string& name) const {
    const flexbuffers::Reference found = value(bytes_, size_, name);
    op_.require(found.IsIntOrUint() || found.IsBool(), "custom option ", name,
                has(name) ? " is no integer" : " is missing");
    return found.AsInt64();
}

float CustomOptions::real(const std::string& name) const {
    const flexbuffers::Reference found = value(bytes_, size_, name);
    op_.require(found.IsNumeric(), "custom option ", name,
                has(name) ? " is no number" : " is missing");
    return found.AsFloat();
}

}  // namespace fuseq::tflite_reader
