// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes matmul steps: constant weights are packed in the layout that oneDNN likes best; a batch in
// front of two-dimensional weights joins the rows.
#include <cstring>

#include "cpu/runtime/isa.hpp"
#include "cpu/steps/anchor.hpp"
#include "cpu/steps/packed_step.hpp"
#include "cpu/steps/saturation.hpp"
#include "fuseq/error.hpp"
#include "ops/matmul.hpp"

namespace fuseq::cpu {
namespace {

using dnnl::memory;

// Descriptor of a plain tensor of `dims`, its last two dimensions exchanged when transposed.
memory::desc matrix_desc(ElementType type, const Shape& dims, bool transposed) {
    memory::desc desc = dnnl_desc(type, dims, Layout::kPlain);
    if (!transposed) {
        return desc;
    }
    std::vector<int> order(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) {
        order[d] = static_cast<int>(d);
    }
    std::swap(order[dims.size() - 1], order[dims.size() - 2]);
    return desc.permute_axes(order);
}

// Ones in front until the rank is `rank`.
Shape padded(const Shape& shape, std::size_t rank) {
    Shape result(rank - shape.size(), 1);
    result.insert(result.end(), shape.begin(), shape.end());
    return result;
}

class MatMulMaker {
public:
    MatMulMaker(PlanBuilder& builder, const Group& group)
        : builder_(builder), group_(group), node_(*group.anchor) {}

    TensorId make() {
        read_node();
        post_ops::Anchor anchor;
        anchor.kind = post_ops::AnchorKind::kMatMul;
        anchor.src_type = src_.type;
        anchor.wei_type = wei_type_;
        anchor.oc = dst_dims_.back();
        anchor.isa = isa_level();
        anchor.sum_inputs = overwritable_extras(builder_, group_, Layout::kPlain);
        anchor.constant_weights = constant_;
        anchor.whole_numbers = widened_;
        std::vector<std::string> notes;
        if (!note_.empty()) {
            notes.push_back(note_);
        }
        const ComposedAnchor composed = choose_composition(
            group_, anchor,
            {dnnl_desc(ElementType::f32, matrix_dst(), Layout::kPlain),
             static_cast<int>(matrix_dst().size()) - 1},
            [&](const ComposedAnchor& c) { return try_primitive(c); }, notes);
        return add_step(composed, std::move(notes));
    }

private:
    void read_node() {
        const auto& attrs = node_.attrs<MatMulAttrs>();
        transpose_a_ = attrs.transpose_a;
        transpose_b_ = attrs.transpose_b;
        src_id_ = builder_.tensor_of(node_.input(0), Layout::kPlain);
        src_ = builder_.tensor(src_id_);
        constant_ = node_.input_node(1)->is_constant();
        wei_type_ = node_.input(1).type();
        dst_dims_ = node_.port(0).shape.to_shape();
        src_dims_ = padded(src_.dims(), dst_dims_.size());
        wei_dims_ = padded(node_.input(1).shape(), dst_dims_.size());
        if (constant_ && !transpose_a_ && node_.input(1).shape().size() == 2) {
            join_batch();
        }
        if (!constant_) {
            wei_id_ = builder_.tensor_of(node_.input(1), Layout::kPlain);
        }
        zero_points_[0] = zero_point(2);
        zero_points_[1] = zero_point(3);
        if (is_integral(src_.type) && !int8_accumulates_exactly()) {
            avoid_saturation();
        }
    }

    // Integers as floats: the order in which oneDNN pairs products is not ours to know, and the
    // second operand may be data.
    void avoid_saturation() {
        note_ = detail::cat("int8 kernels of ", effective_isa(),
                            " may saturate at 16 bits: computed in f32");
        widened_ = true;
        src_id_ = make_widened(builder_, src_id_, {static_cast<float>(zero_points_[0])}, 0);
        src_ = builder_.tensor(src_id_);
        if (!constant_) {
            wei_id_ = make_widened(builder_, wei_id_, {static_cast<float>(zero_points_[1])}, 0);
        }
        wei_type_ = ElementType::f32;
        zero_points_[0] = zero_points_[1] = 0;
    }

