// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// MaxPool over 1 to 3 spatial dimensions, on the plugin's own kernel: oneDNN's needs several times
// as long where channels are few.
#include <algorithm>

#include "cpu/kernels/pool/max_pool.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/pooling.hpp"

namespace fuseq::cpu {
namespace {

bool takes_max_pool(const Node& node) {
    const ElementType type = node.input(0).type();
    const bool known =
        type == ElementType::u8 || type == ElementType::i8 || type == ElementType::f32;
    // Indices are a second result that the kernel does not give.
    return node.is("MaxPool") && known && gives_maxima_only(node);
}

// Nothing for windows beyond what the kernel has room for.
std::optional<kernels::MaxPoolParams> max_pool_params_of(const Node& node) {
    const Shape src = node.input(0).shape();
    const PoolGeometry geometry = pool_geometry(pool_attrs(node), src);
    kernels::MaxPoolParams params;
    params.type = node.input(0).type();
    params.batch = src[0];
    params.channels = src[1];
    kernels::MaxPoolAxis* const axes[] = {&params.depth, &params.height, &params.width};
    const std::size_t rank = geometry.windows.size();
    for (std::size_t d = 0; d < rank; ++d) {
        const Window& w = geometry.windows[d];
        constexpr std::int64_t kLargest = 4096;  // columns that fit in the kernel's tile as f32
        if (w.pad_begin < 0 || w.extent() > kLargest) {
            return std::nullopt;
        }
        *axes[3 - rank + d] = {.src = src[d + 2],
                               .dst = static_cast<std::size_t>(geometry.positions[d]),
                               .kernel = static_cast<std::size_t>(w.size),
                               .stride = static_cast<std::size_t>(w.stride),
                               .dilation = static_cast<std::size_t>(w.dilation),
                               .pad = static_cast<std::size_t>(w.pad_begin)};
    }
    return params;
}

}  // namespace

Verdict make_max_pool(StepBuilder& builder, Node& node) {
    if (!takes_max_pool(node)) {
        return node.is("MaxPool") ? Verdict::no("for f32, u8 and i8, and maxima without indices")
                                  : Verdict::other_kind();
    }
    const auto params = max_pool_params_of(node);
    if (!params) {
        return Verdict::no("windows that the kernel lacks");
    }
    kernels::check_max_pool(*params);
    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    const TensorId dst =
        builder.new_tensor(node.port(0).type, node.port(0).shape, Layout::kChannelsLast);
    StepInfo info = kernel_info("max_pool", "max_pool", builder.tensor(src), builder.tensor(dst));
    auto step = std::make_unique<KernelStep>(
        [p = *params](const void* from, void* to) {
            parallel_for(kernels::max_pool_rows(p), 1, [&](std::size_t begin, std::size_t end) {
                kernels::max_pool(p, from, to, {begin, end});
            });
        },
        src, dst, std::move(info));
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
