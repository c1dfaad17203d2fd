// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes convolution steps: src and dst channels-last, weights in the layout that oneDNN likes best,
// packed at compile time and shared by all requests.
#include "cpu/steps/convolution.hpp"

#include <cstring>
#include <numeric>

#include "cpu/runtime/isa.hpp"
#include "cpu/steps/anchor.hpp"
#include "cpu/steps/saturation.hpp"
#include "fuseq/error.hpp"
#include "ops/convolution.hpp"

namespace fuseq::cpu {
namespace {

class ConvolutionMaker {
public:
    ConvolutionMaker(PlanBuilder& builder, const Group& group)
        : builder_(builder), group_(group), node_(*group.anchor) {}

    TensorId make() {
        read_node();
        post_ops::Anchor anchor;
        anchor.kind = post_ops::AnchorKind::kConvolution;
        anchor.src_type = src_.type;
        anchor.wei_type = weights_.get_element_type();
        anchor.oc = dst_dims_[1];
        anchor.isa = isa_level();
        anchor.sum_inputs = overwritable_extras(builder_, group_, Layout::kChannelsLast);
        std::vector<std::string> notes;
        if (!note_.empty()) {
            notes.push_back(note_);
        }
        const ComposedAnchor composed = choose_composition(
            group_, anchor, {dnnl_desc(ElementType::f32, dst_dims_, Layout::kChannelsLast), 1},
            [&](const ComposedAnchor& c) { return try_primitive(c); }, notes);
        return add_step(composed, std::move(notes));
    }

private:
    void read_node() {
        src_id_ = builder_.tensor_of(node_.input(0), Layout::kChannelsLast);
        src_ = builder_.tensor(src_id_);
        weights_ = node_.input_node(1)->constant();
        grouped_ = node_.is("GroupConvolution");
        dst_dims_ = node_.port(0).shape.to_shape();
        windows_ =
            convolution_windows(node_.attrs<ConvolutionAttrs>(), src_.dims(), weights_.get_shape());
        if (node_.has_input(2)) {
            zero_points_ = to_floats(node_.input_node(2)->constant());
            zero_point_ = static_cast<int>(zero_points_.at(0));
        }
        if (!post_ops::Values(zero_points_).per_tensor()) {
            widen("oneDNN takes one zero point, not one a channel: computed in f32");
        } else if (is_integral(src_.type) && !int8_accumulates_exactly()) {
            avoid_saturation();
        }
    }

    // Integers as floats, unless the weights prove that int8 kernels give the same.
    void avoid_saturation() {
        constexpr std::int64_t kLargestByte = 255;
        if (src_.type != ElementType::u8 || zero_point_ != 0) {
            widen(detail::cat("int8 kernels of ", effective_isa(),
                              " are not exact for signed or shifted sources: computed in f32"));
            return;
        }
        const SaturationProof proof = prove_no_saturation(weights_, dst_dims_[1], kLargestByte);
        if (!proof.safe) {
            widen(detail::cat("two products may add up to ", proof.worst_pair, ", which ",
                              effective_isa(), " saturates at 16 bits: computed in f32"));
        }
    }

    void widen(std::string why) {
        note_ = std::move(why);
        src_id_ = make_widened(builder_, src_id_, zero_points_, 1);
        src_ = builder_.tensor(src_id_);
        weights_ = weights_.to(ElementType::f32);
        zero_point_ = 0;
    }

    // Creates the primitive descriptor in desc_.
    std::optional<std::string> try_primitive(const ComposedAnchor& composed) {
        dnnl::memory::dims strides, dilations, begin, end;
        for (std::size_t d = 0; d < windows_.size(); ++d) {
            const Window& w = windows_[d];
            strides.push_back(w.stride);
            dilations.push_back(w.dilation - 1);
            begin.push_back(w.pad_begin);
            // Floor division may leave a rest that the last window does not reach.
            const auto in = static_cast<std::int64_t>(src_.dims()[d + 2]);
            const auto out = static_cast<std::int64_t>(dst_dims_[d + 2]);
            end.push_back((out - 1) * w.stride + w.extent() - in - w.pad_begin);
        }
        using dnnl::memory;
        const memory::desc src = dnnl_desc(src_);
        const memory::desc wei(dnnl_dims(weights_.get_shape()),
                               dnnl_type(weights_.get_element_type()), memory::format_tag::any);
        const memory::desc dst = dnnl_desc(composed.dst_type, dst_dims_, Layout::kChannelsLast);
        memory::desc bias;
        if (!composed.emission.bias.empty()) {
            bias = memory::desc({static_cast<memory::dim>(dst_dims_[1])}, memory::data_type::f32,
                                memory::format_tag::a);
        }
        dnnl::primitive_attr attr = composed.attributes.attr;
        attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        if (zero_point_ != 0) {
            attr.set_zero_points(DNNL_ARG_SRC, 0, {zero_point_});
        }
        try {
            const dnnl::convolution_forward::desc operation(
                dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, src, wei,
                bias, dst, strides, dilations, begin, end);
            desc_ = dnnl::convolution_forward::primitive_desc(operation, attr, cpu_engine());
        } catch (const dnnl::error&) {
            return std::nullopt;
        }
        return implementation_name(desc_);
    }

