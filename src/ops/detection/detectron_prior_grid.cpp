// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/axis_groups.hpp"
#include "ops/detection/detectron.hpp"
#include "ops/op_list.hpp"

namespace fuseq::detectron_prior_grid_ops {
namespace {

constexpr std::int64_t kLargest = 1 << 20;

// Priors [P,4], feature map [1,C,H,W], image [1,C,H,W]; of the last two only shapes matter.
void infer(InferContext& context) {
    const auto& attrs = context.attrs<DetectronPriorGridAttrs>();
    context.require(attrs.h >= 0 && attrs.h <= kLargest && attrs.w >= 0 && attrs.w <= kLargest,
                    "h and w are ", attrs.h, " and ", attrs.w, ", expected 0 or more");
    for (const float stride : {attrs.stride_x, attrs.stride_y}) {
        context.require(stride >= 0 && std::isfinite(stride), "stride_x or stride_y is ", stride,
                        ", expected 0 or more");
    }
    require_real(context, 0, "priors");
    PartialShape priors = context.shape(0);
    priors = priors.rank_is_static() ? priors : PartialShape::dynamic(2);
    context.require(priors.rank() == 2 && priors[1].compatible(4), "priors have shape ",
                    to_string(priors), ", expected [P,4]");
    PartialShape map = context.shape(1);
    map = map.rank_is_static() ? map : PartialShape::dynamic(4);
    const PartialShape& image = context.shape(2);
    context.require(map.rank() == 4 && image.compatible(PartialShape::dynamic(4)),
                    "the feature map has shape ", to_string(map), ", the image ", to_string(image),
                    ", expected rank 4");
    const Dimension height = attrs.h > 0 ? Dimension(attrs.h) : map[2];
    const Dimension width = attrs.w > 0 ? Dimension(attrs.w) : map[3];
    context.set_output(0, context.type(0),
                       attrs.flatten ? PartialShape{height * width * priors[0], 4}
                                     : PartialShape{height, width, priors[0], 4});
}

template <class T>
void run(EvalContext& context) {
    const auto& attrs = context.attrs<DetectronPriorGridAttrs>();
    const Shape& map = context.input(1).get_shape();
    const Shape& image = context.input(2).get_shape();
    const std::size_t count = context.input(0).get_shape()[0];
    const std::size_t rows = attrs.h > 0 ? static_cast<std::size_t>(attrs.h) : map[2];
    const std::size_t columns = attrs.w > 0 ? static_cast<std::size_t>(attrs.w) : map[3];
    const auto step = [](float stride, std::size_t size, std::size_t cells) {
        return stride > 0 ? static_cast<double>(stride)
                          : static_cast<double>(size) / static_cast<double>(cells);
    };
    const double step_x = step(attrs.stride_x, image[3], columns);
    const double step_y = step(attrs.stride_y, image[2], rows);
    const T* priors = context.input(0).data<T>();
    const Shape shape =
        attrs.flatten ? Shape{rows * columns * count, 4} : Shape{rows, columns, count, 4};
    T* out = context.output(0, shape).template data<T>();
    for (std::size_t cell = 0; cell < rows * columns; ++cell) {
        const std::size_t column = cell % columns;
        const std::size_t row = cell / columns;
        const double x = (static_cast<double>(column) + 0.5) * step_x;
        const double y = (static_cast<double>(row) + 0.5) * step_y;
        for (std::size_t i = 0; i < count * 4; ++i) {
            *out++ = static_cast<T>(static_cast<double>(priors[i]) + (i % 2 == 0 ? x : y));
        }
    }
}

void evaluate(EvalContext& context) {
    const Shape& priors = context.input(0).get_shape();
    context.require(priors.size() == 2 && priors[1] == 4 &&
                        context.input(1).get_shape().size() == 4 &&
                        context.input(2).get_shape().size() == 4,
                    "priors have shape ", to_string(priors),
                    ", expected [P,4] beside two tensors "
                    "of rank 4");
    dispatch_real(context, context.input(0).get_element_type(),
                  [&](auto tag) { run<typename decltype(tag)::type>(context); });
}

const OpSpec kOps[] = {
    {.type = "ExperimentalDetectronPriorGridGenerator",
     .version = 6,
     .inputs = {3, 3},
     .make_attributes = make_attributes<DetectronPriorGridAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Prior boxes around the centre of every cell of a grid",
     .refused = "negative sizes or strides"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::detectron_prior_grid_ops
