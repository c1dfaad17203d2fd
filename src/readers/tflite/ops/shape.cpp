// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes: their values, other shapes of the same elements, and repetition.
#include <algorithm>

#include "readers/tflite/operator_table.hpp"

namespace fuseq::tflite_reader::shape_operators {
namespace {

// Images of one pixel have their values in the order of the file.
Output in_order(Operator& op) {
    if (op.is_image(0)) {
        const PartialShape& shape = op.image(0).partial_shape();
        const bool pixel = shape[2] == Dimension(1) && shape[3] == Dimension(1);
        return pixel || shape[1] == Dimension(1) ? op.image(0) : op.input(0);
    }
    return op.input(0);
}

// Of input 0, without asking for its order.
PartialShape file_shape(Operator& op) {
    if (!op.is_image(0)) {
        return op.input(0).partial_shape();
    }
    const PartialShape& shape = op.image(0).partial_shape();
    return PartialShape({shape[0], shape[2], shape[3], shape[1]});
}

// The shape is an input, an option, or else that of the output.
Values reshape(Operator& op) {
    std::vector<std::int64_t> sizes;
    if (op.has_input(1)) {
        const auto known = op.known_ints(op.input(1));
        if (!known) {
            return plain(op.add("Reshape", {op.input(0), op.input(1)}, {{"special_zero", false}}));
        }
        sizes = *known;
    } else if (const auto* stated = op.options<::tflite::ReshapeOptions>().new_shape()) {
        sizes.assign(stated->begin(), stated->end());
    } else {
        const TensorInfo& result = op.output_tensor();
        for (std::size_t d = 0; d < result.shape.size(); ++d) {
            sizes.push_back(result.is_free(d) ? -1 : static_cast<std::int64_t>(result.shape[d]));
        }
    }
    // [0] stands for a scalar in old files.
    if (sizes.size() == 1 && sizes[0] == 0 && shape_size(op.tensor(0).shape) == 1) {
        sizes.clear();
    }
    op.require(std::count(sizes.begin(), sizes.end(), -1) <= 1 &&
                   std::all_of(sizes.begin(), sizes.end(), [](auto s) { return s >= -1; }),
               "the shape has sizes below -1, or -1 twice");
    const Output x = in_order(op);
    if (std::any_of(sizes.begin(), sizes.end(), [](auto size) { return size == 0; })) {
        return plain(op.add("Reshape", {x, op.int_list(sizes)}, {{"special_zero", false}}));
    }
    return plain(op.reshape(x, sizes));
}

Values squeeze(Operator& op) {
    std::vector<std::int64_t> axes;
    const Output x = in_order(op);
    const PartialShape shape = file_shape(op);
    op.require(shape.rank_is_static(), "the rank of the input is not known");
    if (const auto* stated = op.options<::tflite::SqueezeOptions>().squeeze_dims()) {
        for (const std::int32_t axis : *stated) {
            axes.push_back(static_cast<std::int64_t>(op.axis(axis, shape.rank())));
        }
    }
    std::vector<std::int64_t> sizes;
    for (std::size_t d = 0; d < shape.rank(); ++d) {
        // Of an open size 0 takes the place, which copies it.
        op.require(shape[d].is_static() || (d == 0 && !axes.empty()),
                   "the shape of the input is not known: ", to_string(shape));
        const std::int64_t size = shape[d].is_static() ? shape[d].get_length() : 0;
        const bool named =
            std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(d)) != axes.end();
        op.require(!named || size == 1, "dimension ", d, " has the size ", size, ", expected 1");
        if (!(named || (axes.empty() && size == 1))) {
            sizes.push_back(size);
        }
    }
    return plain(op.reshape(x, sizes));
}

Values expand_dims(Operator& op) {
    const std::vector<std::int64_t> axes = op.constant_ints(1, "the axis");
    op.require(axes.size() == 1, "has ", axes.size(), " axes, expected 1");
    return plain(op.add("Unsqueeze", {op.input(0), op.int_list(axes)}));
}

// One that turns an image into the other order costs nothing.
Values transpose(Operator& op) {
    const auto order = op.known_ints(op.input(1));
    if (!order) {
        return plain(op.add("Transpose", {op.input(0), op.input(1)}));
    }
    const std::size_t rank = op.tensor(0).shape.size();
    op.require(order->size() == rank, "the order has ", order->size(), " values, the rank is ",
               rank);
    std::vector<std::int64_t> absolute;
    for (const std::int64_t axis : *order) {
        absolute.push_back(static_cast<std::int64_t>(op.axis(axis, rank)));
    }
    const bool to_image =
        absolute == std::vector<std::int64_t>{std::begin(kToImage), std::end(kToImage)};
    if (to_image && op.is_image(0)) {
        return plain(op.image(0));
    }
    const bool from_image =
        absolute == std::vector<std::int64_t>{std::begin(kFromImage), std::end(kFromImage)};
    if (from_image && !op.is_image(0)) {
        return image(op.input(0));
    }
    return plain(op.transpose(op.input(0), absolute));
}

Values shape_of(Operator& op) {
    const ElementType type = element_type(op.options<::tflite::ShapeOptions>().out_type());
    const ElementType wanted = op.output_tensor().type;
    op.require(wanted == ElementType::i32 || wanted == ElementType::i64, "the output type is ",
               to_string(type), ", expected i32 or i64");
    return plain(op.add("ShapeOf", {op.input(0)}, {{"output_type", wanted}}));
}

Values rank(Operator& op) {
    return plain(op.convert(op.int_scalar(static_cast<std::int64_t>(op.rank(op.input(0)))),
                            ElementType::i32));
}

Values fill(Operator& op) {
    return plain(op.add("Broadcast", {op.input(1), op.input(0)}));
}

Values range(Operator& op) {
    std::vector<Output> scalars;
    for (std::size_t i = 0; i < 3; ++i) {
        scalars.push_back(op.rank(op.input(i)) == 0 ? op.input(i) : op.reshape(op.input(i), {}));
    }
    return plain(op.add("Range", scalars, {{"output_type", op.output_tensor().type}}));
}

Values broadcast_to(Operator& op) {
    return plain(op.add("Broadcast", {op.input(0), op.input(1)}, {{"mode", "bidirectional"}}));
}

// The shape that two shapes broadcast to: that of 1 and 1 of these shapes together.
Values broadcast_args(Operator& op) {
    const auto a = op.ints(op.input(0), "the first shape");
    const auto b = op.ints(op.input(1), "the second shape");
    std::vector<std::int64_t> result(std::max(a.size(), b.size()), 1);
    for (std::size_t d = 0; d < result.size(); ++d) {
        const std::int64_t left = d < a.size() ? a[a.size() - 1 - d] : 1;
        const std::int64_t right = d < b.size() ? b[b.size() - 1 - d] : 1;
        op.require(left == right || left == 1 || right == 1, "sizes ", left, " and ", right,
                   " do not broadcast");
        result[result.size() - 1 - d] = left == 1 ? right : left;
    }
    return plain(op.convert(op.int_list(result), op.output_tensor().type));
}

Values tile(Operator& op) {
    return plain(op.add("Tile", {op.input(0), op.input(1)}));
}

// Stacks along a new axis.
Values pack(Operator& op) {
    const auto& options = op.options<::tflite::PackOptions>();
    op.require(op.input_count() >= 1, "has no inputs");
    const std::size_t rank = op.rank(op.input(0)) + 1;
    const auto axis = static_cast<std::int64_t>(op.axis(options.axis(), rank));
    std::vector<Output> parts;
    for (const Output& input : op.inputs()) {
        parts.push_back(op.unsqueeze(input, {axis}));
    }
    return plain(parts.size() == 1 ? parts[0] : op.add("Concat", parts, {{"axis", axis}}));
}

Values unpack(Operator& op) {
    const auto& options = op.options<::tflite::UnpackOptions>();
    const Output x = op.input(0);
    const auto axis = static_cast<std::int64_t>(op.axis(options.axis(), op.rank(x)));
    const auto count = static_cast<std::int64_t>(op.output_count());
    fuseq::Node* parts = op.node("Split", {x, op.int_scalar(axis)}, {{"num_splits", count}});
    Values values;
    for (const Value& part : outputs_of(parts)) {
        values.push_back({.plain = op.squeeze(part.plain, {axis})});
    }
    return values;
}

const OperatorRow kRows[] = {
    {.type = "BROADCAST_ARGS", .newest = 1, .translate = broadcast_args, .note = "of known shapes"},
    {.type = "BROADCAST_TO", .newest = 3, .translate = broadcast_to},
    {.type = "EXPAND_DIMS", .newest = 1, .translate = expand_dims},
    {.type = "FILL", .newest = 4, .translate = fill},
    {.type = "PACK", .newest = 4, .translate = pack},
    {.type = "RANGE", .newest = 2, .translate = range},
    {.type = "RANK", .newest = 1, .translate = rank},
    {.type = "RESHAPE", .newest = 1, .translate = reshape},
    {.type = "SHAPE", .newest = 1, .translate = shape_of},
    {.type = "SQUEEZE", .newest = 2, .translate = squeeze},
    {.type = "TILE", .newest = 3, .translate = tile},
    {.type = "TRANSPOSE", .newest = 6, .translate = transpose},
    {.type = "UNPACK", .newest = 4, .translate = unpack},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::shape_operators
