// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Weights that are stored in 8 or 4 bits stay so where the source of their product is float.
//
//   Law:     the product with (code - zero_point) * scale is what CompressedMatMul is.
//   Before:  MatMul(x, [layout](Multiply([Subtract](Convert(Const i8|u8|i4|u4|nf4)))))
//            and with Add or Subtract(offset) after the Multiply: zero_point - offset / scale
//            with layout any Reshape, Squeeze, Unsqueeze, and Transpose of a matrix
//   After:   CompressedMatMul(x, Const codes, Const scale [N, G] [, Const zero point [N, G]])
//   Refuses: scales or zero points that are not one a channel, or one a channel and group of equal
//            runs of the depth (weight_groups); groups of less than 8, whose scales take what the
//            codes save (small_groups); values that are no numbers (weight_range); a Transpose of
//            anything but the matrix (weight_layout); a transposed source (transposed_source);
//            weights of a batch (weight_batch). Those are folded to f32.
//            8-bit weights with a scale a channel wait for quantize_matmul. Scales of 1 are none:
//            integers that are meant as numbers.
//   Source:  the definitions of MatMul and Convert; weights as NNCF compresses them.
#include "transformations/common/keep_compressed_weights.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "ops/broadcast.hpp"
#include "ops/compressed_matmul.hpp"
#include "ops/matmul.hpp"
#include "transformations/support/code_chain.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace keep_compressed_weights_pass {
namespace {

constexpr std::string_view kName = "keep_compressed_weights";

// What the weights are made of, followed by a layout.
struct Chain : CodeChain {
    std::vector<Node*> layout;  // from the product up
};

std::optional<Chain> match_chain(const Node& matmul) {
    std::vector<Node*> layout;
    Output at = matmul.input(1);
    for (; is_layout_only(*at.node); at = at.node->input(0)) {
        layout.push_back(at.node);
    }
    auto chain = match_code_chain(at);
    if (!chain || !is_weight_code(chain->codes.type())) {
        return std::nullopt;
    }
    const std::vector<float> scales = to_floats(chain->scale);
    const bool no_scale =
        std::all_of(scales.begin(), scales.end(), [](float scale) { return scale == 1.0f; });
    return no_scale ? std::nullopt : std::optional(Chain{std::move(*chain), std::move(layout)});
}

struct Refusal {
    std::string code;
    std::string text;
};

// The matrix that the codes are in memory.
struct Matrix {
    std::size_t rows = 0;
    std::size_t columns = 0;
    bool transposed = false;  // rows are output channels

