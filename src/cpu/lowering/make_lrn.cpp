// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// LRN with the quantization after it, on the plugin's own kernel: along channels, or along any
// other dimensions one after the other.
#include <cmath>

#include "cpu/kernels/reduce/lrn.hpp"
#include "cpu/lowering/axes_in_memory.hpp"
#include "cpu/lowering/linear_epilogue.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/lrn.hpp"

namespace fuseq::cpu {
namespace {

using kernels::LrnParams;
using kernels::Range;

// One dimension of the window.
struct Pass {
    LrnParams params;
    std::size_t outer = 1;
};

// Splits the outer dimension over threads or, if that is short, the inner one.
template <class Kernel>
void run_split(const Pass& pass, const Kernel& kernel) {
    constexpr std::size_t kInnerAtOnce = 64;
    constexpr std::size_t kElementsAtOnce = 4096;
    const LrnParams& p = pass.params;
    if (pass.outer < static_cast<std::size_t>(omp_get_max_threads()) && p.inner > 1) {
        parallel_for(p.inner, kInnerAtOnce, [&](std::size_t begin, std::size_t end) {
            kernel(Range{0, pass.outer}, Range{begin, end});
        });
        return;
    }
    const std::size_t grain = 1 + kElementsAtOnce / (p.length * p.inner);
    parallel_for(pass.outer, grain, [&](std::size_t begin, std::size_t end) {
        kernel(Range{begin, end}, Range{0, p.inner});
    });
}

// Sums of all passes but the last go from one scratch tensor to the other.
void run_passes(const std::vector<Pass>& passes, const CallMemory& memory) {
    const auto* x = memory.input<float>(0);
    const float* sums = nullptr;
    for (std::size_t i = 0; i + 1 < passes.size(); ++i) {
        auto* to = memory.work<float>(i % 2);
        run_split(passes[i], [&](Range outer, Range inner) {
            kernels::window_sums(passes[i].params, i == 0, i == 0 ? x : sums, to, outer, inner);
        });
        sums = to;
    }
    run_split(passes.back(), [&](Range outer, Range inner) {
        kernels::lrn(passes.back().params, x, sums, memory.outputs[0], outer, inner);
    });
}

// Nothing where a kernel has no room for the window, or a power might have no result.
std::optional<std::vector<Pass>> passes_of(const Node& node, Layout layout) {
    const auto& attrs = node.attrs<LrnAttrs>();
    const Shape dims = node.input(0).shape();
    const std::vector<bool> along =
        marked_axes(to_ints(node.input_node(1)->constant()), dims.size());
    const auto count = static_cast<double>(std::count(along.begin(), along.end(), true));
    LrnParams params;
    params.reach = static_cast<std::size_t>((attrs.size - 1) / 2);
    params.share = static_cast<float>(static_cast<double>(attrs.alpha) /
                                      std::pow(static_cast<double>(attrs.size), count));
    params.bias = attrs.bias;
    params.beta = attrs.beta;
    constexpr float kMinBias = 1e-30f;  // a normal number, and so are its powers
    constexpr float kMaxBeta = 8.0f;
    if (!(attrs.bias >= kMinBias) || !(attrs.alpha >= 0) || !(std::fabs(attrs.beta) <= kMaxBeta)) {
        return std::nullopt;
    }
    std::vector<Pass> passes;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        if (!along[d]) {
            continue;
        }
        std::vector<bool> one(dims.size());
        one[d] = true;
        const auto axes = axes_in_memory(dims, layout, one);
        if (!axes ||
            (axes->inner == 1 && std::min(params.reach, axes->length) > kernels::kLrnMaxReach)) {
            return std::nullopt;
        }
        params.length = axes->length;
        params.inner = axes->inner;
        passes.push_back({params, axes->outer});
    }
    return passes.empty() ? std::nullopt : std::optional(passes);
}

}  // namespace

Verdict make_lrn(StepBuilder& builder, Node& node) {
    if (!node.is("LRN") || node.port(0).type != ElementType::f32 ||
        !node.input_node(1)->is_constant() || node.port(0).shape.rank() == 0) {
        return node.is("LRN") ? Verdict::no("computed axes, not f32, or a scalar")
                              : Verdict::other_kind();
    }
    const Layout layout =
        node.port(0).shape.rank() >= 3 && builder.available(node.input(0), Layout::kChannelsLast)
            ? Layout::kChannelsLast
            : Layout::kPlain;
    auto passes = passes_of(node, layout);
    if (!passes) {
        return Verdict::no("its axes lie in several pieces in memory");
    }
    const Group* group = builder.eltwise_after(node.output(0));
    const auto epilogue = group == nullptr ? std::nullopt : match_linear_epilogue(*group);
    const bool fused = epilogue && epilogue->scale.per_tensor() && epilogue->shift.per_tensor();
    LrnParams& last = passes->back().params;
    if (fused) {
        last.scale = epilogue->scale[0];
        last.shift = epilogue->shift[0];
        last.dst_type = epilogue->dst_type;
    }
    for (const Pass& pass : *passes) {
        kernels::check_lrn(pass.params);
    }
    const TensorId src = builder.tensor_of(node.input(0), layout);
    const TensorId dst = builder.new_tensor(last.dst_type, node.port(0).shape, layout);
    CallStep::Tensors tensors{{src}, {dst}, {}};
    for (std::size_t i = 1; i < std::min<std::size_t>(passes->size(), 3); ++i) {
        tensors.scratch.push_back(builder.new_scratch(builder.tensor(src).bytes()));
    }
    StepInfo info = kernel_info("lrn", "lrn", builder.tensor(src), builder.tensor(dst));
    auto step = std::make_unique<CallStep>(
        [list = std::move(*passes)](const CallMemory& memory) { run_passes(list, memory); },
        std::move(tensors), std::move(info));
    add_step_with_epilogue(builder, node, std::move(step), fused ? group : nullptr, dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
