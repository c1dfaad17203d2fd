// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DeformablePSROIPooling-1: features [N, output_dim * group_size^2, H, W], regions [R,5] of (image,
// x1, y1, x2, y2), and offsets of the parts of regions [R, 2 * classes, part_size, part_size] (x
// before y, in sides of the region) -> [R, output_dim, group_size, group_size]
#include "ops/axis_groups.hpp"
#include "ops/detection/feature_plane.hpp"
#include "ops/detection/roi_pooling.hpp"
#include "ops/op_list.hpp"

namespace fuseq::deformable_psroi_pooling_ops {
namespace {

constexpr double kToMiddleOfCell = -0.5;
constexpr double kMinSide = 0.1;  // of a region, in cells

std::int64_t channels_in(const DeformablePsRoiPoolingAttrs& attrs) {
    return attrs.output_dim * attrs.group_size * attrs.group_size;
}

template <class Context>
void check_offsets(const Context& context, const PartialShape& offsets, const Dimension& regions) {
    const auto& attrs = context.template attrs<DeformablePsRoiPoolingAttrs>();
    const Dimension part(attrs.part_size);
    context.require(offsets.rank() == 4 && offsets[0].compatible(regions) &&
                        offsets[2].compatible(part) && offsets[3].compatible(part),
                    "offsets have shape ", to_string(offsets), ", expected [", to_string(regions),
                    ",2*classes,", attrs.part_size, ",", attrs.part_size, "]");
    if (offsets[1].is_static()) {
        const std::int64_t channels = offsets[1].get_length();
        context.require(
            channels >= 2 && channels % 2 == 0 && attrs.output_dim % (channels / 2) == 0,
            "offsets have ", channels, " channels, expected 2 for every class, and output_dim, ",
            attrs.output_dim, ", to be a multiple of the classes");
    }
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<DeformablePsRoiPoolingAttrs>();
    for (const auto& [name, value] :
         {std::pair{"output_dim", attrs.output_dim}, std::pair{"group_size", attrs.group_size},
          std::pair{"part_size", attrs.part_size}}) {
        require_pooled_size(context, name, value);
    }
    for (const auto& [name, value] : {std::pair{"spatial_bins_x", attrs.spatial_bins_x},
                                      std::pair{"spatial_bins_y", attrs.spatial_bins_y}}) {
        context.require(value >= 1 && value <= kMaxRoiSamples, name, " is ", value,
                        ", expected a value in [1, ", kMaxRoiSamples, "]");
    }
    context.require(attrs.spatial_scale > 0 && std::isfinite(attrs.spatial_scale),
                    "spatial_scale is ", attrs.spatial_scale, ", expected a value above 0");
    context.require(std::isfinite(attrs.trans_std), "trans_std is ", attrs.trans_std,
                    ", expected a finite value");
    RoiDims dims = check_roi_inputs(context, 5);
    context.require(dims.channels.compatible(channels_in(attrs)), "features have ",
                    to_string(dims.channels), " channels, expected ", channels_in(attrs));
    if (context.has_input(2)) {
        context.require_same_type(2, 0);
        PartialShape offsets = context.shape(2);
        offsets = offsets.rank_is_static() ? offsets : PartialShape::dynamic(4);
        check_offsets(context, offsets, dims.regions);
        Dimension::merge(dims.regions, dims.regions, offsets[0]);
    }
    context.set_output(0, context.type(0),
                       {dims.regions, attrs.output_dim, attrs.group_size, attrs.group_size});
}

// One side of a region, in cells.
struct Side {
    double begin;
    double length;
};

Side side_of(double low, double high, double scale) {
    const double begin = std::round(low) * scale + kToMiddleOfCell;
    const double end = (std::round(high) + 1) * scale + kToMiddleOfCell;
    return {begin, std::max(end - begin, kMinSide)};
}

// Mean of the samples of one part that lie in the plane; 0 when none does. The part begins at
// (y, x), its samples are `step` apart.
struct Samples {
    double y;
    double x;
    double step_y;
    double step_x;
    std::int64_t rows;
    std::int64_t columns;
};
template <class T>
double mean(const FeaturePlane<T>& plane, const Samples& samples) {
    const auto inside = [](double position, std::int64_t size) {
        return position >= -0.5 && position <= static_cast<double>(size) - 0.5;
    };
    const auto to_border = [](double position, std::int64_t size) {
        return std::clamp(position, 0.0, static_cast<double>(size - 1));
    };
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < samples.rows; ++i) {
        const double y = samples.y + static_cast<double>(i) * samples.step_y;
        for (std::int64_t j = 0; inside(y, plane.height) && j < samples.columns; ++j) {
            const double x = samples.x + static_cast<double>(j) * samples.step_x;
            if (inside(x, plane.width)) {
                sum += plane.bilinear(to_border(y, plane.height), to_border(x, plane.width));
                ++count;
            }
        }
    }
    return count > 0 ? sum / static_cast<double>(count) : 0.0;
}

struct Offset {
    double y = 0;
    double x = 0;
};

// One value of the output: channel, row and column of the pooled region.
struct Place {
    std::int64_t channel;
    std::int64_t row;
    std::int64_t column;
};

// Of one part, in sides of the region.
template <class T>
Offset offset_of(const EvalContext& context, std::size_t region, const Place& place) {
    const auto& attrs = context.attrs<DeformablePsRoiPoolingAttrs>();
    if (!context.has_input(2)) {
        return {};
    }
    const auto classes = static_cast<std::int64_t>(context.input(2).get_shape()[1]) / 2;
    const std::int64_t own = place.channel / (attrs.output_dim / classes);
    const std::int64_t area = attrs.part_size * attrs.part_size;
    const std::int64_t part = place.row * attrs.part_size / attrs.group_size * attrs.part_size +
                              place.column * attrs.part_size / attrs.group_size;
    const T* x = context.input(2).data<T>() +
                 (static_cast<std::int64_t>(region) * classes + own) * 2 * area + part;
    const auto std = static_cast<double>(attrs.trans_std);
    return {static_cast<double>(x[area]) * std, static_cast<double>(x[0]) * std};
}

template <class T>
void pool_region(const EvalContext& context, std::size_t region, const T* numbers, T* out) {
    const auto& attrs = context.attrs<DeformablePsRoiPoolingAttrs>();
    const std::size_t image = image_index(context, static_cast<double>(numbers[0]));
    const auto number = [&](std::size_t i) { return static_cast<double>(numbers[i]); };
    const auto scale = static_cast<double>(attrs.spatial_scale);
    const Side x = side_of(number(1), number(3), scale);
    const Side y = side_of(number(2), number(4), scale);
    const std::int64_t group = attrs.group_size;
    const double part_y = y.length / static_cast<double>(group);
    const double part_x = x.length / static_cast<double>(group);
    for (std::int64_t i = 0; i < channels_in(attrs); ++i) {
        const Place place{i / group / group, i / group % group, i % group};
        const Offset offset = offset_of<T>(context, region, place);
        const Samples samples{
            .y = y.begin + static_cast<double>(place.row) * part_y + offset.y * y.length,
            .x = x.begin + static_cast<double>(place.column) * part_x + offset.x * x.length,
            .step_y = part_y / static_cast<double>(attrs.spatial_bins_y),
            .step_x = part_x / static_cast<double>(attrs.spatial_bins_x),
            .rows = attrs.spatial_bins_y,
            .columns = attrs.spatial_bins_x};
        // Every part has a channel of its own, in the order of the output.
        const auto plane = plane_of<T>(context.input(0), image, static_cast<std::size_t>(i));
        out[i] = static_cast<T>(mean(plane, samples));
    }
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<DeformablePsRoiPoolingAttrs>();
    const Tensor& regions = context.input(1);
    const std::size_t count = regions.get_shape()[0];
    const auto group = static_cast<std::size_t>(attrs.group_size);
    T* out = context.output(0, {count, static_cast<std::size_t>(attrs.output_dim), group, group})
                 .template data<T>();
    const auto size = static_cast<std::size_t>(channels_in(attrs));
    for (std::size_t r = 0; r < count; ++r, out += size) {
        const T* numbers = regions.data<T>() + r * 5;
        if (numbers[0] <= T{-1}) {  // of no image
            std::fill_n(out, size, T{0});
        } else {
            pool_region(context, r, numbers, out);
        }
    }
}

void evaluate(EvalContext& context) {
    require_roi_shapes(context, 5);
    const auto channels = static_cast<std::int64_t>(context.input(0).get_shape()[1]);
    const std::int64_t expected = channels_in(context.attrs<DeformablePsRoiPoolingAttrs>());
    context.require(channels == expected, "features have ", channels, " channels, expected ",
                    expected);
    if (context.has_input(2)) {
        check_offsets(context, context.input(2).get_shape(),
                      static_cast<std::int64_t>(context.input(1).get_shape()[0]));
    }
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "DeformablePSROIPooling",
     .version = 1,
     .inputs = {2, 3},
     .make_attributes = make_attributes<DeformablePsRoiPoolingAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "PSROIPooling by samples, of parts that offsets move",
     .refused = "sizes below 1; channels that the groups do not fill; offsets of another size than "
                "part_size"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::deformable_psroi_pooling_ops
