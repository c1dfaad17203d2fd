// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/onnx/ops/quantized.hpp"

#include <cmath>

#include "readers/onnx/ops/convolution.hpp"
#include "readers/onnx/ops/pooling.hpp"
#include "readers/onnx/ops/window.hpp"

namespace fuseq::onnx_reader {
namespace {

struct Grid {
    std::vector<float> scales;
    std::vector<std::int64_t> zero_points;  // as many
};

// Of the inputs `scale` and `scale` + 1, in that or another order: one value, or `channels`.
std::optional<Grid> grid_at(const Operator& op,
                            std::size_t scale,
                            std::size_t zero_point,
                            std::size_t channels = 1) {
    const auto known = op.value(op.input(scale));
    if (!known || known->get_element_type() != ElementType::f32) {
        return std::nullopt;
    }
    Grid grid{to_floats(*known), {}};
    const bool along_channels = known->get_shape().size() == 1 && grid.scales.size() == channels;
    if (grid.scales.size() != 1 && !along_channels) {
        return std::nullopt;
    }
    for (const float value : grid.scales) {
        op.require(std::isfinite(value) && value > 0, "the scale, input ", scale,
                   ", has the value ", value, ", expected a finite value above 0");
    }
    grid.zero_points.assign(grid.scales.size(), 0);
    if (op.has_input(zero_point)) {
        const auto zero = op.known_ints(op.input(zero_point));
        if (!zero || (zero->size() != 1 && zero->size() != channels)) {
            return std::nullopt;
        }
        if (zero->size() == 1) {
            grid.zero_points.assign(grid.scales.size(), zero->front());
        } else {
            grid.zero_points = *zero;
        }
    }
    return grid;
}

bool is_byte(const Output& value) {
    return value.type() == ElementType::u8 || value.type() == ElementType::i8;
}

// What all operations have. `sources`: the grids of the data inputs.
std::optional<ModelAttributes> grids(const std::vector<std::optional<Grid>>& sources,
                                     const std::optional<Grid>& dst,
                                     ElementType type) {
    std::vector<float> scales;
    std::vector<std::int64_t> zero_points;
    for (const std::optional<Grid>& source : sources) {
        if (!source || source->scales.size() != 1 || source->zero_points.size() != 1) {
            return std::nullopt;
        }
        scales.push_back(source->scales[0]);
        zero_points.push_back(source->zero_points[0]);
    }
    if (!dst || dst->scales.size() != 1 || dst->zero_points.size() != 1) {
        return std::nullopt;
    }
    return ModelAttributes{{"method", "ONNX"},
                           {"input_scales", scales},
                           {"input_zero_points", zero_points},
                           {"output_scale", dst->scales[0]},
                           {"output_zero_point", dst->zero_points[0]},
                           {"output_type", type}};
}

void add_weights(ModelAttributes& attributes, const Grid& weights) {
    attributes.push_back({"weight_scales", weights.scales});
    attributes.push_back({"weight_zero_points", weights.zero_points});
}

// The number of output channels, dimension `axis` of the weights; 0 where it is not known.
std::size_t channels_of(const Output& weights, std::size_t axis) {
    const PartialShape& shape = weights.partial_shape();
    return shape.rank_is_static() && shape.rank() > axis && shape[axis].is_static()
               ? static_cast<std::size_t>(shape[axis].get_length())
               : 0;
}

// x, sx, zx, sy, zy
Output one_source(Operator& op, const char* type, const ModelAttributes& more) {
    auto attributes = grids({grid_at(op, 1, 2)}, grid_at(op, 3, 4), op.input(0).type());
    if (!attributes || !is_byte(op.input(0))) {
        return {};
    }
    attributes->insert(attributes->end(), more.begin(), more.end());
    return op.add(type, {op.input(0)}, *attributes);
}

// a, sa, za, b, sb, zb, sy, zy
Output two_sources(Operator& op, const char* type) {
    const auto attributes =
        grids({grid_at(op, 1, 2), grid_at(op, 4, 5)}, grid_at(op, 6, 7), op.input(0).type());
    return attributes && is_byte(op.input(0))
               ? op.add(type, {op.input(0), op.input(3)}, *attributes)
               : Output{};
}

// Of a convolution or product whose result is its sums.
struct Sums {
    std::vector<Output> inputs;
    ModelAttributes attributes;
};

std::optional<Sums> sums_of(Operator& op,
                            const Output& x,
                            const Output& zx,
                            const Output& w,
                            const Output& zw,
                            std::size_t channels) {
    const auto one_element = [](const Output& value) {
        return value.partial_shape().compatible({}) || value.partial_shape().compatible({1});
    };
    const auto weight_zeros = zw ? op.known_ints(zw) : std::vector<std::int64_t>{0};
    if (!is_byte(x) || !is_byte(w) || (zx && !one_element(zx)) || !weight_zeros || channels == 0 ||
        (weight_zeros->size() != 1 && weight_zeros->size() != channels)) {
        return std::nullopt;
    }
    Sums sums{{x, w},
              {{"method", "ONNX"},
               {"input_scales", std::vector<float>{1.0F}},
               {"output_scale", 1.0F},
               {"output_type", ElementType::i32},
               {"weight_scales", std::vector<float>{1.0F}},
               {"weight_zero_points", *weight_zeros}}};
    const auto known = zx ? op.known_ints(zx) : std::vector<std::int64_t>{0};
    if (known && known->size() == 1) {
        sums.attributes.push_back({"input_zero_points", *known});
    } else {
        sums.inputs.insert(sums.inputs.end(), {Output{}, zx});
    }
    return sums;
}

}  // namespace

Output quantized_convolution(Operator& op) {
    const std::size_t channels = channels_of(op.input(3), 0);
    auto weights = grid_at(op, 4, 5, channels);
    auto attributes = grids({grid_at(op, 1, 2)}, grid_at(op, 6, 7), op.input(7).type());
    if (!attributes || !weights || channels == 0 || !is_byte(op.input(0))) {
        return {};
    }
    add_weights(*attributes, *weights);
    const ModelAttributes window = convolution_window(op, op.input(3)).attributes();
    attributes->insert(attributes->end(), window.begin(), window.end());
    const std::int64_t groups = op.attributes.integer("group", 1);
    attributes->push_back({"groups", groups});
    attributes->push_back({"depthwise", groups > 1 && channels_of(op.input(3), 1) == 1});
    std::vector<Output> inputs{op.input(0), op.input(3)};
    if (op.has_input(8)) {
        inputs.push_back(op.input(8));
    }
    return op.add("QuantizedConvolution", inputs, *attributes);
}

Output quantized_matmul(Operator& op) {
    const std::size_t rank = op.rank(op.input(3));
    if (rank < 2 || op.rank(op.input(0)) < 2) {
        return {};
    }
    const auto weights = grid_at(op, 4, 5, channels_of(op.input(3), rank - 1));
    auto attributes = grids({grid_at(op, 1, 2)}, grid_at(op, 6, 7), op.input(7).type());
    if (!attributes || !weights || !is_byte(op.input(0))) {
        return {};
    }
    add_weights(*attributes, *weights);
    return op.add("QuantizedMatMul", {op.input(0), op.input(3)}, *attributes);
}

Output integer_convolution(Operator& op) {
    const Output x = op.input(0);
    const std::size_t channels = channels_of(op.input(1), 0);
    const auto sums = sums_of(op, x, op.has_input(2) ? op.input(2) : Output{}, op.input(1),
                              op.has_input(3) ? op.input(3) : Output{}, channels);
    if (!sums) {
        return {};
    }
    ModelAttributes attributes = sums->attributes;
    const ModelAttributes window = convolution_window(op, op.input(1)).attributes();
    attributes.insert(attributes.end(), window.begin(), window.end());
    const std::int64_t groups = op.attributes.integer("group", 1);
    attributes.push_back({"groups", groups});
    attributes.push_back({"depthwise", groups > 1 && channels_of(op.input(1), 1) == 1});
    return op.add("QuantizedConvolution", sums->inputs, attributes);
}

Output integer_product(
    Operator& op, const Output& a, const Output& za, const Output& b, const Output& zb) {
    const std::size_t rank = op.rank(b);
    if (rank < 2 || op.rank(a) < 2) {
        return {};
    }
    const auto sums = sums_of(op, a, za, b, zb, channels_of(b, rank - 1));
    return sums ? op.add("QuantizedMatMul", sums->inputs, sums->attributes) : Output{};
}

// a, sa, za, b, sb, zb, bias, sy, zy
Output quantized_gemm(Operator& op) {
    const bool transposed = op.attributes.integer("transB", 0) != 0;
    const std::size_t channels = channels_of(op.input(3), transposed ? 0 : 1);
    const auto weights = grid_at(op, 4, 5, channels);
    const bool real = !op.has_input(7);
    auto attributes =
        grids({grid_at(op, 1, 2)}, real ? std::optional(Grid{{1.0F}, {0}}) : grid_at(op, 7, 8),
              real ? ElementType::f32 : op.input(8).type());
    if (!attributes || !weights || channels == 0 || !is_byte(op.input(0))) {
        return {};
    }
    std::vector<Output> inputs{op.input(0), op.input(3)};
    if (op.has_input(6)) {
        const PartialShape& bias = op.input(6).partial_shape();
        const bool row = bias.is_static() && shape_size(bias.to_shape()) == channels &&
                         bias.rank() > 0 &&
                         bias[bias.rank() - 1] == Dimension(static_cast<std::int64_t>(channels));
        if (!row) {
            return {};
        }
        inputs.push_back(bias.rank() == 1 ? op.input(6) : op.reshape(op.input(6), {-1}));
    }
    add_weights(*attributes, *weights);
    attributes->push_back({"transpose_a", op.attributes.integer("transA", 0) != 0});
    attributes->push_back({"transpose_b", transposed});
    attributes->push_back({"alpha", op.attributes.real("alpha", 1.0F)});
    return op.add("QuantizedMatMul", inputs, *attributes);
}

Output quantized_sum(Operator& op) {
    return two_sources(op, "QuantizedAdd");
}

Output quantized_product(Operator& op) {
    return two_sources(op, "QuantizedMultiply");
}

// sy, zy, then x, sx, zx of each input
Output quantized_concat(Operator& op) {
    std::vector<std::optional<Grid>> sources;
    std::vector<Output> inputs;
    for (std::size_t i = 2; i < op.input_count(); i += 3) {
        sources.push_back(grid_at(op, i + 1, i + 2));
        inputs.push_back(op.input(i));
    }
    auto attributes = grids(sources, grid_at(op, 0, 1), op.input(2).type());
    if (!attributes || !is_byte(op.input(2))) {
        return {};
    }
    attributes->push_back({"axis", op.attributes.required_integer("axis")});
    return op.add("QuantizedConcat", inputs, *attributes);
}

Output quantized_average(Operator& op) {
    // ONNX Runtime's kernel divides by the whole window where padding counts.
    const bool exclude_pad = op.attributes.integer("count_include_pad", 0) == 0;
    ModelAttributes more = exclude_pad ? pool_attributes(op) : whole_window_attributes(op);
    more.push_back({"exclude_pad", exclude_pad});
    more.push_back({"channels_last", op.attributes.integer("channels_last", 0) != 0});
    return one_source(op, "QuantizedAveragePool", more);
}

Output quantized_global_average(Operator& op) {
    const std::size_t rank = op.rank(op.input(0));
    op.require(rank >= 3, "the input has rank ", rank, ", expected 3 or more");
    const std::size_t first = op.attributes.integer("channels_last", 0) == 0 ? 2 : 1;
    std::vector<std::int64_t> axes;
    for (std::size_t d = first; d < rank - 2 + first; ++d) {
        axes.push_back(static_cast<std::int64_t>(d));
    }
    return one_source(op, "QuantizedMean", {{"axes", axes}, {"keep_dims", true}});
}

Output quantized_leaky_relu(Operator& op) {
    return one_source(op, "QuantizedLeakyRelu", {{"alpha", op.attributes.real("alpha", 0.01F)}});
}

Output quantized_sigmoid(Operator& op) {
    return one_source(op, "QuantizedTable", {{"function", "sigmoid"}});
}

Output quantized_softmax(Operator& op) {
    return one_source(op, "QuantizedSoftmax", {{"axis", op.attributes.integer("axis", -1)}});
}

}  // namespace fuseq::onnx_reader
