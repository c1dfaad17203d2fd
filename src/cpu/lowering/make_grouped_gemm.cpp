// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Grouped convolutions of integers where oneDNN's int8 kernels may saturate: without AVX-512 VNNI.
// Each group is a convolution of the own matrix product whose source is copied, and whose results
// are a slice of the channels of dst. Groups of less than a vector of output channels are joined:
// weights between them are zero, and vectors are full.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "cpu/kernels/gemm/gemm_vnni.hpp"
#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/gemm_problem.hpp"
#include "cpu/lowering/own_composition.hpp"
#include "cpu/lowering/packed_weights.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/call_step.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"
#include "model/mapped_memory.hpp"
#include "transformations/support/anchor_zero_points.hpp"

namespace fuseq::cpu {
namespace {

constexpr std::size_t kVectorChannels = 16;  // output channels
constexpr std::size_t kOverread = 64;        // bytes after the copied source

// How the groups of a convolution are computed: `parts` convolutions of `joined` groups each.
struct Parts {
    kernels::ConvGeometry shape;  // of one part
    std::size_t groups = 1;
    std::size_t joined = 1;

    explicit Parts(const Node& node)
        : shape(conv_geometry(node)), groups(node.input(1).shape()[0]) {
        const std::size_t channels = shape.dst_channels / groups;
        for (std::size_t n = 2; n * channels <= kVectorChannels; ++n) {
            joined = groups % n == 0 ? n : joined;
        }
        shape.src_channels = shape.src_channels / groups * joined;
        shape.dst_channels = channels * joined;
    }
    std::size_t count() const { return groups / joined; }
    std::size_t src_pixels() const { return shape.batch * shape.src_height * shape.src_width; }
    std::size_t dst_pixels() const { return shape.batch * shape.dst_height * shape.dst_width; }

    // [dst channel][src channel][row][column] of part `number`.
    std::vector<std::int8_t> weights(std::span<const std::int8_t> all, std::size_t number) const {
        const std::size_t taps = shape.kernel_height * shape.kernel_width;
        const std::size_t dst_channels = shape.dst_channels / joined;
        const std::size_t row = shape.src_channels * taps;  // of a dst channel
        const std::size_t used = row / joined;
        std::vector<std::int8_t> part(shape.dst_channels * row);
        for (std::size_t c = 0; c < shape.dst_channels; ++c) {
            const auto* from = all.data() + (number * shape.dst_channels + c) * used;
            std::copy_n(from, used, part.data() + c * row + c / dst_channels * used);
        }
        return part;
    }
    // Of a list of one value, or of one a channel of all parts.
    std::vector<float> values(const std::vector<float>& all, std::size_t number) const {
        if (all.size() <= 1) {
            return all;
        }
        const float* const first = all.data() + number * shape.dst_channels;
        return {first, first + shape.dst_channels};
    }
};

// What the step needs at run time.
struct GroupedWork {
    Parts parts;
    std::vector<kernels::GemmVnni> kernels;

    // Bytes of the source of a part.
    std::size_t source() const {
        constexpr std::size_t kLine = 64;
        const std::size_t bytes = parts.src_pixels() * parts.shape.src_channels + kOverread;
        return (bytes + kLine - 1) / kLine * kLine;
    }
    std::size_t scratch(std::size_t threads) const {
        return kernels.size() * source() + threads * kernels.front().scratch_bytes();
    }

    void copy_source(const std::uint8_t* src, std::uint8_t* to) const {
        constexpr std::size_t kGrain = 256;
        const std::size_t bytes = parts.shape.src_channels;
        parallel_for(parts.src_pixels(), kGrain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t n = 0; n < kernels.size(); ++n) {
                const std::uint8_t* from = src + (begin * kernels.size() + n) * bytes;
                std::uint8_t* at = to + n * source() + begin * bytes;
                for (std::size_t i = begin; i < end; ++i) {
                    std::memcpy(at, from, bytes);
                    from += kernels.size() * bytes;
                    at += bytes;
                }
            }
        });
    }

    void run(const CallMemory& memory) const {
        auto* const sources = memory.work<std::uint8_t>(0);
        copy_source(memory.input<std::uint8_t>(0), sources);
        const kernels::GemmVnni& first = kernels.front();
        const std::size_t grains = parts.dst_pixels() / first.pixel_grain();
        // Where there are fewer parts than threads, some share one.
        const std::size_t shares =
            std::min(grains, (work_shares() + kernels.size() - 1) / kernels.size());
        parallel_for(kernels.size() * shares, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::size_t n = i / shares;
                const std::size_t share = i % shares;
                kernels::GemmArgs args;
                args.src = sources + n * source();
                args.dst =
                    memory.output<std::byte>(0) + n * first.dst_channels() * first.element_bytes();
                args.dst_pitch = kernels.size() * first.dst_channels();
                args.scratch = sources + kernels.size() * source();
                kernels[n].run_pixels(args, grains * share / shares * first.pixel_grain(),
                                      grains * (share + 1) / shares * first.pixel_grain(),
                                      static_cast<std::size_t>(omp_get_thread_num()));
            }
        });
    }
};

std::optional<OwnComposition> compose(const StepBuilder& builder,
                                      const Group& group,
                                      std::string& refused) {
    auto composition = compose_own(builder, group, post_ops::AnchorKind::kConvolution,
                                   group.anchor->port(0).shape.to_shape()[1], Layout::kChannelsLast,
                                   composer_of(group), refused);
    if (composition && !group.binary_sources.empty()) {
        refused = "reads no tensors after a grouped convolution";
        return std::nullopt;
    }
    return composition;
}