    // The constant second operand in the type that the primitive reads.
    Tensor constant_weights() const {
        Tensor values = node_.input_node(1)->constant();
        return values.get_element_type() == wei_type_ ? values : values.to(wei_type_);
    }

    int zero_point(std::size_t input) const {
        return node_.has_input(input)
                   ? static_cast<int>(to_ints(node_.input_node(input)->constant()).at(0))
                   : 0;
    }

    // [B..., M, K] x [K, N] is [B * M, K] x [K, N].
    void join_batch() {
        std::size_t rows = 1;
        for (std::size_t d = 0; d + 1 < src_dims_.size(); ++d) {
            rows *= src_dims_[d];
        }
        src_dims_ = Shape{rows, src_dims_.back()};
        wei_dims_ = node_.input(1).shape();
        matrix_dst_ = Shape{rows, dst_dims_.back()};
    }

    const Shape& matrix_dst() const { return matrix_dst_.empty() ? dst_dims_ : matrix_dst_; }

    std::optional<std::string> try_primitive(const ComposedAnchor& composed) {
        const memory::desc src = matrix_desc(src_.type, src_dims_, transpose_a_);
        const memory::desc plain_wei = matrix_desc(wei_type_, wei_dims_, transpose_b_);
        const memory::desc wei = constant_ ? memory::desc(plain_wei.dims(), plain_wei.data_type(),
                                                          memory::format_tag::any)
                                           : plain_wei;
        const memory::desc dst = dnnl_desc(composed.dst_type, matrix_dst(), Layout::kPlain);
        memory::desc bias;
        if (!composed.emission.bias.empty()) {
            Shape dims(matrix_dst().size(), 1);
            dims.back() = dst_dims_.back();
            bias = dnnl_desc(ElementType::f32, dims, Layout::kPlain);
        }
        dnnl::primitive_attr attr = composed.attributes.attr;
        attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        if (zero_points_[0] != 0) {
            attr.set_zero_points(DNNL_ARG_SRC, 0, {zero_points_[0]});
        }
        if (zero_points_[1] != 0) {
            attr.set_zero_points(DNNL_ARG_WEIGHTS, 0, {zero_points_[1]});
        }
        try {
            const dnnl::matmul::desc operation = composed.emission.bias.empty()
                                                     ? dnnl::matmul::desc(src, wei, dst)
                                                     : dnnl::matmul::desc(src, wei, bias, dst);
            desc_ = dnnl::matmul::primitive_desc(operation, attr, cpu_engine());
        } catch (const dnnl::error&) {
            return std::nullopt;
        }
        return implementation_name(desc_);
    }

    dnnl::memory packed_weights(const post_ops::Values& scale) const {
        const OneThread one;
        Tensor values = constant_weights();
        if (!scale.all_equal_to(1.0f)) {
            values = scaled(values, scale);
        }
        memory source(matrix_desc(wei_type_, wei_dims_, transpose_b_), cpu_engine(),
                      const_cast<void*>(static_cast<const Tensor&>(values).data()));
        memory packed = shared_memory(desc_.weights_desc());
        dnnl::stream stream(cpu_engine());
        dnnl::reorder(source, packed).execute(stream, source, packed);
        stream.wait();
        return packed;
    }

    Tensor scaled(const Tensor& weights, const post_ops::Values& scale) const {
        Tensor result(weights.get_element_type(), weights.get_shape());
        const Shape& dims = weights.get_shape();
        const std::size_t columns = dims.back();
        const std::size_t rows = dims[dims.size() - 2];
        for (std::size_t i = 0; i < weights.get_size(); ++i) {
            const std::size_t channel = transpose_b_ ? i / columns % rows : i % columns;
            result.data<float>()[i] = weights.data<float>()[i] * scale[channel];
        }
        return result;
    }

    static dnnl::memory integer(int value) {
        dnnl::memory result =
            shared_memory(memory::desc({1}, memory::data_type::s32, memory::format_tag::a));
        std::memcpy(result.get_data_handle(), &value, sizeof value);
        return result;
    }

