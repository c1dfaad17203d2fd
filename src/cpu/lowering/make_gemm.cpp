// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/gemm_epilogue_ops.hpp"
#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/lowering/packed_weights.hpp"
#include "cpu/lowering/pool_after.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/machine/isa.hpp"
#include "cpu/plan/split_weight_zero_points.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/steps/gemm.hpp"
#include "cpu/steps/packed_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "model/mapped_memory.hpp"

namespace fuseq::cpu {
namespace {

// The whole chain as one composition: what the emission leaves over is done by the kernel too.
struct Composition {
    ComposedAnchor anchor;
    GemmEpilogueOps tail;
    std::string text;
};

std::optional<Composition> compose(const PlanBuilder& builder,
                                   const Group& group,
                                   const GemmProblem& problem,
                                   const post_ops::Chain& chain) {
    if (chain.dst_type != ElementType::u8 && chain.dst_type != ElementType::i8 &&
        chain.dst_type != ElementType::f32) {
        return std::nullopt;
    }
    post_ops::Anchor anchor;
    anchor.kind = problem.kind;
    anchor.src_type = group.anchor->input(0).type();
    anchor.wei_type = ElementType::i8;
    anchor.oc = problem.shape.dst_channels;
    anchor.isa = post_ops::IsaLevel::kVnni;  // its own epilogue is the same on every machine
    anchor.sum_inputs = overwritable_sources(builder, group, problem.layout);
    Composition result;
    result.anchor.emission = post_ops::emit(chain, anchor);
    const post_ops::Chain rest = post_ops::remainder_of(chain, result.anchor.emission);
    auto tail = gemm_epilogue_ops(result.anchor.emission, rest);
    if (!tail) {
        return std::nullopt;
    }
    result.tail = std::move(*tail);
    result.text = post_ops::to_text(result.anchor.emission);
    if (!result.anchor.emission.complete) {
        result.text += ", " + post_ops::to_text(rest);
    }
    result.anchor.dst_type = chain.dst_type;
    result.anchor.complete = true;
    for (const post_ops::PostOp& op : result.anchor.emission.post_ops) {
        if (const auto* sum = std::get_if<post_ops::SumPostOp>(&op)) {
            result.anchor.attributes.in_dst.push_back(sum->input);
        }
    }
    return result;
}

// Nothing else takes zero points of weights: a chain that the kernel lacks an operation for is left
// to a step after it.
std::optional<Composition> compose(const PlanBuilder& builder,
                                   const Group& group,
                                   const GemmProblem& problem) {
    const post_ops::Chain chain = post_ops::simplified(group.chain, group.laws);
    auto whole = compose(builder, group, problem, chain);
    if (whole || problem.wei_zero_point.empty()) {
        return whole;
    }
    post_ops::Chain none;
    none.dst_type = ElementType::f32;
    auto bare = compose(builder, group, problem, none);
    if (bare) {
        bare->anchor.complete = false;
        bare->anchor.rest = chain;
    }
    return bare;
}

// The tensors that the operations read, by number of the extra input.
std::vector<TensorId> source_tensors(PlanBuilder& builder,
                                     const Group& group,
                                     const std::vector<kernels::GemmOp>& ops,
                                     Layout layout) {
    std::vector<TensorId> binary_sources(group.binary_sources.size(), kNoTensor);
    for (const kernels::GemmOp& op : ops) {
        if (op.kind == kernels::GemmOp::Kind::kBinary || op.kind == kernels::GemmOp::Kind::kSum) {
            binary_sources.at(op.binary.input) =
                builder.tensor_of(group.binary_sources[op.binary.input], layout);
        }
    }
    return binary_sources;
}

// None where nothing is gained.
std::vector<DedupRows> dedup_rows_of(const PlanBuilder& builder,
                                     const std::vector<TensorId>& binary_sources,
                                     const Shape& dims) {
    std::vector<DedupRows> rows;
    rows.reserve(binary_sources.size());
    for (const TensorId id : binary_sources) {
        rows.push_back(id == kNoTensor || dims.size() != 4
                           ? DedupRows{}
                           : DedupRows::of_image(builder.tensor(id), dims));
    }
    const bool any = std::any_of(rows.begin(), rows.end(),
                                 [](const DedupRows& few) { return !few.offsets.empty(); });
    return any ? rows : std::vector<DedupRows>{};
}

StepInfo describe(const PlanBuilder& builder,
                  const Group& group,
                  const GemmProblem& problem,
                  const Composition& composition,
                  TensorId src) {
    const kernels::GemmShape& s = problem.shape;
    const std::size_t outputs = s.batch * s.dst_height * s.dst_width * s.dst_channels;
    StepInfo info;
    info.kind = problem.transposed()                            ? "deconvolution"
                : problem.kind == post_ops::AnchorKind::kMatMul ? "matmul"
                                                                : "convolution";
    info.src_type = to_string(builder.tensor(src).type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(composition.anchor.dst_type);
    info.layout = to_string(problem.layout);
    info.quantized = true;
    // Each pixel of dst meets all weights, or each one of src.
    const std::size_t pixels = problem.transposed() ? s.batch * s.src_height * s.src_width
                                                    : s.batch * s.dst_height * s.dst_width;
    info.macs = static_cast<std::int64_t>(pixels * s.dst_channels * s.src_channels *
                                          s.kernel_height * s.kernel_width);
    info.bytes =
        static_cast<std::int64_t>(builder.tensor(src).bytes() + problem.weights.values.size() +
                                  outputs * size_of(composition.anchor.dst_type));
    describe_anchor(info, group, composition.anchor);
    info.post_ops = text_of_zero_points(problem.wei_zero_point) + composition.text;
    return info;
}

// params: whose spans show vectors of the tail and the anchor's weights.
void pack_later(PlanBuilder& builder,
                const Node& anchor,
                kernels::GemmVnni& kernel,
                kernels::GemmParams params,
                const GemmEpilogueOps& tail) {
    Tensor weights = anchor.input_node(1)->constant();
    release(weights_to_release(builder, anchor));
    builder.defer([&kernel, params = std::move(params), weights = std::move(weights),
                   scale = tail.scale, bias = tail.bias,
                   zero_point = wei_zero_points(anchor)]() mutable {
        params.scale = scale;
        params.bias = bias;
        params.wei_zero_point = zero_point;
        kernel.pack(params);
        let_go_of_pages(weights);
        weights = Tensor();
    });
}

// A large f32 result that only chains read is never written to memory when they and the kernel walk
// over it together.
bool may_stay_in_cache(const PlanBuilder& builder, const Group& group, const GemmProblem& problem) {
    constexpr std::size_t kMuch = 1 << 20;  // elements
    const kernels::GemmShape& s = problem.shape;
    return builder.options().tile_groups && !problem.transposed() &&
           group.chain.dst_type == ElementType::f32 && problem.layout == Layout::kChannelsLast &&
           s.batch * s.dst_height * s.dst_width * s.dst_channels >= kMuch &&
           problem.weights.values.size() <= GemmStep::kMaxTiledWeights &&
           builder.only_chains_read(group.result);
}

bool is_preferred(const PlanBuilder& builder,
                  const Group& group,
                  const GemmProblem& problem,
                  const Node* pool) {
    const std::string& preferred = group.preferred_implementation;
    if (!problem.wei_zero_point.empty()) {
        return true;  // oneDNN has none
    }
    if (problem.transposed() && !group.binary_sources.empty()) {
        return false;  // it reads no tensors after a deconvolution
    }
    if (!preferred.empty()) {
        return preferred.starts_with(kOwnGemm);
    }
    if (!gemm_has_vnni()) {
        return pairs_are_faster(problem);
    }
    GemmChainTraits traits = traits_of(group.chain, group.binary_sources.size());
    traits.pools = pool != nullptr;
    return may_stay_in_cache(builder, group, problem) || gemm_is_faster(problem, traits);
}

// All but the type of src; spans show what is in the other two.
kernels::GemmParams params_of(const GemmProblem& problem, const Composition& composition) {
    kernels::GemmParams params;
    params.shape = problem.shape;
    params.transposed = problem.transposed();
    params.weights = problem.weights;
    params.src_zero_point = problem.src_zero_point;
    params.dst_type = composition.anchor.dst_type;
    params.scale = composition.tail.scale;
    params.bias = composition.tail.bias;
    params.wei_zero_point = problem.wei_zero_point;
    params.ops = composition.tail.ops;
    params.pairs = !gemm_has_vnni();
    return params;
}

}  // namespace

std::optional<TensorId> make_gemm(PlanBuilder& builder, const Group& group) {
    if (!builder.options().own_gemm) {
        return std::nullopt;
    }
    const auto problem = gemm_problem(*group.anchor);
    const bool may_pool = problem && !problem->transposed() && gemm_has_vnni();
    Node* pool = may_pool ? pool_after(builder, group) : nullptr;
    if (!problem || !is_preferred(builder, group, *problem, pool)) {
        return std::nullopt;
    }
    const auto composition = compose(builder, group, *problem);
    if (!composition) {
        return std::nullopt;
    }
    kernels::GemmParams params = params_of(*problem, *composition);
    if (pool != nullptr && composition->anchor.complete && kernels::is_monotonic(params)) {
        params.pool = true;
        params.shape.dst_height -= params.shape.dst_height % 2;
        params.shape.dst_width -= params.shape.dst_width % 2;
    } else if (pool != nullptr && !is_preferred(builder, group, *problem, nullptr)) {
        return std::nullopt;
    }
    const TensorId src = builder.tensor_of(group.anchor->input(0), problem->layout);
    params.src_type = builder.tensor(src).type;
    params.shared = builder.shared_weights(group.anchor->input_node(1)->constant());
    auto kernel = kernels::GemmVnni::to_be_packed(params);
    StepInfo info = describe(builder, group, *problem, *composition, src);
    info.implementation = "fuseq:" + kernel.implementation();
    std::vector<TensorId> binary_sources =
        source_tensors(builder, group, params.ops, problem->layout);
    const Node& last = params.pool ? *pool : *group.anchor;
    const TensorId dst = result_tensor(builder, group, composition->anchor,
                                       last.port(0).shape.to_shape(), problem->layout);
    if (params.pool) {
        add_pool(info, *pool, builder.tensor(dst));
    }
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    const std::size_t scratch_bytes = kernel.scratch_bytes() * threads;
    const TensorId scratch = scratch_bytes == 0 ? kNoTensor : builder.new_scratch(scratch_bytes);
    const kernels::GemmShape& shape = problem->shape;
    const std::size_t pixels =  // none: those of a pooled result are not those of the convolution
        params.pool ? 0 : shape.batch * shape.dst_height * shape.dst_width;
    auto step = std::make_unique<GemmStep>(std::move(kernel), src, std::move(binary_sources), dst,
                                           scratch, pixels, std::move(info));
    if (problem->layout == Layout::kChannelsLast && !params.pool) {
        step->set_dedup_rows(
            dedup_rows_of(builder, step->binary_sources(), builder.tensor(dst).dims()));
    }
    const bool pools = params.pool;
    pack_later(builder, *group.anchor, step->kernel(), std::move(params), composition->tail);
    builder.add_step(std::move(step));
    if (pools) {
        builder.finish_node(*pool, dst);
        return kNoTensor;
    }
    return finish_anchor(builder, group, composition->anchor, dst);
}

}  // namespace fuseq::cpu
