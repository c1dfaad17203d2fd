// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>

#include "model/typed.hpp"
#include "ops/from_double.hpp"
#include "ops/resize/interpolate.hpp"

namespace fuseq {
namespace {

// A tensor on its way from the input to the output, one dimension resized a step.
template <class T>
struct Stage {
    Shape shape;
    std::vector<T> values;
};

std::size_t product(Shape::const_iterator from, Shape::const_iterator to) {
    return std::accumulate(from, to, std::size_t{1}, std::multiplies<>());
}

// out[o, i, n] = sum of weight * in[o, index, n] over the taps of i.
template <class T>
Stage<T> resize_axis(const Stage<T>& in, std::size_t axis, const AxisTaps& taps) {
    Stage<T> out{in.shape, {}};
    out.shape[axis] = taps.size();
    out.values.assign(shape_size(out.shape), T{});
    const auto at = in.shape.begin() + static_cast<std::ptrdiff_t>(axis);
    const std::size_t outer = product(in.shape.begin(), at);
    const std::size_t inner = product(at + 1, in.shape.end());
    for (std::size_t o = 0; o < outer; ++o) {
        for (std::size_t i = 0; i < taps.size(); ++i) {
            T* to = out.values.data() + (o * taps.size() + i) * inner;
            for (const ResizeTap& tap : taps[i]) {
                const T* from = in.values.data() + (o * in.shape[axis] + tap.index) * inner;
                for (std::size_t n = 0; n < inner; ++n) {
                    if constexpr (std::is_same_v<T, double>) {
                        to[n] += tap.weight * from[n];
                    } else {
                        to[n] = from[n];  // nearest: one tap of weight 1
                    }
                }
            }
        }
    }
    return out;
}

// Zeros around the dimensions: position i of the input becomes position i + begin.
template <class T>
Stage<T> pad(const Stage<T>& in, const std::vector<std::int64_t>& begin, const Shape& padded) {
    if (padded == in.shape) {
        return in;
    }
    Stage<T> out{padded, std::vector<T>(shape_size(padded), T{})};
    std::vector<std::size_t> index(in.shape.size(), 0);
    for (const T value : in.values) {
        std::size_t offset = 0;
        for (std::size_t d = 0; d < index.size(); ++d) {
            const auto shift = static_cast<std::size_t>(d < begin.size() ? begin[d] : 0);
            offset = offset * padded[d] + index[d] + shift;
        }
        out.values[offset] = value;
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < in.shape[d]) {
                break;
            }
            index[d] = 0;
        }
    }
    return out;
}

// Computes in C: the type of the tensor for nearest, double for what is a weighted sum.
template <class C, class T>
void run_typed(EvalContext& context, const ResizeRequest& request, const Shape& padded) {
    const Tensor& in = context.input(0);
    Shape result = padded;
    for (const AxisResize& axis : request.axes) {
        result[axis.axis] = axis.new_size;
    }
    Tensor& output = context.output(0, result);
    Stage<C> stage{in.get_shape(), {}};
    const std::span<const T> values = in.values<T>();
    stage.values.reserve(values.size());
    std::transform(values.begin(), values.end(), std::back_inserter(stage.values),
                   [](T v) { return static_cast<C>(v); });
    stage = pad(stage, request.pads_begin, padded);
    for (const AxisResize& axis : request.axes) {
        const std::size_t size = stage.shape[axis.axis];
        if (size == 0) {
            context.require(axis.new_size == 0, "cannot resize axis ", axis.axis, " of size 0 to ",
                            axis.new_size);
            continue;
        }
        stage = resize_axis(stage, axis.axis, resize_taps(request.settings, axis, size));
    }
    T* out = output.template data<T>();
    std::transform(stage.values.begin(), stage.values.end(), out, [](C v) {
        if constexpr (std::is_same_v<C, T>) {
            return v;
        } else {
            return from_double<T>(v);
        }
    });
}

}  // namespace

void run_resize(EvalContext& context, const ResizeRequest& request) {
    Shape padded = context.input(0).get_shape();
    for (std::size_t d = 0; d < padded.size(); ++d) {
        padded[d] +=
            static_cast<std::size_t>(d < request.pads_begin.size() ? request.pads_begin[d] : 0);
        padded[d] +=
            static_cast<std::size_t>(d < request.pads_end.size() ? request.pads_end[d] : 0);
    }
    dispatch_numeric(context.input(0).get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        if (request.settings.mode == InterpolateMode::kNearest) {
            run_typed<T, T>(context, request, padded);
        } else {
            run_typed<double, T>(context, request, padded);
        }
    });
}

}  // namespace fuseq
