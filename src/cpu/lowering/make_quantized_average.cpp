// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// QuantizedAveragePool and QuantizedMean of bytes.
#include <algorithm>
#include <memory>

#include "cpu/kernels/reduce/quantized_average.hpp"
#include "cpu/lowering/axes_in_memory.hpp"
#include "cpu/lowering/quantized_rounding.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/kernel_step.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/quantized/quantized_mean.hpp"
#include "ops/quantized/quantized_pool.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMaxPixels = std::size_t{1} << 23;  // of a sum of bytes in 32 bits

bool is_of_bytes(const Node& node) {
    return is_8_bit(node.input(0).type()) && node.input(0).type() == node.port(0).type;
}

std::optional<kernels::AverageRounding> average_rounding(RoundingRule rule) {
    switch (rule) {
        case RoundingRule::kRawHalfAway: return kernels::AverageRounding::kRawHalfAway;
        case RoundingRule::kRealHalfEven: return kernels::AverageRounding::kHalfEven;
        case RoundingRule::kRealHalfAway: return kernels::AverageRounding::kHalfAway;
        case RoundingRule::kRealZeroFirst: return kernels::AverageRounding::kZeroFirst;
        default: return std::nullopt;
    }
}

// Channels-last, logical or in memory.
class AveragePool {
public:
    AveragePool(const QuantizedPoolAttrs& attrs,
                const kernels::QuantizedAverageParams& params,
                const Shape& src)
        : params_(params),
          loops_(pool_loops(pool_windows(attrs), src)),
          exclude_pad_(attrs.exclude_pad),
          batch_(src[0]),
          channels_(src[1]) {}

    // Whether each window has an element, and none too many.
    bool is_whole() const {
        const auto size = static_cast<std::size_t>(loops_.window[0].size * loops_.window[1].size *
                                                   loops_.window[2].size);
        return size <= kMaxPixels && has_elements(0) && has_elements(1) && has_elements(2);
    }

    void run(const std::uint8_t* src, std::uint8_t* dst) const {
        constexpr std::size_t kBytesAtOnce = 4096;
        parallel_for(batch_ * pixels(), 1 + kBytesAtOnce / channels_,
                     [&](std::size_t begin, std::size_t end) {
                         for (std::size_t i = begin; i < end; ++i) {
                             pixel(src, i, dst + i * channels_);
                         }
                     });
    }

private:
    // Whether each window has an element in dimension d: the first one at or after the source's begin.
    bool has_elements(std::size_t d) const {
        const Window& w = loops_.window[d];
        for (std::int64_t i = 0; i < loops_.out[d]; ++i) {
            const std::int64_t first = i * w.stride - w.pad_begin;
            const std::int64_t skipped = first < 0 ? (w.dilation - 1 - first) / w.dilation : 0;
            if (skipped >= w.size || first + skipped * w.dilation >= loops_.in[d]) {
                return false;
            }
        }
        return true;
    }
    std::size_t pixels() const {
        return static_cast<std::size_t>(loops_.out[0] * loops_.out[1] * loops_.out[2]);
    }
    void place(std::size_t pixel, std::int64_t first[3]) const {
        auto left = static_cast<std::int64_t>(pixel);
        for (std::size_t d = 3; d-- > 0; left /= loops_.out[d]) {
            const Window& w = loops_.window[d];
            first[d] = left % loops_.out[d] * w.stride - w.pad_begin;
        }
    }
    void pixel(const std::uint8_t* src, std::size_t i, std::uint8_t* dst) const {
        thread_local std::vector<const std::uint8_t*> taps;
        taps.clear();
        const auto plane = static_cast<std::size_t>(loops_.in[0] * loops_.in[1] * loops_.in[2]);
        const std::uint8_t* const image = src + i / pixels() * plane * channels_;
        std::int64_t first[3];
        place(i % pixels(), first);
        for_each_pool_element(loops_, first, [&](std::int64_t at) {
            taps.push_back(image + static_cast<std::size_t>(at) * channels_);
        });
        const std::int64_t count =
            average_divisor(loops_, first, exclude_pad_, static_cast<std::int64_t>(taps.size()));
        kernels::quantized_average(params_, taps, static_cast<std::int32_t>(count), channels_, dst);
    }

    kernels::QuantizedAverageParams params_;
    PoolLoops loops_;
    bool exclude_pad_;
    std::size_t batch_, channels_;
};

void add_kernel_step(StepBuilder& builder,
                     Node& node,
                     Layout layout,
                     const char* implementation,
                     KernelStep::Kernel kernel) {
    const TensorId src = builder.tensor_of(node.input(0), layout);
    const TensorId dst = builder.new_tensor(node.port(0).type, node.port(0).shape, layout);
    add_node_step(
        builder, node,
        std::make_unique<KernelStep>(
            std::move(kernel), src, dst,
            kernel_info("average_pool", implementation, builder.tensor(src), builder.tensor(dst))),
        dst);
}

