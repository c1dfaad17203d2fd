// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/lrn.hpp"

#include <algorithm>
#include <cmath>

#include "ops/axes.hpp"
#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"

namespace fuseq::lrn_ops {
namespace {

constexpr std::int64_t kLargestSize = 1 << 16;

void infer(InferContext& context) {
    const auto& attrs = context.attrs<LrnAttrs>();
    context.require(attrs.size >= 1 && attrs.size <= kLargestSize, "size is ", attrs.size,
                    ", expected a value in [1, ", kLargestSize, "]");
    require_real(context, 0, "input");
    check_axes_input(context, 1);
    context.set_output(0, context.type(0), context.shape(0));
}

// Adds up, for every position, the neighbours at most `reach` away along one axis.
std::vector<double> window_sums(const std::vector<double>& in,
                                const Shape& shape,
                                std::size_t axis,
                                std::size_t reach) {
    std::size_t inner = 1;
    for (std::size_t d = axis + 1; d < shape.size(); ++d) {
        inner *= shape[d];
    }
    const std::size_t size = shape[axis];
    std::vector<double> out(in.size(), 0);
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t at = i / inner % size;
        const std::size_t first = at - std::min(at, reach);
        const std::size_t last = std::min(size - 1, at + reach);
        for (std::size_t n = first; n <= last; ++n) {
            out[i] += in[i + n * inner - at * inner];
        }
    }
    return out;
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<LrnAttrs>();
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    Tensor& output = context.output(0, shape);
    const auto rank = static_cast<std::int64_t>(shape.size());
    std::vector<std::size_t> axes;
    for (const std::int64_t axis : to_ints(context.input(1))) {
        context.require(axis >= -rank && axis < rank, "axes has the value ", axis,
                        " for a tensor of rank ", rank);
        axes.push_back(wrapped_axis(axis, shape.size()));
    }
    std::sort(axes.begin(), axes.end());
    axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
    const auto reach = static_cast<std::size_t>((attrs.size - 1) / 2);
    const double share =
        static_cast<double>(attrs.alpha) /
        std::pow(static_cast<double>(attrs.size), static_cast<double>(axes.size()));
    dispatch_real(context, in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* src = in.data<T>();
        T* dst = output.data<T>();
        std::vector<double> sums(in.get_size());
        std::transform(src, src + in.get_size(), sums.begin(),
                       [](T x) { return static_cast<double>(x) * static_cast<double>(x); });
        for (const std::size_t axis : axes) {
            sums = window_sums(sums, shape, axis, reach);
        }
        for (std::size_t i = 0; i < sums.size(); ++i) {
            dst[i] = static_cast<T>(static_cast<double>(src[i]) /
                                    std::pow(static_cast<double>(attrs.bias) + share * sums[i],
                                             static_cast<double>(attrs.beta)));
        }
    });
}

const OpSpec kOps[] = {
    {.type = "LRN",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<LrnAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Divides by a power of the sum of squares of the neighbours along the axes",
     .refused = "size below 1"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::lrn_ops
