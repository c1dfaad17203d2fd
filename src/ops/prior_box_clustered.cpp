// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// PriorBoxClustered-1: inputs are the sizes [height, width] of the layer and of the image. Output
// [2, 4 * height * width * boxes] f32: boxes (xmin, ymin, xmax, ymax) over the image size,
// variances.
#include "ops/prior_box_clustered.hpp"

#include <algorithm>
#include <array>

#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"

namespace fuseq::prior_box_clustered_ops {
namespace {

constexpr std::int64_t kLargestSize = 1 << 20;

void infer(InferContext& context) {
    const auto& attrs = context.attrs<PriorBoxClusteredAttrs>();
    context.require(!attrs.width.empty() && attrs.width.size() == attrs.height.size(), "width has ",
                    attrs.width.size(), " values and height ", attrs.height.size(),
                    ", expected the same number, 1 or more");
    context.require(attrs.variance.size() <= 1 || attrs.variance.size() == 4, "variance has ",
                    attrs.variance.size(), " values, expected 0, 1 or 4");
    context.require(attrs.step >= 0 && attrs.step_w >= 0 && attrs.step_h >= 0, "step is ",
                    attrs.step, ", step_w ", attrs.step_w, ", step_h ", attrs.step_h,
                    ", expected 0 or more");
    require_int_list(context, 0, "the layer size");
    require_int_list(context, 1, "the image size");
    for (std::size_t i = 0; i < 2; ++i) {
        const auto count = list_length(context, i);
        context.require(!count || *count == 2, "input ", i, " has ", count.value_or(0),
                        " values, expected height and width");
    }
    Dimension count = Dimension::dynamic();
    if (const auto layer = shape_values(context, 0)) {
        count = layer->at(0) * layer->at(1) *
                Dimension(static_cast<std::int64_t>(4 * attrs.width.size()));
    }
    context.set_output(0, ElementType::f32, PartialShape{2, count});
}

std::array<std::int64_t, 2> size_of_input(const EvalContext& context, std::size_t i) {
    const std::vector<std::int64_t> values = to_ints(context.input(i));
    context.require(values.size() == 2, "input ", i, " has ", values.size(),
                    " values, expected height and width");
    for (const std::int64_t v : values) {
        context.require(v >= 1 && v <= kLargestSize, "input ", i, " has the value ", v,
                        ", expected one in [1, ", kLargestSize, "]");
    }
    return {values[0], values[1]};
}

// Distance of centres in pixels.
double step_of(double own, double common, double image, double layer, bool from_image) {
    if (own != 0) {
        return own;
    }
    return from_image ? image / layer : common;
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<PriorBoxClusteredAttrs>();
    const auto [rows, columns] = size_of_input(context, 0);
    const auto [image_h, image_w] = size_of_input(context, 1);
    const std::size_t boxes = attrs.width.size();
    const std::size_t count = static_cast<std::size_t>(rows * columns) * boxes;
    float* out = context.output(0, Shape{2, 4 * count}).data<float>();
    float* variances = out + 4 * count;
    const double height = static_cast<double>(image_h);
    const double width = static_cast<double>(image_w);
    const bool from_image = attrs.step == 0 && attrs.step_w == 0 && attrs.step_h == 0;
    const double step_y =
        step_of(attrs.step_h, attrs.step, height, static_cast<double>(rows), from_image);
    const double step_x =
        step_of(attrs.step_w, attrs.step, width, static_cast<double>(columns), from_image);
    for (std::int64_t y = 0; y < rows; ++y) {
        for (std::int64_t x = 0; x < columns; ++x) {
            const double centre_y = (static_cast<double>(y) + attrs.offset) * step_y;
            const double centre_x = (static_cast<double>(x) + attrs.offset) * step_x;
            for (std::size_t b = 0; b < boxes; ++b) {
                const double half_w = attrs.width[b] / 2.0;
                const double half_h = attrs.height[b] / 2.0;
                const double box[4] = {(centre_x - half_w) / width, (centre_y - half_h) / height,
                                       (centre_x + half_w) / width, (centre_y + half_h) / height};
                for (const double side : box) {
                    *out++ = static_cast<float>(attrs.clip ? std::clamp(side, 0.0, 1.0) : side);
                }
            }
        }
    }
    const std::vector<float> variance =
        attrs.variance.empty() ? std::vector<float>{0.1F} : attrs.variance;
    for (std::size_t i = 0; i < 4 * count; ++i) {
        variances[i] = variance[i % variance.size()];
    }
}

const OpSpec kOps[] = {
    {.type = "PriorBoxClustered",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<PriorBoxClusteredAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Boxes of given sizes around every cell of a layer",
     .refused = "variance of other than 0, 1 or 4 values; negative steps"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::prior_box_clustered_ops
