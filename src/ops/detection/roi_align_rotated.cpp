// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// ROIAlignRotated-15: features [N,C,H,W], regions [R,5] of (x, y, width, height, angle) around a
// centre, their images [R] -> [R,C,pooled_h,pooled_w]
#include "ops/axis_groups.hpp"
#include "ops/detection/roi_samples.hpp"
#include "ops/op_list.hpp"

namespace fuseq::roi_align_rotated_ops {
namespace {

constexpr std::size_t kNumbersOfARegion = 5;
constexpr double kToMiddleOfCell = -0.5;

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RoiAlignRotatedAttrs>();
    infer_roi_align(context, {attrs.pooled_h, attrs.pooled_w}, attrs.sampling_ratio,
                    attrs.spatial_scale, kNumbersOfARegion);
}

// How a region lies in the plane. Its axes begin at its centre.
struct Placement {
    double x;
    double y;
    double cos;
    double sin;
};

// The samples of one part, each between four cells.
class RotatedSampler {
public:
    RotatedSampler(std::int64_t height,
                   std::int64_t width,
                   const Placement& placement,
                   const RoiAxis& y,
                   const RoiAxis& x)
        : height_(height), width_(width), placement_(placement), y_(y), x_(x) {}

    void set_part(const RoiPart& part) {
        samples_.clear();
        for (std::int64_t i = 0; i < y_.samples; ++i) {
            const double y = y_.position(part.row, i);
            for (std::int64_t j = 0; j < x_.samples; ++j) {
                const double x = x_.position(part.column, j);
                samples_.push_back(
                    {roi_cell(y * placement_.cos - x * placement_.sin + placement_.y, height_),
                     roi_cell(y * placement_.sin + x * placement_.cos + placement_.x, width_)});
            }
        }
    }

    template <class T>
    double pool(const FeaturePlane<T>& plane, RoiAlignMode /*mode*/) const {
        double sum = 0;
        for (const Sample& sample : samples_) {
            if (sample.y.inside && sample.x.inside) {
                sum += between_cells(plane.values + sample.y.low * width_,
                                     plane.values + sample.y.high * width_, sample.y, sample.x);
            }
        }
        return samples_.empty() ? 0.0 : sum / static_cast<double>(samples_.size());
    }

private:
    struct Sample {
        RoiCell y;
        RoiCell x;
    };

    std::int64_t height_;
    std::int64_t width_;
    Placement placement_;
    RoiAxis y_, x_;
    std::vector<Sample> samples_;
};

template <class T>
RotatedSampler make_sampler(const EvalContext& context,
                            const T* region,
                            const FeaturePlane<T>& plane) {
    const auto& attrs = context.attrs<RoiAlignRotatedAttrs>();
    const auto scaled = [&](std::size_t i) {
        return static_cast<double>(region[i]) * static_cast<double>(attrs.spatial_scale);
    };
    const auto angle = static_cast<double>(attrs.clockwise_mode ? -region[4] : region[4]);
    const Placement placement{scaled(0) + kToMiddleOfCell, scaled(1) + kToMiddleOfCell,
                              std::cos(angle), std::sin(angle)};
    context.require(
        std::isfinite(placement.x) && std::isfinite(placement.y) && std::isfinite(angle),
        "a region has the centre (", region[0], ", ", region[1], ") and the angle ", region[4]);
    const RoiAxis y =
        make_roi_axis(context, -scaled(3) / 2, scaled(3), attrs.pooled_h, attrs.sampling_ratio);
    const RoiAxis x =
        make_roi_axis(context, -scaled(2) / 2, scaled(2), attrs.pooled_w, attrs.sampling_ratio);
    return {plane.height, plane.width, placement, y, x};
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<RoiAlignRotatedAttrs>();
    const Tensor& features = context.input(0);
    const Tensor& regions = context.input(1);
    const std::vector<std::size_t> images = images_of_regions(context);
    const std::size_t channels = features.get_shape()[1];
    T* out = context
                 .output(0, {images.size(), channels, static_cast<std::size_t>(attrs.pooled_h),
                             static_cast<std::size_t>(attrs.pooled_w)})
                 .template data<T>();
    for (std::size_t r = 0; r < images.size(); ++r) {
        const auto first = plane_of<T>(features, images[r], 0);
        pool_region(first, channels,
                    make_sampler(context, regions.data<T>() + r * kNumbersOfARegion, first),
                    RoiPart{attrs.pooled_h, attrs.pooled_w}, RoiAlignMode::kAvg, out);
        out += channels * static_cast<std::size_t>(attrs.pooled_h * attrs.pooled_w);
    }
}

void evaluate(EvalContext& context) {
    require_roi_shapes(context, kNumbersOfARegion);
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "ROIAlignRotated",
     .version = 15,
     .inputs = {3, 3},
     .make_attributes = make_attributes<RoiAlignRotatedAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Mean of samples of the parts of rotated regions",
     .refused = "pooled sizes below 1, spatial_scale not above 0"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::roi_align_rotated_ops
