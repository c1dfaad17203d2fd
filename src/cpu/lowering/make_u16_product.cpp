// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products of 16 by 8 bits with the chain after them. Where nothing but a
// Convert to u16 reads the result, the step stores that.
#include "cpu/lowering/make_u16_product.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "cpu/kernels/eltwise/eltwise_kernel.hpp"
#include "cpu/kernels/gemm/u16_product.hpp"
#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/lowering/u16_chain.hpp"
#include "cpu/lowering/u16_product_problem.hpp"
#include "cpu/post_ops/chain_head.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/threading/parallel.hpp"
#include "ops/matmul.hpp"

namespace fuseq::cpu {
namespace {

// What the step needs at run time.
struct Work {
    kernels::U16Product product;
    std::optional<kernels::U16Finish> linear;     // instead of the chain
    std::optional<kernels::EltwiseKernel> chain;  // none: the sums
    std::size_t channels = 0;
    ElementType dst_type = ElementType::f32;

    // `pixel`: of dst, the first of `count`.
    void finish(float* sums, std::size_t pixel, std::size_t count, void* dst) const {
        const std::size_t pitch = product.pitch();
        auto* const to = static_cast<std::byte*>(dst) + pixel * channels * size_of(dst_type);
        const bool in_place = dst_type == ElementType::u16;
        if (chain) {
            chain->run({.src = {sums, pitch},
                        .dst = in_place ? static_cast<void*>(sums) : to,
                        .dst_stride = in_place ? pitch : channels},
                       0, count);
        }
        if (in_place) {
            store_rows(count, [&](std::size_t i, std::size_t length) {
                kernels::store_u16(sums + i * pitch, length,
                                   reinterpret_cast<std::uint16_t*>(to) + i * channels);
            });
        } else if (!chain) {
            store_rows(count, [&](std::size_t i, std::size_t length) {
                std::copy_n(sums + i * pitch, length, reinterpret_cast<float*>(to) + i * channels);
            });
        }
    }

