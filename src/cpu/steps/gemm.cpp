// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/gemm.hpp"

#include <algorithm>

#include "cpu/plan/split_weight_zero_points.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/machine/isa.hpp"
#include "cpu/threading/parallel.hpp"
#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/gemm_epilogue_ops.hpp"
#include "cpu/steps/packed_step.hpp"
#include "cpu/lowering/pool_after.hpp"
#include "model/mapped_memory.hpp"

namespace fuseq::cpu {
namespace {

constexpr const char* kPrefix = kOwnGemm;
constexpr std::int64_t kMacsForAThread = 200000;  // about a microsecond

constexpr std::size_t kMostWalkedExtras = 32;
// Weights that every part of a walk reads again, and every thread.
constexpr std::size_t kMostWalkedWeights = 256 << 10;

class GemmRunner final : public Runner {
public:
    GemmRunner(const GemmStep& step, RequestMemory& memory)
        : step_(step),
          memory_(memory),
          extras_(step.extras().size(), nullptr),
          next_(step.threads()) {
        for (const FewRows& few : step.few_rows()) {
            rows_.push_back(few.offsets.empty()
                                ? kernels::GemmRows{}
                                : kernels::GemmRows{few.bytes.data(), few.offsets.data()});
        }
    }

    void run() override {
        for (std::size_t i = 0; i < extras_.size(); ++i) {
            if (step_.extras()[i] != kNoTensor) {
                extras_[i] = memory_.data(step_.extras()[i]);
            }
        }
        kernels::GemmArgs args;
        args.src = memory_.data(step_.inputs()[0]);
        args.dst = static_cast<char*>(memory_.data(step_.outputs()[0])) + step_.dst_offset();
        args.dst_pitch = step_.dst_pitch();
        args.extras = extras_;
        args.rows = rows_;
        args.scratch = step_.scratch().empty() ? nullptr : memory_.data(step_.scratch()[0]);
        const auto useful = static_cast<std::size_t>(1 + step_.info().macs / kMacsForAThread);
        const std::size_t parts =
            std::min({step_.threads(), static_cast<std::size_t>(omp_get_max_threads()), useful});
        if (parts != parts_) {
            parts_ = parts;
            split_ = step_.kernel().split(parts);
            expect_next();
        }
        parallel_for(parts, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t part = begin; part < end; ++part) {
                kernels::GemmArgs mine = args;
                const bool planned =
                    parts == 1 && (step_.ahead_has_own() || !step_.ahead().empty());
                mine.next = planned ? std::span<const kernels::WeightSpan>(step_.ahead())
                                    : std::span<const kernels::WeightSpan>(&next_[part], 1);
                mine.next_has_own = planned && step_.ahead_has_own();
                step_.kernel().run(mine, part, split_);
            }
        });
    }

    void run_rows(const RowPart& part) override {
        const void* extras[kMostWalkedExtras];
        for (std::size_t i = 0; i < step_.extras().size(); ++i) {
            const TensorId id = step_.extras()[i];
            extras[i] = id == kNoTensor ? nullptr : memory_.rows(id, part);
        }
        kernels::GemmArgs args;
        args.src = memory_.rows(step_.inputs()[0], part);
        args.dst = static_cast<char*>(memory_.rows(step_.outputs()[0], part)) + step_.dst_offset();
        args.dst_pitch = step_.dst_pitch();
        args.extras = {extras, step_.extras().size()};
        args.rows = rows_;
        args.scratch = step_.scratch().empty() ? nullptr : memory_.data(step_.scratch()[0]);
        step_.kernel().run_pixels(args, part.begin, part.end, part.thread);
    }

private:
    // The weights with which each part of the step behind this one begins.
    void expect_next() {
        if (const kernels::GemmVnni* next = step_.next()) {
            const kernels::GemmSplit split = next->split(parts_);
            for (std::size_t part = 0; part < parts_; ++part) {
                next_[part] = next->weights_ahead(part, split);
            }
        }
    }

    const GemmStep& step_;
    RequestMemory& memory_;
    std::vector<const void*> extras_;
    std::vector<kernels::GemmRows> rows_;
    std::vector<std::span<const std::int8_t>> next_;  // by part
    std::size_t parts_ = 0;
    kernels::GemmSplit split_;
};

