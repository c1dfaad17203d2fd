// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// NV12toRGB-8, NV12toBGR-8, I420toRGB-8, I420toBGR-8: images of brightness (Y) and color (U, V) at
// half the resolution -> [N,H,W,3].
//   one input     [N, H * 3 / 2, W, 1]: the rows of Y, then those of the color
//   NV12, two     Y [N,H,W,1], UV [N,H/2,W/2,2]
//   I420, three   Y [N,H,W,1], U and V [N,H/2,W/2,1]
#include <algorithm>
#include <cmath>

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq::color_planes_ops {
namespace {

bool interleaved(const Node& node) {  // U beside V
    return node.type() == "NV12toRGB" || node.type() == "NV12toBGR";
}

bool red_first(const Node& node) {
    return node.type() == "NV12toRGB" || node.type() == "I420toRGB";
}

// --- shapes -------------------------------------------------------------------------------------

// Twice the size of a color plane; an open one has an open size.
Dimension doubled(const Dimension& size) {
    return size * Dimension(2);
}

template <class Context>
void check_plane(const Context& context, const PartialShape& shape, std::size_t i) {
    const std::int64_t channels = interleaved(context.node()) && i == 1 ? 2 : 1;
    context.require(shape.rank() == 4 && shape[3].compatible(channels), "input ", i, " has shape ",
                    to_string(shape), ", expected [N,H,W,", channels, "]");
}

// [N,H,W,3] for the shapes of the inputs.
template <class Context>
PartialShape image_shape(const Context& context, const std::vector<PartialShape>& shapes) {
    context.require(shapes.size() == 1 || shapes.size() == (interleaved(context.node()) ? 2 : 3),
                    "has ", shapes.size(), " inputs, expected 1 or ",
                    interleaved(context.node()) ? 2 : 3);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        check_plane(context, shapes[i], i);
    }
    PartialShape image = shapes[0];
    image[3] = 3;
    const bool one = shapes.size() == 1;
    if (one && image[1].is_static()) {
        const std::int64_t rows = image[1].get_length();
        context.require(rows % 3 == 0, "input 0 has ", rows,
                        " rows, expected 3 for every 2 of the image");
        image[1] = rows / 3 * 2;
    } else if (one) {
        const std::int64_t min = image[1].get_min_length();
        const std::int64_t max = image[1].get_max_length();
        image[1] = {(min / 3 + (min % 3 == 0 ? 0 : 1)) * 2,
                    max == Dimension::kUnbounded ? max : max / 3 * 2};
    }
    for (std::size_t i = 1; i < shapes.size(); ++i) {
        const bool fits = Dimension::merge(image[0], image[0], shapes[i][0]) &&
                          Dimension::merge(image[1], image[1], doubled(shapes[i][1])) &&
                          Dimension::merge(image[2], image[2], doubled(shapes[i][2]));
        context.require(fits, "input ", i, " has shape ", to_string(shapes[i]), ", input 0 ",
                        to_string(shapes[0]), ", expected half its height and width");
    }
    for (const std::size_t d : {1, 2}) {
        context.require(image[d].is_dynamic() || image[d].get_length() % 2 == 0, "the image has ",
                        d == 1 ? "height " : "width ", to_string(image[d]),
                        ", expected an even number");
    }
    return image;
}

void infer(InferContext& context) {
    const ElementType type = context.type(0);
    context.require(type == ElementType::u8 || is_real(type), "input 0 is ", to_string(type),
                    ", expected u8 or a real type");
    std::vector<PartialShape> shapes;
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        context.require_same_type(i, 0);
        const PartialShape& shape = context.shape(i);
        shapes.push_back(shape.rank_is_static() ? shape : PartialShape::dynamic(4));
    }
    context.set_output(0, type, image_shape(context, shapes));
}

// --- kernel -------------------------------------------------------------------------------------

// The planes of one image. U and V of column x are at x * color_step.
template <class T>
struct Planes {
    const T* y;
    const T* u;
    const T* v;
    std::size_t color_step;
};

