// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// MatMulNBits and GatherBlockQuantized: weights of 4 or 8 bits in blocks of a row. They keep their
// bits: what is made of them is what keep_compressed_weights takes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "readers/onnx/operator_table.hpp"

namespace fuseq::onnx_reader::blocked_weights_operators {
namespace {

using Outputs = std::vector<Output>;

// [rows, blocks, block] codes of u4 or u8; a scale a block.
struct Blocks {
    std::int64_t bits = 4;
    std::int64_t rows = 0;
    std::int64_t columns = 0;  // of what the codes stand for; the last block may have fewer
    std::int64_t block = 0;
    std::int64_t blocks() const { return (columns + block - 1) / block; }
    std::int64_t packed(std::int64_t codes) const { return (codes * bits + 7) / 8; }
};

Blocks read_blocks(const Operator& op, std::int64_t block, std::int64_t bits) {
    op.require(bits == 4 || bits == 8, "attribute bits is ", bits, "; supported: 4, 8");
    constexpr std::int64_t kMaxBlock = 1 << 20;
    op.require(
        block >= 16 && block <= kMaxBlock && std::has_single_bit(static_cast<std::uint64_t>(block)),
        "attribute block_size is ", block, ", expected a power of two of 16 or more");
    return {.bits = bits, .block = block};
}

Tensor constant_of(const Operator& op, std::size_t input, const char* what) {
    const auto known = op.value(op.input(input));
    op.require(known.has_value(), what, " is not constant");
    return *known;
}

void check_size(const Operator& op, const Tensor& tensor, std::int64_t expected, const char* what) {
    op.require(tensor.get_size() == static_cast<std::size_t>(expected), what, " has ",
               tensor.get_size(), " values, expected ", expected);
}

Shape shape_of(std::int64_t rows, std::int64_t blocks, std::int64_t block) {
    return {static_cast<std::size_t>(rows), static_cast<std::size_t>(blocks),
            static_cast<std::size_t>(block)};
}

// The bytes of a tensor as codes.
Tensor as_codes(const Tensor& bytes, const Blocks& blocks) {
    const ElementType type = blocks.bits == 4 ? ElementType::u4 : ElementType::u8;
    Tensor codes(type, shape_of(blocks.rows, blocks.blocks(), blocks.block));
    std::memcpy(codes.data(), std::as_const(bytes).data(), codes.get_byte_size());
    return codes;
}

// Zero points of rows that are each padded to whole bytes, the first code in the low bits.
Tensor unpack_zero_points(const Tensor& bytes, const Blocks& blocks) {
    const std::int64_t count = blocks.blocks();
    Tensor result(ElementType::u8, shape_of(blocks.rows, count, 1));
    const auto* from = bytes.data<std::uint8_t>();
    auto* to = result.data<std::uint8_t>();
    for (std::int64_t row = 0; row < blocks.rows; ++row) {
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint8_t byte = from[row * blocks.packed(count) + i * blocks.bits / 8];
            const int nibble = i % 2 == 0 ? byte & 15 : byte >> 4;
            *to++ = static_cast<std::uint8_t>(blocks.bits == 4 ? nibble : byte);
        }
    }
    return result;
}

// In the shape [rows, blocks, 1], or one value, as numbers of `type`.
Output zero_points(Operator& op, std::size_t input, const Blocks& blocks, ElementType type) {
    const std::int64_t count = blocks.blocks();
    if (!op.has_input(input)) {
        return op.scalar(static_cast<double>(std::int64_t{1} << (blocks.bits - 1)), type);
    }
    const Tensor given = constant_of(op, input, "zero_points");
    if (given.get_element_type() == ElementType::u8) {
        check_size(op, given, blocks.rows * blocks.packed(count), "zero_points");
        return op.convert(op.constant(unpack_zero_points(given, blocks)), type);
    }
    check_size(op, given, blocks.rows * count, "zero_points");
    return op.convert(op.reshape(op.input(input), {blocks.rows, count, 1}), type);
}

Output scales(Operator& op, std::size_t input, const Blocks& blocks) {
    const Tensor given = constant_of(op, input, "scales");
    check_size(op, given, blocks.rows * blocks.blocks(), "scales");
    const std::vector<float> values = to_floats(given);
    const auto bad =
        std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
    op.require(bad == values.end(), "scale ", bad - values.begin(), " is not finite");
    return op.reshape(op.input(input), {blocks.rows, blocks.blocks(), 1});
}

// (code - zero point) * scale
Output dequantize(Operator& op, const Output& codes, const Output& zero, const Output& scale) {
    const Output real = op.add("Convert", {codes}, {{"destination_type", scale.type()}});
    return op.add("Multiply", {op.add("Subtract", {real, zero}), scale});
}

// Zeros at the end of the last dimension, up to whole blocks of the weights.
Output pad_source(Operator& op, const Output& x, const Blocks& blocks) {
    const std::int64_t missing = blocks.blocks() * blocks.block - blocks.columns;
    if (missing == 0) {
        return x;
    }
    std::vector<std::int64_t> end(op.rank(x, "A"), 0);
    const Output begin = op.int_list(end);
    end.back() = missing;
    return op.add("Pad", {x, begin, op.int_list(end), op.scalar(0, x)},
                  {{"pad_mode", std::string("constant")}});
}

// Groups in another order than the codes' are what GPTQ's act-order makes.
void check_group_index(const Operator& op, const Blocks& blocks) {
    if (!op.has_input(4)) {
        return;
    }
    const std::vector<std::int64_t> index = op.ints(op.input(4), "g_idx");
    for (std::size_t k = 0; k < index.size(); ++k) {
        const std::int64_t group = static_cast<std::int64_t>(k) / blocks.block;
        op.require(index[k] == group, "g_idx puts column ", k, " into group ", index[k],
                   "; supported: group k / block_size, here ", group);
    }
}

// A * dequantize(B)^T + bias
Outputs matmul_nbits(Operator& op) {
    Blocks blocks = read_blocks(op, op.attributes.required_integer("block_size"),
                                op.attributes.integer("bits", 4));
    blocks.rows = op.attributes.required_integer("N");
    blocks.columns = op.attributes.required_integer("K");
    constexpr std::int64_t kMax = std::int64_t{1} << 31;
    op.require(
        blocks.rows > 0 && blocks.rows <= kMax && blocks.columns > 0 && blocks.columns <= kMax,
        "attributes N and K are ", blocks.rows, " and ", blocks.columns, ", expected 1 to ", kMax);
    const Tensor bytes = constant_of(op, 1, "B");
    op.require(bytes.get_element_type() == ElementType::u8, "B has type ",
               to_string(bytes.get_element_type()), ", expected u8");
    check_size(op, bytes, blocks.rows * blocks.blocks() * blocks.packed(blocks.block), "B");
    check_group_index(op, blocks);
    const Output scale = scales(op, 2, blocks);
    const Output zero = zero_points(op, 3, blocks, scale.type());
    const Output real = dequantize(op, op.constant(as_codes(bytes, blocks)), zero, scale);
    const Output weights = op.reshape(real, {blocks.rows, blocks.blocks() * blocks.block});
    const Output x = op.input(0);
    const Output product =
        op.add("MatMul", {pad_source(op, x, blocks), op.convert(weights, x.type())},
               {{"transpose_a", false}, {"transpose_b", true}});
    return {op.has_input(5) ? op.add("Add", {product, op.input(5)}) : product};
}

// Codes of a table as u8, one a byte, so that rows can be picked; less 8 for INT4.
Tensor unpack_table(const Operator& op, Blocks& blocks) {
    const Tensor given = constant_of(op, 0, "data");
    const ElementType type = given.get_element_type();
    op.require(given.get_shape().size() == 2, "data has shape ", to_string(given.get_shape()),
               ", expected [rows, columns]");
    op.require(type == ElementType::u8 || type == ElementType::u4 || type == ElementType::i4,
               "data has type ", to_string(type), ", expected u8, u4 or i4");
    blocks.rows = static_cast<std::int64_t>(given.get_shape()[0]);
    blocks.columns = static_cast<std::int64_t>(given.get_shape()[1]);
    if (type != ElementType::u8) {
        op.require(blocks.bits == 4, "attribute bits is ", blocks.bits, " for data of ",
                   to_string(type));
        return given.to(type == ElementType::i4 ? ElementType::i8 : ElementType::u8);
    }
    if (blocks.bits == 8) {
        return given;
    }
    blocks.columns *= 2;
    Tensor codes(ElementType::u4, Shape{given.get_shape()[0], given.get_shape()[1] * 2});
    std::memcpy(codes.data(), std::as_const(given).data(), codes.get_byte_size());
    return codes.to(ElementType::u8);
}

// Zero points of GatherBlockQuantized: as its data, packed along the blocks.
Output table_zero_points(Operator& op, const Blocks& blocks, ElementType codes, ElementType type) {
    if (!op.has_input(3)) {
        return codes == ElementType::i8 ? Output{} : zero_points(op, 3, blocks, type);
    }
    const Tensor given = constant_of(op, 3, "zero_points");
    if (given.get_element_type() == ElementType::u8) {
        return zero_points(op, 3, blocks, type);
    }
    check_size(op, given, blocks.rows * blocks.blocks(), "zero_points");
    return op.reshape(op.constant(given.to(type)), {blocks.rows, blocks.blocks(), 1});
}

// Rows are picked first, then dequantized: the table stays one of bytes.
Outputs gather_block_quantized(Operator& op) {
    Blocks blocks =
        read_blocks(op, op.attributes.integer("block_size", 128), op.attributes.integer("bits", 4));
    op.require(op.attributes.integer("gather_axis", 0) == 0,
               "attribute gather_axis is not 0, which is what is supported");
    const std::int64_t axis = op.attributes.integer("quantize_axis", 1);
    op.require(axis == 1 || axis == -1, "attribute quantize_axis is ", axis, "; supported: 1");
    const Tensor table = unpack_table(op, blocks);
    op.require(blocks.columns % blocks.block == 0, "rows of ", blocks.columns,
               " values are no whole number of blocks of ", blocks.block);
    const auto pick = [&](const Output& rows) {
        return op.add("Gather", {rows, op.input(1), op.int_scalar(0)});
    };
    const Output codes =
        op.constant(table.reshaped(shape_of(blocks.rows, blocks.blocks(), blocks.block)));
    const Output scale = scales(op, 2, blocks);
    const Output zero = table_zero_points(op, blocks, codes.type(), scale.type());
    Output real = op.add("Convert", {pick(codes)}, {{"destination_type", scale.type()}});
    if (zero) {
        real = op.add("Subtract", {real, op.rank(zero) == 0 ? zero : pick(zero)});
    }
    real = op.add("Multiply", {real, pick(scale)});
    std::vector<std::int64_t> sizes(op.rank(op.input(1), "indices"), 0);
    sizes.push_back(blocks.columns);
    return {op.reshape(real, sizes)};
}

constexpr std::string_view kMicrosoft = "com.microsoft";
const OperatorRow kRows[] = {
    {.type = "MatMulNBits",
     .since = 1,
     .translate = matmul_nbits,
     .domain = kMicrosoft,
     .note = "4 and 8 bits, which stay so in memory; g_idx in another order refused"},
    {.type = "GatherBlockQuantized",
     .since = 1,
     .translate = gather_block_quantized,
     .domain = kMicrosoft,
     .note = "rows of a table of 4 or 8 bits, a byte a code in memory; other axes refused"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::blocked_weights_operators
