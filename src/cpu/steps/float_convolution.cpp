// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution of f32 with few source channels, some rows at a time with all that follows. oneDNN
// computes such a first layer at 60 to 85 % of the f32 peak, and wants its planes transposed.
#include <algorithm>
#include <array>
#include <cstddef>

#include "cpu/kernels/chain_kernel.hpp"
#include "cpu/kernels/float_conv.hpp"
#include "cpu/plan/step_makers.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/runtime/parallel.hpp"
#include "cpu/steps/anchor.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/conv_geometry.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kMostExtras = 16;

bool takes(const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("Convolution") || node.port(0).shape.rank() != 4 ||
        node.input(0).type() != ElementType::f32 || node.input(1).type() != ElementType::f32 ||
        !node.input_node(1)->is_constant() || group.extras.size() > kMostExtras ||
        !(size_of(group.chain.dst_type) == 1 || group.chain.dst_type == ElementType::f32) ||
        !kernels::FloatConv::takes(conv_geometry(node))) {
        return false;
    }
    const auto& ops = group.chain.ops;
    return std::none_of(ops.begin(), ops.end(), [](const post_ops::BasicOp& op) {
        const auto* binary = std::get_if<post_ops::Binary>(&op);
        return binary != nullptr && (binary->per_plane || binary->per_pixel);
    });
}

// What of a chain the kernel does: a scale, which becomes one of the weights, a shift, a relu and
// another shift.
struct Head {
    std::vector<float> weights;
    std::vector<float> bias;
    std::vector<float> shift;
    bool relu = false;
    float slope = 0.0f;
    post_ops::Chain rest;
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
    auto op = chain.ops.begin();
    const auto end = chain.ops.end();
    if (const auto* scale = op != end ? std::get_if<post_ops::Scale>(&*op) : nullptr) {
        const std::size_t each = head.weights.size() / channels;
        for (std::size_t i = 0; i < head.weights.size(); ++i) {
            head.weights[i] *= scale->by[i / each];
        }
        ++op;
    }
    if (const auto* shift = op != end ? std::get_if<post_ops::Shift>(&*op) : nullptr) {
        head.bias = spread(shift->by, channels);
        ++op;
    }
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
    head.rest.ops.assign(op, end);
    head.rest.dst_type = chain.dst_type;
    return head;
}

// What the step needs at run time.
struct Work {
    static constexpr std::size_t kRows = 4;  // whose floats wait for the chain together

    kernels::FloatConv kernel;
    std::optional<kernels::ChainKernel> chain;  // none: dst is what the kernel stores
    std::size_t width;
    std::size_t channels;
    std::vector<std::size_t> extra_sizes;  // of elements
    std::size_t dst_size;

    // Floats of each thread.
    std::size_t sums() const { return chain ? kRows * width * channels : 0; }
    std::size_t scratch() const { return sums() + kernel.scratch(); }

    void run(const CallMemory& memory) const {
        parallel_for(kernel.rows(), kRows, [&](std::size_t begin, std::size_t end) {
            float* const floats =
                scratch() == 0 ? nullptr
                               : memory.work<float>(0) +
                                     static_cast<std::size_t>(omp_get_thread_num()) * scratch();
            const auto* src = memory.input<float>(0);
            if (!chain) {
                kernel.run(src, {begin, end}, floats,
                           memory.output<std::byte>(0) + begin * width * channels * dst_size);
                return;
            }
            for (std::size_t row = begin; row < end; row += kRows) {
                const std::size_t last = std::min(row + kRows, end);
                kernel.run(src, {row, last}, floats + sums(), floats);
                store(memory, row * width, (last - row) * width, floats);
            }
        });
    }

private:
    void store(const CallMemory& memory,
               std::size_t pixel,
               std::size_t count,
               const float* from) const {
        std::array<kernels::ChainTensor, kMostExtras> extras;
        const std::size_t offset = pixel * channels;
        for (std::size_t e = 0; e < extra_sizes.size(); ++e) {
            extras[e] = {memory.input<std::byte>(1 + e) + offset * extra_sizes[e], channels};
        }
        const kernels::ChainKernelArgs args{.src = {from, channels},
                                            .dst = memory.output<std::byte>(0) + offset * dst_size,
                                            .dst_stride = channels,
                                            .extras = {extras.data(), extra_sizes.size()}};
        chain->run(args, 0, count);
    }
};

StepInfo describe(const Group& group,
                  const PlanTensor& src,
                  const post_ops::Chain& chain,
                  const ComposedAnchor& composed) {
    const Shape dst = group.anchor->port(0).shape.to_shape();
    const Tensor& weights = group.anchor->input_node(1)->constant();
    StepInfo info;
    info.kind = "convolution";
    info.implementation = "fuseq:float_conv";
    info.src_type = info.wei_type = to_string(ElementType::f32);
    info.dst_type = to_string(chain.dst_type);
    info.layout = to_string(Layout::kChannelsLast);
    info.macs = static_cast<std::int64_t>(shape_size(dst) * (weights.get_size() / dst[1]));
    info.bytes = static_cast<std::int64_t>(src.bytes() + weights.get_byte_size() +
                                           shape_size(dst) * size_of(chain.dst_type));
    describe_anchor(info, group, composed);
    info.post_ops = post_ops::to_text(chain);
    return info;
}

}  // namespace

std::optional<TensorId> make_float_convolution(PlanBuilder& builder, const Group& group) {
    if (!takes(group)) {
        return std::nullopt;
    }
    const Node& node = *group.anchor;
    const kernels::ConvGeometry shape = conv_geometry(node);
    const post_ops::Chain chain = post_ops::simplified(group.chain, group.laws);
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
    const bool is_plain = head.rest.ops.empty();
    params.dst_type = is_plain ? chain.dst_type : ElementType::f32;
    auto work = std::make_shared<Work>(Work{kernels::FloatConv(params),
                                            std::nullopt,
                                            shape.dst_width,
                                            shape.dst_channels,
                                            {},
                                            size_of(chain.dst_type)});
    if (!is_plain) {
        work->chain.emplace(head.rest, ElementType::f32, shape.dst_channels,
                            kernels::ChainLayout::kRows);
    }
    for (const Output& extra : group.extras) {
        tensors.inputs.push_back(builder.tensor_of(extra, Layout::kChannelsLast));
        work->extra_sizes.push_back(size_of(builder.tensor(tensors.inputs.back()).type));
    }
    const TensorId dst =
        builder.new_tensor(chain.dst_type, node.port(0).shape, Layout::kChannelsLast);
    tensors.outputs = {dst};
    if (work->scratch() != 0) {
        const auto threads = static_cast<std::size_t>(omp_get_max_threads());
        tensors.scratch = {builder.new_scratch(threads * work->scratch() * sizeof(float))};
    }
    ComposedAnchor composed;
    composed.complete = true;
    composed.dst_type = chain.dst_type;
    StepInfo info = describe(group, builder.tensor(tensors.inputs[0]), chain, composed);
    const std::size_t bytes = work->kernel.packed_bytes();
    auto step = std::make_unique<CallStep>(
        [work = std::move(work)](const CallMemory& memory) { work->run(memory); },
        std::move(tensors), std::move(info));
    step->set_packed_bytes(bytes);
    builder.add_step(std::move(step));
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
