// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/spatial_anchor.hpp"

#include <cstring>

#include <fmt/core.h>

#include "cpu/lowering/packed_weights.hpp"
#include "cpu/lowering/saturation.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "cpu/steps/packed_step.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {

using dnnl::memory;

namespace {

bool has(const dnnl::primitive_attr& attr, dnnl::primitive::kind kind) {
    const dnnl::post_ops ops = attr.get_post_ops();
    for (int i = 0; i < ops.len(); ++i) {
        if (ops.kind(i) == kind) {
            return true;
        }
    }
    return false;
}

// Whether oneDNN 2.6.3 applies a binary post-op wrongly: depthwise int8 convolutions for machines
// without AVX-512 do where channels do not fill whole vectors, those of brgemm where the result is
// one pixel of one image: a value a channel is a tensor like the result then, and vectors after
// the first take the values of the first.
bool loses_binary(const dnnl::primitive_attr& attr, const Shape& dst, const std::string& name) {
    constexpr std::size_t kVector = 8;
    constexpr std::size_t kWideVector = 16;
    if (!has(attr, dnnl::primitive::kind::binary)) {
        return false;
    }
    if (name.starts_with("jit_uni_int8")) {
        return dst[1] % kVector != 0;
    }
    const bool brgemm = name.starts_with("brgconv") || name.starts_with("brdgmm_dw");
    return brgemm && shape_size(dst) == dst[1] && dst[1] > kWideVector;
}

}  // namespace

SpatialAnchorMaker::SpatialAnchorMaker(StepBuilder& builder, const Group& group)
    : builder_(builder), group_(group) {}

TensorId SpatialAnchorMaker::make() {
    read_node();
    post_ops::Anchor anchor;
    anchor.kind = kind();
    anchor.src_type = src_.type;
    anchor.wei_type = wei_type_;
    anchor.oc = dst_dims_[1];
    anchor.whole_numbers = widened_;
    anchor.spatial_dims = dst_dims_.size() - 2;
    anchor.isa = isa_level();
    anchor.sum_inputs = overwritable_sources(builder_, group_, Layout::kChannelsLast);
    std::vector<std::string> notes;
    if (!note_.empty()) {
        notes.push_back(note_);
    }
    const ComposedAnchor composed = choose_composition(
        group_, anchor, {dnnl_desc(ElementType::f32, dst_dims_, Layout::kChannelsLast), 1},
        [&](const ComposedAnchor& c) { return try_primitive(c); }, notes);
    return add_step(composed, std::move(notes));
}

void SpatialAnchorMaker::read_node() {
    src_id_ = builder_.tensor_of(node().input(0), Layout::kChannelsLast);
    src_ = builder_.tensor(src_id_);
    weights_ = node().input_node(1)->constant();
    wei_type_ = weights_.get_element_type();
    dst_dims_ = node().port(0).shape.to_shape();
    if (node().has_input(zero_point_input())) {
        zero_points_ = to_floats(node().input_node(zero_point_input())->constant());
        zero_point_ = static_cast<int>(zero_points_.at(0));
    }
    if (!post_ops::Values(zero_points_).per_tensor()) {
        widen("oneDNN takes one zero point, not one a channel: computed in f32");
    } else if (is_integral(src_.type) && !int8_accumulates_exactly()) {
        avoid_saturation();
    }
}

// Integers as floats, unless the weights prove that int8 kernels give the same.
void SpatialAnchorMaker::avoid_saturation() {
    constexpr std::int64_t kLargestByte = 255;
    if (src_.type != ElementType::u8 || zero_point_ != 0 ||
        kind() != post_ops::AnchorKind::kConvolution) {
        widen(fmt::format("int8 kernels of {} are not proved exact for it: computed in f32",
                          to_string(isa_level())));
        return;
    }
    const SaturationProof proof = prove_no_saturation(weights_, dst_dims_[1], kLargestByte);
    if (!proof.safe) {
        widen(fmt::format(
            "two products may add up to {}, which {} saturates at 16 bits: computed in f32",
            proof.worst_pair, to_string(isa_level())));
    }
}

void SpatialAnchorMaker::widen(std::string why) {
    note_ = std::move(why);
    widened_ = true;
    src_id_ = make_widened(builder_, src_id_, zero_points_, 1);
    src_ = builder_.tensor(src_id_);
    wei_type_ = ElementType::f32;
    zero_point_ = 0;
}

