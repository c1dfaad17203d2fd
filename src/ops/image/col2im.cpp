// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Col2Im-15: data [N, C * KH * KW, L] or [C * KH * KW, L], output size [2], kernel size [2] ->
// [N,C,H,W] or [C,H,W]. Column l holds the values of window position l; what windows share is added
// up.
#include "ops/image/col2im.hpp"

#include <algorithm>

#include "model/typed.hpp"
#include "ops/op_list.hpp"
#include "ops/shape_values.hpp"
#include "ops/spatial.hpp"
#include "ops/stated_sizes.hpp"

namespace fuseq::col2im_ops {
namespace {

constexpr std::int64_t kLargest = 1 << 24;  // keeps all sums far from overflow

enum Port : std::size_t { kData, kOutputSize, kKernelSize };

Window window_of(const Col2ImAttrs& attrs, std::size_t d, std::int64_t kernel) {
    return {kernel, at_or(attrs.strides, d, 1), at_or(attrs.dilations, d, 1),
            at_or(attrs.pads_begin, d, 0), at_or(attrs.pads_end, d, 0)};
}

template <class Context>
void check_size(const Context& context, const char* what, std::int64_t value) {
    context.require(value >= 1 && value <= kLargest, what, " has the value ", value,
                    ", expected one in [1, ", kLargest, "]");
}

// Number of window positions along a dimension.
template <class Context>
std::int64_t positions_of(const Context& context,
                          std::size_t d,
                          std::int64_t output,
                          std::int64_t kernel) {
    const Window window = window_of(context.template attrs<Col2ImAttrs>(), d, kernel);
    const std::int64_t positions = window_positions(output, window);
    context.require(positions >= 1, "the kernel of extent ", window.extent(),
                    " does not fit into the padded output of size ", output, " (spatial dimension ",
                    d, ")");
    return positions;
}

// `rows` and `columns` are the last two dimensions of data.
template <class Context>
void check_data(const Context& context,
                const Dimension& rows,
                const Dimension& columns,
                const std::vector<std::int64_t>& output,
                const std::vector<std::int64_t>& kernel) {
    const std::int64_t taps = kernel[0] * kernel[1];
    context.require(rows.is_dynamic() || rows.get_length() % taps == 0, "data has ",
                    to_string(rows), " rows, expected a multiple of the ", taps,
                    " values of the kernel");
    const Dimension expected = Dimension(positions_of(context, 0, output[0], kernel[0])) *
                               Dimension(positions_of(context, 1, output[1], kernel[1]));
    context.require(columns.compatible(expected), "data has ", to_string(columns),
                    " columns, expected ", to_string(expected));
}

// The values of a list of two sizes, as far as known.
std::vector<Dimension> two_sizes(const InferContext& context, std::size_t i, const char* what) {
    require_int_list(context, i, what);
    const auto count = list_length(context, i);
    context.require(!count || *count == 2, what, " has ", count.value_or(0), " values, expected 2");
    if (const auto values = context.ints(i)) {
        for (const std::int64_t value : *values) {
            check_size(context, what, value);
        }
    }
    const auto dims = shape_values(context, i);
    return dims ? *dims : std::vector<Dimension>(2);
}

bool known(const std::vector<Dimension>& sizes) {
    return sizes[0].is_static() && sizes[1].is_static();
}

std::vector<std::int64_t> lengths(const std::vector<Dimension>& sizes) {
    return {sizes[0].get_length(), sizes[1].get_length()};
}

void infer(InferContext& context) {
    check_window_lists(context, 2, context.attrs<Col2ImAttrs>());
    const ElementType type = context.type(kData);
    context.require(is_real(type) || is_integral(type), "data is ", to_string(type),
                    ", expected a numeric type");
    const std::vector<Dimension> output = two_sizes(context, kOutputSize, "output_size");
    const std::vector<Dimension> kernel = two_sizes(context, kKernelSize, "kernel_size");
    const PartialShape& data = context.shape(kData);
    if (!data.rank_is_static()) {
        context.set_output(0, type, PartialShape::dynamic());
        return;
    }
    context.require(data.rank() == 2 || data.rank() == 3, "data has shape ", to_string(data),
                    ", expected rank 2 or 3");
    const Dimension& rows = data[data.rank() - 2];
    if (known(output) && known(kernel)) {
        check_data(context, rows, data[data.rank() - 1], lengths(output), lengths(kernel));
    }
    Dimension channels;
    if (rows.is_static() && known(kernel)) {
        channels = rows.get_length() / (kernel[0].get_length() * kernel[1].get_length());
    }
    context.set_output(0, type,
                       data.rank() == 2 ? PartialShape{channels, output[0], output[1]}
                                        : PartialShape{data[0], channels, output[0], output[1]});
}

struct Geometry {
    std::int64_t height, width;  // of the output
    Window y, x;
    std::int64_t rows, columns;  // window positions
};

// Adds the columns of one channel, `data`, to its plane.
template <class T, class Sum>
void add_channel(const Geometry& g, const T* data, std::vector<Sum>& plane) {
    for (std::int64_t tap = 0; tap < g.y.size * g.x.size; ++tap) {
        const std::int64_t top = tap / g.x.size * g.y.dilation - g.y.pad_begin;
        const std::int64_t left = tap % g.x.size * g.x.dilation - g.x.pad_begin;
        for (std::int64_t i = 0; i < g.rows; ++i) {
            const std::int64_t y = top + i * g.y.stride;
            for (std::int64_t j = 0; j < g.columns; ++j, ++data) {
                const std::int64_t x = left + j * g.x.stride;
                if (y >= 0 && y < g.height && x >= 0 && x < g.width) {
                    plane[static_cast<std::size_t>(y * g.width + x)] += static_cast<Sum>(*data);
                }
            }
        }
    }
}

template <class T>
void run(const Geometry& g, const Tensor& data, Tensor& dst) {
    // Integers wrap around.
    using Sum = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;
    const auto area = static_cast<std::size_t>(g.height * g.width);
    const auto column_values = static_cast<std::size_t>(g.y.size * g.x.size * g.rows * g.columns);
    std::vector<Sum> plane(area);
    const T* from = data.data<T>();
    T* to = dst.data<T>();
    for (std::size_t channel = 0; channel < dst.get_size() / area; ++channel) {
        std::fill(plane.begin(), plane.end(), Sum{0});
        add_channel(g, from, plane);
        to = std::transform(plane.begin(), plane.end(), to,
                            [](Sum sum) { return static_cast<T>(sum); });
        from += column_values;
    }
}

std::vector<std::int64_t> sizes_at_run_time(const EvalContext& context,
                                            std::size_t i,
                                            const char* what) {
    std::vector<std::int64_t> sizes = to_ints(context.input(i));
    context.require(sizes.size() == 2, what, " has ", sizes.size(), " values, expected 2");
    for (const std::int64_t size : sizes) {
        check_size(context, what, size);
    }
    return sizes;
}

void evaluate(EvalContext& context) {
    const auto& attrs = context.attrs<Col2ImAttrs>();
    const Tensor& data = context.input(kData);
    const Shape& shape = data.get_shape();
    context.require(shape.size() == 2 || shape.size() == 3, "data has shape ", to_string(shape),
                    ", expected rank 2 or 3");
    const auto output = sizes_at_run_time(context, kOutputSize, "output_size");
    const auto kernel = sizes_at_run_time(context, kKernelSize, "kernel_size");
    const std::size_t rows = shape[shape.size() - 2];
    check_data(context, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(shape.back()),
               output, kernel);
    const Geometry g{output[0],
                     output[1],
                     window_of(attrs, 0, kernel[0]),
                     window_of(attrs, 1, kernel[1]),
                     positions_of(context, 0, output[0], kernel[0]),
                     positions_of(context, 1, output[1], kernel[1])};
    Shape image{rows / static_cast<std::size_t>(kernel[0] * kernel[1]),
                static_cast<std::size_t>(output[0]), static_cast<std::size_t>(output[1])};
    if (shape.size() == 3) {
        image.insert(image.begin(), shape[0]);
    }
    check_element_count(context, image, "the image");
    Tensor& dst = context.output(0, image);
    if (dst.get_size() == 0) {  // the sizes may be any: no plane is made
        return;
    }
    dispatch_numeric(data.get_element_type(),
                     [&](auto tag) { run<typename decltype(tag)::type>(g, data, dst); });
}

const OpSpec kOps[] = {
    {.type = "Col2Im",
     .version = 15,
     .inputs = {3, 3},
     .make_attributes = make_attributes<Col2ImAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Columns of windows back to an image; what windows share is added up",
     .refused =
         "rank other than 2 and 3; sizes, strides or dilations below 1; negative pads; images "
         "of more than 2^28 elements"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::col2im_ops
