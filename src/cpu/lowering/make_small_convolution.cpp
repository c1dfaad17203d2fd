// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/pool_after.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/lowering/weight_zero_points_text.hpp"
#include "cpu/machine/traits.hpp"
#include "cpu/post_ops/chain_head.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/steps/fused_eltwise.hpp"
#include "cpu/steps/small_convolution.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"
#include "transformations/support/anchor_zero_points.hpp"

namespace fuseq::cpu {
namespace {

bool takes_node(const Node& node) {
    const ElementType src_type = node.input(0).type();
    return node.is("Convolution") && node.port(0).shape.rank() == 4 &&
           node.input(1).type() == ElementType::i8 &&
           (src_type == ElementType::u8 || src_type == ElementType::i8);
}

// One zero point, in the range of the type; nothing when the kernel cannot take it.
std::optional<std::int32_t> zero_point_of(const Node& node) {
    const auto zero_point = single_zero_point(node, 2);
    const std::int32_t low = node.input(0).type() == ElementType::i8 ? -128 : 0;
    const bool in_range = zero_point && *zero_point >= low && *zero_point <= low + 255;
    return in_range ? zero_point : std::nullopt;
}

// How much of a chain the step does: all up to the first second tensor that has not the size of the
// result; up to the first one of any size where the result is plain.
struct Split {
    std::vector<float> scale{1.0f};
    std::vector<float> bias;
    post_ops::Chain inner;  // after scale and bias
    post_ops::Chain fused;  // all of it, to be shown
    post_ops::Chain rest;
    bool complete = true;
};

Split split(const post_ops::Chain& chain, bool plain) {
    Split result;
    const post_ops::AffineHead affine = post_ops::affine_head(chain);
    if (affine.scale) {
        result.scale = affine.scale->list();
    }
    if (affine.shift) {
        result.bias = affine.shift->list();
    }
    const auto from = chain.ops.begin() + static_cast<std::ptrdiff_t>(affine.consumed);
    const auto to = std::find_if(from, chain.ops.end(), [&](const post_ops::BasicOp& op) {
        const auto* binary = std::get_if<post_ops::Binary>(&op);
        return binary != nullptr && (plain || binary->per_plane || binary->per_pixel);
    });
    result.complete = to == chain.ops.end();
    result.inner.ops.assign(from, to);
    result.fused.ops.assign(chain.ops.begin(), to);
    result.rest.ops.assign(to, chain.ops.end());
    result.rest.dst_type = chain.dst_type;
    result.inner.dst_type = result.complete ? chain.dst_type : ElementType::f32;
    result.fused.dst_type = result.inner.dst_type;
    return result;
}

bool reads_binary_sources(const post_ops::Chain& chain) {
    return std::any_of(chain.ops.begin(), chain.ops.end(), [](const post_ops::BasicOp& op) {
        return std::holds_alternative<post_ops::Binary>(op);
    });
}

// Constants of which the different rows are kept are what is added: zero points and scales are
// applied here, as floats, as the kernel would.
void scale_rows(post_ops::Chain& chain, std::vector<DedupRows>& rows) {
    for (std::size_t e = 0; e < rows.size(); ++e) {
        std::vector<post_ops::Binary*> readers;
        for (post_ops::BasicOp& op : chain.ops) {
            auto* binary = std::get_if<post_ops::Binary>(&op);
            if (binary != nullptr && binary->input == e) {
                readers.push_back(binary);
            }
        }
        if (rows[e].offsets.empty() || readers.size() != 1) {
            continue;
        }
        post_ops::Binary& reader = *readers[0];
        for (std::size_t i = 0; i + sizeof(float) <= rows[e].bytes.size(); i += sizeof(float)) {
            float value = 0.0f;
            std::memcpy(&value, rows[e].bytes.data() + i, sizeof(value));
            value = (value - reader.zero_point) * reader.scale;
            std::memcpy(rows[e].bytes.data() + i, &value, sizeof(value));
        }
        reader.zero_point = 0.0f;
        reader.scale = 1.0f;
    }
}

// Of a convolution with output channels in vectors: than the matrix product, which copies windows,
// and oneDNN. Half vectors of channels are measured on Golden Cove, for one and a half.
bool channel_vectors_are_faster(const Node& node, const kernels::SmallConvShape& shape) {
    constexpr std::size_t kMinWidth = 32;
    constexpr std::size_t kVector = 16;
    if (shape.dst_channels % kVector != 0 &&
        (2 * shape.dst_channels != 3 * kVector || machine_traits().one_wide_load_a_cycle)) {
        return false;
    }
    if (shape.kernel_width < 3 || shape.dst_width < kMinWidth) {
        return false;
    }
    if (shape.src_channels < 8) {
        return weight_zero_points(node) == 0 || shape.stride_width == 1 ||
               kernels::SmallConv::sums_in_triples(shape);
    }
    return shape.dst_channels <= 32;
}

// Pixels of more than 16 bytes: 1x1 layers whose floats are a result of the model, in planes, which
// oneDNN and the matrix product would compute with mostly empty vectors, and as pixels. Without
// VNNI also what the matrix product does not take (pairs_are_faster).
bool suits_planes(const kernels::SmallConvParams& params, const Split& parts, bool plain) {
    constexpr std::size_t kFewBytes = 16;
    constexpr std::size_t kHalfPanel = 8;
    const kernels::SmallConvShape& shape = params.shape;
    return shape.src_channels * shape.stride_width <= kFewBytes ||
           (params.pairs && shape.dst_channels < kHalfPanel) ||
           (plain && parts.complete && parts.inner.dst_type == ElementType::f32 &&
            shape.kernel_height == 1 && shape.kernel_width == 1);
}

bool channel_vectors_take(const Split& parts,
                          const Node& node,
                          const kernels::SmallConvShape& shape) {
    const auto& ops = parts.inner.ops;
    return kernels::SmallConv::takes_result({{}, parts.inner.dst_type}) &&
           std::all_of(ops.begin(), ops.end(), kernels::SmallConv::takes_op) &&
           (weight_zero_points(node) == 0 || kernels::SmallConv::takes_zero_points(shape));
}

// Results of the model are plain.
bool is_result(const Group& group) {
    const auto& uses = group.result.node->port(group.result.index).uses;
    return !uses.empty() && std::all_of(uses.begin(), uses.end(),
                                        [](const Use& use) { return use.node->is("Result"); });
}

// All but the layers and what follows.
void describe(StepInfo& info,
              const Node& node,
              const kernels::SmallConvParams& params,
              const PlanTensor& src,
              const PlanTensor& dst) {
    const std::size_t weights = params.weights.size();
    const std::size_t sums = shape_size(node.port(0).shape.to_shape());
    info.kind = "convolution";
    const char* const pairs = kernels::SmallConv::pairs_are_dots() ? "dots" : "pairs";
    info.implementation = params.pool    ? "fuseq:small_conv:pool"
                          : params.pairs ? std::string("fuseq:small_conv:") + pairs
                                         : "fuseq:small_conv";
    info.src_type = to_string(params.src_type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(dst.type);
    info.layout = to_string(dst.layout);
    info.quantized = true;
    info.macs = static_cast<std::int64_t>(sums * (weights / params.shape.dst_channels));
    info.bytes = static_cast<std::int64_t>(src.bytes() + weights + sums * size_of(dst.type));
}

// What the kernel is made of. The spans of `params` show the other members.
struct ConvolutionChoice {
    ConvolutionChoice() = default;
    ConvolutionChoice(const ConvolutionChoice&) = delete;
    ConvolutionChoice& operator=(const ConvolutionChoice&) = delete;

    kernels::SmallConvParams params;
    Split parts;
    std::vector<float> wei_zero_point;
    std::vector<post_ops::Chain> results;
    bool plain = false;       // a result of the model
    bool by_channel = false;  // channels in vectors
    Node* pool = nullptr;
};

Verdict takes_chain(const Node& node, const ConvolutionChoice& choice) {
    const kernels::SmallConvShape& shape = choice.params.shape;
    if (!choice.by_channel) {
        return suits_planes(choice.params, choice.parts, choice.plain)
                   ? Verdict::yes()
                   : Verdict::no("pixels of more than 16 bytes");
    }
    if (choice.plain) {
        return Verdict::no("a result of the model, in planes");
    }
    if (!channel_vectors_are_faster(node, shape)) {
        return Verdict::no(fmt::format(
            "not expected to be faster: {} to {} channels, rows of {}, kernel width {}",
            shape.src_channels, shape.dst_channels, shape.dst_width, shape.kernel_width));
    }
    return channel_vectors_take(choice.parts, node, shape)
               ? Verdict::yes()
               : Verdict::no("an operation of the chain that the kernel lacks");
}

// All of `choice.params` but what follows from the tensors of the plan.
void set_params(const Node& node, std::int32_t zero_point, ConvolutionChoice& choice) {
    kernels::SmallConvParams& params = choice.params;
    params.src_type = node.input(0).type();
    params.src_zero_point = zero_point;
    params.weights = node.input_node(1)->constant().values<std::int8_t>();
    params.scale = choice.parts.scale;
    params.bias = choice.parts.bias;
    choice.wei_zero_point = wei_zero_points(node);
    params.wei_zero_point = choice.wei_zero_point;
    choice.results = {{{}, choice.parts.inner.dst_type}};
    if (choice.by_channel) {
        params.ops = choice.parts.inner.ops;
        params.results = choice.results;
    }
}

Verdict choose(const StepBuilder& builder, const Group& group, ConvolutionChoice& choice) {
    const Node& node = *group.anchor;
    if (!node.is("Convolution") || node.port(0).shape.rank() != 4) {
        return Verdict::other_kind();
    }
    if (!takes_node(node)) {
        return Verdict::no("for integers only");
    }
    choice.params.shape = conv_geometry(node);
    const kernels::SmallConvShape& shape = choice.params.shape;
    const MachineTraits machine = machine_traits();
    choice.by_channel = kernels::SmallConv::has_channel_vectors(shape);
    choice.params.pairs = !(machine.avx512_vnni && machine.avx512_vbmi) && !choice.by_channel;
    if (!choice.params.pairs && !machine.avx512_vbmi) {
        return Verdict::no(
            fmt::format("{}: no AVX-512 with VNNI and VBMI", to_string(machine.isa)));
    }
    if (choice.params.pairs ? !kernels::SmallConv::takes_pairs(shape)
                            : !kernels::SmallConv::takes(shape)) {
        return Verdict::no(fmt::format("not for {} to {} channels, kernel {}x{}, stride {}",
                                       shape.src_channels, shape.dst_channels, shape.kernel_height,
                                       shape.kernel_width, shape.stride_width));
    }
    const auto zero_point = zero_point_of(node);
    if (!zero_point) {
        return Verdict::no("several zero points of source, or one that is no value of its type");
    }
    choice.plain = is_result(group);
    choice.parts = split(composer_of(group).chain(), choice.plain);
    if (Verdict chain = takes_chain(node, choice); !chain) {
        return chain;
    }
    set_params(node, *zero_point, choice);
    choice.pool = choice.by_channel ? pool_after(builder, group) : nullptr;
    // Where a wide load a cycle is all there is, not measured.
    choice.params.pool = choice.pool != nullptr && choice.parts.complete &&
                         kernels::SmallConv::takes_pool(choice.params) &&
                         !machine.one_wide_load_a_cycle;
    if (choice.pool != nullptr && !choice.params.pool &&
        !reads_binary_sources(choice.parts.inner)) {
        return Verdict::no("the matrix product may take the pooling along");
    }
    return Verdict::yes();
}

// Which operations the kernel applies, and what it stores.
void set_stores(const Node& node, Layout layout, ConvolutionChoice& choice) {
    kernels::SmallConvParams& params = choice.params;
    const kernels::SmallConvShape& shape = params.shape;
    const bool listed =
        choice.by_channel ||
        (!params.pairs && kernels::SmallConv::has_lists(shape) && layout == Layout::kChannelsLast &&
         channel_vectors_take(choice.parts, node, shape));
    if (listed) {
        params.ops = choice.parts.inner.ops;
        params.results = choice.results;
    }
    // Rounded and stored by the kernel where next to nothing is between.
    const bool is_short = choice.parts.inner.ops.empty() ||
                          (choice.parts.inner.ops.size() == 1 &&
                           kernels::SmallConv::takes_before_bytes(choice.parts.inner.ops[0]));
    const bool to_bytes =
        is_short && layout == Layout::kChannelsLast && size_of(choice.parts.inner.dst_type) == 1;
    if (!listed && !params.pairs && to_bytes && kernels::SmallConv::stores_bytes(params)) {
        params.dst_type = choice.parts.inner.dst_type;
        params.ops = choice.parts.inner.ops;
    } else if (!params.pairs && (!listed || choice.by_channel)) {
        params.pixels = layout == Layout::kChannelsLast && kernels::SmallConv::stores_pixels(shape);
    }
}

// The kernel with the rounding of its sums as its epilogue. params: those of the kernel, which
// stores sums channels-last and nothing else.
SmallConvolutionStep::Remake remake_of(const kernels::SmallConvParams& params,
                                       const Tensor& weights,
                                       const std::vector<float>& zero_point,
                                       bool listed) {
    return [params, weights, zero_point,
            listed](const kernels::OwnRounding& own) -> std::optional<kernels::SmallConv> {
        kernels::SmallConvParams rounded = params;
        const std::vector<post_ops::Chain> results{{{}, own.dst}};
        const std::vector<post_ops::BasicOp> ops{post_ops::Clip{own.low, own.high}};
        const std::vector<float>& below = own.below.empty() ? own.shift : own.below;
        rounded.weights = weights.values<std::int8_t>();
        rounded.scale = own.scale;
        rounded.bias = own.shift;
        rounded.wei_zero_point = zero_point;
        rounded.ops = {};
        rounded.results = {};
        if (own.rule) {
            if (!listed || !has_rest(*own.rule) || !kernels::SmallConv::takes_floors(rounded)) {
                return std::nullopt;
            }
            rounded.rest = own.rest;
            rounded.below = below;
            rounded.offset = own.offset;
        }
        if (listed) {
            rounded.results = results;
            rounded.ops = own.clips ? std::span<const post_ops::BasicOp>(ops) : rounded.ops;
            return kernels::SmallConv(rounded);
        }
        rounded.pixels = false;
        if (own.clips || !kernels::SmallConv::stores_bytes(rounded)) {
            return std::nullopt;
        }
        rounded.dst_type = own.dst;
        return kernels::SmallConv(rounded);
    };
}

}  // namespace

Verdict small_convolution_supports(const StepBuilder& builder, const Group& group) {
    ConvolutionChoice choice;
    return choose(builder, group, choice);
}

TensorId make_small_convolution(StepBuilder& builder, const Group& group) {
    ConvolutionChoice choice;
    if (const Verdict verdict = choose(builder, group, choice); !verdict) {
        throw Error("compile", "small_conv: " + verdict.reason());
    }
    const Node& node = *group.anchor;
    kernels::SmallConvParams& params = choice.params;
    Split& parts = choice.parts;
    Node* const pool = choice.pool;
    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    const Shape dims = (params.pool ? *pool : node).port(0).shape.to_shape();
    const Layout layout = parts.complete && choice.plain ? Layout::kPlain : Layout::kChannelsLast;
    std::vector<TensorId> binary_sources;
    std::vector<DedupRows> dedup_rows;
    if (reads_binary_sources(parts.inner)) {
        for (const Output& source : group.binary_sources) {
            const TensorId id = builder.tensor_of(source, Layout::kChannelsLast);
            dedup_rows.push_back(DedupRows::of_image(builder.tensor(id), dims));
            binary_sources.push_back(dedup_rows.back().offsets.empty() ? id : kNoTensor);
        }
        if (choice.by_channel) {
            scale_rows(parts.inner, dedup_rows);
        }
    }
    const TensorId dst = builder.new_tensor(parts.inner.dst_type, dims, layout);
    set_stores(node, layout, choice);
    auto step = std::make_unique<SmallConvolutionStep>(kernels::SmallConv(params), parts.inner, src,
                                                       binary_sources, std::move(dedup_rows),
                                                       builder.tensor(dst), dst);
    if (parts.fused.ops.empty() && !params.pairs) {
        step->set_remake(remake_of(params, node.input_node(1)->constant(), choice.wei_zero_point,
                                   !params.results.empty()));
    }
    ComposedAnchor composed;
    composed.complete = parts.complete;
    composed.dst_type = parts.inner.dst_type;
    composed.remainder = parts.rest;
    StepInfo& info = step->info();
    describe(info, node, params, builder.tensor(src), builder.tensor(dst));
    describe_anchor(info, group, composed);
    info.post_ops = text_of_zero_points(choice.wei_zero_point) + post_ops::to_text(parts.fused);
    if (params.pool) {
        add_pool(info, *pool, builder.tensor(dst));
    }
    builder.add_step(std::move(step));
    if (params.pool) {
        builder.finish_node(*pool, dst);
        return kNoTensor;
    }
    return finish_anchor(builder, group, composed, dst);
}

}  // namespace fuseq::cpu
