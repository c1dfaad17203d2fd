// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/steps/volume_depthwise.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "cpu/lowering/step_makers.hpp"
#include "cpu/post_ops/simplify.hpp"
#include "cpu/threading/parallel.hpp"
#include "cpu/lowering/anchor.hpp"
#include "ops/convolution.hpp"

namespace fuseq::cpu {

using kernels::Range;

class VolumeDepthwiseStep::Run final : public Runner {
public:
    Run(const VolumeDepthwiseStep& step, RequestMemory& memory)
        : step_(step), g_(step.geometry_), memory_(memory) {
        dst_size_ = size_of(memory.tensor(step.outputs()[0]).type);
        for (std::size_t e = 1; e < step.inputs().size(); ++e) {
            extra_sizes_.push_back(size_of(memory.tensor(step.inputs()[e]).type));
        }
        rows_ = rows_at_once(g_);
        row_ = g_.dst_width * g_.channels;
    }

    void run() override {
        const std::size_t groups = (g_.dst_height + rows_ - 1) / rows_;
        auto* scratch = static_cast<float*>(memory_.data(step_.scratch()[0]));
        const std::size_t own = (step_.taps_.size() + 1) * rows_ * row_;
        parallel_for(g_.images * g_.dst_depth * groups, 1, [&](std::size_t begin, std::size_t end) {
            float* sums = scratch + static_cast<std::size_t>(omp_get_thread_num()) * own;
            float* zeros = sums + step_.taps_.size() * rows_ * row_;
            std::fill_n(zeros, rows_ * row_, 0.0f);
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t first = i % groups * rows_;
                compute_rows(i / groups, {first, std::min(first + rows_, g_.dst_height)}, sums,
                             zeros);
            }
        });
    }

private:
    // Rows of one plane of dst; positions of the kernel outside of src add nothing.
    void compute_rows(std::size_t plane, Range rows, float* sums, const float* zeros) const {
        const std::size_t image = plane / g_.dst_depth;
        const auto start = static_cast<std::ptrdiff_t>(plane % g_.dst_depth * g_.stride) - g_.pad;
        std::array<kernels::ChainTensor, kMostExtras> parts;
        for (std::size_t t = 0; t < step_.taps_.size(); ++t) {
            const std::ptrdiff_t z = start + static_cast<std::ptrdiff_t>(t * g_.dilation);
            parts[t] = {zeros, g_.channels};
            if (z >= 0 && z < static_cast<std::ptrdiff_t>(g_.src_depth)) {
                float* to = sums + t * rows_ * row_;
                const std::size_t from =
                    (image * g_.src_depth + static_cast<std::size_t>(z)) * g_.dst_height;
                step_.taps_[t].run_to_buffer(memory_.data(step_.inputs()[0]), to,
                                             {from + rows.begin, from + rows.end});
                parts[t] = {to, g_.channels};
            }
        }
        store(plane * g_.dst_height + rows.begin, rows.end - rows.begin, parts);
    }

    void store(std::size_t row,
               std::size_t rows,
               const std::array<kernels::ChainTensor, kMostExtras>& parts) const {
        const auto at = [&](TensorId id, std::size_t size) {
            return static_cast<std::byte*>(memory_.data(id)) + row * row_ * size;
        };
        std::array<kernels::ChainTensor, kMostExtras> extras;
        std::size_t count = 0;
        for (; count < extra_sizes_.size(); ++count) {
            extras[count] = {at(step_.inputs()[1 + count], extra_sizes_[count]), g_.channels};
        }
        for (std::size_t t = 1; t < step_.taps_.size(); ++t) {
            extras[count++] = parts[t];
        }
        const kernels::ChainKernelArgs args{.src = parts[0],
                                            .dst = at(step_.outputs()[0], dst_size_),
                                            .dst_stride = g_.channels,
                                            .extras = {extras.data(), count}};
        step_.chain_.run(args, 0, rows * g_.dst_width);
    }

    const VolumeDepthwiseStep& step_;
    const VolumeGeometry& g_;
    RequestMemory& memory_;
    std::size_t dst_size_ = 1;
    std::vector<std::size_t> extra_sizes_;
    std::size_t rows_ = 1;
    std::size_t row_ = 1;
};

