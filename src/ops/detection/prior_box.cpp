// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/detection/prior_box.hpp"

#include <algorithm>
#include <cmath>

#include "ops/op_list.hpp"

namespace fuseq::prior_box_ops {
namespace {

constexpr double kSameRatio = 1e-6;
constexpr float kLargestDensity = 256.0F;

// Aspect ratios other than 1, each followed by its inverse if `flip`; repeated ones once.
std::vector<double> other_ratios(const PriorBoxAttrs& attrs) {
    std::vector<double> ratios{1.0};
    for (const float ratio : attrs.aspect_ratio) {
        const bool known = std::any_of(ratios.begin(), ratios.end(), [&](double r) {
            return std::abs(static_cast<double>(ratio) - r) < kSameRatio;
        });
        if (!known) {
            ratios.push_back(ratio);
            if (attrs.flip) {
                ratios.push_back(1.0 / static_cast<double>(ratio));
            }
        }
    }
    ratios.erase(ratios.begin());
    return ratios;
}

// density x density boxes of one form, spread over a square of `size`.
void add_dense(std::vector<Prior>& priors, float size, std::int64_t density, Prior box) {
    // Whole pixels, as Caffe counts them.
    const double shift = std::floor(static_cast<double>(size) / static_cast<double>(density));
    const double corner = -std::floor(std::floor(static_cast<double>(size)) / 2) + shift / 2;
    box.clip = true;
    for (std::int64_t row = 0; row < density; ++row) {
        for (std::int64_t column = 0; column < density; ++column) {
            box.shift_x = corner + static_cast<double>(column) * shift;
            box.shift_y = corner + static_cast<double>(row) * shift;
            priors.push_back(box);
        }
    }
}

Prior stretched(double half_size, double ratio) {
    Prior box;
    box.half_width = half_size * std::sqrt(ratio);
    box.half_height = half_size / std::sqrt(ratio);
    return box;
}

void add_fixed(std::vector<Prior>& priors, const PriorBoxAttrs& attrs) {
    for (std::size_t s = 0; s < attrs.fixed_size.size(); ++s) {
        const float size = attrs.fixed_size[s];
        const auto density = static_cast<std::int64_t>(attrs.density[s]);
        const double half = static_cast<double>(size) / 2;
        if (!attrs.fixed_ratio.empty()) {
            for (const float ratio : attrs.fixed_ratio) {
                add_dense(priors, size, density, stretched(half, ratio));
            }
            continue;
        }
        add_dense(priors, size, density, stretched(std::floor(static_cast<double>(size)) / 2, 1));
        for (const double ratio : other_ratios(attrs)) {
            add_dense(priors, size, density, stretched(half, ratio));
        }
    }
}

void add_between(std::vector<Prior>& priors, const PriorBoxAttrs& attrs, std::size_t i) {
    if (i < attrs.max_size.size()) {
        const double size = std::sqrt(static_cast<double>(attrs.min_size[i]) *
                                      static_cast<double>(attrs.max_size[i]));
        priors.push_back(stretched(size / 2, 1));
    }
}

void require_positive(const InferContext& context,
                      const char* name,
                      const std::vector<float>& values) {
    for (const float v : values) {
        context.require(v > 0 && std::isfinite(v), name, " has the value ", v,
                        ", expected one above 0");
    }
}

void check(const InferContext& context, const PriorBoxAttrs& attrs) {
    require_positive(context, "min_size", attrs.min_size);
    require_positive(context, "max_size", attrs.max_size);
    require_positive(context, "aspect_ratio", attrs.aspect_ratio);
    require_positive(context, "fixed_ratio", attrs.fixed_ratio);
    require_positive(context, "fixed_size", attrs.fixed_size);
    context.require(std::isfinite(attrs.step) && std::isfinite(attrs.offset), "step is ",
                    attrs.step, ", offset is ", attrs.offset, ", expected finite values");
    for (const float density : attrs.density) {
        context.require(density >= 1 && density <= kLargestDensity, "density has the value ",
                        density, ", expected one in [1, ", kLargestDensity, "]");
    }
    const std::size_t variances = attrs.variance.size();
    context.require(variances == 0 || variances == 1 || variances == 4, "variance has ", variances,
                    " values, expected 0, 1 or 4");
    context.require(!attrs.min_size.empty() || !attrs.fixed_size.empty(),
                    "neither min_size nor fixed_size is given");
    context.require(attrs.min_size.empty() || attrs.fixed_size.empty(),
                    "min_size and fixed_size are both given");
    context.require(attrs.fixed_size.size() == attrs.density.size(), "density has ",
                    attrs.density.size(), " values, fixed_size ", attrs.fixed_size.size());
    context.require(attrs.max_size.size() <= attrs.min_size.size(), "max_size has ",
                    attrs.max_size.size(), " values, min_size ", attrs.min_size.size());
    context.require(attrs.scale_all_sizes || attrs.max_size.empty(),
                    "max_size is given with scale_all_sizes=false");
}

// The two elements of input i, as far as known.
std::vector<Dimension> two_sizes(const InferContext& context, std::size_t i, const char* what) {
    context.require(is_integral(context.type(i)), what, " is ", to_string(context.type(i)),
                    ", expected an integer type");
    context.require(context.shape(i).compatible({2}), what, " has shape ",
                    to_string(context.shape(i)), ", expected [2]");
    const auto dims = context.dims(i);
    return dims && dims->size() == 2 ? *dims : std::vector<Dimension>(2);
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<PriorBoxAttrs>();
    check(context, attrs);
    const std::vector<Dimension> cells = two_sizes(context, 0, "output_size");
    two_sizes(context, 1, "image_size");
    const std::size_t count = priors_of_cell(attrs, 1.0).size();
    context.set_output(
        0, ElementType::f32,
        {2, cells[0] * cells[1] * Dimension(static_cast<std::int64_t>(count)) * Dimension(4)});
}

struct Grid {
    std::size_t rows;
    std::size_t columns;
    double image_height;
    double image_width;
};

Grid read_grid(const EvalContext& context) {
    const auto cells = to_ints(context.input(0));
    const auto image = to_ints(context.input(1));
    constexpr std::int64_t kLargest = 1 << 24;
    context.require(cells.size() == 2 && image.size() == 2,
                    "output_size and image_size need two values each");
    for (const std::int64_t v : {cells[0], cells[1]}) {
        context.require(v >= 0 && v <= kLargest, "output_size has the value ", v);
    }
    for (const std::int64_t v : {image[0], image[1]}) {
        context.require(v > 0 && v <= kLargest, "image_size has the value ", v);
    }
    return {static_cast<std::size_t>(cells[0]), static_cast<std::size_t>(cells[1]),
            static_cast<double>(image[0]), static_cast<double>(image[1])};
}

void write_box(const Prior& prior, double x, double y, const Grid& grid, float* out) {
    const double cx = x + prior.shift_x;
    const double cy = y + prior.shift_y;
    double box[] = {
        (cx - prior.half_width) / grid.image_width, (cy - prior.half_height) / grid.image_height,
        (cx + prior.half_width) / grid.image_width, (cy + prior.half_height) / grid.image_height};
    if (prior.clip) {
        box[0] = std::max(box[0], 0.0);
        box[1] = std::max(box[1], 0.0);
        box[2] = std::min(box[2], 1.0);
        box[3] = std::min(box[3], 1.0);
    }
    std::transform(box, box + 4, out, [](double v) { return static_cast<float>(v); });
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<PriorBoxAttrs>();
    const Grid grid = read_grid(context);
    const std::vector<Prior> priors = priors_of_cell(attrs, grid.image_height);
    double step = attrs.step;
    if (!attrs.scale_all_sizes) {
        step = attrs.step == -1.0F ? grid.image_height / static_cast<double>(grid.rows)
                                   : step * grid.image_height;
    }
    double step_y = step;
    double step_x = step;
    double offset = attrs.offset;
    if (step == 0) {  // spread over the image, from the middle of each cell
        step_y = grid.image_height / static_cast<double>(grid.rows);
        step_x = grid.image_width / static_cast<double>(grid.columns);
        offset = 0.5;
    }
    const Shape all{grid.rows, grid.columns, priors.size(), 4};
    const std::size_t size = shape_size(all);
    float* out = context.output(0, {2, size}).data<float>();
    float* box = out;
    for (std::size_t row = 0; row < grid.rows; ++row) {
        for (std::size_t column = 0; column < grid.columns; ++column) {
            for (const Prior& prior : priors) {
                write_box(prior, (static_cast<double>(column) + offset) * step_x,
                          (static_cast<double>(row) + offset) * step_y, grid, box);
                box += 4;
            }
        }
    }
    if (attrs.clip) {
        std::transform(out, out + size, out, [](float v) { return std::clamp(v, 0.0F, 1.0F); });
    }
    const std::vector<float> variance =
        attrs.variance.empty() ? std::vector<float>{0.1F} : attrs.variance;
    for (std::size_t i = 0; i < size; ++i) {
        out[size + i] = variance[i % variance.size()];
    }
}

const OpSpec kOps[] = {
    {.type = "PriorBox",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<PriorBoxAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Boxes of several sizes and forms around the cells of a grid",
     .refused = "sizes and ratios not above 0; min_size together with fixed_size; another number "
                "of densities than of fixed sizes; max_size with scale_all_sizes=false"},
    {.type = "PriorBox",
     .version = 8,
     .inputs = {2, 2},
     .make_attributes = make_attributes<PriorBox8Attrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The same, with a choice of order",
     .refused = "as PriorBox-1"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::prior_box_ops

namespace fuseq {

std::vector<Prior> priors_of_cell(const PriorBoxAttrs& attrs, double image_height) {
    namespace op = prior_box_ops;
    std::vector<Prior> priors;
    op::add_fixed(priors, attrs);
    const double unit = attrs.scale_all_sizes ? 1.0 : image_height;
    const std::size_t count = attrs.min_size.size();
    for (std::size_t i = 0; i < count; ++i) {
        priors.push_back(op::stretched(static_cast<double>(attrs.min_size[i]) * unit / 2, 1));
        if (attrs.min_max_aspect_ratios_order) {
            op::add_between(priors, attrs, i);
        }
        // Without scale_all_sizes only the first size is stretched, after the last one.
        if (attrs.scale_all_sizes || i + 1 == count) {
            const double size = attrs.min_size[attrs.scale_all_sizes ? i : 0];
            for (const double ratio : op::other_ratios(attrs)) {
                priors.push_back(op::stretched(size * unit / 2, ratio));
            }
        }
        if (!attrs.min_max_aspect_ratios_order) {
            op::add_between(priors, attrs, i);
        }
    }
    return priors;
}

}  // namespace fuseq
