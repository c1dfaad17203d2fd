// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/depthwise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "cpu/machine/instructions.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/post_ops/values.hpp"
#include "cpu/threading/parallel.hpp"
#include "cpu/lowering/anchor.hpp"
#include "cpu/steps/depthwise_fold.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMostExtras = 16;

// Where the rows of the source are that a part of a walk has brought.
RowPart source_of(const RowPart& part) {
    return {part.source_begin, part.source_end, part.thread};
}

class DepthwiseRunner final : public Runner {
public:
    DepthwiseRunner(const kernels::DepthwiseConv& kernel,
                    std::size_t row_pixels,
                    TensorId src,
                    TensorId dst,
                    RequestMemory& memory)
        : kernel_(kernel), row_pixels_(row_pixels), src_(src), dst_(dst), memory_(memory) {}

    void run() override {
        const void* src = memory_.data(src_);
        void* dst = memory_.data(dst_);
        const std::size_t rows = kernel_.rows();
        const std::size_t blocks = kernel_.blocks();
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        // Small images have fewer groups of rows than there are threads: split the channels then.
        if (rows < least_rows_ * threads && blocks >= threads) {
            parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
                kernel_.run(src, dst, {0, rows}, {begin, end});
            });
        } else {
            parallel_for(rows, grain_, [&](std::size_t begin, std::size_t end) {
                kernel_.run(src, dst, {begin, end}, {0, blocks});
            });
        }
    }

    void run_rows(const RowPart& part) override {
        kernel_.run(memory_.rows(src_, source_of(part)), memory_.rows(dst_, part),
                    {part.begin / row_pixels_, part.end / row_pixels_}, {0, kernel_.blocks()});
        memory_.keep_rows(src_, source_of(part));
    }

private:
    static constexpr std::size_t kRowsAtOnce = 8;  // what the kernel works on together
    const kernels::DepthwiseConv& kernel_;
    std::size_t row_pixels_;
    TensorId src_;
    TensorId dst_;
    RequestMemory& memory_;
    // Rows that a thread reads are those that it has written in the step before.
    std::size_t least_rows_ = kernels::other_cores_lines_are_slow() ? 4 : kRowsAtOnce;
    std::size_t grain_ = kernels::other_cores_lines_are_slow() ? 2 : kRowsAtOnce;
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
            extra_sizes_.push_back(extra == kNoTensor ? 0 : size_of(memory.tensor(extra).type));
        }
        row_by_row_ = std::any_of(rest.few_rows.begin(), rest.few_rows.end(),
                                  [](const FewRows& rows) { return !rows.offsets.empty(); });
        // Rows that the kernel is fast with; more when the buffer stays in the first cache.
        const std::size_t row = rest.row_pixels * rest.channels;
        constexpr std::size_t kFewElements = 8 * 1024;
        rows_at_once_ = std::clamp<std::size_t>(kFewElements / row, kernel.fast_rows(), 8);
        rows_at_once_ = std::min(rows_at_once_, DepthwiseStep::kMostRowElements / row);
    }

    void run() override {
        const std::size_t rows = kernel_.rows();
        const std::size_t groups = (rows + rows_at_once_ - 1) / rows_at_once_;
        parallel_for(groups, 1, [&](std::size_t begin, std::size_t end) {
            compute({begin * rows_at_once_, std::min(end * rows_at_once_, rows)},
                    [&](TensorId id) { return memory_.data(id); });
        });
    }

    void run_rows(const RowPart& part) override {
        const TensorId src = step_.inputs()[0];
        compute({part.begin / rest_.row_pixels, part.end / rest_.row_pixels},
                [&](TensorId id) { return memory_.rows(id, id == src ? source_of(part) : part); });
        memory_.keep_rows(src, source_of(part));
    }