Verdict make_pool(StepBuilder& builder, Node& node) {
    const auto& attrs = node.attrs<QuantizedPoolAttrs>();
    const auto rounding = average_rounding(rule_of(node)->rule);
    if (!rounding) {
        return Verdict::no("a rule that the kernel does not have");
    }
    const Shape src = channels_first(node.input(0).shape(), attrs.channels_last).to_shape();
    const IntegerLimits limits = output_limits(attrs);
    const kernels::QuantizedAverageParams params{
        .rounding = *rounding,
        .is_signed = node.port(0).type == ElementType::i8,
        .src_zero_point = static_cast<std::int32_t>(attrs.input_zero_point(0)),
        .src_scale = attrs.input_scales[0],
        .dst_zero_point = static_cast<std::int32_t>(attrs.output_zero_point),
        .dst_scale = attrs.output_scale,
        .lowest = static_cast<std::int32_t>(limits.lowest),
        .highest = static_cast<std::int32_t>(limits.highest)};
    const auto pool = std::make_shared<const AveragePool>(attrs, params, src);
    if (shape_size(src) == 0 || !pool->is_whole()) {
        return Verdict::no("a window without an element, or with more than 2^23");
    }
    add_kernel_step(builder, node, attrs.channels_last ? Layout::kPlain : Layout::kChannelsLast,
                    "quantized_average", [pool](const void* x, void* y) {
                        pool->run(static_cast<const std::uint8_t*>(x),
                                  static_cast<std::uint8_t*>(y));
                    });
    return Verdict::yes();
}

// [outer, length, inner] to [outer, inner].
template <class Byte>
void mean_of(const AxesInMemory& axes,
             std::int32_t zero_point,
             const IntegerLimits& limits,
             const QuantizedMeanRule& rule,
             const void* src,
             void* dst) {
    parallel_for(axes.outer, 1, [&](std::size_t begin, std::size_t end) {
        thread_local std::vector<std::int32_t> sums;
        for (std::size_t o = begin; o < end; ++o) {
            sums.assign(axes.inner, 0);
            const auto* from = static_cast<const Byte*>(src) + o * axes.length * axes.inner;
            for (std::size_t i = 0; i < axes.length; ++i, from += axes.inner) {
                for (std::size_t c = 0; c < axes.inner; ++c) {
                    sums[c] += from[c] - zero_point;
                }
            }
            auto* to = static_cast<Byte*>(dst) + o * axes.inner;
            for (std::size_t c = 0; c < axes.inner; ++c) {
                to[c] = static_cast<Byte>(std::clamp(rule(sums[c]), limits.lowest, limits.highest));
            }
        }
    });
}

Verdict make_mean(StepBuilder& builder, Node& node) {
    const auto& attrs = node.attrs<QuantizedMeanAttrs>();
    const Shape dims = node.input(0).shape();
    const Layout layout =
        dims.size() >= 3 && attrs.keep_dims && !builder.available(node.input(0), Layout::kPlain)
            ? Layout::kChannelsLast
            : Layout::kPlain;
    const auto axes = axes_in_memory(dims, layout, marked_axes(attrs.axes, dims.size()));
    if (!axes || axes->length == 0 || axes->length > kMaxPixels || shape_size(dims) == 0) {
        return Verdict::no("axes that lie in several pieces in memory, or more than 2^23 elements");
    }
    const QuantizedMeanRule rule(attrs, *rule_of(node), static_cast<std::int64_t>(axes->length));
    const auto mean =
        node.port(0).type == ElementType::i8 ? mean_of<std::int8_t> : mean_of<std::uint8_t>;
    add_kernel_step(builder, node, layout, "quantized_mean",
                    [mean, rule, axes = *axes, limits = output_limits(attrs),
                     zero = static_cast<std::int32_t>(attrs.input_zero_point(0))](
                        const void* x, void* y) { mean(axes, zero, limits, rule, x, y); });
    return Verdict::yes();
}

}  // namespace

Verdict make_quantized_average(StepBuilder& builder, Node& node) {
    const bool mean = node.is("QuantizedMean");
    if (!mean && !node.is("QuantizedAveragePool")) {
        return Verdict::other_kind();
    }
    if (!is_of_bytes(node) || rule_of(node) == nullptr) {
        return Verdict::no("for bytes of one type, by a method with a rule for it");
    }
    return mean ? make_mean(builder, node) : make_pool(builder, node);
}

}  // namespace fuseq::cpu
