// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Eye-9: matrices with ones on one diagonal, output[..., i, i + diagonal_index] = 1, and zeros
// elsewhere.
#include "ops/linear_algebra/eye.hpp"

#include <algorithm>
#include <cstring>

#include "model/typed.hpp"
#include "ops/op_list.hpp"
#include "ops/scalars.hpp"
#include "ops/shape_values.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq::eye_ops {
namespace {

enum Input : std::size_t { kRows, kColumns, kDiagonal, kBatch };

template <class Context>
void check_size(const Context& context, std::int64_t size, const char* what) {
    context.require(size >= 0, what, " is ", size, ", expected 0 or more");
}

// Where it follows from constants or from shapes.
Dimension size_of_input(const InferContext& context, Input input, const char* what) {
    require_int_scalar(context, input, what);
    if (const auto known = known_int(context, input, 0)) {
        check_size(context, *known, what);
    }
    const auto dims = context.dims(input);
    return dims && dims->size() == 1 ? dims->front() : Dimension::dynamic();
}

void infer(InferContext& context) {
    const ElementType type = context.attrs<EyeAttrs>().output_type;
    context.require(is_real(type) || is_integral(type), "output_type is ", to_string(type),
                    ", expected a numeric type");
    const Dimension rows = size_of_input(context, kRows, "num_rows");
    const Dimension columns = size_of_input(context, kColumns, "num_columns");
    require_int_scalar(context, kDiagonal, "diagonal_index");
    std::vector<Dimension> dims;
    if (context.has_input(kBatch)) {
        require_int_list(context, kBatch, "batch_shape");
        if (const auto known = context.ints(kBatch)) {
            check_sizes(context, *known, "batch_shape");
        }
        const auto batch = shape_values(context, kBatch);
        if (!batch) {
            context.set_output(0, type, PartialShape::dynamic());
            return;
        }
        dims = *batch;
    }
    dims.push_back(rows);
    dims.push_back(columns);
    const PartialShape shape(std::move(dims));
    if (shape.is_static()) {
        check_element_count(context, shape.to_shape(), "the result");
    }
    context.set_output(0, type, shape);
}

Shape output_shape(const EvalContext& context) {
    Shape shape;
    if (context.has_input(kBatch)) {
        const std::vector<std::int64_t> batch = to_ints(context.input(kBatch));
        check_sizes(context, batch, "batch_shape");
        shape.assign(batch.begin(), batch.end());
    }
    for (const Input input : {kRows, kColumns}) {
        const char* what = input == kRows ? "num_rows" : "num_columns";
        const std::int64_t size = int_input(context, input, what, 0);
        check_size(context, size, what);
        shape.push_back(static_cast<std::size_t>(size));
    }
    check_element_count(context, shape, "the result");
    return shape;
}

void evaluate(EvalContext& context) {
    const Shape shape = output_shape(context);
    const std::int64_t diagonal = int_input(context, kDiagonal, "diagonal_index", 0);
    Tensor& out = context.output(0, shape);
    if (out.get_size() == 0) {
        return;
    }
    std::memset(out.data(), 0, out.get_byte_size());
    const auto rows = static_cast<std::int64_t>(shape[shape.size() - 2]);
    const auto columns = static_cast<std::int64_t>(shape.back());
    if (diagonal >= columns || diagonal <= -rows) {
        return;
    }
    const std::int64_t first = std::max<std::int64_t>(0, -diagonal);
    const std::int64_t end = std::min(rows, columns - diagonal);
    const std::size_t bytes = size_of(out.get_element_type());
    const float one = 1;
    auto* dst = static_cast<std::byte*>(out.data());
    const auto matrix = static_cast<std::size_t>(rows * columns);
    for (std::size_t start = 0; start < out.get_size(); start += matrix) {
        for (std::int64_t r = first; r < end; ++r) {
            const std::size_t at = start + static_cast<std::size_t>(r * columns + r + diagonal);
            convert_values(ElementType::f32, &one, out.get_element_type(), dst + at * bytes, 1);
        }
    }
}

const OpSpec kOps[] = {
    {.type = "Eye",
     .version = 9,
     .inputs = {3, 4},
     .make_attributes = make_attributes<EyeAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Matrices with ones on one diagonal",
     .refused = "negative sizes; more than 2^28 elements; output_type boolean"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::eye_ops
