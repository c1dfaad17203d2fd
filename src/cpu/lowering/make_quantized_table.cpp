// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What maps one byte to one byte, or one integer of 16 bits to an integer, by a table that the
// reference kernel fills when the model is compiled: Requantize, QuantizedLeakyRelu, QuantizedTable;
// and the inputs of QuantizedConcat, which are copied where the table changes nothing.
#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include <fmt/core.h>

#include "cpu/lowering/quantized_rounding.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/concat.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/memory_rows.hpp"
#include "cpu/steps/row_step.hpp"
#include "ops/axes.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kBytes = 256;
using ByteTable = std::array<std::uint8_t, kBytes>;

// Every byte once, as a tensor of that shape.
Tensor all_bytes(ElementType type, const Shape& shape) {
    Tensor tensor(type, shape);
    auto* bytes = static_cast<std::uint8_t*>(tensor.data());
    std::iota(bytes, bytes + kBytes, std::uint8_t{0});
    return tensor;
}

// What the reference kernel makes of the tensors.
Tensor reference_result(const Node& node, std::span<const Tensor> inputs) {
    OwningEvalContext context(node, inputs);
    node.spec().evaluate(context);
    return context.outputs()[0];
}

ByteTable table_at(const Tensor& results, std::size_t at) {
    ByteTable table;
    std::copy_n(static_cast<const std::uint8_t*>(results.data()) + at * kBytes, kBytes,
                table.begin());
    return table;
}

bool is_identity(const ByteTable& table) {
    return std::adjacent_find(table.begin(), table.end(), [](std::uint8_t x, std::uint8_t y) {
               return y != x + 1;
           }) == table.end();
}

// dst is table[the bits of the source]. Table: of Elements, by index.
template <class Source, class Element, class Table>
std::unique_ptr<RowStep> table_step(
    const StepBuilder& builder, const char* name, Table table, TensorId src, TensorId dst) {
    const MemoryRows rows = memory_rows(builder.tensor(dst));
    auto kernel = [table = std::move(table), columns = rows.columns](const RowStep::Rows& some) {
        const auto* results = static_cast<const Element*>(table.data());
        const auto* from = static_cast<const Source*>(some.sources[0]);
        auto* to = static_cast<Element*>(some.dst);
        for (std::size_t i = some.begin * columns; i < some.end * columns; ++i) {
            to[i] = results[from[i]];
        }
    };
    return std::make_unique<RowStep>(
        std::move(kernel), RowStep::Tensors{.inputs = {src}, .output = dst}, rows.rows,
        rows.grain(), kernel_info("eltwise", name, builder.tensor(src), builder.tensor(dst)));
}

std::unique_ptr<RowStep> byte_table_step(const StepBuilder& builder,
                                         const ByteTable& table,
                                         TensorId src,
                                         TensorId dst) {
    return table_step<std::uint8_t, std::uint8_t>(builder, "byte_table", table, src, dst);
}

// Of all integers of 16 bits: by the bits of the source, elements of dst.
Tensor table_of_words(const Node& node) {
    constexpr std::size_t kWords = 65536;
    Tensor every(node.input(0).type(), Shape{kWords});
    auto* words = static_cast<std::uint16_t*>(every.data());
    std::iota(words, words + kWords, std::uint16_t{0});
    return reference_result(node, {&every, 1});
}

Verdict make_table_of_words(StepBuilder& builder, Node& node) {
    const TensorId src = builder.tensor_of(node.input(0));
    const TensorId dst =
        builder.new_tensor(node.port(0).type, node.port(0).shape, builder.tensor(src).layout);
    const auto with = [&](auto element) {
        return table_step<std::uint16_t, decltype(element)>(builder, "word_table",
                                                            table_of_words(node), src, dst);
    };
    switch (size_of(node.port(0).type)) {
        case 1: add_node_step(builder, node, with(std::uint8_t{}), dst); break;
        case 2: add_node_step(builder, node, with(std::uint16_t{}), dst); break;
        default: add_node_step(builder, node, with(std::uint32_t{}), dst); break;
    }
    return Verdict::yes();
}

bool is_16_bit(ElementType type) {
    return type == ElementType::i16 || type == ElementType::u16;
}

}  // namespace

Verdict make_quantized_table(StepBuilder& builder, Node& node) {
    if (!node.is("Requantize") && !node.is("QuantizedLeakyRelu") && !node.is("QuantizedTable")) {
        return Verdict::other_kind();
    }
    if (is_16_bit(node.input(0).type())) {
        return make_table_of_words(builder, node);
    }
    if (!is_8_bit(node.input(0).type()) || !is_8_bit(node.port(0).type)) {
        return Verdict::no("for bytes, and sources of 16 bits");
    }
    const Tensor every = all_bytes(node.input(0).type(), Shape{kBytes});
    const ByteTable table = table_at(reference_result(node, {&every, 1}), 0);
    const TensorId src = builder.tensor_of(node.input(0));
    const TensorId dst =
        builder.new_tensor(node.port(0).type, node.port(0).shape, builder.tensor(src).layout);
    add_node_step(builder, node, byte_table_step(builder, table, src, dst), dst);
    return Verdict::yes();
}

Verdict make_quantized_concat(StepBuilder& builder, Node& node) {
    if (!node.is("QuantizedConcat")) {
        return Verdict::other_kind();
    }
    const auto takes = [](const Output& input) {
        return is_8_bit(input.type()) && shape_size(input.shape()) != 0;
    };
    if (!is_8_bit(node.port(0).type) ||
        !std::all_of(node.inputs().begin(), node.inputs().end(), takes)) {
        return Verdict::no("for bytes, and some of each");
    }
    const std::size_t rank = node.port(0).shape.rank();
    const std::size_t axis = wrapped_axis(node.attrs<QuantizedConcatAttrs>().axis, rank);
    Shape line(rank, 1);
    line[axis] = kBytes;
    std::vector<Tensor> every;
    for (const Output& input : node.inputs()) {
        every.push_back(all_bytes(input.type(), line));
    }
    const Tensor results = reference_result(node, every);
    const Layout layout = layout_of_inputs(builder, node);
    std::vector<TensorId> ids;
    std::vector<PlanTensor> srcs;
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
        const Output& input = node.inputs()[i];
        const ByteTable table = table_at(results, i);
        TensorId id = builder.tensor_of(input, layout);
        if (!is_identity(table)) {
            const TensorId moved =
                builder.new_tensor(node.port(0).type, input.partial_shape(), layout);
            auto step = byte_table_step(builder, table, id, moved);
            step->info().name = fmt::format("{}/input{}", node.name(), i);
            builder.add_step(std::move(step));
            id = moved;
        }
        ids.push_back(id);
        srcs.push_back(builder.tensor(id));
    }
    const TensorId dst = builder.new_tensor(node.port(0).type, node.port(0).shape, layout);
    add_node_step(
        builder, node,
        std::make_unique<ConcatStep>(srcs, std::move(ids), builder.tensor(dst), dst, axis), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