// The whole chain as one composition: what the emission leaves over is done by the kernel too.
struct Composition {
    ComposedAnchor anchor;
    GemmTail tail;
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
    anchor.isa = isa_level();
    anchor.sum_inputs = overwritable_extras(builder, group, problem.layout);
    Composition result;
    result.anchor.emission = post_ops::emit(chain, anchor);
    const post_ops::Chain rest = post_ops::rest_of(chain, result.anchor.emission);
    auto tail = gemm_tail(result.anchor.emission, rest);
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
// to a step behind it.
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
std::vector<TensorId> extra_tensors(PlanBuilder& builder,
                                    const Group& group,
                                    const std::vector<kernels::GemmOp>& ops,
                                    Layout layout) {
    std::vector<TensorId> extras(group.extras.size(), kNoTensor);
    for (const kernels::GemmOp& op : ops) {
        if (op.kind == kernels::GemmOp::Kind::kBinary || op.kind == kernels::GemmOp::Kind::kSum) {
            extras.at(op.binary.input) = builder.tensor_of(group.extras[op.binary.input], layout);
        }
    }
    return extras;
}

// None where nothing is gained.
std::vector<FewRows> few_rows_of(const PlanBuilder& builder,
                                 const std::vector<TensorId>& extras,
                                 const Shape& dims) {
    std::vector<FewRows> rows;
    rows.reserve(extras.size());
    for (const TensorId id : extras) {
        rows.push_back(id == kNoTensor || dims.size() != 4
                           ? FewRows{}
                           : FewRows::of_picture(builder.tensor(id), dims));
    }
    const bool any = std::any_of(rows.begin(), rows.end(),
                                 [](const FewRows& few) { return !few.offsets.empty(); });
    return any ? rows : std::vector<FewRows>{};
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
                const GemmTail& tail) {
    Tensor weights = anchor.input_node(1)->constant();
    give_up(weights_to_give_up(builder, anchor));
    builder.finish_later([&kernel, params = std::move(params), weights = std::move(weights),
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

}  // namespace

GemmStep::GemmStep(kernels::GemmVnni kernel,
                   TensorId src,
                   std::vector<TensorId> extras,
                   TensorId dst,
                   TensorId scratch,
                   std::size_t pixels,
                   StepInfo info)
    : kernel_(std::move(kernel)),
      extras_(std::move(extras)),
      pixels_(pixels),
      threads_(static_cast<std::size_t>(omp_get_max_threads())) {
    inputs_ = {src};
    for (const TensorId extra : extras_) {
        if (extra != kNoTensor) {
            inputs_.push_back(extra);
        }
    }
    outputs_ = {dst};
    if (scratch != kNoTensor) {
        scratch_ = {scratch};
    }
    info_ = std::move(info);
}

std::optional<RowWalk> GemmStep::row_walk() const {
    if (extras_.size() > kMostWalkedExtras || kernel_.packed_bytes() > kMostWalkedWeights) {
        return std::nullopt;
    }
    RowWalk walk{.rows = pixels_, .grain = kernel_.pixel_grain()};
    if (!kernel_.is_by_pixel()) {
        walk.whole = {inputs_[0]};
    }
    return walk;
}

void expect_weights(const std::vector<std::unique_ptr<Step>>& steps) {
    constexpr std::size_t kBetween = 3;  // steps without weights of their own to fetch
    GemmStep* last = nullptr;
    std::size_t at = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (auto* step = dynamic_cast<GemmStep*>(steps[i].get())) {
            if (last != nullptr && i - at <= kBetween) {
                last->set_next(step->kernel());
            }
            last = step;
            at = i;
        }
    }
}

bool GemmStep::can_write_slices() const {
    return extras_.empty() && dst_pitch_ == 0;
}

void GemmStep::write_slice(TensorId dst, std::size_t offset, std::size_t pixel_bytes) {
    outputs_ = {dst};
    dst_offset_ = offset;
    dst_pitch_ = pixel_bytes / element_bytes();
}

std::unique_ptr<Runner> GemmStep::bind(RequestMemory& memory) const {
    return std::make_unique<GemmRunner>(*this, memory);
}

namespace {

// A large f32 result that only chains read is never written to memory when they and the kernel walk
// over it together.
bool may_stay_in_cache(const PlanBuilder& builder, const Group& group, const GemmProblem& problem) {
    constexpr std::size_t kMuch = 1 << 20;  // elements
    const kernels::GemmShape& s = problem.shape;
    return builder.options().row_walks && !problem.transposed() &&
           group.chain.dst_type == ElementType::f32 && problem.layout == Layout::kChannelsLast &&
           s.batch * s.dst_height * s.dst_width * s.dst_channels >= kMuch &&
           problem.weights.values.size() <= kMostWalkedWeights &&
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
    if (problem.transposed() && !group.extras.empty()) {
        return false;  // it reads no tensors behind a deconvolution
    }
    if (!preferred.empty()) {
        return preferred.starts_with(kPrefix);
    }
    GemmChainTraits traits = traits_of(group.chain, group.extras.size());
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
    return params;
}

}  // namespace

std::optional<TensorId> make_gemm(PlanBuilder& builder, const Group& group) {
    if (!builder.options().own_gemm || isa_level() != post_ops::IsaLevel::kVnni ||
        !kernels::GemmVnni::available()) {
        return std::nullopt;
    }
    const auto problem = gemm_problem(*group.anchor);
    Node* pool = problem && !problem->transposed() ? pool_behind(builder, group) : nullptr;
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
    std::vector<TensorId> extras = extra_tensors(builder, group, params.ops, problem->layout);
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
    auto step = std::make_unique<GemmStep>(std::move(kernel), src, std::move(extras), dst, scratch,
                                           pixels, std::move(info));
    if (problem->layout == Layout::kChannelsLast && !params.pool) {
        step->set_few_rows(few_rows_of(builder, step->extras(), builder.tensor(dst).dims()));
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
