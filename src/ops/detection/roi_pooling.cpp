// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/roi_pooling.hpp"

#include <vector>

#include "ops/axis_groups.hpp"
#include "ops/detection/boxes.hpp"
#include "ops/detection/feature_plane.hpp"
#include "ops/op_list.hpp"

namespace fuseq::roi_pooling_ops {
namespace {

RoiPooled pooled_size(const RoiPoolingAttrs& attrs) {
    for (const auto* const size : {&attrs.output_size, &attrs.output_roi}) {
        if (!size->empty()) {
            return {size->at(0), size->at(1)};
        }
    }
    return {attrs.pooled_h, attrs.pooled_w};
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<RoiPoolingAttrs>();
    for (const auto& [name, size] : {std::pair{"output_size", &attrs.output_size},
                                     std::pair{"output_roi", &attrs.output_roi}}) {
        context.require(size->empty() || size->size() == 2, name, " has ", size->size(),
                        " values, expected 2");
    }
    const RoiPooled pooled = pooled_size(attrs);
    require_pooled_area(context, pooled);
    context.require(attrs.spatial_scale > 0 && std::isfinite(attrs.spatial_scale),
                    "spatial_scale is ", attrs.spatial_scale, ", expected a value above 0");
    const RoiDims dims = check_roi_inputs(context, 5);
    context.set_output(0, context.type(0),
                       {dims.regions, dims.channels, pooled.height, pooled.width});
}

// Cells of one bin along one axis.
struct Cells {
    std::int64_t first;
    std::int64_t end;
};

Cells bin_cells(double begin, double end, std::int64_t bins, std::int64_t bin, std::int64_t size) {
    // A malformed region is one cell.
    const double length = std::max(end - begin + 1, 1.0) / static_cast<double>(bins);
    const auto low = begin + std::floor(static_cast<double>(bin) * length);
    const auto high = begin + std::ceil(static_cast<double>(bin + 1) * length);
    return {clamped_cell(low, size), clamped_cell(high, size)};
}

template <class T>
double pool_max(const FeaturePlane<T>& plane, const Cells& rows, const Cells& columns) {
    if (rows.end <= rows.first || columns.end <= columns.first) {
        return 0;
    }
    double best = plane.at(rows.first, columns.first);
    for (std::int64_t y = rows.first; y < rows.end; ++y) {
        for (std::int64_t x = columns.first; x < columns.end; ++x) {
            best = std::max(best, plane.at(y, x));
        }
    }
    return best;
}

// Position of a sample between begin and end, which are shares of the image.
double sample(double begin, double end, std::int64_t count, std::int64_t at, std::int64_t size) {
    const auto last = static_cast<double>(size - 1);
    if (count == 1) {
        return (begin + end) / 2 * last;
    }
    if (at == count - 1) {
        return end * last;  // exactly, so that the border of the image counts
    }
    return begin * last +
           static_cast<double>(at) * (end - begin) * last / static_cast<double>(count - 1);
}

// Where the parts of one region lie: worked out once for all channels.
template <class Place>
struct Parts {
    std::vector<Place> rows;
    std::vector<Place> columns;
};

// place(begin, end, count, part, size) says where a part lies along one axis.
template <class T, class Function>
auto parts_of(const CornerBox& box,
              const RoiPooled& pooled,
              const FeaturePlane<T>& plane,
              Function place) {
    Parts<decltype(place(0.0, 0.0, 1, 0, 1))> parts;
    for (std::int64_t i = 0; i < pooled.height; ++i) {
        parts.rows.push_back(place(box.y1, box.y2, pooled.height, i, plane.height));
    }
    for (std::int64_t i = 0; i < pooled.width; ++i) {
        parts.columns.push_back(place(box.x1, box.x2, pooled.width, i, plane.width));
    }
    return parts;
}

// value(plane, row, column) of all parts in all channels, `plane` being the first one's.
template <class T, class Place, class Value>
T* pool_region(FeaturePlane<T> plane,
               std::size_t channels,
               const Parts<Place>& parts,
               const Value& value,
               T* out) {
    for (std::size_t c = 0; c < channels; ++c, plane.values += plane.height * plane.width) {
        for (const Place& row : parts.rows) {
            for (const Place& column : parts.columns) {
                *out++ = static_cast<T>(value(plane, row, column));
            }
        }
    }
    return out;
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<RoiPoolingAttrs>();
    const RoiPooled pooled = pooled_size(attrs);
    const Tensor& features = context.input(0);
    const Tensor& regions = context.input(1);
    const std::size_t channels = features.get_shape()[1];
    const std::size_t count = regions.get_shape()[0];
    Tensor& result = context.output(0, {count, channels, static_cast<std::size_t>(pooled.height),
                                        static_cast<std::size_t>(pooled.width)});
    T* out = result.data<T>();
    const std::size_t listed = listed_regions(regions);
    for (std::size_t r = 0; r < listed; ++r) {
        const T* p = regions.data<T>() + r * 5;
        const auto first =
            plane_of<T>(features, image_index(context, static_cast<double>(p[0])), 0);
        const CornerBox box{static_cast<double>(p[1]), static_cast<double>(p[2]),
                            static_cast<double>(p[3]), static_cast<double>(p[4])};
        if (attrs.method == RoiPoolingMethod::kBilinear) {
            const auto parts = parts_of(box, pooled, first, sample);
            const auto value = [](const FeaturePlane<T>& plane, double y, double x) {
                return plane.holds(y, x) ? plane.bilinear(y, x) : 0.0;
            };
            out = pool_region(first, channels, parts, value, out);
            continue;
        }
        const auto scaled = [&](double v) {
            return std::round(v * static_cast<double>(attrs.spatial_scale));
        };
        const CornerBox cells{scaled(box.x1), scaled(box.y1), scaled(box.x2), scaled(box.y2)};
        const auto parts = parts_of(cells, pooled, first, bin_cells);
        out = pool_region(first, channels, parts, pool_max<T>, out);
    }
    std::fill(out, result.data<T>() + result.get_size(), T{0});
}

void evaluate(EvalContext& context) {
    require_roi_shapes(context, 5);
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "ROIPooling",
     .version = 2,
     .inputs = {2, 2},
     .make_attributes = make_attributes<RoiPoolingAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Largest values, or samples, of the parts of regions",
     .refused = "pooled sizes below 1, spatial_scale not above 0"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::roi_pooling_ops
