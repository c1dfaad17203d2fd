// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalizations.
#include <limits>
#include <numeric>

#include "readers/onnx/operator_table.hpp"
#include "readers/onnx/ops/window.hpp"

namespace fuseq::onnx_reader::normalization_operators {
namespace {

using Outputs = std::vector<Output>;

std::vector<std::int64_t> axes_from(std::size_t first, std::size_t rank) {
    std::vector<std::int64_t> axes(rank - first);
    std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(first));
    return axes;
}

Output mvn(Operator& op,
           const Output& x,
           const std::vector<std::int64_t>& axes,
           float epsilon,
           const char* mode = "INSIDE_SQRT") {
    return op.add(
        "MVN", {x, op.int_list(axes)},
        {{"normalize_variance", true}, {"eps", epsilon}, {"eps_mode", std::string(mode)}});
}

Outputs batch_normalization(Operator& op) {
    op.require(op.attributes.integer("training_mode", 0) == 0,
               "training_mode is 1: training is not supported");
    op.require(op.attributes.integer("spatial", 1) == 1, "spatial=0 is not supported");
    op.require(!op.has_output(1), "output '", op.has_output(1) ? op.output_name(1) : "",
               "' is the mean of a training run, which is not supported");
    return {op.add("BatchNormInference",
                   {op.input(0), op.input(1), op.input(2), op.input(3), op.input(4)},
                   {{"epsilon", op.attributes.real("epsilon", 1e-5F)}})};
}

Outputs instance_normalization(Operator& op) {
    const Output x = op.input(0);
    const std::size_t rank = op.rank(x);
    op.require(rank >= 3, "the input has rank ", rank, ", expected 3 or more");
    const Output normal = mvn(op, x, axes_from(2, rank), op.attributes.real("epsilon", 1e-5F));
    const Output scaled = op.add("Multiply", {normal, channel_vector(op, op.input(1), rank)});
    return {op.add("Add", {scaled, channel_vector(op, op.input(2), rank)})};
}

// [G] -> [C], each value for C / G channels.
Output per_channel(Operator& op, const Output& vector, std::int64_t channels, std::int64_t groups) {
    std::vector<std::int64_t> from(static_cast<std::size_t>(channels));
    for (std::size_t c = 0; c < from.size(); ++c) {
        from[c] = static_cast<std::int64_t>(c) / (channels / groups);
    }
    return op.add("Gather", {vector, op.int_list(from), op.int_scalar(0)});
}

Outputs group_normalization(Operator& op) {
    const Output x = op.input(0);
    const std::int64_t groups = op.attributes.required_integer("num_groups");
    Output scale = op.input(1);
    Output bias = op.input(2);
    if (op.version() < 21) {
        op.require(op.rank(x) >= 2 && x.partial_shape()[1].is_static(),
                   "the number of channels must be known, the input has shape ",
                   to_string(x.partial_shape()));
        const std::int64_t channels = x.partial_shape()[1].get_length();
        op.require(groups >= 1 && channels % groups == 0, "attribute num_groups is ", groups,
                   ", which does not divide ", channels, " channels");
        scale = per_channel(op, scale, channels, groups);
        bias = per_channel(op, bias, channels, groups);
    }
    return {op.add("GroupNormalization", {x, scale, bias},
                   {{"num_groups", groups}, {"epsilon", op.attributes.real("epsilon", 1e-5F)}})};
}

// y = mvn(x) * scale + bias over [axis, rank), and what training wants of it.
Outputs normalize_layer(Operator& op, const Output& x, const Output& scale, const Output& bias) {
    const std::size_t rank = op.rank(x);
    const auto axes = axes_from(op.axis(op.attributes.integer("axis", -1), rank), rank);
    const float epsilon = op.attributes.real("epsilon", 1e-5F);
    Output y = op.add("Multiply", {mvn(op, x, axes, epsilon), scale});
    y = bias ? op.add("Add", {y, bias}) : y;
    Outputs outputs{y};
    if (op.has_output(1) || op.has_output(2)) {
        const Output mean = op.add("ReduceMean", {x, op.int_list(axes)}, {{"keep_dims", true}});
        const Output apart = op.add("SquaredDifference", {x, mean});
        const Output variance =
            op.add("ReduceMean", {apart, op.int_list(axes)}, {{"keep_dims", true}});
        const Output deviation =
            op.add("Sqrt", {op.add("Add", {variance, op.scalar(epsilon, variance)})});
        outputs.push_back(mean);
        outputs.push_back(op.add("Divide", {op.scalar(1, x), deviation}));
    }
    return outputs;
}

Outputs layer_normalization(Operator& op) {
    return normalize_layer(op, op.input(0), op.input(1), op.has_input(2) ? op.input(2) : Output{});
}

// x / sqrt(mean(x^2) + epsilon) * scale
Output normalize_rms(Operator& op, const Output& x, const Output& scale) {
    const std::size_t rank = op.rank(x);
    const auto axes = axes_from(op.axis(op.attributes.integer("axis", -1), rank), rank);
    const Output squares = op.add("Power", {x, op.scalar(2, x)});
    const Output mean = op.add("ReduceMean", {squares, op.int_list(axes)}, {{"keep_dims", true}});
    const Output epsilon = op.scalar(op.attributes.real("epsilon", 1e-5F), x);
    const Output root = op.add("Sqrt", {op.add("Add", {mean, epsilon})});
    return op.add("Multiply", {op.add("Divide", {x, root}), scale});
}

Outputs rms_normalization(Operator& op) {
    op.require(!op.has_output(1), "only the first output is supported");
    return {normalize_rms(op, op.input(0), op.input(1))};
}

// Input, residual input and bias summed; the sum is output 3.
Output with_skip(Operator& op, std::size_t bias) {
    op.require(!op.has_output(1) && !op.has_output(2),
               "outputs mean and inv_std_var are not supported");
    const Output sum = op.add("Add", {op.input(0), op.input(1)});
    return op.has_input(bias) ? op.add("Add", {sum, op.input(bias)}) : sum;
}

Outputs skip_layer_normalization(Operator& op) {
    const Output sum = with_skip(op, 4);
    const Output y =
        normalize_layer(op, sum, op.input(2), op.has_input(3) ? op.input(3) : Output{})[0];
    return {y, {}, {}, sum};
}

Outputs skip_rms_normalization(Operator& op) {
    const Output sum = with_skip(op, 3);
    return {normalize_rms(op, sum, op.input(2)), {}, {}, sum};
}

// Words, positions and segments of a text summed and normalized. Inputs: ids, segments, the three
// tables, scale, bias, mask, positions. Output 1 is the number of tokens that the mask shows.
Outputs embed_layer_normalization(Operator& op) {
    const Output ids = op.input(0);
    const auto rows = [&](std::size_t table, const Output& at) {
        return op.add("Gather", {op.input(table), at, op.int_scalar(0)});
    };
    Output places;
    if (op.has_input(8)) {
        places = op.input(8);
    } else {
        const Output length = op.size_of(ids, 1);
        places = op.unsqueeze(op.add("Range", {op.int_scalar(0), length, op.int_scalar(1)},
                                     {{"output_type", ElementType::i64}}),
                              {0});
    }
    Output sum = op.add("Add", {rows(2, ids), rows(3, places)});
    if (op.has_input(1) && op.has_input(4)) {
        sum = op.add("Add", {sum, rows(4, op.input(1))});
    }
    Outputs outputs{normalize_layer(op, sum, op.input(5), op.input(6))[0], {}, sum};
    if (op.has_output(1)) {
        op.require(op.has_input(7), "output 1 needs a mask");
        outputs[1] =
            op.convert(op.add("ReduceSum", {op.input(7), op.int_list({1})}), ElementType::i32);
    }
    return outputs;
}

Outputs lrn(Operator& op) {
    return {op.add("LRN", {op.input(0), op.int_list({1})},
                   {{"alpha", op.attributes.real("alpha", 1e-4F)},
                    {"beta", op.attributes.real("beta", 0.75F)},
                    {"bias", op.attributes.real("bias", 1.0F)},
                    {"size", op.attributes.required_integer("size")}})};
}

Outputs mean_variance_normalization(Operator& op) {
    return {mvn(op, op.input(0), op.attributes.integers("axes", {0, 2, 3}), 1e-9F, "OUTSIDE_SQRT")};
}

// A vector of zeros stays one.
Outputs lp_normalization(Operator& op) {
    const Output x = op.input(0);
    const std::int64_t p = op.attributes.integer("p", 2);
    op.require(p == 1 || p == 2, "attribute p is ", p, ", expected 1 or 2");
    const Output axis = op.int_list({op.attributes.integer("axis", -1)});
    const Output norm = op.add(p == 1 ? "ReduceL1" : "ReduceL2", {x, axis}, {{"keep_dims", true}});
    const Output smallest = op.scalar(std::numeric_limits<float>::min(), x);
    return {op.add("Divide", {x, op.add("Maximum", {norm, smallest})})};
}

constexpr std::string_view kMicrosoft = "com.microsoft";
const OperatorRow kRows[] = {
    {.type = "BatchNormalization",
     .since = 7,
     .translate = batch_normalization,
     .note = "training refused"},
    {.type = "InstanceNormalization", .since = 6, .translate = instance_normalization},
    {.type = "GroupNormalization", .since = 18, .translate = group_normalization},
    {.type = "LayerNormalization", .since = 17, .translate = layer_normalization},
    // What ONNX Runtime writes for older sets.
    {.type = "LayerNormalization", .since = 1, .translate = layer_normalization},
    {.type = "SimplifiedLayerNormalization", .since = 1, .translate = rms_normalization},
    {.type = "RMSNormalization", .since = 23, .translate = rms_normalization},
    {.type = "LRN", .since = 1, .translate = lrn},
    {.type = "MeanVarianceNormalization", .since = 9, .translate = mean_variance_normalization},
    {.type = "LpNormalization", .since = 1, .translate = lp_normalization},
    {.type = "LayerNormalization",
     .since = 1,
     .translate = layer_normalization,
     .domain = kMicrosoft},
    {.type = "EmbedLayerNormalization",
     .since = 1,
     .translate = embed_layer_normalization,
     .domain = kMicrosoft},
    {.type = "SkipLayerNormalization",
     .since = 1,
     .translate = skip_layer_normalization,
     .domain = kMicrosoft,
     .note = "outputs 1 and 2 refused"},
    {.type = "SimplifiedLayerNormalization",
     .since = 1,
     .translate = rms_normalization,
     .domain = kMicrosoft},
    {.type = "SkipSimplifiedLayerNormalization",
     .since = 1,
     .translate = skip_rms_normalization,
     .domain = kMicrosoft,
     .note = "outputs 1 and 2 refused"},
};

}  // namespace

std::span<const OperatorRow> rows() {
    return kRows;
}

}  // namespace fuseq::onnx_reader::normalization_operators