    void run(const CallMemory& memory) const {
        const auto* const src = memory.input<std::uint16_t>(0);
        void* const dst = memory.output<void>(0);
        parallel_for(product.units(), 1, [&](std::size_t begin, std::size_t end) {
            auto* const scratch =
                memory.work<std::byte>(0) +
                static_cast<std::size_t>(omp_get_thread_num()) * product.scratch_bytes();
            if (linear) {
                return product.run(src, {begin, end}, scratch, *linear, dst);
            }
            product.run(src, {begin, end}, scratch,
                        [&](float* sums, std::size_t pixel, std::size_t count) {
                            finish(sums, pixel, count, dst);
                        });
        });
    }

private:
    // Dense rows are one call.
    template <class F>
    void store_rows(std::size_t count, const F& store) const {
        if (product.pitch() == channels) {
            return store(0, count * channels);
        }
        for (std::size_t i = 0; i < count; ++i) {
            store(i, channels);
        }
    }
};

// Of the operations, those before the first that reads another tensor.
std::size_t operations_taken(const post_ops::Chain& chain) {
    const auto reads = std::find_if(chain.ops.begin(), chain.ops.end(), [](const auto& op) {
        return std::holds_alternative<post_ops::Binary>(op);
    });
    return static_cast<std::size_t>(reads - chain.ops.begin());
}

// Nothing but a scale after the bounds of `head`.
std::optional<kernels::U16Finish> rescaled_of(const post_ops::Chain& chain,
                                              const post_ops::PiecewiseLinearHead& head,
                                              std::size_t before,
                                              std::size_t channels) {
    constexpr float kLeast = 0x1p-64F;  // so that 65535 divided by it is a float
    const auto* last = std::get_if<post_ops::Scale>(&chain.ops[head.consumed]);
    if (last == nullptr || head.consumed + 1 != before || (head.slope.empty() && head.shift != 0)) {
        return std::nullopt;
    }
    const std::vector<float> rescale = last->by.list();
    if (!std::all_of(rescale.begin(), rescale.end(),
                     [](float s) { return s >= kLeast && std::isfinite(s); })) {
        return std::nullopt;
    }
    const std::vector<float> shift{head.shift};
    return kernels::U16Finish({.scale = head.scale,
                               .bias = head.bias,
                               .slope = head.slope,
                               .shift = shift,
                               .low = head.low,
                               .high = head.high,
                               .rescale = rescale},
                              channels);
}

// A chain that is linear in pieces and ends in a rounding to what a u16 holds.
std::optional<kernels::U16Finish> linear_of(const post_ops::Chain& chain, std::size_t channels) {
    const std::optional<std::size_t> before = before_u16_rounding(chain);
    if (!before) {
        return std::nullopt;
    }
    post_ops::PiecewiseLinearHead head =
        post_ops::piecewise_linear_head(post_ops::chain_until(chain, *before, ElementType::f32));
    std::vector<float> shift{head.shift};
    if (head.consumed + 1 == *before &&
        std::holds_alternative<post_ops::Shift>(chain.ops[head.consumed])) {  // a shift a channel
        if (head.shift != 0 || head.low > 0 || std::isfinite(head.high)) {
            return std::nullopt;
        }
        shift = std::get<post_ops::Shift>(chain.ops[head.consumed]).by.list();
    } else if (head.consumed != *before) {
        return rescaled_of(chain, head, *before, channels);
    }
    // A relu is read as a bound.
    const bool relu = head.consumed != *before && head.low == 0;
    if (relu) {
        head.slope = {0.0F};
    }
    return kernels::U16Finish({.scale = head.scale,
                               .bias = head.bias,
                               .slope = head.slope,
                               .shift = shift,
                               .low = relu ? 0.0F : std::max(head.low, 0.0F),
                               .high = std::min(head.high, kLargestU16)},
                              channels);
}

// A scale, a shift or both, of which floats are stored.
std::optional<kernels::U16Finish> affine_of(const post_ops::Chain& chain, std::size_t channels) {
    const post_ops::AffineHead head = post_ops::affine_head(chain);
    if (chain.ops.empty() || head.consumed != chain.ops.size() ||
        chain.dst_type != ElementType::f32) {
        return std::nullopt;
    }
    const std::vector<float> scale = head.scale ? head.scale->list() : std::vector<float>{1.0F};
    const std::vector<float> bias = head.shift ? head.shift->list() : std::vector<float>{};
    return kernels::U16Finish(
        {.scale = scale, .bias = bias, .slope = {}, .shift = {}, .to_floats = true}, channels);
}

kernels::U16Product product_of(const Node& node) {
    const Tensor& tensor = node.input_node(1)->constant();
    const std::int8_t* const values = tensor.data<std::int8_t>();
    std::vector<std::int32_t> zero_points{0};
    if (node.has_input(2)) {
        const std::vector<std::int64_t> given = to_ints(node.input_node(2)->constant());
        zero_points.assign(given.begin(), given.end());
    }
    kernels::U16Params params;
    params.zero_point = zero_points;
    if (node.is("MatMul")) {
        const bool rows = node.attrs<MatMulAttrs>().transpose_b;
        const Shape& wei = tensor.get_shape();
        params.shape.src_channels = wei[rows ? 1 : 0];
        params.shape.dst_channels = wei[rows ? 0 : 1];
        params.shape.src_width = shape_size(node.input(0).shape()) / params.shape.src_channels;
        params.shape.dst_width = params.shape.src_width;
        params.weight = [&](std::size_t c, std::size_t k, std::size_t, std::size_t) {
            return values[rows ? c * params.shape.src_channels + k
                               : k * params.shape.dst_channels + c];
        };
        return kernels::U16Product(params);
    }
    params.shape = conv_geometry(node);
    params.depthwise = is_u16_depthwise(node);
    const std::size_t inputs = params.depthwise ? 1 : params.shape.src_channels;
    params.weight = [&](std::size_t c, std::size_t k, std::size_t row, std::size_t column) {
        return values[((c * inputs + k) * params.shape.kernel_height + row) *
                          params.shape.kernel_width +
                      column];
    };
    return kernels::U16Product(params);
}

StepInfo describe(const StepBuilder& builder,
                  const Group& group,
                  const ComposedAnchor& composed,
                  const Work& work,
                  TensorId src) {
    const Node& node = *group.anchor;
    const Tensor& weights = node.input_node(1)->constant();
    const std::size_t outputs = shape_size(node.port(0).shape.to_shape());
    StepInfo info;
    info.kind = node.is("MatMul") ? "matmul" : "convolution";
    info.implementation = "fuseq:" + work.product.implementation();
    info.src_type = to_string(builder.tensor(src).type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(work.dst_type);
    info.layout = to_string(builder.tensor(src).layout);
    info.quantized = true;
    info.macs = static_cast<std::int64_t>(outputs * (weights.get_size() / work.channels));
    info.bytes = static_cast<std::int64_t>(builder.tensor(src).bytes() + weights.get_byte_size() +
                                           outputs * size_of(work.dst_type));
    describe_anchor(info, group, composed);
    return info;
}

}  // namespace

Verdict u16_product_supports(const StepBuilder&, const Group& group) {
    return group.anchor->input(0).type() == ElementType::u16 ? Verdict::yes()
                                                             : Verdict::other_kind();
}

TensorId make_u16_product(StepBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    const bool matmul = node.is("MatMul");
    const Layout layout = matmul ? Layout::kPlain : Layout::kChannelsLast;
    const Shape dst_dims = node.port(0).shape.to_shape();
    const post_ops::Chain& chain = composer_of(group).chain();
    const std::size_t count = operations_taken(chain);
    const ComposedAnchor composed = ComposedAnchor::of_own_kernel(chain, count);
    Node* const convert = composed.complete
                              ? u16_convert_after(builder, group, node.port(0).shape.to_shape())
                              : nullptr;
    const std::size_t channels = matmul ? dst_dims.back() : dst_dims[1];
    auto work = std::make_shared<Work>(Work{.product = product_of(node),
                                            .linear = std::nullopt,
                                            .chain = std::nullopt,
                                            .channels = channels,
                                            .dst_type = composed.dst_type});
    const post_ops::Chain taken = post_ops::chain_until(chain, count, composed.dst_type);
    if (!taken.ops.empty() || taken.dst_type != ElementType::f32) {
        work->chain.emplace(taken, ElementType::f32, channels, kernels::EltwiseLayout::kRows);
    }
    if (convert != nullptr) {
        work->dst_type = ElementType::u16;
        work->linear = linear_of(taken, channels);
    } else {
        work->linear = affine_of(taken, channels);
    }
    CallStep::Tensors tensors;
    tensors.inputs = {builder.tensor_of(node.input(0), layout)};
    StepInfo info = describe(builder, group, composed, *work, tensors.inputs[0]);
    info.post_ops = post_ops::to_text(taken);
    const TensorId dst = builder.new_tensor(work->dst_type, dst_dims, layout);
    tensors.outputs = {dst};
    tensors.scratch = {builder.new_scratch(work->product.scratch_bytes() *
                                           static_cast<std::size_t>(omp_get_max_threads()))};
    if (convert != nullptr) {
        const auto layers = origins_of(*convert);
        info.layers.insert(info.layers.end(), layers.begin(), layers.end());
    }
    auto step = std::make_unique<CallStep>([work](const CallMemory& memory) { work->run(memory); },
                                           std::move(tensors), std::move(info));
    step->set_packed_bytes(work->product.packed_bytes());
    builder.add_step(std::move(step));
    if (convert != nullptr) {
        builder.finish_node(*convert, dst);
        return kNoTensor;
    }
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