VolumeDepthwiseStep::VolumeDepthwiseStep(std::vector<kernels::DepthwiseConv> taps,
                                         kernels::ChainKernel chain,
                                         const VolumeGeometry& geometry)
    : taps_(std::move(taps)), chain_(std::move(chain)), geometry_(geometry) {}

void VolumeDepthwiseStep::set_tensors(TensorId src,
                                      std::vector<TensorId> extras,
                                      TensorId dst,
                                      TensorId scratch) {
    inputs_ = {src};
    inputs_.insert(inputs_.end(), extras.begin(), extras.end());
    outputs_ = {dst};
    scratch_ = {scratch};
}

std::unique_ptr<Runner> VolumeDepthwiseStep::bind(RequestMemory& memory) const {
    return std::make_unique<Run>(*this, memory);
}

std::size_t VolumeDepthwiseStep::packed_bytes() const {
    std::size_t bytes = 0;
    for (const kernels::DepthwiseConv& tap : taps_) {
        bytes += tap.packed_bytes();
    }
    return bytes;
}

std::size_t VolumeDepthwiseStep::rows_at_once(const VolumeGeometry& g) {
    constexpr std::size_t kElements = 8 * 1024;  // of one sum: all of them stay in the second cache
    const std::size_t rows = kElements / (g.dst_width * g.channels);
    return std::clamp<std::size_t>(rows, 1, std::min<std::size_t>(8, g.dst_height));
}

std::size_t VolumeDepthwiseStep::scratch_size(const VolumeGeometry& g,
                                              std::size_t taps,
                                              std::size_t threads) {
    return threads * (taps + 1) * rows_at_once(g) * g.dst_width * g.channels;
}

namespace {

VolumeGeometry geometry_of(const Node& node, const Window& depth) {
    const Shape src = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    VolumeGeometry g;
    g.images = src[0];
    g.channels = src[1];
    g.src_depth = src[2];
    g.dst_depth = dst[2];
    g.stride = static_cast<std::size_t>(depth.stride);
    g.dilation = static_cast<std::size_t>(depth.dilation);
    g.pad = depth.pad_begin;
    g.dst_height = dst[3];
    g.dst_width = dst[4];
    return g;
}

bool takes(const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("GroupConvolution") || node.port(0).shape.rank() != 5 ||
        node.input(1).type() != ElementType::i8 ||
        (node.input(0).type() != ElementType::u8 && node.input(0).type() != ElementType::i8)) {
        return false;
    }
    const Shape wei = node.input(1).shape();
    // Sums of products beyond are not exact in f32; more positions in depth than there is room for.
    constexpr std::size_t kMostTaps = 512;
    const bool per_plane = std::any_of(
        group.chain.ops.begin(), group.chain.ops.end(), [](const post_ops::BasicOp& op) {
            const auto* binary = std::get_if<post_ops::Binary>(&op);
            return binary != nullptr && (binary->per_plane || binary->per_pixel);
        });
    return wei[1] == 1 && wei[2] == 1 && !per_plane && wei[3] * wei[4] * wei[5] <= kMostTaps &&
           wei[4] * wei[5] <= 128 &&
           group.extras.size() + wei[3] <= VolumeDepthwiseStep::kMostExtras;
}

std::vector<kernels::DepthwiseConv> make_taps(const Node& node,
                                              const std::vector<Window>& windows,
                                              ElementType src_type) {
    const Shape src = node.input(0).shape();
    const Shape dst = node.port(0).shape.to_shape();
    kernels::DepthwiseParams params;
    kernels::DepthwiseShape& s = params.shape;
    s.batch = src[0] * src[2];
    s.src_channels = s.dst_channels = src[1];
    s.src_height = src[3];
    s.src_width = src[4];
    s.dst_height = dst[3];
    s.dst_width = dst[4];
    s.kernel_height = static_cast<std::size_t>(windows[1].size);
    s.kernel_width = static_cast<std::size_t>(windows[2].size);
    s.stride_height = static_cast<std::size_t>(windows[1].stride);
    s.stride_width = static_cast<std::size_t>(windows[2].stride);
    s.dilation_height = static_cast<std::size_t>(windows[1].dilation);
    s.dilation_width = static_cast<std::size_t>(windows[2].dilation);
    s.pad_top = windows[1].pad_begin;
    s.pad_left = windows[2].pad_begin;
    params.src_type = src_type;
    params.dst_type = ElementType::f32;
    std::vector<std::int32_t> zero_point;
    if (node.has_input(2)) {
        for (const std::int64_t z : to_ints(node.input_node(2)->constant())) {
            zero_point.push_back(static_cast<std::int32_t>(z));
        }
    }
    params.src_zero_point = zero_point;
    const float one = 1.0f;
    params.scale = {&one, 1};
    const auto depth = static_cast<std::size_t>(windows[0].size);
    const std::size_t area = s.kernel_height * s.kernel_width;
    const auto all = node.input_node(1)->constant().values<std::int8_t>();
    std::vector<kernels::DepthwiseConv> taps;
    for (std::size_t t = 0; t < depth; ++t) {
        std::vector<std::int8_t> weights;
        for (std::size_t c = 0; c < s.src_channels; ++c) {
            const auto from = all.begin() + static_cast<std::ptrdiff_t>((c * depth + t) * area);
            weights.insert(weights.end(), from, from + static_cast<std::ptrdiff_t>(area));
        }
        params.weights = weights;
        taps.emplace_back(params);
    }
    return taps;
}

