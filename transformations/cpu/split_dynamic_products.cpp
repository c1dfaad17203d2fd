// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of integers whose source has a zero point or a scale found at run time (dynamic
// quantization): the sums come from the anchors that have kernels for bytes, without the zero point,
// which is put right after them.
//
//   Law:     sum of (src - z) * w = sum of src * w - z * sum of w, over the taps inside the image
//   Before:  QuantizedMatMul(src, w, -, z) -> i32 -> Convert -> Multiply(., scale)
//   After:   MatMul(src, w) -> DequantizeSums(., z, scale)
//            Convolutions: with Transposes to channels last and back, which are views where the plan
//            keeps channels last. Weights that are i8 only less another number y than their zero
//            point: w - y and one more output channel of ones, whose sum times y - zero point is
//            added. Sums beyond 2^24 in a channel: in parts of the input channels, which are added
//            as integers.
//   Refuses: more than 6 parts, or parts in groups; weights that are not constant; a bias; src other
//            than u8 and i8; scales along another axis than the channels; images wider or higher
//            than 65536, or of three dimensions; in groups, weights that are not i8 less their zero
//            points.
//   Source:  an f32 holds all integers up to 2^24.
#include "transformations/cpu/split_dynamic_products.hpp"

#include <algorithm>
#include <optional>

