// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fuseq/attributes.hpp"
#include "ops/embedding/bags.hpp"
#include "ops/embedding/embedding.hpp"

namespace fuseq {

// kGather: one row an index. The others: BagForm.
enum class RowsForm { kGather, kOffsets, kPacked, kSegments };
template <>
struct EnumNames<RowsForm> {
    static constexpr const char* kNames[] = {"gather", "offsets", "packed", "segments"};
};

struct CompressedEmbeddingAttrs final : AttributesOf<CompressedEmbeddingAttrs> {
    RowsForm form = RowsForm::kGather;
    BagReduction reduction = BagReduction::kSum;
    void visit(AttributeVisitor& v) override {
        v.optional("form", form);
        v.optional("reduction", reduction);
    }
    // The inputs; not of kGather.
    BagInputs bag_inputs() const;
};

// Number of the indices among the inputs.
inline constexpr std::size_t kRowIndices = 3;

// Types that rows are stored in.
constexpr bool is_row_code(ElementType type) {
    return type == ElementType::i8 || type == ElementType::u8 || type == ElementType::i4 ||
           type == ElementType::u4;
}

void infer_compressed_embedding(InferContext& context);
void evaluate_compressed_embedding(EvalContext& context);

}  // namespace fuseq
