// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

struct OneHotAttrs : AttributesOf<OneHotAttrs> {
    std::int64_t axis = -1;  // of the new dimension, in dst
    void visit(AttributeVisitor& v) override { v.required("axis", axis); }
};

// From opset 16 on. The specification and the writer of IRs spell the first one differently.
enum class NegativeIndices { kIgnore, kNormalize, kIgnoreAsSpecified };
template <>
struct EnumNames<NegativeIndices> {
    static constexpr const char* kNames[] = {"ignore_negative", "normalize", "ignore-negative"};
};

struct OneHot16Attrs final : OneHotAttrs {
    NegativeIndices negative_indices_mode = NegativeIndices::kIgnore;
    void visit(AttributeVisitor& v) override {
        OneHotAttrs::visit(v);
        v.optional("negative_indices_mode", negative_indices_mode);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<OneHot16Attrs>(*this);
    }
};

}  // namespace fuseq
