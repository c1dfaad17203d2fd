// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DequantizeSums, rows of pixels, so that it takes part in the tile group of the product before it.
#include "cpu/kernels/eltwise/dequantize_sums.hpp"

#include <array>
#include <memory>
#include <vector>

#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/steps/memory_rows.hpp"
#include "cpu/steps/row_step.hpp"
#include "ops/quantized/dequantize_sums.hpp"

namespace fuseq::cpu {
namespace {

// What the kernel reads, and the parameters that point to it.
struct Sums {
    std::vector<std::int32_t> weight_sums;
    std::vector<std::uint32_t> row_classes;
    std::vector<std::uint32_t> column_classes;
    std::vector<std::int32_t> weight_shifts;
    kernels::DequantizeSumsParams params;

    Sums(const DequantizeSumsAttrs& attrs, std::size_t channels, bool scale_a_channel)
        : weight_sums(attrs.weight_sums.begin(), attrs.weight_sums.end()),
          row_classes(attrs.row_classes.begin(), attrs.row_classes.end()),
          column_classes(attrs.column_classes.begin(), attrs.column_classes.end()),
          weight_shifts(attrs.weight_shifts.begin(), attrs.weight_shifts.end()) {
        params.channels = channels;
        params.weight_sums = weight_sums.data();
        params.scale_a_channel = scale_a_channel;
        if (!row_classes.empty()) {
            params.row_classes = row_classes.data();
            params.column_classes = column_classes.data();
            params.height = row_classes.size();
            params.width = column_classes.size();
        }
        if (!weight_shifts.empty()) {
            params.weight_shifts = weight_shifts.data();
        }
    }
    std::size_t bytes() const {
        return (weight_sums.size() + row_classes.size() + column_classes.size() +
                weight_shifts.size()) *
               sizeof(std::int32_t);
    }
};

std::int32_t zero_point_at(const void* value, ElementType type) {
    switch (type) {
        case ElementType::u8: return *static_cast<const std::uint8_t*>(value);
        case ElementType::i8: return *static_cast<const std::int8_t*>(value);
        default: return *static_cast<const std::int32_t*>(value);
    }
}

}  // namespace

Verdict make_dequantize_sums(StepBuilder& builder, Node& node) {
    if (!node.is("DequantizeSums")) {
        return Verdict::other_kind();
    }
    const ElementType zero_type = node.input(1).type();
    const std::size_t channels = node.port(0).shape.to_shape().back();
    const std::size_t scales = shape_size(node.input(2).shape());
    auto sums =
        std::make_shared<const Sums>(node.attrs<DequantizeSumsAttrs>(), channels, scales != 1);
    const TensorId src = builder.tensor_of(node.input(0), Layout::kPlain);
    const TensorId zero = builder.tensor_of(node.input(1), Layout::kPlain);
    const TensorId scale = builder.tensor_of(node.input(2), Layout::kPlain);
    std::vector<TensorId> inputs{src, zero, scale};
    for (std::size_t i = 3; i < node.input_count(); ++i) {
        inputs.push_back(builder.tensor_of(node.input(i), Layout::kPlain));
    }
    const std::size_t parts = inputs.size() - 2;
    const TensorId dst = builder.new_tensor(ElementType::f32, node.port(0).shape, Layout::kPlain);
    const MemoryRows rows = memory_rows(builder.tensor(dst));
    auto kernel = [sums, zero_type, parts](const RowStep::Rows& some) {
        const kernels::DequantizeSumsGrid grid{zero_point_at(some.sources[1], zero_type),
                                               static_cast<const float*>(some.sources[2])};
        std::array<const float*, kMaxSumParts> from{};
        for (std::size_t i = 0; i < parts; ++i) {
            from[i] = static_cast<const float*>(some.sources[i == 0 ? 0 : i + 2]);
        }
        kernels::dequantize_sums(sums->params, grid, {from.data(), parts},
                                 static_cast<float*>(some.dst), {some.begin, some.end});
    };
    auto step = std::make_unique<RowStep>(
        std::move(kernel),
        RowStep::Tensors{.inputs = std::move(inputs), .output = dst, .whole = {zero, scale}},
        rows.rows, rows.grain(),
        kernel_info("dequantize", "dequantize_sums", builder.tensor(src), builder.tensor(dst)));
    step->set_packed_bytes(sums->bytes());
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
