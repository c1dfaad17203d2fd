// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/depthwise.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "cpu/plan/step_makers.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/runtime/parallel.hpp"
#include "cpu/steps/anchor.hpp"
#include "cpu/steps/depthwise_fold.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMostExtras = 16;

class DepthwiseRunner final : public Runner {
public:
    DepthwiseRunner(const kernels::DepthwiseConv& kernel,
                    TensorId src,
                    TensorId dst,
                    RequestMemory& memory)
        : kernel_(kernel), src_(src), dst_(dst), memory_(memory) {}

    void run() override {
        const void* src = memory_.data(src_);
        void* dst = memory_.data(dst_);
        const std::size_t rows = kernel_.rows();
        const std::size_t blocks = kernel_.blocks();
        constexpr std::size_t kRowsAtOnce = 8;  // what the kernel works on together
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        // Small images have fewer groups of rows than there are threads: split the channels then.
        if (rows < kRowsAtOnce * threads && blocks >= threads) {
            parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
                kernel_.run(src, dst, {0, rows}, {begin, end});
            });
        } else {
            parallel_for(rows, kRowsAtOnce, [&](std::size_t begin, std::size_t end) {
                kernel_.run(src, dst, {begin, end}, {0, blocks});
            });
        }
    }

private:
    const kernels::DepthwiseConv& kernel_;
    TensorId src_;
    TensorId dst_;
    RequestMemory& memory_;
};

// Groups of rows go through a buffer on the stack of the thread.
class DepthwiseChainRunner final : public Runner {
public:
    DepthwiseChainRunner(const kernels::DepthwiseConv& kernel,
                         const DepthwiseRest& rest,
                         const Step& step,
                         RequestMemory& memory)
        : kernel_(kernel), rest_(rest), step_(step), memory_(memory) {
        const TensorId dst = step.outputs()[0];
        dst_size_ = size_of(memory.tensor(dst).type);
        for (const TensorId extra : rest.extras) {
            extra_sizes_.push_back(size_of(memory.tensor(extra).type));
        }
        // Few channels leave room in a vector for other rows: those at least, so that the kernel
        // is fast; more when the buffer stays in the first cache.
        const std::size_t row = rest.row_pixels * rest.channels;
        const std::size_t fast = rest.channels > 32 ? 2 : rest.channels > 16 ? 4 : 8;
        constexpr std::size_t kFewElements = 8 * 1024;
        rows_at_once_ = std::clamp<std::size_t>(kFewElements / row, fast, 8);
        rows_at_once_ = std::min(rows_at_once_, DepthwiseStep::kMostRowElements / row);
    }

    void run() override {
        const std::size_t rows = kernel_.rows();
        const std::size_t groups = (rows + rows_at_once_ - 1) / rows_at_once_;
        parallel_for(groups, 1, [&](std::size_t begin, std::size_t end) {
            alignas(64) float buffer[DepthwiseStep::kMostRowElements];
            for (std::size_t g = begin; g < end; ++g) {
                const std::size_t first = g * rows_at_once_;
                run_rows({first, std::min(first + rows_at_once_, rows)}, buffer);
            }
        });
    }

private:
    void run_rows(kernels::Range rows, float* buffer) const {
        kernel_.run_to_buffer(memory_.data(step_.inputs()[0]), buffer, rows);
        const std::size_t offset = rows.begin * rest_.row_pixels * rest_.channels;
        const auto at = [&](TensorId id, std::size_t size) {
            return static_cast<std::byte*>(memory_.data(id)) + offset * size;
        };
        std::array<kernels::ChainTensor, kMostExtras> extras;
        for (std::size_t e = 0; e < rest_.extras.size(); ++e) {
            extras[e] = {at(rest_.extras[e], extra_sizes_[e]), rest_.channels};
        }
        const kernels::ChainKernelArgs args{.src = {buffer, rest_.channels},
                                            .dst = at(step_.outputs()[0], dst_size_),
                                            .dst_stride = rest_.channels,
                                            .extras = {extras.data(), rest_.extras.size()}};
        rest_.kernel.run(args, 0, (rows.end - rows.begin) * rest_.row_pixels);
    }

