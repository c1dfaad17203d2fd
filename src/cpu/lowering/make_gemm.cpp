// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <variant>

#include <fmt/core.h>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/lowering/make_own_gemm.hpp"
#include "cpu/lowering/own_composition.hpp"
#include "cpu/lowering/packed_weights.hpp"
#include "cpu/lowering/pool_after.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/lowering/subpixel_chain.hpp"
#include "cpu/lowering/weight_zero_points_text.hpp"
#include "cpu/machine/traits.hpp"
#include "cpu/steps/gemm.hpp"
#include "cpu/steps/packed_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"
#include "model/mapped_memory.hpp"
#include "transformations/support/anchor_zero_points.hpp"

namespace fuseq::cpu {
namespace {

// Of a chain that has become that of all sub-pixels.
std::optional<OwnComposition> compose_by_subpixel(const StepBuilder& builder,
                                                  const Group& group,
                                                  const GemmProblem& problem,
                                                  const post_ops::Chain& chain) {
    std::string refused;
    const post_ops::DnnlPostOpsComposer composer(chain, group.laws);
    return compose_own(builder, group, problem.kind,
                       subpixels_of(problem) * problem.shape.dst_channels, problem.layout, composer,
                       refused);
}

// Nothing else takes zero points of weights: a chain that the kernel lacks an operation for is left
// to a step after it.
std::optional<OwnComposition> compose(const StepBuilder& builder,
                                      const Group& group,
                                      const GemmProblem& problem) {
    const post_ops::DnnlPostOpsComposer& composer = composer_of(group);
    std::string refused;
    const std::size_t channels = problem.shape.dst_channels;
    auto whole =
        compose_own(builder, group, problem.kind, channels, problem.layout, composer, refused);
    if (whole || problem.wei_zero_point.empty()) {
        return whole;
    }
    std::string none;
    auto bare =
        compose_own(builder, group, problem.kind, channels, problem.layout,
                    post_ops::DnnlPostOpsComposer({.ops = {}, .dst_type = ElementType::f32}), none);
    if (bare) {
        bare->anchor.complete = false;
        bare->anchor.remainder = composer.chain();
        bare->notes.push_back("its epilogue is left to a fused eltwise: " + refused);
    }
    return bare;
}

// None where nothing is gained.
std::vector<DedupRows> dedup_rows_of(const StepBuilder& builder,
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

StepInfo describe(const StepBuilder& builder,
                  const Group& group,
                  const GemmProblem& problem,
                  const OwnComposition& composition,
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
    info.notes = composition.notes;
    return info;
}

// params: whose spans show vectors of the epilogue and the anchor's weights.
void pack_later(StepBuilder& builder,
                const Node& anchor,
                kernels::GemmVnni& kernel,
                kernels::GemmParams params,
                std::shared_ptr<const post_ops::AccumulatorEpilogue> epilogue) {
    Tensor weights = anchor.input_node(1)->constant();
    release(weights_to_release(builder, anchor));
    builder.defer([&kernel, params = std::move(params), weights = std::move(weights),
                   epilogue = std::move(epilogue), zero_point = wei_zero_points(anchor)]() mutable {
        params.wei_zero_point = zero_point;
        kernel.pack(params);
        let_go_of_pages(weights);
        weights = Tensor();
    });
}

// In the lists of operations that the kernels have in registers: the factor is 1.
std::vector<kernels::GemmOp> bounds_of(const kernels::OwnRounding& own) {
    using Kind = kernels::GemmOp::Kind;
    constexpr float kLargest = 127.0F;  // of i8
    if (!own.clips) {
        return {};
    }
    if (own.dst == ElementType::i8 && own.high == kLargest) {
        return {{.kind = Kind::kMax, .a = {own.low}},
                {.kind = Kind::kAffine, .a = {1.0F}, .b = {0.0F}}};
    }
    return {{.kind = Kind::kClip, .a = {own.low}, .b = {own.high}},
            {.kind = Kind::kScale, .a = {1.0F}}};
}

// The kernel with the rounding of its sums as its epilogue. params: those of the kernel.
GemmStep::Remake remake_of(const kernels::GemmParams& params, const Tensor& weights) {
    const std::vector<float> zero_point(params.wei_zero_point.begin(), params.wei_zero_point.end());
    return [params, weights,
            zero_point](const kernels::OwnRounding& own) -> std::optional<kernels::GemmVnni> {
        kernels::GemmParams rounded = params;
        rounded.wei_zero_point = zero_point;
        rounded.weights.values = weights.values<std::int8_t>();
        rounded.scale = own.scale;
        rounded.bias = own.shift;
        rounded.dst_type = own.dst;
        if (!own.rule) {
            rounded.ops = bounds_of(own);
        } else if (kernels::GemmVnni::stores_rules(rounded)) {
            rounded.rule = {*own.rule, own.rest, own.below, own.offset, own.low, own.high};
        } else {
            return std::nullopt;
        }
        return kernels::GemmVnni(rounded);
    };
}

// Whether the result is the sums themselves, as floats.
bool has_plain_sums(const GemmProblem& problem, const post_ops::AccumulatorEpilogue& epilogue) {
    const auto all = [](const std::vector<float>& values, float value) {
        return std::all_of(values.begin(), values.end(), [=](float v) { return v == value; });
    };
    return !problem.transposed() && all(epilogue.scale, 1.0F) && all(epilogue.bias, 0.0F) &&
           epilogue.program.ops.empty() && epilogue.program.dst_type == ElementType::f32;
}

// A large f32 result that only chains read is never written to memory when they and the kernel
// share a tile group.
bool may_stay_in_cache(const StepBuilder& builder, const Group& group, const GemmProblem& problem) {
    constexpr std::size_t kLargeResult = 1 << 20;  // elements
    const kernels::GemmShape& s = problem.shape;
    return builder.options().tile_groups && !problem.transposed() &&
           group.chain.dst_type == ElementType::f32 && problem.layout == Layout::kChannelsLast &&
           s.batch * s.dst_height * s.dst_width * s.dst_channels >= kLargeResult &&
           problem.weights.values.size() <= GemmStep::kMaxTiledWeights &&
           builder.only_chains_read(group.result);
}

Verdict verdict_of(double cost, const GemmProblem& problem) {
    if (cost < 1.0) {
        return Verdict::yes(cost);
    }
    const kernels::GemmShape& s = problem.shape;
    return Verdict::slower(
        cost, fmt::format(
                  "oneDNN is expected to be faster: {} to {} channels, {}x{} pixels, kernel {}x{}",
                  s.src_channels, s.dst_channels, s.dst_height, s.dst_width, s.kernel_height,
                  s.kernel_width));
}

std::size_t tensors_read(const post_ops::Chain& chain) {
    return static_cast<std::size_t>(std::count_if(
        chain.ops.begin(), chain.ops.end(),
        [](const post_ops::BasicOp& op) { return std::holds_alternative<post_ops::Binary>(op); }));
}

// `chain`: what stands after the product.
Verdict is_preferred(const StepBuilder& builder,
                     const Group& group,
                     const post_ops::Chain& chain,
                     const GemmProblem& problem,
                     const Node* pool,
                     kernels::GemmForm form) {
    const std::string& preferred = group.preferred_implementation;
    if (!problem.wei_zero_point.empty()) {
        return Verdict::yes();  // oneDNN has none
    }
    constexpr std::size_t kMaxTensors = 32;
    if (problem.transposed() && group.binary_sources.size() > kMaxTensors) {
        return Verdict::no("reads more than 32 tensors after a deconvolution");
    }
    const bool amx = form == kernels::GemmForm::kAmx;
    if (!preferred.empty()) {
        return preferred.starts_with(amx ? kAmxGemm : kOwnGemm)
                   ? Verdict::yes()
                   : Verdict::no("dumps want " + preferred);
    }
    if (amx) {
        return Verdict::yes();
    }
    if (!gemm_has_vnni()) {
        return verdict_of(narrow_cost(problem), problem);
    }
    GemmChainTraits traits = traits_of(chain, tensors_read(chain));
    traits.pools = pool != nullptr;
    const double cost = gemm_cost(problem, traits);
    // The floats' way through memory is not in the cost of either.
    return cost >= 1.0 && may_stay_in_cache(builder, group, problem) ? Verdict::yes()
                                                                     : verdict_of(cost, problem);
}

// All but the type of src; spans show what is in the other two.
kernels::GemmParams params_of(const GemmProblem& problem,
                              const OwnComposition& composition,
                              kernels::GemmForm form) {
    kernels::GemmParams params;
    params.shape = problem.shape;
    params.transposed = problem.transposed();
    params.weights = problem.weights;
    params.src_zero_point = problem.src_zero_point;
    params.dst_type = composition.anchor.dst_type;
    params.scale = composition.epilogue->scale;
    params.bias = composition.epilogue->bias;
    params.wei_zero_point = problem.wei_zero_point;
    params.ops = composition.epilogue->program.ops;
    params.form = form;
    return params;
}

// What the kernel is made of.
struct Choice {
    GemmProblem problem;
    OwnComposition composition;
    Node* pool = nullptr;  // taken along
};

Verdict choose(const StepBuilder& builder,
               const Group& group,
               kernels::GemmForm form,
               Choice& choice) {
    if (!builder.options().own_gemm) {
        return Verdict::no("FUSEQ_OWN_GEMM is NO");
    }
    std::string why;
    auto problem = gemm_problem(*group.anchor, why);
    if (!problem) {
        return Verdict::no(why);
    }
    Node* const pool = problem->transposed() ? nullptr : pool_after(builder, group);
    const auto by_subpixel = problem->transposed() ? subpixel_chain(group, *problem) : std::nullopt;
    const post_ops::Chain& chain = by_subpixel ? *by_subpixel : group.chain;
    Verdict preferred = is_preferred(builder, group, chain, *problem, pool, form);
    if (!preferred) {
        return preferred;
    }
    auto composition = by_subpixel ? compose_by_subpixel(builder, group, *problem, chain)
                                   : compose(builder, group, *problem);
    if (!composition) {
        return Verdict::no("an operation of the chain that the kernel lacks");
    }
    const bool pools = pool != nullptr && composition->anchor.complete &&
                       kernels::is_monotonic(params_of(*problem, *composition, form));
    if (pool != nullptr && !pools) {
        preferred = is_preferred(builder, group, chain, *problem, nullptr, form);
        if (!preferred) {
            return preferred;
        }
    }
    choice = {std::move(*problem), std::move(*composition), pools ? pool : nullptr};
    return preferred;
}

}  // namespace

Verdict own_gemm_supports(const StepBuilder& builder, const Group& group, kernels::GemmForm form) {
    Choice choice;
    return choose(builder, group, form, choice);
}

Verdict gemm_supports(const StepBuilder& builder, const Group& group) {
    return own_gemm_supports(builder, group, gemm_form());
}

TensorId make_gemm(StepBuilder& builder, const Group& group) {
    return make_own_gemm(builder, group, gemm_form());
}

TensorId make_own_gemm(StepBuilder& builder, const Group& group, kernels::GemmForm form) {
    Choice choice;
    if (const Verdict verdict = choose(builder, group, form, choice); !verdict) {
        throw Error("compile", "gemm: " + verdict.reason());
    }
    const GemmProblem* const problem = &choice.problem;
    const OwnComposition* const composition = &choice.composition;
    Node* const pool = choice.pool;
    kernels::GemmParams params = params_of(*problem, *composition, form);
    if (pool != nullptr) {
        params.pool = true;
        params.shape.dst_height -= params.shape.dst_height % 2;
        params.shape.dst_width -= params.shape.dst_width % 2;
    }
    const TensorId src = builder.tensor_of(group.anchor->input(0), problem->layout);
    params.src_type = builder.tensor(src).type;
    params.shared = builder.shared_weights(group.anchor->input_node(1)->constant());
    auto kernel = kernels::GemmVnni::to_be_packed(params);
    StepInfo info = describe(builder, group, *problem, *composition, src);
    info.implementation = "fuseq:" + kernel.implementation();
    std::vector<TensorId> binary_sources =
        source_tensors(builder, group, composition->epilogue->program, problem->layout);
    if (std::all_of(binary_sources.begin(), binary_sources.end(),
                    [](TensorId id) { return id == kNoTensor; })) {
        binary_sources.clear();
    }
    const Node& last = params.pool ? *pool : *group.anchor;
    const TensorId dst = result_tensor(builder, group, composition->anchor,
                                       last.port(0).shape.to_shape(), problem->layout);
    if (params.pool) {
        add_pool(info, *pool, builder.tensor(dst));
    }
    const std::size_t scratch_bytes = kernel.scratch_bytes() * work_shares();
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
    if (!pools && has_plain_sums(*problem, *composition->epilogue)) {
        step->set_plain_sums(remake_of(params, group.anchor->input_node(1)->constant()),
                             problem->wei_zero_point.empty());
    }
    pack_later(builder, *group.anchor, step->kernel(), std::move(params), composition->epilogue);
    builder.add_step(std::move(step));
    if (pools) {
        builder.finish_node(*pool, dst);
        return kNoTensor;
    }
    return finish_anchor(builder, group, composition->anchor, dst);
}

}  // namespace fuseq::cpu
