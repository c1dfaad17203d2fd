// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/feature_plane.hpp"

#include "ops/axis_groups.hpp"

namespace fuseq {

RoiDims check_roi_inputs(const InferContext& context, std::int64_t columns) {
    require_real(context, 0, "features");
    context.require_same_type(1, 0);
    PartialShape features = context.shape(0);
    PartialShape regions = context.shape(1);
    features = features.rank_is_static() ? features : PartialShape::dynamic(4);
    regions = regions.rank_is_static() ? regions : PartialShape::dynamic(2);
    context.require(features.rank() == 4, "features have shape ", to_string(features),
                    ", expected rank 4");
    context.require(regions.rank() == 2 && regions[1].compatible(columns), "regions have shape ",
                    to_string(regions), ", expected [R,", columns, "]");
    return {regions[0], features[1]};
}

void require_roi_shapes(const EvalContext& context, std::size_t columns) {
    const Shape& features = context.input(0).get_shape();
    const Shape& regions = context.input(1).get_shape();
    context.require(features.size() == 4 && features[2] > 0 && features[3] > 0,
                    "features have shape ", to_string(features), ", expected [N,C,H,W]");
    context.require(regions.size() == 2 && regions[1] == columns, "regions have shape ",
                    to_string(regions), ", expected [R,", columns, "]");
}

void require_pooled_size(const InferContext& context, const char* name, std::int64_t value) {
    constexpr std::int64_t kLargest = 1 << 16;
    context.require(value >= 1 && value <= kLargest, name, " is ", value,
                    ", expected a value in [1, ", kLargest, "]");
}

void require_pooled_area(const InferContext& context, const RoiPooled& pooled) {
    constexpr std::int64_t kLargest = 1 << 24;
    require_pooled_size(context, "pooled_h", pooled.height);
    require_pooled_size(context, "pooled_w", pooled.width);
    context.require(pooled.height * pooled.width <= kLargest, "a region of ", pooled.height, " x ",
                    pooled.width, " values is too large, expected at most ", kLargest, " values");
}

void infer_roi_align(InferContext& context,
                     const RoiPooled& pooled,
                     std::int64_t sampling_ratio,
                     float spatial_scale,
                     std::int64_t columns) {
    require_pooled_area(context, pooled);
    context.require(sampling_ratio >= 0 && sampling_ratio <= kMaxRoiSamples, "sampling_ratio is ",
                    sampling_ratio, ", expected a value in [0, ", kMaxRoiSamples, "]");
    context.require(spatial_scale > 0 && std::isfinite(spatial_scale), "spatial_scale is ",
                    spatial_scale, ", expected a value above 0");
    RoiDims dims = check_roi_inputs(context, columns);
    context.require(is_integral(context.type(2)), "batch_indices are ", to_string(context.type(2)),
                    ", expected an integer type");
    const PartialShape& indices = context.shape(2);
    context.require(
        !indices.rank_is_static() || (indices.rank() == 1 && indices[0].compatible(dims.regions)),
        "batch_indices have shape ", to_string(indices), ", expected one value a region");
    if (indices.rank_is_static()) {
        Dimension::merge(dims.regions, dims.regions, indices[0]);
    }
    context.set_output(0, context.type(0),
                       {dims.regions, dims.channels, pooled.height, pooled.width});
}

std::vector<std::size_t> images_of_regions(const EvalContext& context) {
    const std::vector<std::int64_t> indices = to_ints(context.input(2));
    const std::size_t count = context.input(1).get_shape()[0];
    context.require(indices.size() == count, "batch_indices have ", indices.size(), " values for ",
                    count, " regions");
    std::vector<std::size_t> images;
    images.reserve(count);
    for (const std::int64_t index : indices) {
        images.push_back(image_index(context, static_cast<double>(index)));
    }
    return images;
}

std::size_t listed_regions(const Tensor& regions) {
    const std::vector<float> values = to_floats(regions);
    std::size_t count = 0;
    while (count < regions.get_shape()[0] && values[count * 5] != -1.0f) {
        ++count;
    }
    return count;
}

std::size_t image_index(const EvalContext& context, double value) {
    const std::size_t images = context.input(0).get_shape()[0];
    context.require(value >= 0 && value < static_cast<double>(images), "a region names image ",
                    value, ", but there are ", images);
    return static_cast<std::size_t>(value);
}

}  // namespace fuseq