    // Weights in oneDNN's layout; f32 weights take the scale that output scales cannot.
    dnnl::memory packed_weights(const post_ops::Values& scale) {
        Tensor values = weights_;
        if (!scale.all_equal_to(1.0f)) {
            values = scaled(weights_, scale, dst_dims_[1]);
        }
        const dnnl::memory plain(
            dnnl_desc(values.get_element_type(), values.get_shape(), Layout::kPlain), cpu_engine(),
            const_cast<void*>(static_cast<const Tensor&>(values).data()));
        dnnl::memory packed = shared_memory(desc_.weights_desc());
        dnnl::stream stream(cpu_engine());
        dnnl::memory source = plain;
        dnnl::reorder(source, packed).execute(stream, source, packed);
        stream.wait();
        return packed;
    }

    static Tensor scaled(const Tensor& weights, const post_ops::Values& scale, std::size_t oc) {
        Tensor result(weights.get_element_type(), weights.get_shape());
        const float* from = weights.data<float>();
        float* to = result.data<float>();
        const std::size_t per_channel = weights.get_size() / oc;
        for (std::size_t i = 0; i < weights.get_size(); ++i) {
            to[i] = from[i] * scale[i / per_channel];
        }
        return result;
    }

    TensorId add_step(const ComposedAnchor& composed, std::vector<std::string> notes) {
        DnnlCall call;
        call.primitive = dnnl::convolution_forward(desc_);
        const TensorId dst =
            result_tensor(builder_, group_, composed, dst_dims_, Layout::kChannelsLast);
        call.tensors = {{DNNL_ARG_SRC, src_id_, desc_.src_desc()},
                        {DNNL_ARG_DST, dst, desc_.dst_desc()}};
        call.shared[DNNL_ARG_WEIGHTS] = packed_weights(composed.emission.weight_scale);
        if (!composed.emission.bias.empty()) {
            call.shared[DNNL_ARG_BIAS] = shared_memory(composed.emission.bias);
        }
        if (zero_point_ != 0) {
            dnnl::memory zero_point = shared_memory(
                dnnl::memory::desc({1}, dnnl::memory::data_type::s32, dnnl::memory::format_tag::a));
            std::memcpy(zero_point.get_data_handle(), &zero_point_, sizeof zero_point_);
            call.shared[DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC] = zero_point;
        }
        std::vector<TensorId> inputs = {src_id_};
        add_post_op_arguments(builder_, group_, composed, Layout::kChannelsLast, call, inputs);
        TensorId scratch = kNoTensor;
        if (desc_.scratchpad_desc().get_size() != 0) {
            scratch = builder_.new_scratch(desc_.scratchpad_desc().get_size());
            call.tensors.push_back({DNNL_ARG_SCRATCHPAD, scratch, desc_.scratchpad_desc()});
        }
        StepInfo info = describe(composed, std::move(notes));
        builder_.add_step(std::make_unique<ConvolutionStep>(std::move(call), std::move(inputs), dst,
                                                            scratch, std::move(info)));
        return finish_anchor(builder_, group_, composed, dst);
    }

    StepInfo describe(const ComposedAnchor& composed, std::vector<std::string> notes) const {
        StepInfo info;
        info.kind = "convolution";
        info.implementation = implementation_name(desc_);
        info.src_type = to_string(src_.type);
        info.wei_type = to_string(weights_.get_element_type());
        info.dst_type = to_string(composed.dst_type);
        info.layout = to_string(Layout::kChannelsLast);
        info.quantized = is_integral(src_.type) && is_integral(weights_.get_element_type());
        const std::size_t outputs = shape_size(dst_dims_);
        info.macs = static_cast<std::int64_t>(outputs * (weights_.get_size() / dst_dims_[1]));
        info.bytes = static_cast<std::int64_t>(src_.bytes() + weights_.get_byte_size() +
                                               outputs * size_of(composed.dst_type));
        info.notes = std::move(notes);
        describe_anchor(info, group_, composed);
        return info;
    }

    PlanBuilder& builder_;
    const Group& group_;
    const Node& node_;
    TensorId src_id_ = kNoTensor;
    PlanTensor src_;
    Tensor weights_;
    bool grouped_ = false;
    Shape dst_dims_;
    std::vector<Window> windows_;
    std::vector<float> zero_points_{0.0f};
    int zero_point_ = 0;  // the one that the primitive subtracts
    std::string note_;    // why it does not run in int8
    dnnl::convolution_forward::primitive_desc desc_;
};

}  // namespace

TensorId make_convolution(PlanBuilder& builder, const Group& group) {
    return ConvolutionMaker(builder, group).make();
}

}  // namespace fuseq::cpu