StepInfo describe(const StepBuilder& builder,
                  const Group& group,
                  const OwnComposition& composition,
                  TensorId src) {
    const Shape dst = group.anchor->port(0).shape.to_shape();
    const Tensor& weights = group.anchor->input_node(1)->constant();
    StepInfo info;
    info.kind = "convolution";
    info.src_type = to_string(builder.tensor(src).type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(composition.anchor.dst_type);
    info.layout = to_string(Layout::kChannelsLast);
    info.quantized = true;
    info.macs = static_cast<std::int64_t>(shape_size(dst) * (weights.get_size() / dst[1]));
    info.bytes = static_cast<std::int64_t>(builder.tensor(src).bytes() + weights.get_byte_size() +
                                           shape_size(dst) * size_of(composition.anchor.dst_type));
    describe_anchor(info, group, composition.anchor);
    info.post_ops = composition.text;
    info.notes = composition.notes;
    return info;
}

// What one kernel is made of; the lists that the spans of `params` show.
struct PartParams {
    std::vector<float> scale;
    std::vector<float> bias;
    kernels::GemmParams params;  // without weights
};

PartParams params_of(const Node& node,
                     const Parts& parts,
                     const OwnComposition& composition,
                     std::size_t number) {
    PartParams part{parts.values(composition.epilogue->scale, number),
                    parts.values(composition.epilogue->bias, number),
                    {}};
    const std::size_t taps = parts.shape.kernel_height * parts.shape.kernel_width;
    kernels::GemmParams& params = part.params;
    params.shape = parts.shape;
    params.weights = {.dst_channel = parts.shape.src_channels * taps,
                      .src_channel = taps,
                      .row = parts.shape.kernel_width,
                      .column = 1};
    params.src_type = node.input(0).type();
    params.dst_type = composition.anchor.dst_type;
    params.src_zero_point = *single_zero_point(node, 2);
    params.scale = part.scale;
    params.bias = part.bias;
    params.ops = composition.epilogue->program.ops;
    for (kernels::GemmOp& op : params.ops) {
        op.a = parts.values(op.a, number);
        op.b = parts.values(op.b, number);
    }
    params.form = gemm_form();
    return part;
}

// Packs the kernels of `work`, which `step` runs, while the rest of the plan is built.
void pack_later(StepBuilder& builder,
                const Node& anchor,
                CallStep& step,
                std::shared_ptr<GroupedWork> work,
                std::vector<PartParams> parts) {
    Tensor weights = anchor.input_node(1)->constant();
    release(weights_to_release(builder, anchor));
    builder.defer([&step, work = std::move(work), parts = std::move(parts),
                   weights = std::move(weights)]() mutable {
        std::size_t packed = 0;
        for (std::size_t n = 0; n < parts.size(); ++n) {
            const std::vector<std::int8_t> values =
                work->parts.weights(std::as_const(weights).values<std::int8_t>(), n);
            parts[n].params.weights.values = values;
            work->kernels[n].pack(parts[n].params);
            packed += work->kernels[n].packed_bytes();
        }
        step.set_packed_bytes(packed);
        let_go_of_pages(weights);
        weights = Tensor();
    });
}

}  // namespace

Verdict grouped_gemm_supports(const StepBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    if (!node.is("GroupConvolution")) {
        return Verdict::other_kind();
    }
    if (!builder.options().own_gemm) {
        return Verdict::no("FUSEQ_OWN_GEMM is NO");
    }
    const ElementType type = node.input(0).type();
    if ((type != ElementType::u8 && type != ElementType::i8) ||
        node.input(1).type() != ElementType::i8 || !node.input_node(1)->is_constant()) {
        return Verdict::no("for integers with constant weights");
    }
    if (gemm_has_vnni()) {
        return Verdict::no("oneDNN does not saturate with AVX-512 VNNI");
    }
    if (const std::size_t rank = node.input(0).shape().size(); rank != 3 && rank != 4) {
        return Verdict::no(fmt::format("{} spatial dimensions, at most 2", rank - 2));
    }
    if (!single_zero_point(node, 2)) {
        return Verdict::no("several zero points of source");
    }
    if (shape_size(node.port(0).shape.to_shape()) == 0) {
        return Verdict::no("no elements");
    }
    std::string refused;
    return compose(builder, group, refused) ? Verdict::yes() : Verdict::no(refused);
}

TensorId make_grouped_gemm(StepBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    std::string refused;
    const auto composition = compose(builder, group, refused);
    if (!composition) {
        throw Error("compile", "grouped_gemm: " + refused);
    }
    auto work = std::make_shared<GroupedWork>(GroupedWork{Parts(node), {}});
    std::vector<PartParams> parts;
    for (std::size_t n = 0; n < work->parts.count(); ++n) {
        parts.push_back(params_of(node, work->parts, *composition, n));
        work->kernels.push_back(kernels::GemmVnni::to_be_packed(parts.back().params));
    }
    CallStep::Tensors tensors;
    tensors.inputs = {builder.tensor_of(node.input(0), Layout::kChannelsLast)};
    StepInfo info = describe(builder, group, *composition, tensors.inputs[0]);
    info.implementation = "fuseq:grouped_" + work->kernels.front().implementation();
    const TensorId dst = builder.new_tensor(composition->anchor.dst_type,
                                            node.port(0).shape.to_shape(), Layout::kChannelsLast);
    tensors.outputs = {dst};
    tensors.scratch = {
        builder.new_scratch(work->scratch(static_cast<std::size_t>(omp_get_max_threads())))};
    auto step = std::make_unique<CallStep>([work](const CallMemory& memory) { work->run(memory); },
                                           std::move(tensors), std::move(info));
    pack_later(builder, node, *step, std::move(work), std::move(parts));
    builder.add_step(std::move(step));
    return finish_anchor(builder, group, composition->anchor, dst);
}

}  // namespace fuseq::cpu
