// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DeformableConvolution-1 and -8: src [N,C,H,W], offsets [N, deformable_group * taps * 2, H', W']
// (y before x, added to the position of each tap), wei [OC, C/group, KH, KW], mask (opset 8,
// optional) [N, deformable_group * taps, H', W'] -> dst [N,OC,H',W']
#include "ops/deformable_convolution.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model/typed.hpp"
#include "ops/from_double.hpp"
#include "ops/op_list.hpp"

namespace fuseq::deformable_convolution_ops {
namespace {

enum Port : std::size_t { kSrc, kOffsets, kWei, kMask };
constexpr const char* kNames[] = {"src", "offsets", "wei", "mask"};

// --- shapes -------------------------------------------------------------------------------------

// `shapes` have rank 4; an absent mask is open.
template <class Context>
void check_channels(const Context& context, const PartialShape (&shapes)[4]) {
    const auto& attrs = context.template attrs<DeformableConvolutionAttrs>();
    const auto& [src, offsets, wei, mask] = shapes;
    context.require(src[1].compatible(wei[1] * Dimension(attrs.group)), "src has ",
                    to_string(src[1]), " channels, wei of shape ", to_string(wei), " in ",
                    attrs.group, " groups expects ", to_string(wei[1] * Dimension(attrs.group)));
    const auto divides = [](std::int64_t parts, const Dimension& size) {
        return size.is_dynamic() || size.get_length() % parts == 0;
    };
    context.require(divides(attrs.group, wei[0]), "wei has ", to_string(wei[0]),
                    " channels of dst, expected a multiple of the ", attrs.group, " groups");
    context.require(divides(attrs.deformable_group, src[1]), "src has ", to_string(src[1]),
                    " channels, expected a multiple of deformable_group, ", attrs.deformable_group);
    const Dimension taps = wei[2] * wei[3] * Dimension(attrs.deformable_group);
    for (const std::size_t port : {kOffsets, kMask}) {
        const Dimension expected = port == kOffsets ? taps * Dimension(2) : taps;
        const PartialShape& shape = shapes[port];
        context.require(shape[0].compatible(src[0]) && shape[1].compatible(expected), kNames[port],
                        " has shape ", to_string(shape), ", expected [", to_string(src[0]), ",",
                        to_string(expected), ",H,W]");
    }
}

// The shapes of the inputs, of rank 4.
template <class Context, class ShapeOf>
void read_shapes(const Context& context, const ShapeOf& shape_of, PartialShape (&shapes)[4]) {
    for (std::size_t i = 0; i < 4; ++i) {
        shapes[i] = PartialShape::dynamic(4);
        if (i < context.input_count() && context.has_input(i)) {
            const PartialShape shape = shape_of(i);
            context.require(!shape.rank_is_static() || shape.rank() == 4, kNames[i], " has shape ",
                            to_string(shape), ", expected rank 4");
            shapes[i] = shape.rank_is_static() ? shape : shapes[i];
        }
    }
    check_channels(context, shapes);
}

void infer(InferContext& context) {
    constexpr std::int64_t kMaxGroups = 1 << 24;
    const auto& attrs = context.attrs<DeformableConvolutionAttrs>();
    for (const auto& [name, value] :
         {std::pair{"group", attrs.group}, std::pair{"deformable_group", attrs.deformable_group}}) {
        context.require(value >= 1 && value <= kMaxGroups, name, " is ", value,
                        ", expected a value in [1, ", kMaxGroups, "]");
    }
    check_window_lists(context, 2, attrs.window);
    for (std::size_t i = 0; i < context.input_count(); ++i) {
        if (context.has_input(i)) {
            context.require_same_type(i, kSrc);
        }
    }
    PartialShape shapes[4];
    read_shapes(
        context, [&](std::size_t i) { return context.shape(i); }, shapes);
    PartialShape dst = shapes[kSrc];
    Dimension::merge(dst[0], shapes[kSrc][0], shapes[kOffsets][0]);
    dst[1] = shapes[kWei][0];
    for (std::size_t d = 2; d < 4; ++d) {
        dst[d] = convolution_size(context, attrs.window, d - 2, shapes[kSrc][d], shapes[kWei][d]);
        for (const std::size_t port : {kOffsets, kMask}) {
            context.require(Dimension::merge(dst[d], dst[d], shapes[port][d]), kNames[port],
                            " has shape ", to_string(shapes[port]), ", dst has size ",
                            to_string(dst[d]), " in spatial dimension ", d - 2);
        }
    }
    context.set_output(0, context.type(kSrc), dst);
}

// --- kernel -------------------------------------------------------------------------------------

constexpr std::size_t kTile = 8;  // positions whose sums are made together
constexpr std::size_t kTilesOfATask = 16;

struct Geometry {
    std::size_t channels, dst_channels;
    std::size_t groups, deformable_groups;
    std::int64_t height, width;  // of src
    std::size_t taps;
    std::size_t dst_width, positions;
    Window y, x;
    bool pad;  // bilinear_interpolation_pad
};

// Where one tap reads: four neighbours and their weights, with the mask in them. A neighbour that
// does not count has the weight 0.
struct Sample {
    std::array<std::int64_t, 4> place{};
    std::array<double, 4> weight{};
};

// One axis of that: the two cells around a position.
struct AxisCells {
    std::array<std::int64_t, 2> cell{};
    std::array<double, 2> weight{};
};
AxisCells cells_at(double position, std::int64_t size, bool pad) {
    AxisCells cells;
    const bool before_end = position < static_cast<double>(size);  // NaN is not
    if (!before_end || (pad ? position <= -1 : position < 0)) {
        return cells;
    }
    const auto low = static_cast<std::int64_t>(std::floor(position));
    const double share = position - static_cast<double>(low);
    cells.cell = {std::max<std::int64_t>(low, 0), std::min(low + 1, size - 1)};
    // With `pad` the plane has a border of zeros, otherwise the last cell is repeated.
    cells.weight = {pad && low < 0 ? 0.0 : 1 - share, pad && low + 1 >= size ? 0.0 : share};
    return cells;
}

Sample sample_at(double y, double x, double mask, const Geometry& g) {
    const AxisCells rows = cells_at(y, g.height, g.pad);
    const AxisCells columns = cells_at(x, g.width, g.pad);
    Sample sample;
    for (std::size_t i = 0; i < 4; ++i) {
        sample.place[i] = rows.cell[i / 2] * g.width + columns.cell[i % 2];
        const double weight = rows.weight[i / 2] * columns.weight[i % 2];
        // A mask of NaN does not make a neighbour count, which may lie outside of src.
        sample.weight[i] = weight == 0 ? 0.0 : weight * mask;
    }
    return sample;
}

// Of one image.
template <class T>
struct Operands {
    const T* src;
    const T* offsets;
    const T* wei;
    const T* mask;  // null: all 1
    T* dst;
};

// The sample of tap `tap` of a deformable group at a position of dst.
template <class T>
Sample sample_of(const Geometry& g,
                 const Operands<T>& operands,
                 std::size_t group,
                 std::size_t tap,
                 std::size_t position) {
    const std::size_t own = group * g.taps + tap;
    const T* offset = operands.offsets + 2 * own * g.positions + position;
    const auto columns = static_cast<std::size_t>(g.x.size);
    const auto at = [](const Window& window, std::size_t step, std::size_t k) {
        return static_cast<double>(static_cast<std::int64_t>(step) * window.stride -
                                   window.pad_begin +
                                   static_cast<std::int64_t>(k) * window.dilation);
    };
    const double y = at(g.y, position / g.dst_width, tap / columns);
    const double x = at(g.x, position % g.dst_width, tap % columns);
    const double mask = operands.mask == nullptr
                            ? 1.0
                            : static_cast<double>(operands.mask[own * g.positions + position]);
    return sample_at(y + static_cast<double>(offset[0]),
                     x + static_cast<double>(offset[g.positions]), mask, g);
}

// What the taps read at `count` positions: columns[channel][tap][position].
template <class T>
void read_columns(const Geometry& g,
                  const Operands<T>& operands,
                  std::size_t first,
                  std::size_t count,
                  double* columns) {
    const std::size_t own_channels = g.channels / g.deformable_groups;
    const auto area = static_cast<std::size_t>(g.height * g.width);
    std::array<Sample, kTile> samples{};
    for (std::size_t group = 0; group < g.deformable_groups; ++group) {
        for (std::size_t tap = 0; tap < g.taps; ++tap) {
            for (std::size_t p = 0; p < count; ++p) {
                samples[p] = sample_of(g, operands, group, tap, first + p);
            }
            for (std::size_t c = group * own_channels; c < (group + 1) * own_channels; ++c) {
                const T* plane = operands.src + c * area;
                double* out = columns + (c * g.taps + tap) * kTile;
                for (std::size_t p = 0; p < kTile; ++p) {
                    const Sample& s = samples[p];
                    out[p] = 0;
                    for (std::size_t i = 0; i < 4; ++i) {
                        if (s.weight[i] != 0) {  // else the value, maybe infinity, is not read
                            out[p] += s.weight[i] * static_cast<double>(plane[s.place[i]]);
                        }
                    }
                }
            }
        }
    }
}

// One channel of dst at the positions of a tile.
template <class T>
std::array<double, kTile> products(const T* filter, const double* columns, std::size_t rows) {
    std::array<double, kTile> sums{};
    for (std::size_t row = 0; row < rows; ++row, columns += kTile) {
        const auto weight = static_cast<double>(filter[row]);
// Unrolled, the sums stay in registers: 10 GFLOP/s for 3.5 (Zen 3, SSE2).
#pragma GCC unroll 8
        for (std::size_t p = 0; p < kTile; ++p) {
            sums[p] += weight * columns[p];
        }
    }
    return sums;
}

template <class T>
void run_tile(const Geometry& g,
              const Operands<T>& operands,
              std::size_t first,
              std::vector<double>& columns) {
    const std::size_t count = std::min(kTile, g.positions - first);
    read_columns(g, operands, first, count, columns.data());
    const std::size_t rows = g.channels / g.groups * g.taps;  // of one group
    for (std::size_t oc = 0; oc < g.dst_channels; ++oc) {
        const std::size_t group = oc / (g.dst_channels / g.groups);
        const auto sums =
            products(operands.wei + oc * rows, columns.data() + group * rows * kTile, rows);
        T* out = operands.dst + oc * g.positions + first;
        std::transform(sums.begin(), sums.begin() + static_cast<std::ptrdiff_t>(count), out,
                       from_double<T>);
    }
}

template <class T>
void run(EvalContext& context, const Geometry& g, Tensor& dst, ForEachTask for_each) {
    const bool masked = context.input_count() > kMask && context.has_input(kMask);
    const std::size_t tiles = (g.positions + kTile - 1) / kTile;
    const std::size_t tasks = (tiles + kTilesOfATask - 1) / kTilesOfATask;  // of an image
    const std::size_t images = dst.get_shape()[0];
    const std::size_t offsets = 2 * g.deformable_groups * g.taps * g.positions;
    for_each(images * tasks, [&](std::size_t task) {
        const std::size_t image = task / tasks;
        const Operands<T> operands{
            context.input(kSrc).data<T>() +
                image * g.channels * static_cast<std::size_t>(g.height * g.width),
            context.input(kOffsets).data<T>() + image * offsets, context.input(kWei).data<T>(),
            masked ? context.input(kMask).data<T>() + image * (offsets / 2) : nullptr,
            dst.data<T>() + image * g.dst_channels * g.positions};
        std::vector<double> columns(g.channels * g.taps * kTile);
        const std::size_t begin = task % tasks * kTilesOfATask;
        for (std::size_t tile = begin; tile < std::min(begin + kTilesOfATask, tiles); ++tile) {
            run_tile(g, operands, tile * kTile, columns);
        }
    });
}

Geometry geometry(const EvalContext& context) {
    const auto& attrs = context.attrs<DeformableConvolutionAttrs>();
    const Shape& src = context.input(kSrc).get_shape();
    const Shape& wei = context.input(kWei).get_shape();
    const Shape& offsets = context.input(kOffsets).get_shape();
    const std::vector<Window> windows = convolution_windows(attrs.window, src, wei);
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t size =
            window_positions(static_cast<std::int64_t>(src[d + 2]), windows[d]);
        context.require(size >= 1, "the kernel of extent ", windows[d].extent(),
                        " does not fit into the padded src of size ", src[d + 2],
                        " (spatial dimension ", d, ")");
        for (const std::size_t port : {kOffsets, kMask}) {
            const bool given = port < context.input_count() && context.has_input(port);
            context.require(
                !given || context.input(port).get_shape()[d + 2] == static_cast<std::size_t>(size),
                kNames[port], " has another size than dst, ", size, ", in spatial dimension ", d);
        }
    }
    return {.channels = src[1],
            .dst_channels = wei[0],
            .groups = static_cast<std::size_t>(attrs.group),
            .deformable_groups = static_cast<std::size_t>(attrs.deformable_group),
            .height = static_cast<std::int64_t>(src[2]),
            .width = static_cast<std::int64_t>(src[3]),
            .taps = wei[2] * wei[3],
            .dst_width = offsets[3],
            .positions = offsets[2] * offsets[3],
            .y = windows[0],
            .x = windows[1],
            .pad = attrs.bilinear_interpolation_pad};
}

void evaluate(EvalContext& context) {
    run_deformable_convolution(context);
}

OpSpec row(int version,
           Arity inputs,
           std::unique_ptr<Attributes> (*attributes)(),
           std::string_view summary) {
    return {.type = "DeformableConvolution",
            .version = version,
            .inputs = inputs,
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused =
                "rank other than 4; strides or dilations below 1; negative pads; channels "
                "that group or deformable_group does not divide"};
}

const OpSpec kOps[] = {
    row(1,
        {3, 3},
        make_attributes<DeformableConvolutionAttrs>,
        "2D convolution whose taps are moved by offsets"),
    row(8,
        {3, 4},
        make_attributes<DeformableConvolution8Attrs>,
        "The same, with a mask of the taps, and zeros around src if asked"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::deformable_convolution_ops

namespace fuseq {

void run_deformable_convolution(EvalContext& context, ForEachTask for_each) {
    namespace op = deformable_convolution_ops;
    PartialShape shapes[4];
    op::read_shapes(
        context, [&](std::size_t i) { return PartialShape(context.input(i).get_shape()); }, shapes);
    const op::Geometry g = op::geometry(context);
    const Shape& offsets = context.input(op::kOffsets).get_shape();
    Tensor& dst = context.output(0, {offsets[0], g.dst_channels, offsets[2], offsets[3]});
    if (dst.get_size() == 0) {
        return;
    }
    dispatch_numeric(dst.get_element_type(), [&](auto tag) {
        op::run<typename decltype(tag)::type>(context, g, dst, for_each);
    });
}

}  // namespace fuseq