// Creates the primitive descriptor in desc_.
std::optional<std::string> SpatialAnchorMaker::try_primitive(const ComposedAnchor& composed) {
    Descriptors descriptors;
    descriptors.src = dnnl_desc(src_);
    const memory::desc plain = plain_weights(wei_type_);
    descriptors.wei = memory::desc(plain.dims(), plain.data_type(), memory::format_tag::any);
    descriptors.dst = dnnl_desc(composed.dst_type, dst_dims_, Layout::kChannelsLast);
    if (!composed.emission.bias.empty()) {
        descriptors.bias = memory::desc({static_cast<memory::dim>(dst_dims_[1])},
                                        memory::data_type::f32, memory::format_tag::a);
    }
    dnnl::primitive_attr attr = composed.attributes.attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    if (zero_point_ != 0) {
        attr.set_zero_points(DNNL_ARG_SRC, 0, {zero_point_});
    }
    const ThreadCount threads(threads_for(macs()));
    try {
        desc_ = create(descriptors, padding(), attr, group_.preferred_implementation);
        // Of groups of 4 or 8 channels oneDNN 2.6.3 promises more than it can write code for:
        // exponentials on vectors of 16 and 32 bytes. Its cache keeps the primitive for the step.
        const bool in_groups = weights_.get_shape().size() > dst_dims_.size();
        if (in_groups && is_integral(src_.type) && has(attr, dnnl::primitive::kind::eltwise)) {
            dnnl::primitive(desc_.get());
        }
    } catch (const dnnl::error&) {
        return std::nullopt;
    }
    std::string name = implementation_name(desc_);
    if (loses_binary(attr, dst_dims_, name)) {
        return std::nullopt;
    }
    return name;
}

// In the type that the primitive reads. f32 weights take the scale that output scales cannot.
Tensor SpatialAnchorMaker::constant_weights(const post_ops::Values& scale) const {
    const Tensor unscaled =
        weights_.get_element_type() == wei_type_ ? weights_ : weights_.to(wei_type_);
    if (scale.all_equal_to(1.0f)) {
        return unscaled;
    }
    Tensor result(wei_type_, weights_.get_shape());
    const float* from = unscaled.data<float>();
    float* to = result.data<float>();
    for (std::size_t i = 0; i < weights_.get_size(); ++i) {
        to[i] = from[i] * scale[output_channel(i)];
    }
    return result;
}

TensorId SpatialAnchorMaker::add_step(const ComposedAnchor& composed,
                                      std::vector<std::string> notes) {
    DnnlCall call;
    call.one_thread = threads_for(macs()) == 1;
    const TensorId dst =
        result_tensor(builder_, group_, composed, dst_dims_, Layout::kChannelsLast);
    call.tensors = {{DNNL_ARG_SRC, src_id_, desc_.query_md(dnnl::query::src_md)},
                    {DNNL_ARG_DST, dst, desc_.query_md(dnnl::query::dst_md)}};
    if (!composed.emission.bias.empty()) {
        call.shared[DNNL_ARG_BIAS] = shared_memory(composed.emission.bias);
    }
    if (zero_point_ != 0) {
        memory zero_point =
            shared_memory(memory::desc({1}, memory::data_type::s32, memory::format_tag::a));
        std::memcpy(zero_point.get_data_handle(), &zero_point_, sizeof zero_point_);
        call.shared[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC] = zero_point;
    }
    std::vector<TensorId> inputs = {src_id_};
    add_post_op_arguments(builder_, group_, composed, Layout::kChannelsLast, call, inputs);
    const memory::desc scratchpad = desc_.query_md(dnnl::query::scratchpad_md);
    TensorId scratch = kNoTensor;
    if (scratchpad.get_size() != 0) {
        scratch = builder_.new_scratch(scratchpad.get_size());
        call.tensors.push_back({DNNL_ARG_SCRATCHPAD, scratch, scratchpad});
    }
    const post_ops::Values& scale = composed.emission.weight_scale;
    PlainWeights weights{[&] { return constant_weights(scale); }, plain_weights(wei_type_), scale,
                         std::as_const(weights_).data(), weights_to_release(builder_, node())};
    add_packed_step(builder_,
                    std::make_unique<PackedStep>(std::move(call), std::move(inputs), dst, scratch,
                                                 describe(composed, std::move(notes))),
                    desc_, weights);
    return finish_anchor(builder_, group_, composed, dst);
}

StepInfo SpatialAnchorMaker::describe(const ComposedAnchor& composed,
                                      std::vector<std::string> notes) const {
    StepInfo info;
    info.kind = kind_name();
    info.implementation = implementation_name(desc_);
    info.src_type = to_string(src_.type);
    info.wei_type = to_string(wei_type_);
    info.dst_type = to_string(composed.dst_type);
    info.layout = to_string(Layout::kChannelsLast);
    info.quantized = is_integral(src_.type) && is_integral(wei_type_);
    info.macs = macs();
    info.bytes = static_cast<std::int64_t>(src_.bytes() + weights_.get_size() * size_of(wei_type_) +
                                           shape_size(dst_dims_) * size_of(composed.dst_type));
    info.notes = std::move(notes);
    describe_anchor(info, group_, composed);
    return info;
}

}  // namespace fuseq::cpu
