// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes matmuls of dequantized operands integer matmuls.
//
//   Law:     ((q - z) * s) @ (w * t) = s * t * ((q - Z) @ w - f * W) for z = Z + f with Z a whole
//            number and W the sums of the columns of w. t may differ from column to column.
//   Before:  MatMul(DQ(q, s, z), Const i8 -> Convert -> Multiply(t))
//            MatMul(DQ(q, s, z), DQ(w, t, y)) with two activations
//   After:   MatMul(q, w [, Const i32 Z [, Const i32 y]]) : f32 -> Multiply(s * t)
//            [-> Add(-f * W * s * t)]
//            The second zero point is only there for two activations; the first one then too.
//   Refuses: an operand in float (src_not_quantized, weights_not_quantized), a source with scales
//            per channel (per_channel_scale), a second operand of u8 (weights_unsigned), zero
//            points of two activations that are no whole numbers (fractional_zero_point), sums that
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
#include "transformations/support/weights.hpp"
#include "transformations/support/zero_point_correction.hpp"

namespace fuseq {
namespace {

constexpr std::string_view kName = "quantize_matmul";

// The second operand: a constant or an activation.
struct Second {
    Output q;
    std::vector<float> scale;  // one, or one a column
    float zero_point = 0;
    std::vector<std::string> origins;
    bool constant = false;
};

bool is_whole(float value) {
    return value == std::nearbyint(value);
}

// Dimension of the second operand that numbers columns.
std::size_t column_dim(const Node& matmul) {
    const std::size_t rank = matmul.input(1).partial_shape().rank();
    return rank - (matmul.attrs<MatMulAttrs>().transpose_b ? 2 : 1);
}

std::optional<Second> second_operand(const Node& matmul) {
    if (auto wei = match_normalized_weights(matmul)) {
        return Second{wei->values, std::move(wei->scale), 0.0f, std::move(wei->origins), true};
    }
    const auto dq = match_dequantize(matmul.input(1));
    if (!dq || !dq->zero_point.per_tensor()) {
        return std::nullopt;
    }
    if (!dq->scale.per_tensor() &&
        (matmul.input(1).partial_shape().rank() < 2 || dq->scale.axis() != column_dim(matmul))) {
        return std::nullopt;
    }
    return Second{dq->q, dq->scale.list(), dq->zero_point[0], {}, false};
}

bool may_overflow(const Node& matmul, const Dequantize& src, const Second& wei) {
    if (wei.constant) {
        return may_overflow(matmul, wei.q.node->constant(), src.zero_point);
    }
    const PartialShape& shape = matmul.input(1).partial_shape();
    const std::size_t rank = shape.rank();
    const std::size_t k = rank < 2 ? 0 : (column_dim(matmul) == rank - 1 ? rank - 2 : rank - 1);
    if (shape[k].is_dynamic()) {
        return false;  // no graph of known use has sums of more than 2^31 / 2^16 products
    }
    const double product = (255.0 + std::abs(static_cast<double>(src.zero_point[0]))) *
                           (255.0 + std::abs(static_cast<double>(wei.zero_point)));
    return product * static_cast<double>(shape[k].get_length()) >
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
    if (!wei.constant && (!is_whole(src.zero_point[0]) || !is_whole(wei.zero_point))) {
        return refuse("fractional_zero_point",
                      "the zero point of an operand is no whole number, and the sums that correct "
                      "it are not constant");
    }
    if (std::abs(src.zero_point[0]) > kLargestZeroPoint || may_overflow(matmul, src, wei)) {
        return refuse("accumulator_overflow", "a sum of products may not fit into 32 bits");
    }
    return true;
}

Output zero_point_input(Node& matmul, const char* name, double value) {
    return make_constant(matmul.model(), matmul.name() + name,
                         Tensor::scalar(static_cast<std::int32_t>(value)));
}

// Values of columns as a constant that broadcasts to the result.
Tensor column_tensor(const Node& matmul, std::vector<float> values) {
    const std::size_t rank = matmul.port().shape.rank();
    return ChannelValues(std::move(values), rank - 1).to_tensor(rank);
}

void apply(Node& matmul, const Dequantize& src, const Second& wei) {
    Model& model = matmul.model();
    const std::vector<Use> uses = matmul.port().uses;
    const double whole = std::nearbyint(src.zero_point[0]);
    const double fraction = src.zero_point[0] - whole;
    matmul.set_input(0, src.q);
    matmul.set_input(1, wei.q);
    if (whole != 0 || wei.zero_point != 0) {
        matmul.add_input(zero_point_input(matmul, "/zero_point", whole));
    }
    if (wei.zero_point != 0) {
        matmul.add_input(zero_point_input(matmul, "/wei_zero_point", wei.zero_point));
    }
    matmul.infer();
    for (const std::string& name : wei.origins) {
        add_origin(matmul, name);
    }
    std::vector<float> scale;
    for (const float t : wei.scale) {
        scale.push_back(static_cast<float>(static_cast<double>(src.scale[0]) * t));
    }
    const std::vector<double> sums =
        fraction == 0 ? std::vector<double>() : weight_sums(matmul, wei.q.node->constant());
    std::vector<float> shift;
    for (std::size_t n = 0; n < sums.size(); ++n) {
        shift.push_back(static_cast<float>(-fraction * sums[n] * scale[scale.size() == 1 ? 0 : n]));
    }
    const Output factor =
        make_constant(model, matmul.name() + "/scale", column_tensor(matmul, scale));
    Node* end = model.add("Multiply", 1, matmul.name() + "/dequantize", {matmul.output(), factor},
                          BinaryAttrs{});
    end->origins = origins_of(matmul);
    if (!shift.empty()) {
        const Output constant =
            make_constant(model, matmul.name() + "/shift", column_tensor(matmul, shift));
        end = model.add("Add", 1, matmul.name() + "/correct", {end->output(), constant},
                        BinaryAttrs{});
        end->origins = origins_of(matmul);
    }
    move_uses(uses, matmul.output(), end->output());
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

}  // namespace

bool quantize_matmul(Model& model, PassContext& context) {
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

}  // namespace fuseq
