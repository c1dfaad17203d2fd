// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes matmuls of dequantized operands integer matmuls.
//
//   Law:     ((q - z) * s) @ ((w - y) * t) = s * t * ((q - Z) @ (w - y) - f * W) for z = Z + f with
//            Z the nearest whole number of the source's type and W the sums of the columns of w -
//            y. y and t may differ from column to column. y of constants is left out where it moves
//            no result by more than a part of a step (support/weight_zero_point.hpp).
//   Before:  MatMul(DQ(q, s, z), Const i8 -> Convert -> [Subtract(y)] -> Multiply(t))
//            MatMul(DQ(q, s, z), DQ(w, t, y)) with two activations
//   After:   MatMul(q, w [, Const i32 Z [, Const y]]) : f32 -> Multiply(s * t)
//            [-> Add(-f * W * s * t)]
//            y of constants is f32. That of two activations is y = Y + g with an integer Y in its
//            place and sums that are matmuls with ones: - f * t * s * (1 @ (w - Y)) - g * s * t *
//            ((q - Z) @ 1)
//            + f * g * s * t * K
//   Refuses: an operand in float (src_not_quantized, weights_not_quantized), a source with scales
//            per channel (per_channel_scale), a second operand of u8 (weights_unsigned), zero
//            points of two activations that are no whole numbers where an operand is a vector or
//            the length of the sums is not known (fractional_zero_point), sums that
//            do not fit 32 bits (accumulator_overflow).
//   Source:  DESIGN.md section 4 and 8: the `wei` of a matmul must be s8.
#include "transformations/low_precision/quantize_matmul.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/binary_arithmetic.hpp"
#include "ops/matmul.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/dequantize.hpp"
#include "transformations/support/quantized_consumer.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weight_zero_point.hpp"
#include "transformations/support/weights.hpp"
#include "transformations/support/zero_point_correction.hpp"

namespace fuseq {
namespace quantize_matmul_pass {
namespace {

constexpr std::string_view kName = "quantize_matmul";

// The second operand: a constant or an activation.
struct Second {
    Output q;
    std::vector<float> scale;        // one, or one a column
    float zero_point = 0;            // of an activation
    std::vector<float> zero_points;  // of constants: none, one, or one a column
    std::vector<std::string> origins;
    bool constant = false;
};

// Whole parts of the zero points: Z of the source, Y of an activation after it.
double whole_of(const Dequantize& src) {
    return whole_zero_point(src.zero_point[0], src.q.type());
}
double whole_of(const Second& wei) {
    return whole_zero_point(wei.zero_point, wei.q.type());
}

// Dimension of the second operand that numbers columns.
std::size_t column_dim(const Node& matmul) {
    const std::size_t rank = matmul.input(1).partial_shape().rank();
    return rank - (matmul.attrs<MatMulAttrs>().transpose_b ? 2 : 1);
}

std::optional<Second> second_operand(const Node& matmul) {
    if (auto wei = match_normalized_weights(matmul)) {
        return Second{wei->values,
                      std::move(wei->scale),
                      0.0f,
                      std::move(wei->zero_point),
                      std::move(wei->origins),
                      true};
    }
    const auto dq = match_dequantize(matmul.input(1));
    if (!dq || !dq->zero_point.per_tensor()) {
        return std::nullopt;
    }
    if (!dq->scale.per_tensor() &&
        (matmul.input(1).partial_shape().rank() < 2 || dq->scale.axis() != column_dim(matmul))) {
        return std::nullopt;
    }
    return Second{dq->q, dq->scale.list(), dq->zero_point[0], {}, {}, false};
}

// Number of products of a sum.
Dimension sum_length(const Node& matmul) {
    const PartialShape& shape = matmul.input(1).partial_shape();
    const std::size_t rank = shape.rank();
    return shape[rank < 2 ? 0 : (column_dim(matmul) == rank - 1 ? rank - 2 : rank - 1)];
}

bool may_overflow(const Node& matmul, const Dequantize& src, const Second& wei) {
    if (wei.constant) {
        return may_overflow(matmul, wei.q.node->constant(), src.zero_point);
    }
    const Dimension length = sum_length(matmul);
    if (length.is_dynamic()) {
        return false;  // no graph of known use has sums of more than 2^31 / 2^16 products
    }
    const double product = (255.0 + std::abs(static_cast<double>(src.zero_point[0]))) *
                           (255.0 + std::abs(static_cast<double>(wei.zero_point)));
    return product * static_cast<double>(length.get_length()) >
           static_cast<double>(std::numeric_limits<std::int32_t>::max());
}

// Says why not; true when nothing stands in the way.
bool check(const Node& matmul, const Dequantize& src, const Second& wei, PassContext& context) {
    const auto refuse = [&](const char* code, const char* text) {
        context.refused(kName, matmul, code, text);
        return false;
    };
    if (!src.per_tensor()) {
        return refuse("per_channel_scale", "the source is quantized per channel");
    }
    if (wei.q.type() != ElementType::i8) {
        return refuse("weights_unsigned", "the second operand is u8, a matmul takes i8 there");
    }
    const bool whole = src.zero_point[0] == whole_of(src) && wei.zero_point == whole_of(wei);
    const bool matrices = matmul.input(0).partial_shape().rank_is_static() &&
                          matmul.input(0).partial_shape().rank() >= 2 &&
                          matmul.input(1).partial_shape().rank() >= 2;
    if (!wei.constant && !whole && (!matrices || sum_length(matmul).is_dynamic())) {
        return refuse("fractional_zero_point",
                      "the zero point of an operand is no whole number, and an operand is a vector "
                      "or the length of the sums is not known");
    }
    if (std::abs(src.zero_point[0]) > kLargestZeroPoint || may_overflow(matmul, src, wei)) {
        return refuse("accumulator_overflow", "a sum of products may not fit into 32 bits");
    }
    return true;
}

Output zero_point_input(Model& model, const std::string& name, double value) {
    return make_constant(model, name, Tensor::scalar(static_cast<std::int32_t>(value)));
}

// A matmul of integers; zero points are only made where they are not zero.
Node* integer_matmul(const Node& layer,
                     const std::string& name,
                     const Output& a,
                     const Output& b,
                     const MatMulAttrs& attrs,
                     double a_zero,
                     double b_zero) {
    Model& model = layer.model();
    std::vector<Output> inputs{a, b};
    if (a_zero != 0 || b_zero != 0) {
        inputs.push_back(zero_point_input(model, name + "/zero_point", a_zero));
    }
    if (b_zero != 0) {
        inputs.push_back(zero_point_input(model, name + "/wei_zero_point", b_zero));
    }
    Node* node = model.add("MatMul", 1, name, std::move(inputs), attrs);
    node->origins = origins_of(layer);
    return node;
}

// Collects a sum of terms after a matmul, all named after it.
class Sum {
public:
    Sum(const Node& layer, Output first) : layer_(layer), end_(first) {}
    void multiply(const Tensor& factor) { end_ = product(end_, "/dequantize", factor); }
    void add(const Tensor& constant) { end_ = join("Add", "/correct", end_, value(constant)); }
    void add_product(const Output& term, const Tensor& factor, const std::string& name) {
        end_ = join("Add", name + "/add", end_, product(term, name + "/multiply", factor));
    }
    Output end() const { return end_; }

private:
    Output value(const Tensor& constant) {
        return make_constant(layer_.model(), layer_.name() + "/constant", constant);
    }
    Output product(const Output& term, const std::string& name, const Tensor& factor) {
        return join("Multiply", name, term, value(factor));
    }
    Output join(const char* type, const std::string& name, const Output& a, const Output& b) {
        Node* node = layer_.model().add(type, 1, layer_.name() + name, {a, b}, BinaryAttrs{});
        node->origins = origins_of(layer_);
        return node->output();
    }

