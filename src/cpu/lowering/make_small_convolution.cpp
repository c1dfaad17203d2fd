// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/pool_after.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/machine/instructions.hpp"
#include "cpu/machine/isa.hpp"
#include "cpu/plan/split_weight_zero_points.hpp"
#include "cpu/post_ops/chain_head.hpp"
#include "cpu/steps/conv_geometry.hpp"
#include "cpu/steps/fused_eltwise.hpp"
#include "cpu/steps/small_convolution.hpp"
#include "cpu/threading/parallel.hpp"
#include "fuseq/error.hpp"

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

// Of a convolution with output channels in lanes: than the matrix product, which copies windows,
// and oneDNN. Half vectors of channels are measured on Golden Cove, for one and a half.
bool channel_vectors_are_faster(const Node& node, const kernels::SmallConvShape& shape) {
    constexpr std::size_t kMinWidth = 32;
    constexpr std::size_t kVector = 16;
    if (shape.dst_channels % kVector != 0 &&
        (2 * shape.dst_channels != 3 * kVector || kernels::loads_one_wide_vector_a_cycle())) {
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
// oneDNN and the matrix product would compute with mostly empty vectors, and as pixels.
bool suits_planes(const kernels::SmallConvShape& shape, const Split& parts, bool plain) {
    constexpr std::size_t kFewBytes = 16;
    return shape.src_channels * shape.stride_width <= kFewBytes ||
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
    info.implementation = params.pool ? "fuseq:small_conv:pool" : "fuseq:small_conv";
    info.src_type = to_string(params.src_type);
    info.wei_type = to_string(ElementType::i8);
    info.dst_type = to_string(dst.type);
    info.layout = to_string(dst.layout);
    info.quantized = true;
    info.macs = static_cast<std::int64_t>(sums * (weights / params.shape.dst_channels));
    info.bytes = static_cast<std::int64_t>(src.bytes() + weights + sums * size_of(dst.type));
}

}  // namespace

std::optional<TensorId> make_small_convolution(PlanBuilder& builder, const Group& group) {
    const Node& node = *group.anchor;
    // DNNL_MAX_CPU_ISA limits this kernel too.
    if (!takes_node(node) || !int8_accumulates_exactly()) {
        return std::nullopt;
    }
    const kernels::SmallConvShape shape = conv_geometry(node);
    if (!kernels::SmallConv::takes(shape)) {
        return std::nullopt;
    }
    const auto zero_point = zero_point_of(node);
    if (!zero_point) {
        return std::nullopt;
    }
    const bool plain = is_result(group);
    Split parts = split(composer_of(group).chain(), plain);
    const bool lanes = kernels::SmallConv::has_channel_vectors(shape);
    if (lanes && (plain || !channel_vectors_are_faster(node, shape) ||
                  !channel_vectors_take(parts, node, shape))) {
        return std::nullopt;
    }
    if (!lanes && !suits_planes(shape, parts, plain)) {
        return std::nullopt;
    }
    const Tensor& weights = node.input_node(1)->constant();
    const TensorId src = builder.tensor_of(node.input(0), Layout::kChannelsLast);
    kernels::SmallConvParams params;
    params.shape = shape;
    params.src_type = node.input(0).type();
    params.src_zero_point = *zero_point;
    params.weights = weights.values<std::int8_t>();
    params.scale = parts.scale;
    params.bias = parts.bias;
    const std::vector<float> wei_zero_point = wei_zero_points(node);
    params.wei_zero_point = wei_zero_point;
    const std::vector<post_ops::Chain> results = {{{}, parts.inner.dst_type}};
    if (lanes) {
        params.ops = parts.inner.ops;
        params.results = results;
    }
    Node* pool = lanes ? pool_after(builder, group) : nullptr;
    // Where a wide load a cycle is all there is, not measured.
    params.pool = pool != nullptr && parts.complete && kernels::SmallConv::takes_pool(params) &&
                  !kernels::loads_one_wide_vector_a_cycle();
    if (pool != nullptr && !params.pool && !reads_binary_sources(parts.inner)) {
        return std::nullopt;  // the matrix product may take it along
    }
    const Shape dims = (params.pool ? *pool : node).port(0).shape.to_shape();
    const Layout layout = parts.complete && plain ? Layout::kPlain : Layout::kChannelsLast;
    std::vector<TensorId> binary_sources;
    std::vector<DedupRows> dedup_rows;
    if (reads_binary_sources(parts.inner)) {
        for (const Output& extra : group.binary_sources) {
            const TensorId id = builder.tensor_of(extra, Layout::kChannelsLast);
            dedup_rows.push_back(DedupRows::of_image(builder.tensor(id), dims));
            binary_sources.push_back(dedup_rows.back().offsets.empty() ? id : kNoTensor);
        }
        if (lanes) {
            scale_rows(parts.inner, dedup_rows);
        }
    }
    const TensorId dst = builder.new_tensor(parts.inner.dst_type, dims, layout);
    const bool listed =
        lanes || (kernels::SmallConv::has_lists(shape) && layout == Layout::kChannelsLast &&
                  channel_vectors_take(parts, node, shape));
    if (listed) {
        params.ops = parts.inner.ops;
        params.results = results;
    }
    // Rounded and stored by the kernel where next to nothing is between.
    const bool is_short =
        parts.inner.ops.empty() ||
        (parts.inner.ops.size() == 1 && kernels::SmallConv::takes_before_bytes(parts.inner.ops[0]));
    const bool to_bytes =
        is_short && layout == Layout::kChannelsLast && size_of(parts.inner.dst_type) == 1;
    if (!listed && to_bytes && kernels::SmallConv::stores_bytes(params)) {
        params.dst_type = parts.inner.dst_type;
        params.ops = parts.inner.ops;
    } else if (!listed || lanes) {
        params.pixels = layout == Layout::kChannelsLast && kernels::SmallConv::stores_pixels(shape);
    }
    auto step = std::make_unique<SmallConvolutionStep>(kernels::SmallConv(params), parts.inner, src,
                                                       binary_sources, std::move(dedup_rows),
                                                       builder.tensor(dst), dst);
    ComposedAnchor composed;
    composed.complete = parts.complete;
    composed.dst_type = parts.inner.dst_type;
    composed.rest = parts.rest;
    StepInfo& info = step->info();
    describe(info, node, params, builder.tensor(src), builder.tensor(dst));
    describe_anchor(info, group, composed);
    info.post_ops = text_of_zero_points(wei_zero_point) + post_ops::to_text(parts.fused);
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
