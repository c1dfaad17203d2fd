// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Constants: what init_net consists of.
#include <cstring>

#include "readers/caffe2/operator_table.hpp"

namespace fuseq::caffe2_reader::fill_operators {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 31;

Shape stated_shape(const Operator& op) {
    Shape shape;
    std::size_t elements = 1;
    for (const std::int64_t size : op.integers("shape")) {
        op.require(size >= 0, "argument shape has a dimension of ", size);
        const auto wide = static_cast<std::size_t>(size);
        const std::size_t factor = wide == 0 ? 1 : wide;
        op.require(elements <= kLargest / factor, "has more than ", kLargest, " elements");
        elements *= factor;
        shape.push_back(wide);
    }
    return shape;
}

void require_count(const Operator& op, std::size_t count, const Shape& shape) {
    op.require(count == shape_size(shape), "argument values has ", count, " values, the shape ",
               to_string(shape), " takes ", shape_size(shape));
}

Values floats(Operator& op) {
    const Shape shape = stated_shape(op);
    const std::vector<float> values = op.reals("values");
    require_count(op, values.size(), shape);
    return plain(op.constant(Tensor::of<float>(shape, values)));
}

template <ElementType kType>
Values integers(Operator& op) {
    const Shape shape = stated_shape(op);
    const std::vector<std::int64_t> values = op.integers("values");
    require_count(op, values.size(), shape);
    return plain(op.constant(Tensor::of<std::int64_t>(shape, values).to(kType)));
}

// One value everywhere; dtype as in TensorProto.DataType.
Values one_value(Operator& op) {
    op.require(op.input_count() == 0, "a shape from an input is not supported");
    const Shape shape = stated_shape(op);
    constexpr std::size_t kLargestFill = std::size_t{1} << 26;
    op.require(shape_size(shape) <= kLargestFill, "has ", shape_size(shape),
               " elements, a filled constant may have ", kLargestFill);
    const std::int64_t type = op.integer("dtype", 1);
    op.require(type == 1 || type == 2 || type == 10, "dtype is ", type,
               ", expected 1 (float), 2 (int32) or 10 (int64)");
    if (type == 1) {
        return plain(op.constant(
            Tensor::of<float>(shape, std::vector<float>(shape_size(shape), op.real("value", 0)))));
    }
    const std::vector<std::int64_t> values(shape_size(shape), op.integer("value", 0));
    return plain(op.constant(Tensor::of<std::int64_t>(shape, values)
                                 .to(type == 2 ? ElementType::i32 : ElementType::i64)));
}

// The bytes less 128.
Values quantized_bytes(Operator& op) {
    const Grid grid = op.output_grid();
    const Shape shape = stated_shape(op);
    const std::string bytes = op.text("values", "");
    require_count(op, bytes.size(), shape);
    Tensor values(ElementType::i8, shape);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        values.data<std::int8_t>()[i] = static_cast<std::int8_t>(
            static_cast<std::uint8_t>(bytes[i]) - static_cast<int>(kOffset));
    }
    return plain(op.constant(values), grid);
}

// Biases: 32 bits, in the scale of the product whatever their own one is.
Values quantized_integers(Operator& op) {
    op.require(op.integer("Y_zero_point", 0) == 0, "Y_zero_point is ",
               op.integer("Y_zero_point", 0), ", expected 0 of integers of 32 bits");
    const float scale = op.output_grid().scale;
    Values values = integers<ElementType::i32>(op);
    values[0].grid = Grid{scale, 0};
    return values;
}

const OperatorRow kRows[] = {
    {"ConstantFill", one_value},
    {"GivenTensorFill", floats},
    {"GivenTensorInt64Fill", integers<ElementType::i64>},
    {"GivenTensorIntFill", integers<ElementType::i32>},
    {"Int8GivenIntTensorFill", quantized_integers},
    {"Int8GivenTensorFill", quantized_bytes, "bytes and zero point less 128: i8"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::caffe2_reader::fill_operators
