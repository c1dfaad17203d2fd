// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions, positions of extremes, running sums.
#include <algorithm>

#include "readers/tflite/operator_table.hpp"
#include "readers/tflite/ops/grids.hpp"

namespace fuseq::tflite_reader::reduce_operators {
namespace {

struct Reduction {
    Aligned x;
    std::vector<std::int64_t> axes;  // of x as it stands
    bool keep = false;
    bool image_mean = false;  // TFLite has a kernel of its own for it
};

Reduction read(Operator& op) {
    Reduction reduction;
    reduction.x = op.either(0);
    reduction.keep = op.options<::tflite::ReducerOptions>().keep_dims();
    const std::size_t rank = op.rank(reduction.x.values[0]);
    bool channels = false;
    bool first = false;
    bool from_end = false;  // TFLite compares the numbers in the file
    for (const std::int64_t stated : op.constant_ints(1, "the list of axes")) {
        const auto axis = static_cast<std::int64_t>(op.axis(stated, rank));
        if (std::find(reduction.axes.begin(), reduction.axes.end(), axis) == reduction.axes.end()) {
            reduction.axes.push_back(axis);
        }
        channels = channels || axis == 3;
        first = first || axis == 0;
        from_end = from_end || stated < 0;
    }
    reduction.image_mean = reduction.keep && rank == 4 && reduction.axes.size() == 2 && !channels &&
                           !first && !from_end;
    if (!reduction.x.images) {
        return reduction;
    }
    // The dimensions that stay are in the same order in both layouts if height and width are both
    // reduced. Otherwise the source must have the file's order.
    const bool plane = reduction.axes.size() >= 2 && !channels;
    if (!reduction.keep && !(plane && std::count(reduction.axes.begin(), reduction.axes.end(), 1) &&
                             std::count(reduction.axes.begin(), reduction.axes.end(), 2))) {
        reduction.x = {.values = {op.input(0)}};
        return reduction;
    }
    for (std::int64_t& axis : reduction.axes) {
        axis = image_axis(axis);
    }
    std::sort(reduction.axes.begin(), reduction.axes.end());
    return reduction;
}

Values result(const Reduction& reduction, const Output& value) {
    return reduction.x.images && reduction.keep ? image(value) : plain(value);
}

Output reduced(Operator& op, const char* type, const Output& x, const Reduction& by) {
    return op.add(type, {x, op.int_list(by.axes)}, {{"keep_dims", by.keep}});
}

Values quantized(Operator& op, const char* type, const Reduction& by) {
    ModelAttributes attributes = grids(op, {0});
    attributes.push_back({"axes", by.axes});
    attributes.push_back({"keep_dims", by.keep});
    attributes.push_back({"image", by.image_mean});
    return result(by, op.add(type, by.x.values, attributes));
}

Values mean(Operator& op) {
    const Reduction by = read(op);
    if (is_quantized(op)) {
        return quantized(op, "QuantizedMean", by);
    }
    return result(by, reduced(op, "ReduceMean", by.x.values[0], by));
}

// Sums and products of quantized values.
Values through(Operator& op, const char* type) {
    const Reduction by = read(op);
    if (is_quantized(op)) {
        const Values made = through_reals(
            op, by.x, [&](const auto& values) { return reduced(op, type, values[0], by); });
        return result(by, made[0].plain ? made[0].plain : made[0].image);
    }
    return result(by, reduced(op, type, by.x.values[0], by));
}
Values sum(Operator& op) {
    // Of 16 bits TFLite takes one grid only.
    const TensorInfo& x = op.tensor(0);
    const bool integers =
        size_of(x.type) == 1 || (x.type == ElementType::i16 && same_grid(x, op.output_tensor()));
    return is_quantized(op) && integers ? quantized(op, "QuantizedSum", read(op))
                                        : through(op, "ReduceSum");
}
// TFLite has integers for i8 and i16. They are multiplied in the order of the file.
Values product(Operator& op) {
    if (!is_quantized(op) || op.tensor(0).type == ElementType::u8) {
        return through(op, "ReduceProd");
    }
    Reduction by;
    by.keep = op.options<::tflite::ReducerOptions>().keep_dims();
    by.x.values = {op.input(0)};
    const std::size_t rank = op.rank(op.input(0));
    for (const std::int64_t stated : op.constant_ints(1, "the list of axes")) {
        const auto axis = static_cast<std::int64_t>(op.axis(stated, rank));
        if (std::find(by.axes.begin(), by.axes.end(), axis) == by.axes.end()) {
            by.axes.push_back(axis);
        }
    }
    return quantized(op, "QuantizedReduceProduct", by);
}

// The integers move; TFLite gives the output the grid of the input.
Values moved(Operator& op, const char* type) {
    const Reduction by = read(op);
    if (op.tensor(0).quantized()) {
        op.require(same_grid(op.tensor(0), op.output_tensor()),
                   "input and output have different grids");
    }
    return result(by, reduced(op, type, by.x.values[0], by));
}
Values maximum(Operator& op) {
    return moved(op, "ReduceMax");
}
Values minimum(Operator& op) {
    return moved(op, "ReduceMin");
}
Values any(Operator& op) {
    return moved(op, "ReduceLogicalOr");
}
Values all(Operator& op) {
    return moved(op, "ReduceLogicalAnd");
}

// The first position of the extreme.
Values position(Operator& op, const char* mode, ElementType type) {
    const Output x = op.input(0);
    const std::vector<std::int64_t> axes = op.constant_ints(1, "the axis");
    op.require(axes.size() == 1, "has ", axes.size(), " axes, expected 1");
    const auto axis = static_cast<std::int64_t>(op.axis(axes[0], op.rank(x)));
    op.require(type == ElementType::i32 || type == ElementType::i64, "the output type is ",
               to_string(type), ", expected i32 or i64");
    fuseq::Node* node = op.node("TopK", {x, op.int_scalar(1)},
                                {{"axis", axis},
                                 {"mode", mode},
                                 {"sort", "value"},
                                 {"index_element_type", type},
                                 {"stable", true}});
    return plain(op.squeeze(node->output(1), {axis}));
}
Values arg_max(Operator& op) {
    return position(op, "max", element_type(op.options<::tflite::ArgMaxOptions>().output_type()));
}
Values arg_min(Operator& op) {
    return position(op, "min", element_type(op.options<::tflite::ArgMinOptions>().output_type()));
}

Values running_sum(Operator& op) {
    const auto& options = op.options<::tflite::CumsumOptions>();
    const std::vector<std::int64_t> axes = op.constant_ints(1, "the axis");
    op.require(axes.size() == 1, "has ", axes.size(), " axes, expected 1");
    return plain(op.add("CumSum", {op.input(0), op.int_scalar(axes[0])},
                        {{"exclusive", options.exclusive()}, {"reverse", options.reverse()}}));
}

const OperatorRow kRows[] = {
    {.type = "ARG_MAX", .newest = 3, .translate = arg_max},
    {.type = "ARG_MIN", .newest = 3, .translate = arg_min},
    {.type = "CUMSUM", .newest = 1, .translate = running_sum},
    {.type = "MEAN", .newest = 3, .translate = mean},
    {.type = "REDUCE_ALL", .newest = 1, .translate = all},
    {.type = "REDUCE_ANY", .newest = 2, .translate = any},
    {.type = "REDUCE_MAX", .newest = 3, .translate = maximum},
    {.type = "REDUCE_MIN", .newest = 3, .translate = minimum},
    {.type = "REDUCE_PROD", .newest = 2, .translate = product, .note = "u8: in f32"},
    {.type = "SUM", .newest = 2, .translate = sum, .note = "16 bits on two grids: in f32"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::tflite_reader::reduce_operators