    TensorId add_step(const ComposedAnchor& composed, std::vector<std::string> notes) {
        DnnlCall call;
        call.primitive = dnnl::matmul(desc_);
        const TensorId dst = result_tensor(builder_, group_, composed, dst_dims_, Layout::kPlain);
        call.tensors = {{DNNL_ARG_SRC, src_id_, desc_.src_desc()},
                        {DNNL_ARG_DST, dst, desc_.dst_desc()}};
        std::vector<TensorId> inputs = {src_id_};
        if (constant_) {
            call.shared[DNNL_ARG_WEIGHTS] = packed_weights(composed.emission.weight_scale);
        } else {
            call.tensors.push_back({DNNL_ARG_WEIGHTS, wei_id_, desc_.weights_desc()});
            inputs.push_back(wei_id_);
        }
        if (!composed.emission.bias.empty()) {
            Shape dims(matrix_dst().size(), 1);
            dims.back() = dst_dims_.back();
            dnnl::memory values = shared_memory(dnnl_desc(ElementType::f32, dims, Layout::kPlain));
            const std::vector<float>& bias = composed.emission.bias;
            std::memcpy(values.get_data_handle(), bias.data(), bias.size() * sizeof(float));
            call.shared[DNNL_ARG_BIAS] = values;
        }
        const int arguments[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS};
        for (std::size_t i = 0; i < 2; ++i) {
            if (zero_points_[i] != 0) {
                call.shared[DNNL_ARG_ATTR_ZERO_POINTS | arguments[i]] = integer(zero_points_[i]);
            }
        }
        add_post_op_arguments(builder_, group_, composed, Layout::kPlain, call, inputs);
        TensorId scratch = kNoTensor;
        if (desc_.scratchpad_desc().get_size() != 0) {
            scratch = builder_.new_scratch(desc_.scratchpad_desc().get_size());
            call.tensors.push_back({DNNL_ARG_SCRATCHPAD, scratch, desc_.scratchpad_desc()});
        }
        builder_.add_step(std::make_unique<PackedStep>(std::move(call), std::move(inputs), dst,
                                                       scratch,
                                                       describe(composed, std::move(notes))));
        return finish_anchor(builder_, group_, composed, dst);
    }

    StepInfo describe(const ComposedAnchor& composed, std::vector<std::string> notes) const {
        StepInfo info;
        info.kind = "matmul";
        info.implementation = implementation_name(desc_);
        info.src_type = to_string(src_.type);
        info.wei_type = to_string(wei_type_);
        info.dst_type = to_string(composed.dst_type);
        info.layout = "plain";
        info.quantized = is_integral(src_.type) && is_integral(wei_type_);
        const std::size_t outputs = shape_size(dst_dims_);
        const std::size_t depth = transpose_a_ ? src_dims_[src_dims_.size() - 2] : src_dims_.back();
        info.macs = static_cast<std::int64_t>(outputs * depth);
        info.bytes =
            static_cast<std::int64_t>(src_.bytes() + shape_size(wei_dims_) * size_of(wei_type_) +
                                      outputs * size_of(composed.dst_type));
        info.notes = std::move(notes);
        describe_anchor(info, group_, composed);
        return info;
    }

    PlanBuilder& builder_;
    const Group& group_;
    const Node& node_;
    bool transpose_a_ = false;
    bool transpose_b_ = false;
    bool constant_ = false;
    TensorId src_id_ = kNoTensor;
    TensorId wei_id_ = kNoTensor;
    PlanTensor src_;
    ElementType wei_type_ = ElementType::undefined;
    Shape src_dims_, wei_dims_, dst_dims_, matrix_dst_;
    int zero_points_[2] = {0, 0};
    std::string note_;      // why it does not run in int8
    bool widened_ = false;  // computes in f32 on integers
    dnnl::matmul::primitive_desc desc_;
};

}  // namespace

TensorId make_matmul(PlanBuilder& builder, const Group& group) {
    return MatMulMaker(builder, group).make();
}

}  // namespace fuseq::cpu
