// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Joining, cutting and padding.
#include <algorithm>
#include <numeric>

#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"

namespace fuseq::tflite_reader::slicing_operators {
namespace {

Values concatenation(Operator& op) {
    const auto& options = op.options<::tflite::ConcatenationOptions>();
    op.require(op.input_count() >= 1, "has no inputs");
    const Aligned parts = op.aligned(op.input_count());
    const std::size_t rank = op.rank(parts.values[0]);
    auto axis = static_cast<std::int64_t>(op.axis(options.axis(), rank));
    axis = parts.images ? image_axis(axis) : axis;
    const auto function = options.fused_activation_function();
    bool one_grid = true;
    std::vector<std::size_t> all(op.input_count());
    std::iota(all.begin(), all.end(), 0);
    for (const std::size_t i : all) {
        one_grid = one_grid && same_grid(op.tensor(i), op.output_tensor());
    }
    const bool plain_integers = one_grid && function == ::tflite::ActivationFunctionType::NONE;
    if (op.output_tensor().quantized() && !plain_integers) {
        ModelAttributes attributes = grids(op, all, function);
        attributes.push_back({"axis", axis});
        return parts.result(op.add("QuantizedConcat", parts.values, attributes));
    }
    const Output joined = parts.values.size() == 1
                              ? parts.values[0]
                              : op.add("Concat", parts.values, {{"axis", axis}});
    return parts.result(op.activation(joined, function));
}

// Input `data` cut along the axis.
Values cut(Operator& op,
           std::size_t data,
           std::size_t axis_input,
           const std::vector<std::int64_t>& lengths) {
    const Aligned x = op.either(data);
    const std::vector<std::int64_t> axes = op.constant_ints(axis_input, "the axis");
    op.require(axes.size() == 1, "has ", axes.size(), " axes, expected 1");
    auto axis = static_cast<std::int64_t>(op.axis(axes[0], op.rank(x.values[0])));
    axis = x.images ? image_axis(axis) : axis;
    fuseq::Node* node =
        lengths.empty()
            ? op.node("Split", {x.values[0], op.int_scalar(axis)},
                      {{"num_splits", static_cast<std::int64_t>(op.output_count())}})
            : op.node("VariadicSplit", {x.values[0], op.int_scalar(axis), op.int_list(lengths)});
    return outputs_of(node, x.images);
}

Values split(Operator& op) {
    const std::int32_t parts = op.options<::tflite::SplitOptions>().num_splits();
    op.require(parts == 0 || static_cast<std::size_t>(parts) == op.output_count(), "num_splits is ",
               parts, ", the operator has ", op.output_count(), " outputs");
    return cut(op, 1, 0, {});
}

Values split_v(Operator& op) {
    const std::vector<std::int64_t> lengths = op.constant_ints(1, "the list of lengths");
    op.require(lengths.size() == op.output_count(), "has ", lengths.size(), " lengths and ",
               op.output_count(), " outputs");
    return cut(op, 0, 2, lengths);
}

// Sizes of -1 reach to the end.
Values slice(Operator& op) {
    const Output begin = op.input(1);
    const auto starts = op.known_ints(begin);
    const auto sizes = op.known_ints(op.input(2));
    if (!starts || !sizes) {
        const Output wide = op.convert(begin, ElementType::i64);
        const Output length = op.convert(op.input(2), ElementType::i64);
        const Output whole = op.shape_of(op.input(0));
        const Output to_end = op.add("Less", {length, op.int_scalar(0)});
        const Output end = op.add("Select", {to_end, whole, op.add("Add", {wide, length})});
        const auto rank = static_cast<std::size_t>(op.rank(op.input(0)));
        return plain(op.add(
            "Slice", {op.input(0), wide, end, op.int_list(std::vector<std::int64_t>(rank, 1))}));
    }
    const Aligned x = op.either(0);
    op.require(starts->size() == op.rank(x.values[0]) && sizes->size() == starts->size(),
               "begin has ", starts->size(), " values, size ", sizes->size(), ", the rank is ",
               op.rank(x.values[0]));
    std::vector<std::int64_t> ends;
    for (std::size_t d = 0; d < starts->size(); ++d) {
        const std::int64_t at = (*starts)[d];
        const std::int64_t length = (*sizes)[d];
        op.require(at >= 0 && length >= -1 && at <= INT32_MAX && length <= INT32_MAX, "begin is ",
                   at, ", size ", length, " in dimension ", d);
        ends.push_back(length < 0 ? INT32_MAX : at + length);
    }
    const std::vector<std::int64_t> ones(ends.size(), 1);
    const auto ordered = [&](const std::vector<std::int64_t>& values) {
        return op.int_list(x.images ? image_order(values) : values);
    };
    return x.result(
        op.add("Slice", {x.values[0], ordered(*starts), ordered(ends), op.int_list(ones)}));
}

std::vector<std::int64_t> bits(std::int32_t mask, std::size_t count) {
    std::vector<std::int64_t> list;
    for (std::size_t i = 0; i < count; ++i) {
        list.push_back(i < 31 ? (mask >> i) & 1 : 0);
    }
    return list;
}

Values strided_slice(Operator& op) {
    const auto& options = op.options<::tflite::StridedSliceOptions>();
    const PartialShape& shape = op.input(1).partial_shape();
    op.require(shape.is_static() && shape.rank() == 1, "begin has shape ", to_string(shape),
               ", expected a known number of values");
    const auto count = static_cast<std::size_t>(shape[0].get_length());
    op.require(count <= 16, "begin has ", count, " values, up to 16 are supported");
    const Output end = options.offset() ? op.add("Add", {op.input(1), op.input(2)}) : op.input(2);
    return plain(op.add("StridedSlice", {op.input(0), op.input(1), end, op.input(3)},
                        {{"begin_mask", bits(options.begin_mask(), count)},
                         {"end_mask", bits(options.end_mask(), count)},
                         {"ellipsis_mask", bits(options.ellipsis_mask(), count)},
                         {"new_axis_mask", bits(options.new_axis_mask(), count)},
                         {"shrink_axis_mask", bits(options.shrink_axis_mask(), count)}}));
}

// Input 1 is [rank, 2]: before and after.
Values pad_with(Operator& op, const char* mode, const Output& value) {
    const std::vector<std::int64_t> pads = op.constant_ints(1, "the list of paddings");
    const Aligned x = op.either(0);
    const std::size_t rank = op.rank(x.values[0]);
    op.require(pads.size() == 2 * rank, "has ", pads.size(), " paddings, expected 2 for each of ",
               rank, " dimensions");
    std::vector<std::int64_t> begin;
    std::vector<std::int64_t> end;
    for (std::size_t d = 0; d < rank; ++d) {
        op.require(pads[2 * d] >= 0 && pads[2 * d + 1] >= 0 && pads[2 * d] <= INT32_MAX &&
                       pads[2 * d + 1] <= INT32_MAX,
                   "the paddings of dimension ", d, " are ", pads[2 * d], " and ", pads[2 * d + 1]);
        begin.push_back(pads[2 * d]);
        end.push_back(pads[2 * d + 1]);
    }
    if (x.images) {
        begin = image_order(begin);
        end = image_order(end);
    }
    std::vector<Output> inputs{x.values[0], op.int_list(begin), op.int_list(end)};
    if (value) {
        inputs.push_back(value);
    }
    return x.result(op.add("Pad", inputs, {{"pad_mode", mode}}));
}

// Quantized tensors are filled with what stands for 0.
Values pad(Operator& op) {
    const TensorInfo& result = op.output_tensor();
    const double zero =
        result.quantized() ? static_cast<double>(result.quantization.zero_point()) : 0.0;
    return pad_with(op, "constant", op.scalar(zero, op.tensor(0).type));
}

Values pad_v2(Operator& op) {
    const Output value = op.input(2);
    if (op.tensor(0).quantized()) {
        op.require(same_grid(op.tensor(0), op.tensor(2)), "the value, ", op.tensor(2).title(),
                   ", has another grid than ", op.tensor(0).title());
    }
    return pad_with(op, "constant", op.rank(value) == 0 ? value : op.reshape(value, {}));
}

Values mirror_pad(Operator& op) {
    const auto mode = op.options<::tflite::MirrorPadOptions>().mode();
    op.require(
        mode == ::tflite::MirrorPadMode::REFLECT || mode == ::tflite::MirrorPadMode::SYMMETRIC,
        "mode is ", static_cast<int>(mode), ", expected REFLECT (0) or SYMMETRIC (1)");
    return pad_with(op, mode == ::tflite::MirrorPadMode::REFLECT ? "reflect" : "symmetric", {});
}

Values dynamic_update_slice(Operator& op) {
    const Output x = op.input(0);
    const Output update = op.input(1);
    const PartialShape& whole = x.partial_shape();
    const PartialShape& part = update.partial_shape();
    op.require(whole.is_static() && part.is_static() && whole.rank() == part.rank(),
               "the shapes are ", to_string(whole), " and ", to_string(part),
               ", expected known ones of one rank");
    // A start beyond the last possible one is moved back.
    std::vector<std::int64_t> room;
    std::vector<std::int64_t> sizes;
    for (std::size_t d = 0; d < whole.rank(); ++d) {
        sizes.push_back(part[d].get_length());
        room.push_back(whole[d].get_length() - part[d].get_length());
        op.require(room.back() >= 0, "the update ", to_string(part), " is larger than ",
                   to_string(whole));
    }
    const Output wide = op.convert(op.input(2), ElementType::i64);
    const Output start =
        op.add("Minimum", {op.add("Maximum", {wide, op.int_scalar(0)}), op.int_list(room)});
    const Output stop = op.add("Add", {start, op.int_list(sizes)});
    const Output ones = op.int_list(std::vector<std::int64_t>(sizes.size(), 1));
    return plain(op.add("SliceScatter", {x, update, start, stop, ones}));
}

const OperatorRow kRows[] = {
    {.type = "CONCATENATION", .newest = 4, .translate = concatenation},
    {.type = "DYNAMIC_UPDATE_SLICE", .newest = 2, .translate = dynamic_update_slice},
    {.type = "MIRROR_PAD", .newest = 3, .translate = mirror_pad},
    {.type = "PAD", .newest = 4, .translate = pad},
    {.type = "PADV2", .newest = 4, .translate = pad_v2},
    {.type = "SLICE", .newest = 6, .translate = slice},
    {.type = "SPLIT", .newest = 4, .translate = split},
    {.type = "SPLIT_V", .newest = 2, .translate = split_v},
    {.type = "STRIDED_SLICE", .newest = 8, .translate = strided_slice},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::slicing_operators