#include "ops/convert.hpp"
#include "ops/convolution.hpp"
#include "ops/matmul.hpp"
#include "ops/quantized/dequantize_sums.hpp"
#include "ops/quantized/quantized_run.hpp"
#include "transformations/cpu/dynamic_weights.hpp"
#include "transformations/cpu/window_classes.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq {
namespace split_dynamic_products_pass {
namespace {

constexpr std::string_view kName = "split_dynamic_products";
bool fits(const Node& node, const WeightAttrs& attrs) {
    return attrs.output_type == ElementType::i32 && is_8_bit(node.input(0).type()) &&
           is_8_bit(node.input(1).type()) && node.input_node(1)->is_constant() &&
           !node.has_input(2) && node.input(1).partial_shape().is_static() &&
           shape_size(node.input(1).shape()) != 0 && node.port(0).shape.rank_is_static();
}

// The Multiply that turns the sums to real values, and its other operand.
struct Scaling {
    Node* multiply = nullptr;
    Output scale;
};

std::optional<Scaling> scaling_after(Node& node, std::size_t axis, std::size_t channels) {
    const auto only_reader = [](const Output& port) -> Node* {
        return has_single_use(port) ? port.node->port(port.index).uses[0].node : nullptr;
    };
    Node* convert = only_reader(node.output(0));
    if (convert == nullptr || !convert->is("Convert") ||
        convert->attrs<ConvertAttrs>().destination_type != ElementType::f32) {
        return std::nullopt;
    }
    Node* multiply = only_reader(convert->output(0));
    if (multiply == nullptr || !multiply->is("Multiply") ||
        multiply->port(0).shape != node.port(0).shape) {
        return std::nullopt;
    }
    const bool first = multiply->input(0) == convert->output(0);
    const Output scale = multiply->input(first ? 1 : 0);
    if (!scale.partial_shape().is_static()) {
        return std::nullopt;
    }
    const Shape shape = scale.shape();
    const std::size_t rank = node.port(0).shape.rank();
    const std::size_t at =
        axis + shape.size() - rank;  // dimension of shape, wraps where there is none
    const bool a_channel =
        at < shape.size() && shape[at] == channels && shape_size(shape) == channels;
    if (shape_size(shape) != 1 && !a_channel) {
        return std::nullopt;
    }
    return Scaling{multiply, scale};
}

Output constant(Node& node, const char* part, Tensor value) {
    Model& model = node.model();
    return model.add_constant(model.unique_name(node.name() + part), std::move(value))->output(0);
}

Output zero_point(Node& node, const WeightAttrs& attrs) {
    return node.has_input(3)
               ? node.input(3)
               : constant(node, "/zero_point",
                          Tensor::scalar(static_cast<std::int32_t>(attrs.input_zero_point(0))));
}

Output transposed(Node& node,
                  const char* part,
                  const Output& x,
                  const std::vector<std::int64_t>& order) {
    Model& model = node.model();
    const Output axes = constant(node, part, Tensor::of<std::int64_t>(Shape{order.size()}, order));
    Node* made =
        model.add("Transpose", 1, model.unique_name(node.name() + part), {x, axes}, NoAttrs{});
    made->origins = origins_of(node);
    return made->output(0);
}

Output dequantized(Node& node,
                   const std::vector<Output>& sums,
                   const Output& zero,
                   const Scaling& scaling,
                   DequantizeSumsAttrs attrs) {
    Model& model = node.model();
    std::vector<Output> inputs{sums[0], zero, scaling.scale};
    inputs.insert(inputs.end(), sums.begin() + 1, sums.end());
    Node* step = model.add("DequantizeSums", 1, model.unique_name(node.name() + "/dequantize"),
                           std::move(inputs), std::move(attrs));
    step->origins = origins_of(node);
    add_origins(*step, *scaling.multiply);
    return step->output(0);
}

// [0, rank) with dimension 1 at the end, or back.
std::vector<std::int64_t> channels_moved(std::size_t rank, bool to_the_end) {
    std::vector<std::int64_t> order{0};
    if (!to_the_end) {
        order.push_back(static_cast<std::int64_t>(rank) - 1);
    }
    for (std::size_t d = to_the_end ? 2 : 1; d < rank - (to_the_end ? 0 : 1); ++d) {
        order.push_back(static_cast<std::int64_t>(d));
    }
    if (to_the_end) {
        order.push_back(1);
    }
    return order;
}

ConvolutionAttrs windows_of(const QuantizedConvolutionAttrs& attrs, std::size_t dims) {
    ConvolutionAttrs windows;
    windows.strides = attrs.strides;
    windows.dilations =
        attrs.dilations.empty() ? std::vector<std::int64_t>(dims, 1) : attrs.dilations;
    windows.pads_begin =
        attrs.pads_begin.empty() ? std::vector<std::int64_t>(dims, 0) : attrs.pads_begin;
    windows.pads_end = attrs.pads_end.empty() ? std::vector<std::int64_t>(dims, 0) : attrs.pads_end;
    windows.auto_pad = attrs.auto_pad;
    return windows;
}

// Indices [begin, end) of an axis of src.
Output slice(Node& node, const Output& src, std::size_t axis, std::size_t begin, std::size_t end) {
    const auto one = [&](std::size_t value) {
        return constant(node, "/part",
                        Tensor::of<std::int64_t>(Shape{1}, {static_cast<std::int64_t>(value)}));
    };
    Model& model = node.model();
    Node* part = model.add("Slice", 8, model.unique_name(node.name() + "/source"),
                           {src, one(begin), one(end), one(1), one(axis)}, NoAttrs{});
    part->origins = origins_of(node);
    return part->output(0);
}

// The sums of each part: anchor(source of the part, its weights).
template <class Anchor>
std::vector<Output> sums_of_parts(Node& node,
                                  const std::vector<std::size_t>& cuts,
                                  std::size_t axis,
                                  const Anchor& anchor) {
    std::vector<Output> sums;
    for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
        const Output src = node.input(0);
        Node* product =
            anchor(cuts.size() == 2 ? src : slice(node, src, axis, cuts[p], cuts[p + 1]), cuts[p],
                   cuts[p + 1]);
        product->origins = origins_of(node);
        sums.push_back(product->output(0));
    }
    return sums;
}

// The sums of weights of each class of windows, and the classes of the pixels.
DequantizeSumsAttrs sums_of_windows(const DynamicWeights& weights,
                                    const Shape& wei,
                                    const std::vector<Window>& windows,
                                    const Shape& src) {
    const std::size_t rank = src.size();
    const Window height = rank == 3 ? Window{} : windows[0];
    const Window width = windows.back();
    const WindowClasses rows =
        window_classes(height, rank == 3 ? 1 : static_cast<std::int64_t>(src[2]));
    const WindowClasses columns = window_classes(width, static_cast<std::int64_t>(src.back()));
    DequantizeSumsAttrs made;
    made.weight_sums = class_sums(weights.centered, wei[0], rows, height, columns, width);
    made.weight_shifts = weights.shifts;
    if (rows.taps.size() * columns.taps.size() > 1) {
        for (const std::int64_t c : rows.classes) {
            made.row_classes.push_back(c * static_cast<std::int64_t>(columns.taps.size()));
        }
        made.column_classes = columns.classes;
    }
    return made;
}

// Each position along an axis has a class: not for images of absurd padding.
bool too_many_windows(const Node& node) {
    constexpr std::int64_t kMaxPositions = 1 << 16;
    const PartialShape& shape = node.port(0).shape;
    return std::any_of(shape.begin() + 2, shape.end(), [](const Dimension& size) {
        return !size.is_static() || size.get_length() > kMaxPositions;
    });
}

bool split_convolution(Node& node) {
    const auto attrs = node.attrs<QuantizedConvolutionAttrs>();
    if (!fits(node, attrs) || attrs.channels_last || !node.input(0).partial_shape().is_static() ||
        (node.port(0).shape.rank() != 3 && node.port(0).shape.rank() != 4)) {
        return false;
    }
    const Shape wei = node.input(1).shape();
    const Shape src = node.input(0).shape();
    const auto groups = static_cast<std::size_t>(attrs.groups);
    const WeightOrder order{wei[0], wei[1], shape_size(wei) / (wei[0] * wei[1])};
    const DynamicWeights weights =
        dynamic_weights(node.input_node(1)->constant(), attrs.weight_zero_points, order);
    const auto cuts = exact_parts(weights, order, node.input(0).type(), kMaxSumParts);
    const auto scaling = scaling_after(node, 1, wei[0]);
    if (too_many_windows(node)) {
        return false;
    }
    if (!scaling || cuts.empty() || (groups > 1 && (cuts.size() > 2 || !weights.shifts.empty()))) {
        return false;
    }
    const std::vector<Use> uses = scaling->multiply->port(0).uses;
    const ConvolutionAttrs windows = windows_of(attrs, src.size() - 2);
    std::vector<Output> sums =
        sums_of_parts(node, cuts, 1, [&](const Output& part, std::size_t begin, std::size_t end) {
            Shape shape = wei;
            shape[0] += weights.shifts.empty() ? 0 : 1;
            shape[1] = end - begin;
            if (groups > 1) {
                shape[0] /= groups;
                shape.insert(shape.begin(), groups);
            }
            return node.model().add(
                groups > 1 ? "GroupConvolution" : "Convolution", 1,
                node.model().unique_name(node.name() + "/sums"),
                {part, constant(node, "/weights",
                                Tensor::of(shape, part_of(weights, order, begin, end)))},
                windows);
        });
    for (Output& part : sums) {
        part = transposed(node, "/to_channels_last", part, channels_moved(src.size(), true));
    }
    const Output values =
        dequantized(node, sums, zero_point(node, attrs), *scaling,
                    sums_of_windows(weights, wei, convolution_windows(windows, src, wei), src));
    move_uses(uses, scaling->multiply->output(0),
              transposed(node, "/result", values, channels_moved(src.size(), false)));
    return true;
}

bool split_matmul(Node& node) {
    const auto attrs = node.attrs<QuantizedMatMulAttrs>();
    if (!fits(node, attrs) || node.input(1).shape().size() != 2) {
        return false;
    }
    const Shape wei = node.input(1).shape();
    const WeightOrder order{.channels = wei[attrs.transpose_b ? 0 : 1],
                            .inputs = wei[attrs.transpose_b ? 1 : 0],
                            .channels_first = attrs.transpose_b};
    const DynamicWeights weights =
        dynamic_weights(node.input_node(1)->constant(), attrs.weight_zero_points, order);
    const auto cuts = exact_parts(weights, order, node.input(0).type(), kMaxSumParts);
    const std::size_t rank = node.input(0).partial_shape().rank();
    const auto scaling = scaling_after(node, node.port(0).shape.rank() - 1, order.channels);
    if (!scaling || cuts.empty()) {
        return false;
    }
    const std::vector<Use> uses = scaling->multiply->port(0).uses;
    MatMulAttrs product;
    product.transpose_a = attrs.transpose_a;
    product.transpose_b = attrs.transpose_b;
    const std::vector<Output> sums = sums_of_parts(
        node, cuts, attrs.transpose_a ? rank - 2 : rank - 1,
        [&](const Output& part, std::size_t begin, std::size_t end) {
            const std::size_t columns = order.channels + (weights.shifts.empty() ? 0 : 1);
            const Shape shape =
                attrs.transpose_b ? Shape{columns, end - begin} : Shape{end - begin, columns};
            return node.model().add(
                "MatMul", 1, node.model().unique_name(node.name() + "/sums"),
                {part, constant(node, "/weights",
                                Tensor::of(shape, part_of(weights, order, begin, end)))},
                product);
        });
    DequantizeSumsAttrs made;
    made.weight_sums.assign(order.channels, 0);
    order.for_each([&](std::size_t i, std::size_t channel, std::size_t) {
        made.weight_sums[channel] += weights.centered[i];
    });
    made.weight_shifts = weights.shifts;
    move_uses(uses, scaling->multiply->output(0),
              dequantized(node, sums, zero_point(node, attrs), *scaling, made));
    return true;
}

bool run(Model& model, PassContext& context) {
    const bool convolutions =
        rewrite_each(model, "QuantizedConvolution", context, kName, split_convolution);
    const bool products = rewrite_each(model, "QuantizedMatMul", context, kName, split_matmul);
    return convolutions || products;
}

}  // namespace
}  // namespace split_dynamic_products_pass

bool split_dynamic_products(Model& model, PassContext& context) {
    return split_dynamic_products_pass::run(model, context);
}

}  // namespace fuseq
