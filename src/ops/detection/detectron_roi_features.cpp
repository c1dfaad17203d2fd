// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/detection/detectron.hpp"
#include "ops/detection/roi_samples.hpp"
#include "ops/op_list.hpp"

namespace fuseq::detectron_roi_features_ops {
namespace {

// A region of this side belongs to this level of the pyramid.
constexpr double kCanonicalSide = 224;
constexpr double kCanonicalLevel = 2;
constexpr double kSmall = 1e-6;

// Regions [N,4], then one feature map [1,C,H,W] a level.
void infer(InferContext& context) {
    const auto& attrs = context.attrs<DetectronRoiFeaturesAttrs>();
    require_pooled_size(context, "output_size", attrs.output_size);
    require_pooled_area(context, {attrs.output_size, attrs.output_size});
    context.require(attrs.sampling_ratio >= 0 && attrs.sampling_ratio <= kMaxRoiSamples,
                    "sampling_ratio is ", attrs.sampling_ratio, ", expected a value in [0, ",
                    kMaxRoiSamples, "]");
    const std::size_t levels = context.input_count() - 1;
    context.require(attrs.pyramid_scales.size() == levels, "pyramid_scales has ",
                    attrs.pyramid_scales.size(), " values for ", levels, " feature maps");
    for (const std::int64_t scale : attrs.pyramid_scales) {
        context.require(scale >= 1, "pyramid_scales has the value ", scale, ", expected 1 or more");
    }
    require_real(context, 0, "regions");
    PartialShape regions = context.shape(0);
    regions = regions.rank_is_static() ? regions : PartialShape::dynamic(2);
    context.require(regions.rank() == 2 && regions[1].compatible(4), "regions have shape ",
                    to_string(regions), ", expected [N,4]");
    Dimension channels;
    for (std::size_t i = 1; i <= levels; ++i) {
        context.require_same_type(i, 0);
        PartialShape map = context.shape(i);
        map = map.rank_is_static() ? map : PartialShape::dynamic(4);
        context.require(map.rank() == 4 && map[0].compatible(1) && map[1].compatible(channels),
                        "feature map ", i - 1, " has shape ", to_string(map),
                        ", expected [1,C,H,W] with the channels of the others");
        Dimension::merge(channels, channels, map[1]);
    }
    context.set_output_count(2);
    context.set_output(0, context.type(0),
                       {regions[0], channels, attrs.output_size, attrs.output_size});
    context.set_output(1, context.type(0), {regions[0], 4});
}

// The level of a region; nothing for one without an area, whose features are 0.
std::optional<std::size_t> level_of(double width, double height, std::size_t levels) {
    const double area = width * height;
    if (!(area > 0)) {
        return std::nullopt;
    }
    const double level =
        std::floor(std::log2(std::sqrt(area) / kCanonicalSide + kSmall) + kCanonicalLevel);
    return static_cast<std::size_t>(std::clamp(level, 0.0, static_cast<double>(levels - 1)));
}

RoiAxis axis_of(const EvalContext& context, double low, double high, double scale) {
    const auto& attrs = context.attrs<DetectronRoiFeaturesAttrs>();
    const double begin = low * scale - (attrs.aligned ? 0.5 : 0.0);
    const double size = (high - low) * scale;
    return make_roi_axis(context, begin, attrs.aligned ? size : std::max(size, 1.0),
                         attrs.output_size, attrs.sampling_ratio);
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<DetectronRoiFeaturesAttrs>();
    const Tensor& regions = context.input(0);
    const std::size_t count = regions.get_shape()[0];
    const std::size_t channels = context.input(1).get_shape()[1];
    const auto side = static_cast<std::size_t>(attrs.output_size);
    T* out = context.output(0, {count, channels, side, side}).template data<T>();
    for (std::size_t r = 0; r < count; ++r, out += channels * side * side) {
        const T* p = regions.data<T>() + r * 4;
        const double box[4] = {static_cast<double>(p[0]), static_cast<double>(p[1]),
                               static_cast<double>(p[2]), static_cast<double>(p[3])};
        const auto level = level_of(box[2] - box[0], box[3] - box[1], attrs.pyramid_scales.size());
        if (!level) {
            std::fill_n(out, channels * side * side, T{0});
            continue;
        }
        const double scale = 1.0 / static_cast<double>(attrs.pyramid_scales[*level]);
        const RoiAxis x = axis_of(context, box[0], box[2], scale);
        const RoiAxis y = axis_of(context, box[1], box[3], scale);
        const auto first = plane_of<T>(context.input(*level + 1), 0, 0);
        pool_region(first, channels, RoiSampler(first.height, first.width, y, x),
                    RoiPart{attrs.output_size, attrs.output_size}, RoiAlignMode::kAvg, out);
    }
    std::copy_n(regions.data<T>(), count * 4, context.output(1, {count, 4}).template data<T>());
}

void evaluate(EvalContext& context) {
    const Shape& regions = context.input(0).get_shape();
    context.require(regions.size() == 2 && regions[1] == 4, "regions have shape ",
                    to_string(regions), ", expected [N,4]");
    const std::size_t channels = context.input(1).get_shape().at(1);
    for (std::size_t i = 1; i < context.input_count(); ++i) {
        const Shape& map = context.input(i).get_shape();
        context.require(
            map.size() == 4 && map[0] == 1 && map[1] == channels && map[2] > 0 && map[3] > 0,
            "feature map ", i - 1, " has shape ", to_string(map), ", expected [1,", channels,
            ",H,W]");
    }
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "ExperimentalDetectronROIFeatureExtractor",
     .version = 6,
     .inputs = {2, Arity::kMany},
     .make_attributes = make_attributes<DetectronRoiFeaturesAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "ROIAlign on the level of a pyramid that fits the size of a region",
     .refused = "pyramid_scales below 1, or not one a level"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::detectron_roi_features_ops
