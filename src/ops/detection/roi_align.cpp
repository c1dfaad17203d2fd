// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/axis_groups.hpp"
#include "ops/detection/roi_samples.hpp"
#include "ops/op_list.hpp"

namespace fuseq::roi_align_ops {
namespace {

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RoiAlignAttrs>();
    infer_roi_align(context, {attrs.pooled_h, attrs.pooled_w}, attrs.sampling_ratio,
                    attrs.spatial_scale, 4);
}

RoiAxis make_axis(const EvalContext& context, double low, double high, std::int64_t parts) {
    const auto& attrs = context.attrs<RoiAlignAttrs>();
    const bool aligned = attrs.aligned_mode != RoiAlignedMode::kAsymmetric;
    const double before = attrs.aligned_mode == RoiAlignedMode::kHalfPixel ? 0.5 : 0.0;
    const double after = aligned ? -0.5 : 0.0;
    const auto scale = static_cast<double>(attrs.spatial_scale);
    const double begin = (low + before) * scale + after;
    double size = (high + before) * scale + after - begin;
    size = aligned ? size : std::max(size, 1.0);
    context.require(std::isfinite(begin) && std::isfinite(size), "a region has the side ", low,
                    " to ", high);
    return make_roi_axis(context, begin, size, parts, attrs.sampling_ratio);
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<RoiAlignAttrs>();
    const Tensor& features = context.input(0);
    const Tensor& regions = context.input(1);
    const std::vector<std::size_t> images = images_of_regions(context);
    const std::size_t count = regions.get_shape()[0];
    const std::size_t channels = features.get_shape()[1];
    T* out = context
                 .output(0, {count, channels, static_cast<std::size_t>(attrs.pooled_h),
                             static_cast<std::size_t>(attrs.pooled_w)})
                 .template data<T>();
    for (std::size_t r = 0; r < count; ++r) {
        const T* p = regions.data<T>() + r * 4;
        const RoiAxis x = make_axis(context, static_cast<double>(p[0]), static_cast<double>(p[2]),
                                    attrs.pooled_w);
        const RoiAxis y = make_axis(context, static_cast<double>(p[1]), static_cast<double>(p[3]),
                                    attrs.pooled_h);
        const auto first = plane_of<T>(features, images[r], 0);
        pool_region(first, channels, RoiSampler(first.height, first.width, y, x),
                    RoiPart{attrs.pooled_h, attrs.pooled_w}, attrs.mode, out);
        out += channels * static_cast<std::size_t>(attrs.pooled_h * attrs.pooled_w);
    }
}

void evaluate(EvalContext& context) {
    require_roi_shapes(context, 4);
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

constexpr std::string_view kRefused = "pooled sizes below 1, spatial_scale not above 0";

const OpSpec kOps[] = {
    {.type = "ROIAlign",
     .version = 3,
     .inputs = {3, 3},
     .make_attributes = make_attributes<RoiAlignAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Mean or maximum of samples of the parts of regions",
     .refused = kRefused},
    {.type = "ROIAlign",
     .version = 9,
     .inputs = {3, 3},
     .make_attributes = make_attributes<RoiAlign9Attrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The same, with a choice of how coordinates are meant",
     .refused = kRefused},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::roi_align_ops
