// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution of f32 with few source channels, some rows at a time with all that follows. oneDNN
// computes such a first layer at 60 to 85 % of the f32 peak, and wants its planes transposed.
#include <algorithm>
#include <cstddef>

#include <fmt/core.h>

#include "cpu/kernels/float_conv/float_conv.hpp"
#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/float_rows.hpp"
#include "cpu/post_ops/chain_head.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/threading/parallel.hpp"

namespace fuseq::cpu {
namespace {

// What of a chain the kernel does: a scale, which becomes one of the weights, a shift, a relu and
// another shift.
struct Head {
    std::vector<float> weights;
    std::vector<float> bias;
    std::vector<float> shift;
    bool relu = false;
    float slope = 0.0f;
    post_ops::Chain remainder;
};

std::vector<float> spread(const post_ops::Values& values, std::size_t channels) {
    std::vector<float> all(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        all[c] = values[c];
    }
    return all;
}

Head head_of(const post_ops::Chain& chain, const Tensor& weights, std::size_t channels) {
    Head head;
    const float* const from = weights.data<float>();
    head.weights.assign(from, from + weights.get_size());
    const post_ops::AffineHead affine = post_ops::affine_head(chain);
    if (affine.scale) {
        const std::size_t each = head.weights.size() / channels;
        for (std::size_t i = 0; i < head.weights.size(); ++i) {
            head.weights[i] *= (*affine.scale)[i / each];
        }
    }
    if (affine.shift) {
        head.bias = spread(*affine.shift, channels);
    }
    auto op = chain.ops.begin() + static_cast<std::ptrdiff_t>(affine.consumed);
    const auto end = chain.ops.end();
    const auto* relu = op != end ? std::get_if<post_ops::Eltwise>(&*op) : nullptr;
    if (relu != nullptr && relu->kind == post_ops::EltwiseKind::kRelu && relu->scale == 1.0f) {
        head.relu = true;
        head.slope = relu->alpha;
        ++op;
        if (const auto* shift = op != end ? std::get_if<post_ops::Shift>(&*op) : nullptr) {
            head.shift = spread(shift->by, channels);
            ++op;
        }
    }
    head.remainder.ops.assign(op, end);
    head.remainder.dst_type = chain.dst_type;
    return head;
}

// What the step needs at run time.
struct ConvolutionWork {
    static constexpr std::size_t kRows = 4;  // whose floats wait for the chain together

    kernels::FloatConv kernel;
    FloatRows rows;
    std::size_t width;
    std::size_t channels;

    // Floats of each thread.
    std::size_t sums() const { return rows.has_chain() ? kRows * width * channels : 0; }
    std::size_t scratch() const { return sums() + kernel.scratch(); }

    void run(const CallMemory& memory) const {
        parallel_for(kernel.rows(), kRows, [&](std::size_t begin, std::size_t end) {
            float* const floats =
                scratch() == 0 ? nullptr
                               : memory.work<float>(0) +
                                     static_cast<std::size_t>(omp_get_thread_num()) * scratch();
            const auto* src = memory.input<float>(0);
            if (!rows.has_chain()) {
                kernel.run(src, {begin, end}, floats, rows.dst(memory, begin * width));
                return;
            }
            for (std::size_t row = begin; row < end; row += kRows) {
                const std::size_t last = std::min(row + kRows, end);
                kernel.run(src, {row, last}, floats + sums(), floats);
                rows.store(memory, row * width, (last - row) * width, floats);
            }
        });
    }
};

}  // namespace

Verdict float_convolution_supports(const StepBuilder&, const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("Convolution") || node.port(0).shape.rank() != 4) {
        return Verdict::other_kind();
    }
    if (Verdict rows = supports_float_rows(group); !rows) {
        return rows;
    }
    if (size_of(group.chain.dst_type) != 1 && group.chain.dst_type != ElementType::f32) {
        return Verdict::no(fmt::format("stores no {}", to_string(group.chain.dst_type)));
    }
    // head-pose, 3 to 32 @60x60: 30 of 40 us (docs/performance/log/convolutions.md).
    constexpr double kCost = 0.75;
    return kernels::FloatConv::takes(conv_geometry(node))
               ? Verdict::yes(kCost)
               : Verdict::no(
                     "for few source channels, whole vectors of output channels, stride 1 "
                     "or 2, no dilation, rows of some width");
}

TensorId make_float_convolution(StepBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    const kernels::ConvGeometry shape = conv_geometry(node);
    const post_ops::Chain& chain = composer_of(group).chain();
    const Head head = head_of(chain, node.input_node(1)->constant(), shape.dst_channels);
    CallStep::Tensors tensors;
    tensors.inputs.push_back(builder.tensor_of(node.input(0)));
    kernels::FloatConvParams params;
    params.shape = shape;
    params.planes = builder.tensor(tensors.inputs[0]).layout == Layout::kPlain;
    params.weights = head.weights;
    params.bias = head.bias;
    params.relu = head.relu;
    params.slope = head.slope;
    params.shift = head.shift;
    const bool is_plain = head.remainder.ops.empty();
    params.dst_type = is_plain ? chain.dst_type : ElementType::f32;
    std::optional<kernels::EltwiseKernel> after;
    if (!is_plain) {
        after.emplace(head.remainder, ElementType::f32, shape.dst_channels,
                      kernels::EltwiseLayout::kRows);
    }
    auto work = std::make_shared<ConvolutionWork>(
        ConvolutionWork{kernels::FloatConv(params),
                        FloatRows(std::move(after), shape.dst_channels, size_of(chain.dst_type)),
                        shape.dst_width, shape.dst_channels});
    work->rows.add_binary_sources(builder, group, tensors);
    return add_float_rows_step(builder, group, chain, "fuseq:float_conv", std::move(tensors),
                               work->scratch(), work->kernel.packed_bytes(),
                               [work](const CallMemory& memory) { work->run(memory); });
}

}  // namespace fuseq::cpu
