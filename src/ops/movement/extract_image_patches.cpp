// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/movement/extract_image_patches.hpp"

#include <algorithm>

#include "model/typed.hpp"
#include "ops/op_list.hpp"

namespace fuseq::extract_image_patches_ops {
namespace {

constexpr std::int64_t kLargest = 1 << 16;

void check(const InferContext& context, const ExtractImagePatchesAttrs& attrs) {
    const auto list = [&](const char* name, const std::vector<std::int64_t>& values) {
        context.require(values.size() == 2, name, " has ", values.size(), " values, expected 2");
        for (const std::int64_t v : values) {
            context.require(v >= 1 && v <= kLargest, name, " has the value ", v,
                            ", expected one in [1, ", kLargest, "]");
        }
    };
    list("sizes", attrs.sizes);
    list("strides", attrs.strides);
    list("rates", attrs.rates);
    context.require(attrs.auto_pad != AutoPad::kExplicit && attrs.auto_pad != AutoPad::kNotset,
                    "auto_pad is ", EnumNames<AutoPad>::kNames[static_cast<int>(attrs.auto_pad)],
                    ", expected same_upper, same_lower or valid");
}

Window window_of(const ExtractImagePatchesAttrs& attrs, std::size_t d, std::int64_t input) {
    Window window{.size = attrs.sizes[d], .stride = attrs.strides[d], .dilation = attrs.rates[d]};
    resolve_padding(attrs.auto_pad, input, window);
    return window;
}

void infer(InferContext& context) {
    const auto& attrs = context.attrs<ExtractImagePatchesAttrs>();
    check(context, attrs);
    const ElementType type = context.type(0);
    context.require(type != ElementType::boolean, "input is ", to_string(type),
                    ", expected a numeric type");
    PartialShape shape = context.shape(0);
    shape = shape.rank_is_static() ? shape : PartialShape::dynamic(4);
    context.require(shape.rank() == 4, "input has shape ", to_string(shape), ", expected rank 4");
    shape[1] = shape[1] * Dimension(attrs.sizes[0] * attrs.sizes[1]);
    for (const std::size_t d : {0, 1}) {
        Dimension& size = shape[2 + d];
        size = size.is_static() ? Dimension(std::max<std::int64_t>(
                                      0, window_positions(size.get_length(),
                                                          window_of(attrs, d, size.get_length()))))
                                : Dimension::dynamic();
    }
    context.set_output(0, context.type(0), shape);
}

// [N, C, H, W] to [N, rows * columns * C, H', W'], the channels of a pixel of the patch together.
void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<ExtractImagePatchesAttrs>();
    const Tensor& in = context.input(0);
    const Shape& shape = in.get_shape();
    context.require(shape.size() == 4, "input has shape ", to_string(shape), ", expected rank 4");
    const auto height = static_cast<std::int64_t>(shape[2]);
    const auto width = static_cast<std::int64_t>(shape[3]);
    const Window rows = window_of(attrs, 0, height);
    const Window columns = window_of(attrs, 1, width);
    const auto count = static_cast<std::size_t>(rows.size * columns.size);
    const Shape result{shape[0], shape[1] * count,
                       static_cast<std::size_t>(window_positions(height, rows)),
                       static_cast<std::size_t>(window_positions(width, columns))};
    Tensor& output = context.output(0, result);
    dispatch_numeric(in.get_element_type(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* src = in.data<T>();
        T* dst = output.data<T>();
        for (std::size_t i = 0; i < output.get_size(); ++i) {
            const std::size_t x = i % result[3];
            const std::size_t y = i / result[3] % result[2];
            const std::size_t channel = i / (result[3] * result[2]) % result[1];
            const std::size_t n = i / (result[3] * result[2] * result[1]);
            const auto tap = static_cast<std::int64_t>(channel / shape[1]);
            const std::int64_t row = static_cast<std::int64_t>(y) * rows.stride - rows.pad_begin +
                                     tap / columns.size * rows.dilation;
            const std::int64_t column = static_cast<std::int64_t>(x) * columns.stride -
                                        columns.pad_begin + tap % columns.size * columns.dilation;
            const bool inside = row >= 0 && row < height && column >= 0 && column < width;
            const std::size_t plane = n * shape[1] + channel % shape[1];
            dst[i] = inside ? src[(plane * shape[2] + static_cast<std::size_t>(row)) * shape[3] +
                                  static_cast<std::size_t>(column)]
                            : T{0};
        }
    });
}

const OpSpec kOps[] = {
    {.type = "ExtractImagePatches",
     .version = 3,
     .inputs = {1, 1},
     .make_attributes = make_attributes<ExtractImagePatchesAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "The pixels under every position of a window become channels",
     .refused = "explicit pads; sizes, strides and rates below 1"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::extract_image_patches_ops