template <class T>
Planes<T> planes_of(const EvalContext& context, std::size_t image, std::size_t area) {
    const bool pairs = interleaved(context.node());
    const std::size_t step = pairs ? 2 : 1;
    if (context.input_count() == 1) {
        const T* y = context.input(0).data<T>() + image * (area + area / 2);
        return {y, y + area, y + area + (pairs ? 1 : area / 4), step};
    }
    const T* y = context.input(0).data<T>() + image * area;
    const T* u = context.input(1).data<T>() + image * (area / 4) * step;
    return {y, u, pairs ? u + 1 : context.input(2).data<T>() + image * (area / 4), step};
}

// In f32, or f64 for f64: halves are rounded as the definition computes them.
template <class T>
T color_value(std::conditional_t<std::is_same_v<T, double>, double, float> value) {
    using Real = decltype(value);
    const Real rounded = std::is_integral_v<T> ? std::round(value) : value;
    return static_cast<T>(std::clamp(rounded, Real{0}, Real{255}));
}

template <class T>
void convert_pixel(T y, T u, T v, bool red_first, T* out) {
    using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
    constexpr auto kLight = static_cast<Real>(1.164);
    constexpr auto kRed = static_cast<Real>(1.596);
    constexpr auto kGreenOfU = static_cast<Real>(0.391);
    constexpr auto kGreenOfV = static_cast<Real>(0.813);
    constexpr auto kBlue = static_cast<Real>(2.018);
    const Real light = kLight * (static_cast<Real>(y) - 16);
    const Real blue_part = static_cast<Real>(u) - 128;
    const Real red_part = static_cast<Real>(v) - 128;
    const T red = color_value<T>(light + kRed * red_part);
    const T green = color_value<T>(light - kGreenOfU * blue_part - kGreenOfV * red_part);
    const T blue = color_value<T>(light + kBlue * blue_part);
    out[0] = red_first ? red : blue;
    out[1] = green;
    out[2] = red_first ? blue : red;
}

template <class T>
void run(const EvalContext& context, const Shape& image, T* out) {
    const std::size_t height = image[1];
    const std::size_t width = image[2];
    const bool rgb = red_first(context.node());
    for (std::size_t n = 0; n < image[0]; ++n) {
        const Planes<T> planes = planes_of<T>(context, n, height * width);
        for (std::size_t row = 0; row < height; ++row) {
            for (std::size_t column = 0; column < width; ++column, out += 3) {
                const std::size_t color = (row / 2 * (width / 2) + column / 2) * planes.color_step;
                convert_pixel(planes.y[row * width + column], planes.u[color], planes.v[color], rgb,
                              out);
            }
        }
    }
}

void evaluate(EvalContext& context) {
    std::vector<PartialShape> shapes;
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        shapes.emplace_back(context.input(i).get_shape());
    }
    const Shape image = image_shape(context, shapes).to_shape();
    Tensor& dst = context.output(0, image);
    switch (dst.get_element_type()) {
        case ElementType::u8: return run(context, image, dst.data<std::uint8_t>());
        case ElementType::f32: return run(context, image, dst.data<float>());
        case ElementType::f64: return run(context, image, dst.data<double>());
        default: context.fail("no kernel for input type ", to_string(dst.get_element_type()));
    }
}

OpSpec row(std::string_view type, std::size_t inputs, std::string_view summary) {
    return {.type = type,
            .version = 8,
            .inputs = {1, inputs},
            .make_attributes = make_attributes<NoAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "odd heights and widths"};
}

const OpSpec kOps[] = {
    row("NV12toRGB", 2, "Image of Y and interleaved UV at half the resolution as RGB"),
    row("NV12toBGR", 2, "The same as BGR"),
    row("I420toRGB", 3, "Image of Y, U and V at half the resolution as RGB"),
    row("I420toBGR", 3, "The same as BGR"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::color_planes_ops
