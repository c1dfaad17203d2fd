// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/group_normalization.hpp"

#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"

namespace fuseq::group_normalization_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<GroupNormalizationAttrs>();
    context.require(attrs.num_groups >= 1, "num_groups is ", attrs.num_groups,
                    ", expected 1 or more");
    context.require(std::isfinite(attrs.epsilon) && attrs.epsilon >= 0, "epsilon is ",
                    attrs.epsilon, ", expected 0 or more");
    require_real(context, 0, "input");
    const PartialShape& shape = context.shape(0);
    if (shape.rank_is_static()) {
        context.require(shape.rank() >= 2, "input has shape ", to_string(shape),
                        ", expected rank 2 or more");
        context.require(shape[1].is_dynamic() || shape[1].get_length() % attrs.num_groups == 0,
                        "num_groups is ", attrs.num_groups,
                        ", which does not divide the channels of ", to_string(shape));
    }
    for (const std::size_t i : {1, 2}) {
        context.require_same_type(i, 0);
        const PartialShape& vector = context.shape(i);
        const bool fits =
            !vector.rank_is_static() ||
            (vector.rank() == 1 && (!shape.rank_is_static() || vector[0].compatible(shape[1])));
        context.require(fits, i == 1 ? "scale" : "bias", " has shape ", to_string(vector),
                        ", expected one value a channel of ", to_string(shape));
    }
    context.set_output(0, context.type(0), shape);
}

// One group of one image: `count` values, `inner` of them a channel.
struct Group {
    std::size_t count;
    std::size_t inner;
    std::size_t first_channel;
};

template <class T>
void normalize(
    const T* src, T* dst, const Group& group, const T* scale, const T* bias, double eps) {
    double mean = 0;
    for (std::size_t i = 0; i < group.count; ++i) {
        mean += static_cast<double>(src[i]);
    }
    mean /= static_cast<double>(group.count);
    double variance = 0;
    for (std::size_t i = 0; i < group.count; ++i) {
        const double d = static_cast<double>(src[i]) - mean;
        variance += d * d;
    }
    const double deviation = std::sqrt(variance / static_cast<double>(group.count) + eps);
    for (std::size_t i = 0; i < group.count; ++i) {
        const std::size_t c = group.first_channel + i / group.inner;
        dst[i] = static_cast<T>((static_cast<double>(src[i]) - mean) / deviation *
                                    static_cast<double>(scale[c]) +
                                static_cast<double>(bias[c]));
    }
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<GroupNormalizationAttrs>();
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    const auto groups = static_cast<std::size_t>(attrs.num_groups);
    context.require(
        shape.size() >= 2 && shape[1] % groups == 0 && context.input(1).get_size() == shape[1] &&
            context.input(2).get_size() == shape[1],
        "input has shape ", to_string(shape), ", num_groups is ", groups, ", scale has ",
        context.input(1).get_size(), " values, bias ", context.input(2).get_size());
    Tensor& output = context.output(0, shape);
    if (in.get_size() == 0) {
        return;
    }
    const std::size_t inner = in.get_size() / (shape[0] * shape[1]);
    const std::size_t channels = shape[1] / groups;
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::size_t g = 0; g < shape[0] * groups; ++g) {
            const Group group{channels * inner, inner, g % groups * channels};
            normalize<T>(in.data<T>() + g * group.count, output.data<T>() + g * group.count, group,
                         context.input(1).data<T>(), context.input(2).data<T>(),
                         static_cast<double>(attrs.epsilon));
        }
    });
}

const OpSpec kOps[] = {
    {.type = "GroupNormalization",
     .version = 12,
     .inputs = {3, 3},
     .make_attributes = make_attributes<GroupNormalizationAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Normalizes groups of channels, then scales and shifts every channel",
     .refused = "groups that do not divide the channels; negative epsilon"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::group_normalization_ops