    const kernels::DepthwiseConv& kernel_;
    const DepthwiseRest& rest_;
    const Step& step_;
    RequestMemory& memory_;
    std::size_t dst_size_ = 1;
    std::vector<std::size_t> extra_sizes_;
    std::size_t rows_at_once_ = 1;
};

class TailMatcher {
public:
    explicit TailMatcher(const post_ops::Chain& chain) : ops_(chain.ops) {}

    DepthwiseTail run() {
        if (const auto* scale = next<post_ops::Scale>()) {
            tail_.scale = scale->by.list();
        }
        if (const auto* shift = next<post_ops::Shift>()) {
            tail_.bias = shift->by.list();
        }
        match_slope();
        if (const auto* shift = peek<post_ops::Shift>();
            shift != nullptr && shift->by.per_tensor()) {
            tail_.shift = shift->by[0];
            ++at_;
        }
        if (const auto* clip = peek<post_ops::Clip>();
            clip != nullptr && clip->low.per_tensor() && clip->high.per_tensor()) {
            tail_.low = clip->low[0];
            tail_.high = clip->high[0];
            ++at_;
        }
        tail_.consumed = at_;
        return std::move(tail_);
    }

private:
    template <class Op>
    const Op* peek() const {
        return at_ < ops_.size() ? std::get_if<Op>(&ops_[at_]) : nullptr;
    }
    template <class Op>
    const Op* next() {
        const Op* op = peek<Op>();
        at_ += op != nullptr ? 1 : 0;
        return op;
    }
    void match_slope() {
        if (const auto* prelu = next<post_ops::Prelu>()) {
            tail_.slope = prelu->slope.list();
            return;
        }
        const auto* eltwise = peek<post_ops::Eltwise>();
        if (eltwise != nullptr && eltwise->kind == post_ops::EltwiseKind::kRelu &&
            eltwise->scale == 1.0f) {
            tail_.slope = {eltwise->alpha};
            ++at_;
        }
    }

    const std::vector<post_ops::BasicOp>& ops_;
    std::size_t at_ = 0;
    DepthwiseTail tail_;
};

// Of integers, and in a form that the kernel takes.
std::optional<kernels::ConvGeometry> geometry_of(const Node& node) {
    const ElementType src = node.input(0).type();
    const bool integers = (src == ElementType::u8 || src == ElementType::i8) &&
                          node.input(1).type() == ElementType::i8;
    return integers ? folded_depthwise(node) : std::nullopt;
}

}  // namespace

DepthwiseTail match_depthwise_tail(const post_ops::Chain& chain) {
    return TailMatcher(chain).run();
}

DepthwiseStep::DepthwiseStep(kernels::DepthwiseConv kernel,
                             std::optional<DepthwiseRest> rest,
                             TensorId src,
                             TensorId dst,
                             StepInfo info)
    : kernel_(std::move(kernel)), rest_(std::move(rest)) {
    inputs_ = {src};
    if (rest_) {
        inputs_.insert(inputs_.end(), rest_->extras.begin(), rest_->extras.end());
    }
    outputs_ = {dst};
    info_ = std::move(info);
}

std::unique_ptr<Runner> DepthwiseStep::bind(RequestMemory& memory) const {
    if (rest_) {
        return std::make_unique<DepthwiseChainRunner>(kernel_, *rest_, *this, memory);
    }
    return std::make_unique<DepthwiseRunner>(kernel_, inputs_[0], outputs_[0], memory);
}

