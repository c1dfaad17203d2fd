// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/resize/grid_sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/op_list.hpp"

namespace fuseq::grid_sample_ops {
namespace {

// data [N, C, H, W], grid [N, H', W', 2] with x before y, both from -1 to 1.
void infer(InferContext& context) {
    require_real(context, 0, "data");
    require_real(context, 1, "grid");
    PartialShape data = context.shape(0);
    PartialShape grid = context.shape(1);
    data = data.rank_is_static() ? data : PartialShape::dynamic(4);
    grid = grid.rank_is_static() ? grid : PartialShape::dynamic(4);
    const bool fits = data.rank() == 4 && grid.rank() == 4 && grid[3].compatible(2) &&
                      data[0].compatible(grid[0]);
    context.require(fits, "data has shape ", to_string(data), ", grid ", to_string(grid),
                    ", expected [N,C,H,W] and [N,H,W,2]");
    Dimension images;
    Dimension::merge(images, data[0], grid[0]);
    context.set_output(0, context.type(0), {images, data[1], grid[1], grid[2]});
}

// The pixels along one axis that make a sample, and their weights; -1: no pixel, which counts 0.
struct AxisSample {
    std::array<std::int64_t, 4> index{-1, -1, -1, -1};
    std::array<double, 4> weight{};
    std::size_t count = 1;
};

std::int64_t padded(std::int64_t i, std::int64_t size, const GridSampleAttrs& attrs) {
    if (i >= 0 && i < size) {
        return i;
    }
    if (attrs.padding_mode == GridPadding::kZeros) {
        return -1;
    }
    if (attrs.padding_mode == GridPadding::kBorder || size == 1) {
        return std::clamp<std::int64_t>(i, 0, size - 1);
    }
    // Mirrors stand on the outermost pixels, or on their outer edges.
    const std::int64_t period = attrs.align_corners ? 2 * (size - 1) : 2 * size;
    i %= period;
    i += i < 0 ? period : 0;
    return i < size ? i : (attrs.align_corners ? period : period - 1) - i;
}

double cubic(double x) {
    constexpr double kA = -0.75;
    x = std::abs(x);
    if (x < 1) {
        return ((kA + 2) * x - (kA + 3)) * x * x + 1;
    }
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * kA : 0.0;
}

AxisSample sample_axis(double position, std::int64_t size, const GridSampleAttrs& attrs) {
    const auto pixels = static_cast<double>(size);
    double at =
        attrs.align_corners ? (position + 1) / 2 * (pixels - 1) : ((position + 1) * pixels - 1) / 2;
    // Far away is far enough; and NaN is far away.
    constexpr double kFar = 1e15;
    at = std::isnan(at) ? -kFar : std::clamp(at, -kFar, kFar);
    AxisSample sample;
    if (attrs.mode == GridSampleMode::kNearest) {
        sample.index[0] = padded(static_cast<std::int64_t>(std::nearbyint(at)), size, attrs);
        sample.weight[0] = 1;
        return sample;
    }
    const auto base = static_cast<std::int64_t>(std::floor(at));
    const double share = at - std::floor(at);
    const bool bicubic = attrs.mode == GridSampleMode::kBicubic;
    sample.count = bicubic ? 4 : 2;
    for (std::size_t i = 0; i < sample.count; ++i) {
        const std::int64_t step = static_cast<std::int64_t>(i) - (bicubic ? 1 : 0);
        sample.index[i] = padded(base + step, size, attrs);
        const double distance = share - static_cast<double>(step);
        sample.weight[i] = bicubic ? cubic(distance) : 1 - std::abs(distance);
    }
    return sample;
}

template <class T>
double mix(const T* plane, std::int64_t width, const AxisSample& y, const AxisSample& x) {
    double sum = 0;
    for (std::size_t i = 0; i < y.count; ++i) {
        for (std::size_t j = 0; j < x.count; ++j) {
            if (y.index[i] >= 0 && x.index[j] >= 0) {
                sum += y.weight[i] * x.weight[j] *
                       static_cast<double>(plane[y.index[i] * width + x.index[j]]);
            }
        }
    }
    return sum;
}

template <class T>
void run(EvalContext& context, const std::vector<float>& grid) {
    const auto& attrs = context.attrs<GridSampleAttrs>();
    const Shape& shape = context.input(0).get_shape();
    const Shape& points = context.input(1).get_shape();
    const T* src = context.input(0).data<T>();
    T* dst = context.output(0, {shape[0], shape[1], points[1], points[2]}).template data<T>();
    const std::size_t count = points[1] * points[2];
    const std::size_t area = shape[2] * shape[3];
    for (std::size_t n = 0; n < shape[0]; ++n) {
        for (std::size_t p = 0; p < count; ++p) {
            const float* point = grid.data() + (n * count + p) * 2;
            const AxisSample x = sample_axis(static_cast<double>(point[0]),
                                             static_cast<std::int64_t>(shape[3]), attrs);
            const AxisSample y = sample_axis(static_cast<double>(point[1]),
                                             static_cast<std::int64_t>(shape[2]), attrs);
            for (std::size_t c = 0; c < shape[1]; ++c) {
                const std::size_t plane = n * shape[1] + c;
                dst[plane * count + p] = static_cast<T>(
                    mix(src + plane * area, static_cast<std::int64_t>(shape[3]), y, x));
            }
        }
    }
}

void evaluate(EvalContext& context) {
    const Shape& shape = context.input(0).get_shape();
    const Shape& points = context.input(1).get_shape();
    context.require(shape.size() == 4 && points.size() == 4 && points[3] == 2 &&
                        points[0] == shape[0] && shape[2] > 0 && shape[3] > 0,
                    "data has shape ", to_string(shape), ", grid ", to_string(points));
    const std::vector<float> grid = to_floats(context.input(1));
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context, grid); });
}

const OpSpec kOps[] = {
    {.type = "GridSample",
     .version = 9,
     .inputs = {2, 2},
     .make_attributes = make_attributes<GridSampleAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Samples of an image at given points"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::grid_sample_ops
