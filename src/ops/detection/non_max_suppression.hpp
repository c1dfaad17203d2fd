// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"

namespace fuseq {

enum class BoxEncoding { kCorner, kCenter };
template <>
struct EnumNames<BoxEncoding> {
    static constexpr const char* kNames[] = {"corner", "center"};
};

struct NonMaxSuppressionAttrs : AttributesOf<NonMaxSuppressionAttrs> {
    BoxEncoding box_encoding = BoxEncoding::kCorner;
    bool sort_result_descending = true;
    ElementType output_type = ElementType::i64;  // an attribute from opset 3 on
    bool pad_rows = false;                       // from opset 5 on
    void visit(AttributeVisitor& v) override {
        v.optional("box_encoding", box_encoding);
        v.optional("sort_result_descending", sort_result_descending);
    }
};

struct NonMaxSuppression3Attrs : NonMaxSuppressionAttrs {
    void visit(AttributeVisitor& v) override {
        NonMaxSuppressionAttrs::visit(v);
        v.optional("output_type", output_type);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<NonMaxSuppression3Attrs>(*this);
    }
};

struct NonMaxSuppression5Attrs final : NonMaxSuppression3Attrs {
    void visit(AttributeVisitor& v) override {
        NonMaxSuppression3Attrs::visit(v);
        // Set by the reader where an old IR declares a fixed number of rows: outputs 0 and 1 have
        // as many rows as there can be boxes, and what no box fills is -1.
        v.internal("pad_rows", pad_rows);
    }
    std::unique_ptr<Attributes> clone() const override {
        return std::make_unique<NonMaxSuppression5Attrs>(*this);
    }
};

}  // namespace fuseq