namespace {

ComposedAnchor compose(const post_ops::Chain& chain, std::size_t consumed) {
    ComposedAnchor composed;
    composed.complete = consumed == chain.ops.size();
    composed.dst_type = composed.complete ? chain.dst_type : ElementType::f32;
    composed.rest.ops.assign(chain.ops.begin() + static_cast<std::ptrdiff_t>(consumed),
                             chain.ops.end());
    composed.rest.dst_type = chain.dst_type;
    return composed;
}

// What the kernel does not compute, as part of its step. Nothing when a row has no room in the
// buffer, or an extra input is not of the size of dst.
std::optional<DepthwiseRest> make_rest(PlanBuilder& builder,
                                       const Group& group,
                                       const ComposedAnchor& composed,
                                       const kernels::ConvGeometry& dst) {
    const auto& ops = composed.rest.ops;
    const bool per_plane = std::any_of(ops.begin(), ops.end(), [](const post_ops::BasicOp& op) {
        const auto* binary = std::get_if<post_ops::Binary>(&op);
        return binary != nullptr && binary->per_plane;
    });
    if (composed.complete || per_plane ||
        dst.dst_channels * dst.dst_width > DepthwiseStep::kMostRowElements ||
        group.extras.size() > kMostExtras) {
        return std::nullopt;
    }
    std::vector<TensorId> extras;
    for (const Output& extra : group.extras) {
        extras.push_back(builder.tensor_of(extra, Layout::kChannelsLast));
    }
    return DepthwiseRest{kernels::ChainKernel(composed.rest, ElementType::f32, dst.dst_channels,
                                              kernels::ChainLayout::kRows),
                         std::move(extras), dst.dst_channels, dst.dst_width};
}

}  // namespace

std::optional<TensorId> make_depthwise(PlanBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    const auto geometry = geometry_of(node);
    if (!geometry) {
        return std::nullopt;
    }
    const post_ops::Chain chain = post_ops::simplified(group.chain, group.laws);
    const DepthwiseTail tail = match_depthwise_tail(chain);
    ComposedAnchor composed = compose(chain, tail.consumed);

    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    const Tensor& weights = node.input_node(1)->constant();
    kernels::DepthwiseParams params;
    params.shape = {*geometry};
    params.src_type = builder.tensor(src).type;
    params.dst_type = composed.dst_type;
    std::vector<std::int32_t> zero_point;
    if (node.has_input(2)) {
        for (const std::int64_t z : to_ints(node.input_node(2)->constant())) {
            zero_point.push_back(static_cast<std::int32_t>(z));
        }
    }
    params.src_zero_point = zero_point;
    params.weights = weights.values<std::int8_t>();
    params.scale = tail.scale;
    params.bias = tail.bias;
    params.slope = tail.slope;
    params.shift = tail.shift;
    params.low = tail.low;
    params.high = tail.high;
    kernels::DepthwiseConv kernel(params);
    auto rest = make_rest(builder, group, composed, *geometry);
    composed.complete = composed.complete || rest;
    composed.dst_type = composed.complete ? chain.dst_type : ElementType::f32;

    StepInfo info;
    info.kind = "convolution";
    info.implementation = std::string("fuseq:") + kernel.implementation();
    info.src_type = to_string(params.src_type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(composed.dst_type);
    info.layout = to_string(Layout::kChannelsLast);
    info.quantized = true;
    const Shape dst_dims = node.port(0).shape.to_shape();
    info.macs =
        static_cast<std::int64_t>(shape_size(dst_dims) * (weights.get_size() / dst_dims[1]));
    info.bytes = static_cast<std::int64_t>(builder.tensor(src).bytes() + weights.get_byte_size() +
                                           shape_size(dst_dims) * size_of(composed.dst_type));
    describe_anchor(info, group, composed);
    post_ops::Chain fused = chain;
    fused.ops.resize(composed.complete ? chain.ops.size() : tail.consumed);
    fused.dst_type = composed.dst_type;
    info.post_ops = post_ops::to_text(fused);

    const TensorId dst = builder.new_tensor(composed.dst_type, dst_dims, Layout::kChannelsLast);
    builder.add_step(std::make_unique<DepthwiseStep>(std::move(kernel), std::move(rest), src, dst,
                                                     std::move(info)));
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
