// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/pooling.hpp"

namespace fuseq {

const PoolAttrs& pool_attrs(const Node& node) {
    return dynamic_cast<const PoolAttrs&>(node.attributes());
}

const AverageAttrs& average_attrs(const Node& node) {
    return dynamic_cast<const AverageAttrs&>(node.attributes());
}

AverageAttrs& average_attrs(Node& node) {
    return dynamic_cast<AverageAttrs&>(node.attributes());
}

namespace {

Window window_of(const PoolAttrs& attrs, std::size_t d) {
    return {.size = attrs.kernel[d],
            .stride = at_or(attrs.strides, d, 1),
            .dilation = at_or(attrs.dilations, d, 1),
            .pad_begin = at_or(attrs.pads_begin, d, 0),
            .pad_end = at_or(attrs.pads_end, d, 0)};
}

std::int64_t positions_of(const PoolAttrs& attrs, std::int64_t size, Window& window) {
    resolve_padding(attrs.auto_pad, size, window);
    // "same" means src / stride rounded up, whatever the rounding of the rest.
    const bool same =
        attrs.auto_pad == AutoPad::kSameUpper || attrs.auto_pad == AutoPad::kSameLower;
    const bool ceil = !same && attrs.rounding_type != RoundingType::kFloor;
    const std::int64_t count = window_positions(size, window, ceil);
    const bool last_in_padding = (count - 1) * window.stride >= size + window.pad_begin;
    return ceil && attrs.rounding_type == RoundingType::kCeilTorch && last_in_padding ? count - 1
                                                                                      : count;
}

// Whether the window that begins at `first` (maybe before src) meets an element of src.
bool meets_src(const Window& window, std::int64_t first, std::int64_t size) {
    const std::int64_t skipped =
        first < 0 ? (window.dilation - 1 - first) / window.dilation : std::int64_t{0};
    return skipped < window.size && first + skipped * window.dilation < size;
}

Dimension output_size(const InferContext& context,
                      const PoolAttrs& attrs,
                      std::size_t d,
                      const Dimension& in) {
    const auto positions = [&](std::int64_t size) {
        Window window = window_of(attrs, d);
        return positions_of(attrs, size, window);
    };
    if (in.is_static()) {
        const std::int64_t count = positions(in.get_length());
        context.require(count >= 1, "the kernel of extent ", window_of(attrs, d).extent(),
                        " does not fit into the padded src of size ", in.get_length(),
                        " (spatial dimension ", d, ")");
        return count;
    }
    const bool unbounded = in.get_max_length() == Dimension::kUnbounded;
    return {positions(in.get_min_length()),
            unbounded ? Dimension::kUnbounded : positions(in.get_max_length())};
}

}  // namespace

PoolGeometry pool_geometry(const PoolAttrs& attrs, const Shape& src) {
    PoolGeometry geometry;
    for (std::size_t d = 0; d < attrs.kernel.size(); ++d) {
        Window window = window_of(attrs, d);
        const auto size = static_cast<std::int64_t>(src.at(d + 2));
        geometry.positions.push_back(positions_of(attrs, size, window));
        geometry.windows.push_back(window);
    }
    return geometry;
}

bool has_window_in_padding(const PoolGeometry& geometry, const Shape& src) {
    for (std::size_t d = 0; d < geometry.windows.size(); ++d) {
        const Window& window = geometry.windows[d];
        const auto meets = [&](std::int64_t i) {
            return meets_src(window, i * window.stride - window.pad_begin,
                             static_cast<std::int64_t>(src.at(d + 2)));
        };
        const std::int64_t last = geometry.positions[d] - 1;
        // Of the windows that begin in src or after it, the last one is the first to miss it.
        bool all_meet = last < 0 || meets(last);
        for (std::int64_t i = 0; all_meet && i < last && i * window.stride < window.pad_begin;
             ++i) {
            all_meet = meets(i);
        }
        if (!all_meet) {
            return true;
        }
    }
    return false;
}

bool gives_maxima_only(const Node& node) {
    return node.output_count() == 1 || node.port(1).uses.empty();
}

PartialShape pool_output_shape(const InferContext& context, const PoolAttrs& attrs) {
    constexpr int kFirstWithCeilTorch = 14;
    context.require(attrs.rounding_type != RoundingType::kCeilTorch ||
                        context.node().spec().version >= kFirstWithCeilTorch,
                    "rounding_type is ceil_torch, expected floor or ceil before opset14");
    const std::size_t spatial = attrs.kernel.size();
    context.require(spatial >= 1 && spatial <= 3, "kernel has ", spatial,
                    " values, expected 1, 2 or 3");
    check_window_lists(context, spatial, attrs);
    check_window_list(context, "kernel", spatial, attrs.kernel, 1);
    const PartialShape& src = context.shape(0);
    if (!src.rank_is_static()) {
        return PartialShape::dynamic(spatial + 2);
    }
    context.require(src.rank() == spatial + 2, "src has rank ", src.rank(), ", expected ",
                    spatial + 2, " for a kernel of ", spatial, " values");
    PartialShape dst = src;
    for (std::size_t d = 0; d < spatial; ++d) {
        dst[d + 2] = output_size(context, attrs, d, src[d + 2]);
    }
    return dst;
}

PoolLoops pool_loops(const PoolAttrs& attrs, const Shape& src) {
    const std::size_t spatial = attrs.kernel.size();
    PoolLoops loops;
    loops.planes = static_cast<std::int64_t>(src[0] * src[1]);
    loops.dst = {src[0], src[1]};
    const PoolGeometry geometry = pool_geometry(attrs, src);
    for (std::size_t d = 0; d < spatial; ++d) {
        const std::size_t at = 3 - spatial + d;
        loops.in[at] = static_cast<std::int64_t>(src[d + 2]);
        loops.out[at] = geometry.positions[d];
        loops.window[at] = geometry.windows[d];
        loops.dst.push_back(static_cast<std::size_t>(std::max<std::int64_t>(loops.out[at], 0)));
    }
    return loops;
}

PoolLoops pool_loops(const EvalContext& context, const PoolAttrs& attrs, const Shape& src) {
    const std::size_t spatial = attrs.kernel.size();
    context.require(src.size() == spatial + 2, "src has shape ", to_string(src), ", expected rank ",
                    spatial + 2);
    PoolLoops loops = pool_loops(attrs, src);
    for (std::size_t at = 3 - spatial; at < 3; ++at) {
        context.require(loops.out[at] >= 1, "the kernel of extent ", loops.window[at].extent(),
                        " does not fit into the padded src of size ", loops.in[at]);
    }
    return loops;
}

}  // namespace fuseq