private:
    // `where` is the address that row 0 of a tensor has, or would have.
    template <class Where>
    void compute(kernels::Range rows, const Where& where) const {
        alignas(64) float buffer[DepthwiseStep::kMostRowElements];
        for (std::size_t first = rows.begin; first < rows.end; first += rows_at_once_) {
            compute_rows({first, std::min(first + rows_at_once_, rows.end)}, buffer, where);
        }
    }

    template <class Where>
    void compute_rows(kernels::Range rows, float* buffer, const Where& where) const {
        kernel_.run_to_buffer(where(step_.inputs()[0]), buffer, rows);
        if (!row_by_row_) {
            finish_rows(rows, buffer, where);
            return;
        }
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            finish_rows({row, row + 1}, buffer, where);
            buffer += rest_.row_pixels * rest_.channels;
        }
    }

    template <class Where>
    void finish_rows(kernels::Range rows, const float* sums, const Where& where) const {
        const std::size_t offset = rows.begin * rest_.row_pixels * rest_.channels;
        const auto at = [&](TensorId id, std::size_t size) {
            return static_cast<std::byte*>(where(id)) + offset * size;
        };
        std::array<kernels::ChainTensor, kMostExtras> extras;
        for (std::size_t e = 0; e < rest_.extras.size(); ++e) {
            const FewRows& few = rest_.few_rows[e];
            const void* from = few.offsets.empty() ? at(rest_.extras[e], extra_sizes_[e])
                                                   : few.bytes.data() + few.offsets[rows.begin];
            extras[e] = {from, rest_.channels};
        }
        const kernels::ChainKernelArgs args{.src = {sums, rest_.channels},
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
    bool row_by_row_ = false;
};

// Whether the kernel takes the numbers of the operation: it computes with finite ones.
bool is_computable(const post_ops::BasicOp& op) {
    if (const auto* scale = std::get_if<post_ops::Scale>(&op)) {
        return post_ops::all_finite(scale->by);
    }
    if (const auto* shift = std::get_if<post_ops::Shift>(&op)) {
        return post_ops::all_finite(shift->by);
    }
    if (const auto* prelu = std::get_if<post_ops::Prelu>(&op)) {
        return post_ops::all_finite(prelu->slope);
    }
    if (const auto* eltwise = std::get_if<post_ops::Eltwise>(&op)) {
        return std::isfinite(eltwise->alpha);
    }
    if (const auto* clip = std::get_if<post_ops::Clip>(&op)) {
        return clip->low[0] <= clip->high[0];
    }
    return true;
}

class TailMatcher {
public:
    explicit TailMatcher(const post_ops::Chain& chain)
        : ops_(chain.ops),
          end_(static_cast<std::size_t>(
              std::find_if_not(chain.ops.begin(), chain.ops.end(), is_computable) -
              chain.ops.begin())) {}

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
        return at_ < end_ ? std::get_if<Op>(&ops_[at_]) : nullptr;
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
    std::size_t end_;
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

FewRows FewRows::of(std::span<const std::byte> constant, std::size_t rows) {
    constexpr std::size_t kMost = 8;  // three for 3x3, five for 5x5
    const std::size_t row = constant.size() / rows;
    FewRows few;
    for (std::size_t r = 0; r < rows; ++r) {
        const auto mine = constant.subspan(r * row, row);
        std::size_t at = few.bytes.size();
        for (std::size_t other = 0; other < few.bytes.size(); other += row) {
            if (std::memcmp(few.bytes.data() + other, mine.data(), row) == 0) {
                at = other;
                break;
            }
        }
        if (at == few.bytes.size()) {
            few.bytes.insert(few.bytes.end(), mine.begin(), mine.end());
        }
        if (few.bytes.size() > kMost * row || 2 * few.bytes.size() > constant.size()) {
            return {};
        }
        few.offsets.push_back(at);
    }
    return few;
}

FewRows FewRows::of_picture(const PlanTensor& tensor, const Shape& dims) {
    if (tensor.storage != Storage::kConstant || tensor.type != ElementType::f32 ||
        tensor.dims() != dims) {
        return {};
    }
    const Tensor& value = tensor.constant;
    return of({static_cast<const std::byte*>(value.data()), value.get_byte_size()},
              dims[0] * dims[2]);
}

DepthwiseTail match_depthwise_tail(const post_ops::Chain& chain) {
    return TailMatcher(chain).run();
}

DepthwiseStep::DepthwiseStep(kernels::DepthwiseConv kernel,
                             const kernels::ConvGeometry& geometry,
                             std::optional<DepthwiseRest> rest,
                             TensorId src,
                             TensorId dst,
                             StepInfo info)
    : kernel_(std::move(kernel)), geometry_(geometry), rest_(std::move(rest)) {
    inputs_ = {src};
    if (rest_) {
        std::copy_if(rest_->extras.begin(), rest_->extras.end(), std::back_inserter(inputs_),
                     [](TensorId id) { return id != kNoTensor; });
    }
    outputs_ = {dst};
    info_ = std::move(info);
}

std::unique_ptr<Runner> DepthwiseStep::bind(RequestMemory& memory) const {
    if (rest_) {
        return std::make_unique<DepthwiseChainRunner>(kernel_, *rest_, *this, memory);
    }
    return std::make_unique<DepthwiseRunner>(kernel_, geometry_.dst_width, inputs_[0], outputs_[0],
                                             memory);
}

std::optional<RowWalk> DepthwiseStep::row_walk() const {
    const kernels::ConvGeometry& g = geometry_;
    RowWalk walk{
        .rows = kernel_.rows() * g.dst_width,
        .grain = std::min(kernel_.fast_rows() * g.dilation_height, g.dst_height) * g.dst_width,
        .whole = {inputs_[0]}};
    walk.fast = kernel_.even_rows() * g.dilation_height * g.dst_width;
    if (g.batch == 1) {
        walk.window = RowWindow{.src_row = g.src_width,
                                .dst_row = g.dst_width,
                                .src_height = g.src_height,
                                .extent = (g.kernel_height - 1) * g.dilation_height + 1,
                                .stride = g.stride_height,
                                .pad_top = g.pad_top};
    }
    return walk;
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
    std::vector<FewRows> few_rows;
    for (const Output& extra : group.extras) {
        TensorId id = builder.tensor_of(extra, Layout::kChannelsLast);
        few_rows.emplace_back();
        if (const Tensor& value = builder.tensor(id).constant;
            builder.tensor(id).storage == Storage::kConstant) {
            few_rows.back() =
                FewRows::of({static_cast<const std::byte*>(value.data()), value.get_byte_size()},
                            dst.batch * dst.dst_height);
            id = few_rows.back().offsets.empty() ? id : kNoTensor;
        }
        extras.push_back(id);
    }
    return DepthwiseRest{kernels::ChainKernel(composed.rest, ElementType::f32, dst.dst_channels,
                                              kernels::ChainLayout::kRows),
                         std::move(extras), std::move(few_rows), dst.dst_channels, dst.dst_width};
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
    builder.add_step(std::make_unique<DepthwiseStep>(std::move(kernel), *geometry, std::move(rest),
                                                     src, dst, std::move(info)));
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
