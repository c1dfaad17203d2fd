// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Values by their indices, and indices of values.
#include "readers/tflite/operator_table.hpp"

namespace fuseq::tflite_reader::indexing_operators {
namespace {

Values gather(Operator& op) {
    const auto& options = op.options<::tflite::GatherOptions>();
    return plain(op.add("Gather", {op.input(0), op.input(1), op.int_scalar(options.axis())},
                        {{"batch_dims", static_cast<std::int64_t>(options.batch_dims())}}));
}

Values gather_nd(Operator& op) {
    return plain(op.add("GatherND", {op.input(0), op.input(1)}));
}

// Rows of a table, which may be of quantized weights.
Values embedding_lookup(Operator& op) {
    const Output rows = op.add("Gather", {op.input(1), op.input(0), op.int_scalar(0)});
    const TensorInfo& table = op.tensor(1);
    const bool real = is_real(op.output_tensor().type);
    op.require(!real || !table.quantized() || !table.quantization.per_channel(), "the table, ",
               table.title(), ", has several scales");
    return plain(real ? op.real(1, rows) : rows);
}

Values one_hot(Operator& op) {
    const auto& options = op.options<::tflite::OneHotOptions>();
    return plain(
        op.add("OneHot", op.inputs(), {{"axis", static_cast<std::int64_t>(options.axis())}}));
}

// Values fall; of equal ones the first comes first.
Values top_k(Operator& op) {
    const Output k = op.rank(op.input(1)) == 0 ? op.input(1) : op.reshape(op.input(1), {});
    fuseq::Node* node = op.node("TopK", {op.input(0), k},
                                {{"axis", std::int64_t{-1}},
                                 {"mode", "max"},
                                 {"sort", "value"},
                                 {"index_element_type", ElementType::i32},
                                 {"stable", true}});
    return outputs_of(node);
}

// [number of true elements, rank]
Values where(Operator& op) {
    const Output positions = op.add("NonZero", {op.input(0)}, {{"output_type", ElementType::i64}});
    return plain(op.transpose(positions, {1, 0}));
}

// Updates of one place are added up.
Values scatter_nd(Operator& op) {
    const Output updates = op.input(1);
    const Output zeros = op.add("Broadcast", {op.scalar(0, updates), op.input(2)});
    return plain(op.add("ScatterNDUpdate", {zeros, op.input(0), updates}, {{"reduction", "sum"}}));
}

Values bucketize(Operator& op) {
    const auto* stated = op.options<::tflite::BucketizeOptions>().boundaries();
    const std::vector<float> borders = stated == nullptr
                                           ? std::vector<float>{}
                                           : std::vector<float>{stated->begin(), stated->end()};
    const Output list = op.constant(Tensor::of<float>(Shape{borders.size()}, borders));
    return plain(op.add("Bucketize", {op.input(0), list},
                        {{"output_type", ElementType::i32}, {"with_right_bound", false}}));
}

// Distinct values in the order in which they occur, and where each element's value stands.
Values unique(Operator& op) {
    const ElementType type = element_type(op.options<::tflite::UniqueOptions>().idx_out_type());
    op.require(type == ElementType::i32 || type == ElementType::i64, "idx_out_type is ",
               to_string(type), ", expected i32 or i64");
    fuseq::Node* node =
        op.node("Unique", {op.input(0)}, {{"sorted", false}, {"index_element_type", type}});
    return {{.plain = node->output(0)}, {.plain = node->output(2)}};
}

const OperatorRow kRows[] = {
    {.type = "BUCKETIZE", .newest = 1, .translate = bucketize},
    {.type = "EMBEDDING_LOOKUP", .newest = 3, .translate = embedding_lookup},
    {.type = "GATHER", .newest = 7, .translate = gather},
    {.type = "GATHER_ND", .newest = 5, .translate = gather_nd},
    {.type = "ONE_HOT", .newest = 1, .translate = one_hot},
    {.type = "SCATTER_ND", .newest = 1, .translate = scatter_nd},
    {.type = "TOPK_V2", .newest = 3, .translate = top_k},
    {.type = "UNIQUE", .newest = 1, .translate = unique},
    {.type = "WHERE", .newest = 2, .translate = where},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::indexing_operators
