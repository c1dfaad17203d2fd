// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class TopKMode { kMin, kMax };
template <>
struct EnumNames<TopKMode> {
    static constexpr const char* kNames[] = {"min", "max"};
};

enum class TopKSort { kNone, kIndex, kValue };
template <>
struct EnumNames<TopKSort> {
    static constexpr const char* kNames[] = {"none", "index", "value"};
};

struct TopKAttrs : AttributesOf<TopKAttrs> {
    std::int64_t axis = 0;
    TopKMode mode = TopKMode::kMax;
    TopKSort sort = TopKSort::kValue;
    ElementType index_element_type = ElementType::i32;
    bool stable = false;  // an attribute from opset 11 on; the kernel always is
    void visit(AttributeVisitor& v) override {
        v.required("axis", axis);
        v.required("mode", mode);
        v.required("sort", sort);
        v.optional("index_element_type", index_element_type);
    }
};

struct TopK11Attrs final : TopKAttrs {
    void visit(AttributeVisitor& v) override {
        TopKAttrs::visit(v);
        v.optional("stable", stable);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<TopK11Attrs>(*this);
    }
};

}  // namespace fuseq
