// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Averages of u8 and i8 that give f32: AvgPool, and ReduceMean over all spatial dimensions.
#include <algorithm>
#include <functional>
#include <numeric>

#include "cpu/kernels/pool/average_pool.hpp"
#include "cpu/lowering/axes_in_memory.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/pooling.hpp"

namespace fuseq::cpu {
namespace {

using kernels::AveragePoolParams;

constexpr std::size_t kMaxTaps = 4 * 1024 * 1024;  // of the kernel

bool widens(const Node& node) {
    const ElementType src = node.input(0).type();
    return (src == ElementType::u8 || src == ElementType::i8) &&
           node.port(0).type == ElementType::f32;
}

struct AxisSizes {
    std::size_t kernel = 1, stride = 1, pad_begin = 0, pad_end = 0;
};

// Nothing for what the kernel does not have: windows that lie in the padding.
std::optional<AxisSizes> sizes_of(const Window& w, std::int64_t src, std::int64_t positions) {
    if (w.dilation != 1 || w.pad_begin < 0 || w.pad_end < 0 || w.pad_begin >= w.size ||
        (positions - 1) * w.stride >= src + w.pad_begin) {
        return std::nullopt;
    }
    return AxisSizes{static_cast<std::size_t>(w.size), static_cast<std::size_t>(w.stride),
                     static_cast<std::size_t>(w.pad_begin), static_cast<std::size_t>(w.pad_end)};
}

std::optional<AveragePoolParams> params_of_pool(const Node& node) {
    const AverageAttrs& attrs = average_attrs(node);
    const Shape src = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    if (src.size() != 3 && src.size() != 4) {
        return std::nullopt;
    }
    const PoolGeometry geometry = pool_geometry(attrs, src);
    AxisSizes rows;
    if (src.size() == 4) {
        const auto sizes =
            sizes_of(geometry.windows[0], static_cast<std::int64_t>(src[2]), geometry.positions[0]);
        if (!sizes) {
            return std::nullopt;
        }
        rows = *sizes;
    }
    const auto columns = sizes_of(geometry.windows.back(), static_cast<std::int64_t>(src.back()),
                                  geometry.positions.back());
    if (!columns) {
        return std::nullopt;
    }
    AveragePoolParams params;
    params.batch = src[0];
    params.channels = src[1];
    params.src_height = src.size() == 4 ? src[2] : 1;
    params.src_width = src.back();
    params.dst_height = src.size() == 4 ? dst[2] : 1;
    params.dst_width = dst.back();
    params.kernel_height = rows.kernel;
    params.kernel_width = columns->kernel;
    params.stride_height = rows.stride;
    params.stride_width = columns->stride;
    params.pad_top = rows.pad_begin;
    params.pad_bottom = rows.pad_end;
    params.pad_left = columns->pad_begin;
    params.pad_right = columns->pad_end;
    params.include_padding = !attrs.exclude_pad;
    return params;
}

// The mean over all spatial dimensions as a pooling of one window.
std::optional<AveragePoolParams> params_of_mean(const Node& node) {
    const Shape src = node.input(0).shape();
    if (src.size() < 3 || !node.input_node(1)->is_constant()) {
        return std::nullopt;
    }
    const std::vector<bool> along =
        marked_axes(to_ints(node.input_node(1)->constant()), src.size());
    for (std::size_t d = 0; d < src.size(); ++d) {
        if (along[d] != (d >= 2) && src[d] != 1) {
            return std::nullopt;
        }
    }
    AveragePoolParams params;
    params.batch = src[0];
    params.channels = src[1];
    params.src_height = 1;
    params.src_width =
        std::accumulate(src.begin() + 2, src.end(), std::size_t{1}, std::multiplies<>());
    params.dst_height = 1;
    params.dst_width = 1;
    params.kernel_width = params.src_width;
    return params;
}

void run_pool(const AveragePoolParams& p, const void* src, void* dst) {
    constexpr std::size_t kChannelsAtOnce = 64;
    const std::size_t pixels = p.batch * p.dst_height * p.dst_width;
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    if (pixels < threads) {
        parallel_for(p.channels, kChannelsAtOnce, [&](std::size_t begin, std::size_t end) {
            kernels::average_pool(p, src, dst, {0, pixels}, {begin, end});
        });
    } else {
        parallel_for(pixels, 1, [&](std::size_t begin, std::size_t end) {
            kernels::average_pool(p, src, dst, {begin, end}, {0, p.channels});
        });
    }
}

}  // namespace

Verdict make_average(StepBuilder& builder, Node& node) {
    const bool pool = node.is("AvgPool");
    if ((!pool && !node.is("ReduceMean")) || !widens(node) ||
        shape_size(node.input(0).shape()) == 0) {
        return pool || node.is("ReduceMean") ? Verdict::no("means of u8 and i8 as f32 only")
                                             : Verdict::other_kind();
    }
    auto params = pool ? params_of_pool(node) : params_of_mean(node);
    if (!params || std::min(params->kernel_height, params->src_height) *
                           std::min(params->kernel_width, params->src_width) >
                       kMaxTaps) {
        return Verdict::no("dimensions, windows or a number of taps that the kernel lacks");
    }
    params->src_type = node.input(0).type();
    params->dst_type = ElementType::f32;
    kernels::check_average_pool(*params);
    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    // One value a channel: the same memory in either layout, and the spatial dimensions may go.
    const TensorId dst = builder.new_tensor(node.port(0).type, node.port(0).shape,
                                            pool ? Layout::kChannelsLast : Layout::kPlain);
    StepInfo info = kernel_info(pool ? "avg_pool" : "reduce", "average_pool", builder.tensor(src),
                                builder.tensor(dst));
    info.quantized = true;
    auto step = std::make_unique<KernelStep>(
        [p = *params](const void* from, void* to) { run_pool(p, from, to); }, src, dst,
        std::move(info));
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
