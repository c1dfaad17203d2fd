// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// RegionYolo on the plugin's own kernels.
#include "cpu/kernels/detection/region_yolo.hpp"
#include "cpu/kernels/reduce/rows.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/detection/region_yolo.hpp"

namespace fuseq::cpu {
namespace {

using kernels::RegionYoloParams;

// Softmax over the planes of classes: pieces of positions of every region.
void run_softmax(const RegionYoloParams& p, const float* src, float* dst) {
    constexpr std::size_t kPositionsAtOnce = 64;
    kernels::SoftmaxParams params;
    params.length = p.classes;
    params.inner = p.area;
    const std::size_t pieces = (p.area + kPositionsAtOnce - 1) / kPositionsAtOnce;
    parallel_for(p.regions * pieces, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t first = (i / pieces * p.planes() + p.coords + 1) * p.area;
            const std::size_t at = i % pieces * kPositionsAtOnce;
            kernels::softmax(params, src + first, dst + first,
                             {at, std::min(at + kPositionsAtOnce, p.area)});
        }
    });
}

void run(const RegionYoloParams& p, const void* from, void* to) {
    constexpr std::size_t kElementsAtOnce = 4096;
    const auto* src = static_cast<const float*>(from);
    auto* dst = static_cast<float*>(to);
    parallel_for(p.regions * p.planes(), 1 + kElementsAtOnce / p.area,
                 [&](std::size_t begin, std::size_t end) {
                     kernels::region_yolo(p, src, dst, {begin, end});
                 });
    if (p.softmax) {
        run_softmax(p, src, dst);
    }
}

}  // namespace

Verdict make_region_yolo(StepBuilder& builder, Node& node) {
    if (!node.is("RegionYolo") || node.port(0).type != ElementType::f32) {
        return node.is("RegionYolo") ? Verdict::no("for f32 only") : Verdict::other_kind();
    }
    const auto& attrs = node.attrs<RegionYoloAttrs>();
    const Shape shape = node.input(0).shape();
    RegionYoloParams params;
    params.coords = static_cast<std::size_t>(attrs.coords);
    params.classes = static_cast<std::size_t>(attrs.classes);
    params.softmax = attrs.do_softmax;
    params.area = shape[2] * shape[3];
    params.regions = shape[0] * shape[1] / params.planes();
    const TensorId src = builder.tensor_of(node.input(0), Layout::kPlain);
    const TensorId dst = builder.new_tensor(ElementType::f32, node.port(0).shape, Layout::kPlain);
    StepInfo info =
        kernel_info("region_yolo", "region_yolo", builder.tensor(src), builder.tensor(dst));
    auto step = std::make_unique<KernelStep>(
        [params](const void* from, void* to) { run(params, from, to); }, src, dst, std::move(info));
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
