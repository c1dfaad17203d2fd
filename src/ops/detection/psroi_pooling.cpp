// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/axis_groups.hpp"
#include "ops/detection/feature_plane.hpp"
#include "ops/detection/roi_pooling.hpp"
#include "ops/op_list.hpp"

namespace fuseq::psroi_pooling_ops {
namespace {

// Channels that the features must have.
std::int64_t channels_in(const PsRoiPoolingAttrs& attrs) {
    return attrs.mode == PsRoiPoolingMode::kAverage
               ? attrs.output_dim * attrs.group_size * attrs.group_size
               : attrs.output_dim * attrs.spatial_bins_x * attrs.spatial_bins_y;
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<PsRoiPoolingAttrs>();
    require_pooled_size(context, "output_dim", attrs.output_dim);
    require_pooled_size(context, "group_size", attrs.group_size);
    require_pooled_size(context, "spatial_bins_x", attrs.spatial_bins_x);
    require_pooled_size(context, "spatial_bins_y", attrs.spatial_bins_y);
    context.require(attrs.spatial_scale > 0 && std::isfinite(attrs.spatial_scale),
                    "spatial_scale is ", attrs.spatial_scale, ", expected a value above 0");
    const RoiDims dims = check_roi_inputs(context, 5);
    context.require(dims.channels.compatible(channels_in(attrs)), "features have ",
                    to_string(dims.channels), " channels, expected ", channels_in(attrs));
    context.set_output(0, context.type(0),
                       {dims.regions, attrs.output_dim, attrs.group_size, attrs.group_size});
}

// Along one axis: where the region begins and ends, in cells or as shares of the image.
struct Extent {
    double begin;
    double end;
};

// Cells [first, end) of one of `bins` parts.
struct Cells {
    std::int64_t first;
    std::int64_t end;
};
Cells part(const Extent& extent, std::int64_t bins, std::int64_t bin, std::int64_t size) {
    const double length = (extent.end - extent.begin) / static_cast<double>(bins);
    const double low = std::floor(extent.begin + static_cast<double>(bin) * length);
    const double high = std::ceil(extent.begin + static_cast<double>(bin + 1) * length);
    return {clamped_cell(low, size), clamped_cell(high, size)};
}

template <class T>
double average(const FeaturePlane<T>& plane, const Cells& rows, const Cells& columns) {
    const std::int64_t count = (rows.end - rows.first) * (columns.end - columns.first);
    if (rows.end <= rows.first || columns.end <= columns.first) {
        return 0;
    }
    double sum = 0;
    for (std::int64_t y = rows.first; y < rows.end; ++y) {
        for (std::int64_t x = columns.first; x < columns.end; ++x) {
            sum += plane.at(y, x);
        }
    }
    return sum / static_cast<double>(count);
}

// Sample `at` of `count` in part `bin` of `bins`.
struct Sampling {
    std::int64_t bins;
    std::int64_t bin;
    std::int64_t count;
    std::int64_t at;
};
double sample(const Extent& extent, const Sampling& s, std::int64_t size) {
    const auto last = static_cast<double>(size - 1);
    const double length = (extent.end - extent.begin) / static_cast<double>(s.bins);
    const double begin = extent.begin + static_cast<double>(s.bin) * length;
    if (s.count == 1) {
        return (begin + length / 2) * last;
    }
    return begin * last +
           static_cast<double>(s.at) * length * last / static_cast<double>(s.count - 1);
}

struct Region {
    std::size_t image;
    Extent y;
    Extent x;
};

template <class T>
Region read_region(const EvalContext& context, const T* p) {
    const auto& attrs = context.attrs<PsRoiPoolingAttrs>();
    const auto scale = static_cast<double>(attrs.spatial_scale);
    const bool cells = attrs.mode == PsRoiPoolingMode::kAverage;
    const auto low = [&](T v) {
        return (cells ? std::round(static_cast<double>(v)) : static_cast<double>(v)) * scale;
    };
    const auto high = [&](T v) {
        return (cells ? std::round(static_cast<double>(v)) + 1 : static_cast<double>(v)) * scale;
    };
    return {image_index(context, static_cast<double>(p[0])),
            {low(p[2]), high(p[4])},
            {low(p[1]), high(p[3])}};
}

// One value of the output: channel, row and column of the pooled region.
struct Place {
    std::int64_t channel;
    std::int64_t row;
    std::int64_t column;
};

template <class T>
double pool(const EvalContext& context, const Region& region, const Place& place) {
    const auto& attrs = context.attrs<PsRoiPoolingAttrs>();
    const Tensor& features = context.input(0);
    const std::int64_t group = attrs.group_size;
    if (attrs.mode == PsRoiPoolingMode::kAverage) {
        const auto channel = (place.channel * group + place.row) * group + place.column;
        const auto plane = plane_of<T>(features, region.image, static_cast<std::size_t>(channel));
        return average(plane, part(region.y, group, place.row, plane.height),
                       part(region.x, group, place.column, plane.width));
    }
    double sum = 0;
    for (std::int64_t by = 0; by < attrs.spatial_bins_y; ++by) {
        for (std::int64_t bx = 0; bx < attrs.spatial_bins_x; ++bx) {
            const auto channel =
                (by * attrs.spatial_bins_x + bx) * attrs.output_dim + place.channel;
            const auto plane =
                plane_of<T>(features, region.image, static_cast<std::size_t>(channel));
            const double y =
                sample(region.y, {attrs.spatial_bins_y, by, group, place.row}, plane.height);
            const double x =
                sample(region.x, {attrs.spatial_bins_x, bx, group, place.column}, plane.width);
            sum += plane.holds(y, x) ? plane.bilinear(y, x) : 0.0;
        }
    }
    return sum / static_cast<double>(attrs.spatial_bins_x * attrs.spatial_bins_y);
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<PsRoiPoolingAttrs>();
    const Tensor& regions = context.input(1);
    const std::size_t count = regions.get_shape()[0];
    const auto group = static_cast<std::size_t>(attrs.group_size);
    Tensor& result =
        context.output(0, {count, static_cast<std::size_t>(attrs.output_dim), group, group});
    T* out = result.data<T>();
    const std::size_t listed = listed_regions(regions);
    std::fill_n(out, result.get_size(), T{0});
    for (std::size_t r = 0; r < listed; ++r) {
        const Region region = read_region(context, regions.data<T>() + r * 5);
        for (std::int64_t i = 0; i < attrs.output_dim * attrs.group_size * attrs.group_size; ++i) {
            const Place place{i / attrs.group_size / attrs.group_size,
                              i / attrs.group_size % attrs.group_size, i % attrs.group_size};
            *out++ = static_cast<T>(pool<T>(context, region, place));
        }
    }
}

void evaluate(EvalContext& context) {
    require_roi_shapes(context, 5);
    const auto channels = static_cast<std::int64_t>(context.input(0).get_shape()[1]);
    const std::int64_t expected = channels_in(context.attrs<PsRoiPoolingAttrs>());
    context.require(channels == expected, "features have ", channels, " channels, expected ",
                    expected);
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "PSROIPooling",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<PsRoiPoolingAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Pools the parts of regions, each part from channels of its own",
     .refused = "sizes below 1, channels that the groups do not fill"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::psroi_pooling_ops