    const Node& layer_;
    Output end_;
};

// by * s * t of every column, and one value of it where there are any.
std::vector<float> factors(const Dequantize& src,
                           const Second& wei,
                           double by,
                           const std::vector<double>& of_column = {}) {
    std::vector<float> values(std::max(wei.scale.size(), of_column.size()));
    for (std::size_t n = 0; n < values.size(); ++n) {
        const double t = wei.scale[wei.scale.size() == 1 ? 0 : n];
        const double w = of_column.empty() ? 1.0 : of_column[of_column.size() == 1 ? 0 : n];
        values[n] = static_cast<float>(by * w * src.scale[0] * t);
    }
    return values;
}

// The same as a constant that broadcasts to the result.
Tensor factor_of_columns(const Node& matmul,
                         const Dequantize& src,
                         const Second& wei,
                         double by,
                         const std::vector<double>& of_column = {}) {
    const std::size_t rank = matmul.port().shape.rank();
    return ChannelValues(factors(src, wei, by, of_column), rank == 0 ? 0 : rank - 1)
        .to_tensor(rank);
}

Output ones(Model& model, const std::string& name, const Shape& shape) {
    return make_constant(
        model, name,
        Tensor::of(shape, std::vector<std::int8_t>(shape_size(shape), std::int8_t{1})));
}

// The fractions f and g of the zero points of two activations.
void correct_activations(Node& matmul, const Dequantize& src, const Second& wei, Sum& sum) {
    const double z = whole_of(src);
    const double y = whole_of(wei);
    const double f = src.zero_point[0] - z;
    const double g = wei.zero_point - y;
    if (f == 0 && g == 0) {
        return;  // the length of the sums may be open
    }
    const auto k = static_cast<std::size_t>(sum_length(matmul).get_length());
    Model& model = matmul.model();
    MatMulAttrs attrs = matmul.attrs<MatMulAttrs>();
    if (f != 0) {
        attrs.transpose_a = false;
        const std::string name = matmul.name() + "/columns";
        const Output one = ones(model, name + "/ones", {1, k});
        Node* columns = integer_matmul(matmul, name, one, wei.q, attrs, 0, y);
        sum.add_product(columns->output(), factor_of_columns(matmul, src, wei, -f), "/columns");
    }
    if (g != 0) {
        attrs = matmul.attrs<MatMulAttrs>();
        attrs.transpose_b = false;
        const std::string name = matmul.name() + "/rows";
        const Output one = ones(model, name + "/ones", {k, 1});
        Node* rows = integer_matmul(matmul, name, src.q, one, attrs, z, 0);
        sum.add_product(rows->output(), factor_of_columns(matmul, src, wei, -g), "/rows");
    }
    if (f != 0 && g != 0) {
        sum.add(factor_of_columns(matmul, src, wei, f * g * static_cast<double>(k)));
    }
}

// Zero points of the operands, after them.
void add_zero_points(Node& matmul, double z, double y, const std::vector<float>& of_columns) {
    Model& model = matmul.model();
    if (z == 0 && y == 0 && of_columns.empty()) {
        return;
    }
    matmul.add_input(zero_point_input(model, matmul.name() + "/zero_point", z));
    if (!of_columns.empty()) {
        const Tensor values = of_columns.size() == 1
                                  ? Tensor::scalar(of_columns[0])
                                  : Tensor::of(Shape{of_columns.size()}, of_columns);
        matmul.add_input(make_constant(model, matmul.name() + "/wei_zero_point", values));
    } else if (y != 0) {
        matmul.add_input(zero_point_input(model, matmul.name() + "/wei_zero_point", y));
    }
}

// Zero points of constants that matter.
std::vector<float> zero_points_of_columns(const Node& matmul,
                                          const Dequantize& src,
                                          const Second& wei) {
    if (!wei.constant) {
        return {};
    }
    std::vector<float> scale;
    for (const float t : wei.scale) {
        scale.push_back(t * src.scale[0]);
    }
    return zero_points_that_matter(matmul, src, {wei.q.node->constant(), wei.zero_points},
                                   {scale, smallest_step_after(matmul)});
}

// -f * W * s * t, a row of every matrix of constants [..., K, N]; see the law above.
Tensor column_sums(const Node& matmul,
                   const Dequantize& src,
                   const Second& wei,
                   const std::vector<float>& zero_points) {
    const double by = whole_of(src) - src.zero_point[0];
    const Tensor& weights = wei.q.node->constant();
    const Shape& shape = weights.get_shape();
    const std::size_t rank = shape.size();
    const std::size_t count =
        rank < 3 ? 1 : shape_size(Shape(shape.begin(), shape.end() - 2));  // matrices
    if (count == 1) {
        return factor_of_columns(matmul, src, wei, by, weight_sums(matmul, {weights, zero_points}));
    }
    const std::size_t bytes = weights.get_size() / count;
    Shape sums_shape(shape.begin(), shape.end() - 2);
    if (matmul.input(0).partial_shape().rank() > 1) {  // a vector has no rows in the result
        sums_shape.push_back(1);
    }
    sums_shape.push_back(shape[column_dim(matmul)]);
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) {
        Tensor matrix(ElementType::i8, Shape(shape.end() - 2, shape.end()));
        std::copy_n(weights.data<std::int8_t>() + i * bytes, bytes, matrix.data<std::int8_t>());
        const std::vector<float> row =
            factors(src, wei, by, weight_sums(matmul, {matrix, zero_points}));
        values.insert(values.end(), row.begin(), row.end());
    }
    return Tensor::of(sums_shape, values);
}

void apply(Node& matmul, const Dequantize& src, const Second& wei) {
    const std::vector<Use> uses = matmul.port().uses;
    const double z = whole_of(src);
    const double y = whole_of(wei);
    for (const std::string& name : wei.origins) {
        add_origin(matmul, name);
    }
    const std::vector<float> zero_points = zero_points_of_columns(matmul, src, wei);
    matmul.set_input(0, src.q);
    matmul.set_input(1, wei.q);
    add_zero_points(matmul, z, y, zero_points);
    matmul.infer();
    Sum sum(matmul, matmul.output());
    sum.multiply(factor_of_columns(matmul, src, wei, 1.0));
    if (!wei.constant) {
        correct_activations(matmul, src, wei, sum);
    } else if (src.zero_point[0] != z) {
        sum.add(column_sums(matmul, src, wei, zero_points));
    }
    move_uses(uses, matmul.output(), sum.end());
}

bool quantize(Node& matmul, PassContext& context) {
    const auto src = match_dequantize(matmul.input(0));
    const auto wei = second_operand(matmul);
    if (!src || !wei) {
        explain_float_operand(matmul, kName, src.has_value(), wei.has_value(), context);
        return false;
    }
    if (src->q.node->is_constant() || !check(matmul, *src, *wei, context)) {
        return false;
    }
    apply(matmul, *src, *wei);
    context.rewritten(kName, matmul);
    return true;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    for (Node* node : model.find_all("MatMul")) {
        const bool candidate =
            node->port().type == ElementType::f32 && node->input(0).type() == ElementType::f32 &&
            node->port().shape.rank_is_static() && node->input(1).partial_shape().rank_is_static();
        if (candidate && quantize(*node, context)) {
            changed = true;
        }
    }
    return changed;
}

}  // namespace
}  // namespace quantize_matmul_pass

bool quantize_matmul(Model& model, PassContext& context) {
    return quantize_matmul_pass::run(model, context);
}

}  // namespace fuseq