// The chain of the group behind the additions of all sums but the first.
post_ops::Chain with_sums(const post_ops::Chain& chain, std::size_t extras, std::size_t taps) {
    post_ops::Chain all = chain;
    all.ops.clear();
    for (std::size_t t = 1; t < taps; ++t) {
        post_ops::Binary add;
        add.input = extras + t - 1;
        all.ops.emplace_back(add);
    }
    all.ops.insert(all.ops.end(), chain.ops.begin(), chain.ops.end());
    return all;
}

StepInfo describe(const Group& group, const PlanTensor& src, const post_ops::Chain& chain) {
    const Shape dst = group.anchor->port(0).shape.to_shape();
    const Tensor& weights = group.anchor->input_node(1)->constant();
    StepInfo info;
    info.kind = "convolution";
    info.src_type = to_string(src.type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(chain.dst_type);
    info.layout = to_string(Layout::kChannelsLast);
    info.quantized = true;
    info.macs = static_cast<std::int64_t>(shape_size(dst) * (weights.get_size() / dst[1]));
    info.bytes = static_cast<std::int64_t>(src.bytes() + weights.get_byte_size() +
                                           shape_size(dst) * size_of(chain.dst_type));
    ComposedAnchor composed;
    composed.complete = true;
    composed.dst_type = chain.dst_type;
    describe_anchor(info, group, composed);
    info.post_ops = post_ops::to_text(chain);
    return info;
}

}  // namespace

std::optional<TensorId> make_volume_depthwise(PlanBuilder& builder, const Group& group) {
    if (!takes(group)) {
        return std::nullopt;
    }
    const Node& node = *group.anchor;
    const auto windows = convolution_windows(node.attrs<ConvolutionAttrs>(), node.input(0).shape(),
                                             node.input(1).shape());
    const VolumeGeometry geometry = geometry_of(node, windows[0]);
    const post_ops::Chain chain = post_ops::simplified(group.chain, group.laws);
    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    auto taps = make_taps(node, windows, builder.tensor(src).type);
    const std::size_t count = taps.size();
    std::vector<TensorId> extras;
    for (const Output& extra : group.extras) {
        extras.push_back(builder.tensor_of(extra, Layout::kChannelsLast));
    }
    kernels::ChainKernel kernel(with_sums(chain, extras.size(), count), ElementType::f32,
                                geometry.channels, kernels::ChainLayout::kRows);
    StepInfo info = describe(group, builder.tensor(src), chain);
    info.implementation = detail::cat("fuseq:", taps[0].implementation(), "*", count);
    const TensorId dst =
        builder.new_tensor(chain.dst_type, node.port(0).shape, Layout::kChannelsLast);
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    const TensorId scratch = builder.new_scratch(
        VolumeDepthwiseStep::scratch_size(geometry, count, threads) * sizeof(float));
    auto step = std::make_unique<VolumeDepthwiseStep>(std::move(taps), std::move(kernel), geometry);
    step->set_tensors(src, std::move(extras), dst, scratch);
    step->info() = std::move(info);
    builder.add_step(std::move(step));
    ComposedAnchor composed;
    composed.complete = true;
    composed.dst_type = chain.dst_type;
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
