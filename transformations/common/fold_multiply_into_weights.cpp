// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Folds a Multiply after a convolution or matmul into its float weights.
//
//   Law:     conv(x, w) * c = conv(x, w * c) for c per output channel, up to rounding.
//   Before:  Convolution(x, Const f32) -> Multiply(Const [1, OC, 1, 1] or scalar)
//   After:   Convolution(x, Const f32)
//   Refuses: weights that are quantized (they stay integers; the composer takes the scale), a
//            convolution that something else reads, constants that vary along other dimensions.
//   Source:  DESIGN.md section 2, "fold, clean, fuse bias, batch norm, mean/scale".
#include "transformations/common/fold_multiply_into_weights.hpp"

#include <cmath>

#include <fmt/core.h>

#include "ops/binary_arithmetic.hpp"
#include "transformations/support/constant_cache.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace fold_multiply_into_weights_pass {
namespace {

constexpr std::string_view kName = "fold_multiply_into_weights";

// Dimension of the result that numbers the output channels.
std::size_t channel_dim(const Node& consumer) {
    return consumer.is("MatMul") ? consumer.port().shape.rank() - 1 : 1;
}

// The weights with each output channel scaled; an empty tensor when they do not fit together.
Tensor scaled_weights(const Node& consumer, const ChannelValues& factor) {
    const Tensor& weights = consumer.input_node(1)->constant();
    const ChannelOrder order = channel_order(consumer, weights.get_shape());
    if (order.count() > factor.size() && !factor.per_tensor()) {
        return {};
    }
    Tensor scaled(ElementType::f32, weights.get_shape());
    const float* from = weights.data<float>();
    float* to = scaled.data<float>();
    bool finite = true;
    order.for_each_run([&](std::size_t channel, std::size_t begin, std::size_t count) {
        const auto by = static_cast<double>(factor[channel]);
        for (std::size_t i = begin; i < begin + count; ++i) {
            to[i] = static_cast<float>(static_cast<double>(from[i]) * by);
            finite = finite && std::isfinite(to[i]);
        }
    });
    return finite ? scaled : Tensor();
}

bool fold(Node& multiply, const PassContext& context) {
    Node& consumer = *multiply.input_node(0);
    const bool matches =
        takes_weights(consumer) && has_single_use(multiply.input(0)) &&
        consumer.input_node(1)->is_constant() && consumer.input(1).type() == ElementType::f32 &&
        consumer.port().shape.rank_is_static() && consumer.port().shape == multiply.port().shape &&
        multiply.attrs<BinaryAttrs>().auto_broadcast != AutoBroadcast::kPdpd;
    if (!matches) {
        return false;
    }
    const auto factor = constant_channels(multiply.input(1), consumer.port().shape.rank());
    if (!factor || (!factor->per_tensor() && factor->axis() != channel_dim(consumer))) {
        return false;
    }
    const std::vector<float>& values = factor->list();
    const Tensor inputs[] = {consumer.input_node(1)->constant(),
                             Tensor::of(Shape{values.size()}, values)};
    const std::string what = fmt::format("{} {}", kName, computation_of(consumer));
    const Tensor weights = context.computed(
        what, inputs, [&] { return std::vector{scaled_weights(consumer, *factor)}; })[0];
    if (!weights) {
        return false;
    }
    consumer.set_input(1, make_constant(multiply.model(), consumer.name() + "/weights", weights));
    add_origins(consumer, multiply);
    consumer.infer();
    redirect(multiply.output(), consumer.output());
    return true;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "Multiply", context, kName,
                        [&](Node& multiply) { return fold(multiply, context); });
}

}  // namespace
}  // namespace fold_multiply_into_weights_pass

bool fold_multiply_into_weights(Model& model, PassContext& context) {
    return fold_multiply_into_weights_pass::run(model, context);
}

}  // namespace fuseq