    std::size_t channels() const { return transposed ? rows : columns; }
    std::size_t depth() const { return transposed ? columns : rows; }
};

bool swaps_matrix(const Node& transpose) {
    const auto order = evaluate_constant(transpose.input(1));
    const bool matrix = transpose.input(0).shape().size() == 2;
    return matrix && order && (order->get_size() == 0 || to_ints(*order)[0] == 1);
}

std::optional<Refusal> find_matrix(const Node& matmul, const Chain& chain, Matrix& matrix) {
    const auto& attrs = matmul.attrs<MatMulAttrs>();
    if (attrs.transpose_a) {
        return Refusal{"transposed_source", "the source of the product is transposed"};
    }
    const Shape shape = matmul.input(1).shape();
    const PartialShape& src = matmul.input(0).partial_shape();
    const std::size_t rank = shape.size();
    const bool batch = std::any_of(shape.begin(), shape.end() - 2, [](auto d) { return d != 1; });
    if (batch || (rank > 2 && (!src.rank_is_static() || src.rank() < rank))) {
        return Refusal{"weight_batch",
                       fmt::format("weights of shape {} are more than the matrix of a source",
                                   to_string(shape))};
    }
    matrix = {shape[rank - 2], shape[rank - 1], attrs.transpose_b};
    for (const Node* node : chain.layout) {
        if (!node->is("Transpose")) {
            continue;
        }
        if (!swaps_matrix(*node) ||
            node->port(0).shape.to_shape() != Shape{matrix.rows, matrix.columns}) {
            return Refusal{"weight_layout",
                           describe(*node) + " does not exchange rows and columns"};
        }
        std::swap(matrix.rows, matrix.columns);
        matrix.transposed = !matrix.transposed;
    }
    return std::nullopt;
}

// What dimensions of the codes number positions of the depth.
struct DepthDims {
    std::size_t begin = 0;
    std::size_t end = 0;
};

std::optional<DepthDims> depth_dims(const Shape& codes, const Matrix& matrix) {
    std::size_t inner = 1;
    for (std::size_t d = codes.size();; --d) {
        if (inner == matrix.columns) {
            return matrix.transposed ? DepthDims{d, codes.size()} : DepthDims{0, d};
        }
        if (d == 0) {
            return std::nullopt;
        }
        inner *= codes[d - 1];
    }
}

// Of what broadcasts to codes of that shape: the shape with ones before it.
Shape aligned(const Shape& values, std::size_t rank) {
    Shape shape(rank - values.size(), 1);
    shape.insert(shape.end(), values.begin(), values.end());
    return shape;
}

// Number of groups of the depth in which neither scale nor zero point varies; 0: there are none of
// equal length.
std::size_t count_groups(const Chain& chain, const Matrix& matrix) {
    const Shape codes = chain.codes.shape();
    std::vector<Shape> tables;
    for (const Tensor* table : {&chain.scale, &chain.zero_point, &chain.offset}) {
        if (*table && table->get_size() != 1) {
            const Shape& shape = table->get_shape();
            if (shape.size() > codes.size() || broadcast_shapes(codes, shape) != codes) {
                return 0;
            }
            tables.push_back(aligned(shape, codes.size()));
        }
    }
    if (tables.empty()) {
        return 1;
    }
    const auto depth = depth_dims(codes, matrix);
    if (!depth) {
        return 0;
    }
    std::size_t length = 1;
    for (std::size_t d = depth->end; d-- > depth->begin; length *= codes[d]) {
        if (std::any_of(tables.begin(), tables.end(), [&](const Shape& s) { return s[d] != 1; })) {
            break;
        }
    }
    return matrix.depth() / length;
}

// [channels, groups]
Tensor make_table(const Tensor& values,
                  const Shape& codes,
                  const Matrix& matrix,
                  std::size_t groups) {
    const std::size_t channels = matrix.channels();
    const std::size_t length = matrix.depth() / groups;
    const std::vector<float> from = to_floats(values);
    Tensor table(ElementType::f32, Shape{channels, groups});
    float* to = table.data<float>();
    if (from.size() == 1) {
        std::fill_n(to, table.get_size(), from[0]);
        return table;
    }
    const std::vector<std::size_t> strides = broadcast_strides(values.get_shape(), codes);
    for (std::size_t n = 0; n < channels; ++n) {
        for (std::size_t g = 0; g < groups; ++g) {
            std::size_t place = matrix.transposed ? n * matrix.columns + g * length
                                                  : g * length * matrix.columns + n;
            std::size_t offset = 0;
            for (std::size_t d = codes.size(); d-- > 0; place /= codes[d]) {
                offset += place % codes[d] * strides[d];
            }
            *to++ = from[offset];
        }
    }
    return table;
}

bool is_finite(const Tensor& values) {
    const std::vector<float> list = to_floats(values);
    return std::all_of(list.begin(), list.end(), [](float v) { return std::isfinite(v); });
}

bool has_zero(const Tensor& values) {
    const std::vector<float> list = to_floats(values);
    return std::find(list.begin(), list.end(), 0.0f) != list.end();
}

std::optional<Refusal> find_groups(const Chain& chain, const Matrix& matrix, std::size_t& groups) {
    constexpr std::size_t kMinLength = 8;
    groups = count_groups(chain, matrix);
    if (groups == 0) {
        return Refusal{
            "weight_groups",
            fmt::format(
                "scales of shape {} for weights of shape {} are not one a channel and group",
                to_string(chain.scale.get_shape()), to_string(chain.codes.shape()))};
    }
    const std::size_t length = matrix.depth() / groups;
    if (groups != 1 && length < kMinLength) {
        return Refusal{"small_groups", fmt::format("groups of {} weights, expected {} or more",
                                                   length, kMinLength)};
    }
    const auto bad = [](const Tensor& values) { return values && !is_finite(values); };
    if (bad(chain.scale) || bad(chain.zero_point) || bad(chain.offset)) {
        return Refusal{"weight_range", "a scale, zero point or offset is no finite number"};
    }
    if (chain.offset && has_zero(chain.scale)) {
        return Refusal{"weight_range", "a scale is 0, but the weights have offsets"};
    }
    return std::nullopt;
}

// zero_point - offset / scale, one of each group; the zero point may be one of all.
Tensor shifted(const Tensor& zero_point, const Tensor& offset, const Tensor& scale) {
    Tensor result(ElementType::f32, scale.get_shape());
    for (std::size_t i = 0; i < scale.get_size(); ++i) {
        const double zero = zero_point.data<float>()[zero_point.get_size() == 1 ? 0 : i];
        const double shift = static_cast<double>(offset.data<float>()[i]) /
                             static_cast<double>(scale.data<float>()[i]);
        result.data<float>()[i] = static_cast<float>(zero - shift);
    }
    return result;
}

void rewrite(Node& matmul, const Chain& chain, const Matrix& matrix, std::size_t groups) {
    Model& model = matmul.model();
    const std::string& name = matmul.name();
    Output codes = chain.codes;
    const Shape shape{matrix.rows, matrix.columns};
    if (codes.shape() != shape) {
        const std::string& stored = codes.node->name();
        codes = make_constant(model, stored + "/matrix", codes.node->constant().reshaped(shape));
    }
    std::vector<Output> inputs{matmul.input(0), codes};
    const auto table_of = [&](const Tensor& values) {
        return make_table(values, chain.codes.shape(), matrix, groups);
    };
    const Tensor scale = table_of(chain.scale);
    inputs.push_back(make_constant(model, name + "/scale", scale));
    if (chain.zero_point || chain.offset) {
        Tensor zero_point =
            chain.zero_point ? table_of(chain.zero_point) : Tensor::of<float>(Shape{}, {0});
        if (chain.offset) {
            zero_point = shifted(zero_point, table_of(chain.offset), scale);
        }
        inputs.push_back(make_constant(model, name + "/zero_point", zero_point));
    }
    CompressedMatMulAttrs attributes;
    attributes.transpose_b = matrix.transposed;
    Node* product = model.add("CompressedMatMul", 1, name, inputs, attributes);
    product->origins = origins_of(matmul);
    for (const auto* nodes : {&chain.layout, &chain.nodes}) {
        for (const Node* node : *nodes) {
            add_origins(*product, *node);
        }
    }
    product->rt_info = matmul.rt_info;
    redirect(matmul.output(), product->output());
}

// Whether quantize_matmul may take the weights, if the source is quantized.
bool may_be_integer(const Node& matmul, const PassContext& context, std::size_t groups) {
    return context.options().low_precision && groups == 1 && match_weight_chain(matmul);
}

bool is_float_product(const Node& matmul) {
    const auto is_f32 = [&](std::size_t i) { return matmul.input(i).type() == ElementType::f32; };
    return matmul.input_count() == 2 && is_f32(0) && is_f32(1) &&
           !is_constant_expression(matmul.input(0)) &&
           matmul.input(1).partial_shape().is_static() && matmul.input(1).shape().size() >= 2 &&
           shape_size(matmul.input(1).shape()) != 0;
}

bool keep(Model& model, PassContext& context, bool all) {
    bool changed = false;
    for (Node* matmul : model.find_all("MatMul")) {
        const auto chain =
            is_float_product(*matmul) ? match_chain(*matmul) : std::optional<Chain>();
        if (!chain) {
            continue;
        }
        Matrix matrix;
        std::size_t groups = 0;
        auto refusal = find_matrix(*matmul, *chain, matrix);
        if (!refusal) {
            refusal = find_groups(*chain, matrix, groups);
        }
        if (refusal) {
            if (all || !match_weight_chain(*matmul)) {
                context.refused(kName, *matmul, refusal->code, refusal->text);
            }
        } else if (all || !may_be_integer(*matmul, context, groups)) {
            rewrite(*matmul, *chain, matrix, groups);
            context.rewritten(kName, *matmul);
            changed = true;
        }
    }
    return changed;
}

bool run(Model& model, PassContext& context) {
    return keep(model, context, !context.options().low_precision);
}

}  // namespace
}  // namespace keep_compressed_weights_pass

bool keep_compressed_weights(Model& model, PassContext& context) {
    return keep_compressed_weights_pass::run(model, context);
}

bool keep_compressed_bytes(Model& model, PassContext& context) {
    return keep_compressed_weights_pass::keep(model, context, true);
}

}  // namespace fuseq
