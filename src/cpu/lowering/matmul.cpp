// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes matmul steps: constant weights are packed in the layout that oneDNN likes best; a batch
// before two-dimensional weights joins the rows. Transpositions of operands and of the result, as
// around the products of attention, are strides where oneDNN's fast implementation takes them.
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/computed_product.hpp"
#include "cpu/lowering/matmul_operands.hpp"
#include "cpu/lowering/packed_weights.hpp"
#include "cpu/lowering/saturation.hpp"
#include "cpu/machine/isa_limit.hpp"
#include "cpu/post_ops/values_as_arguments.hpp"
#include "cpu/steps/half_matrix.hpp"
#include "cpu/steps/packed_step.hpp"
#include "fuseq/error.hpp"
#include "model/mapped_memory.hpp"
#include "ops/matmul.hpp"

namespace fuseq::cpu {
namespace {

using dnnl::memory;

constexpr int kOperands[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS};

// The implementation that takes any order of the dimensions around the rows.
bool takes_strides(const std::string& implementation) {
    return implementation.starts_with("brg");
}

class MatMulMaker {
public:
    // `halves`: by half_matrix, which half_matrix_supports().
    MatMulMaker(StepBuilder& builder, const Group& group, bool halves)
        : builder_(builder), group_(group), node_(*group.anchor), halves_(halves) {}

    TensorId make() {
        read_node();
        read_operands();
        // Where the result is not in order, oneDNN 2.6 takes the place of a channel in memory for its
        // number, and reads beyond the list of values a channel.
        merge_ = post_ops::has_channel_values(group_.chain) ? nullptr
                                                            : transpose_after(builder_, group_);
        std::vector<std::string> notes;
        ComposedAnchor composed = choose(notes);
        if (merge_ != nullptr &&
            (!composed.complete || !takes_strides(implementation_name(desc_)))) {
            merge_ = nullptr;
            notes.clear();
            composed = choose(notes);
        }
        if (shared_attributes_) {
            composed.attributes = std::move(*shared_attributes_);
        }
        return add_step(composed, std::move(notes));
    }

private:
    memory::desc result_desc() const {
        return dnnl_desc(ElementType::f32, matrix_dst(), Layout::kPlain);
    }

    post_ops::Anchor anchor() const {
        post_ops::Anchor anchor;
        anchor.kind = post_ops::AnchorKind::kMatMul;
        anchor.src_type = src_type_;
        anchor.wei_type = wei_type_;
        anchor.oc = dst_dims_.back();
        anchor.isa = isa_level();
        anchor.sum_inputs = overwritable_sources(builder_, group_, Layout::kPlain);
        anchor.constant_weights = constant_;
        anchor.whole_numbers = widened_;
        return anchor;
    }

    ComposedAnchor choose(std::vector<std::string>& notes) {
        if (!note_.empty()) {
            notes.push_back(note_);
        }
        return choose_composition(
            group_, anchor(), {result_desc(), static_cast<int>(matrix_dst().size()) - 1},
            [&](const ComposedAnchor& c) { return try_primitive(c); }, notes);
    }

    void read_node() {
        const auto& attrs = node_.attrs<MatMulAttrs>();
        transpose_a_ = attrs.transpose_a;
        transpose_b_ = attrs.transpose_b;
        constant_ = node_.input_node(1)->is_constant();
        wei_type_ = node_.input(1).type();
        dst_dims_ = node_.port(0).shape.to_shape();
        src_type_ = node_.input(0).type();
        src_dims_ = padded(node_.input(0).shape(), dst_dims_.size());
        wei_dims_ = padded(node_.input(1).shape(), dst_dims_.size());
        if (constant_ && !transpose_a_ && node_.input(1).shape().size() == 2) {
            join_batch();
        }
        zero_points_[0] = zero_point(2);
        zero_points_[1] = zero_point(3);
    }

    void read_operands() {
        const bool saturates = is_integral(src_type_) && !int8_accumulates_exactly();
        if (!saturates && read_through_transposes()) {
            return;
        }
        src_id_ = builder_.tensor_of(node_.input(0), Layout::kPlain);
        src_desc_ = matrix_desc(src_type_, src_dims_, transpose_a_);
        if (!constant_) {
            wei_id_ = builder_.tensor_of(node_.input(1), Layout::kPlain);
        }
        if (saturates) {
            avoid_saturation();
        }
        wei_desc_ = matrix_desc(wei_type_, wei_dims_, transpose_b_);
    }

    // Reads the sources of transpositions instead of their results. False: there are none, or
    // oneDNN is not fast then.
    bool read_through_transposes() {
        const std::size_t rank = dst_dims_.size();
        if ((builder_.deferred_transpose(node_.input(0)) == nullptr &&
             builder_.deferred_transpose(node_.input(1)) == nullptr) ||
            node_.input(0).shape().size() != rank || node_.input(1).shape().size() != rank) {
            return false;
        }
        const MatMulOperand src = matmul_operand(builder_, node_, 0, transpose_a_);
        const MatMulOperand wei = matmul_operand(builder_, node_, 1, transpose_b_);
        const auto* const strides = src.desc.data.format_desc.blocking.strides;
        if (strides[rank - 1] != 1) {
            return false;
        }
        if (!is_fast_with(src.desc, wei.desc)) {
            return false;
        }
        src_id_ = builder_.tensor_of(src.output, Layout::kPlain);
        wei_id_ = builder_.tensor_of(wei.output, Layout::kPlain);
        src_desc_ = src.desc;
        wei_desc_ = wei.desc;
        for (std::size_t i = 0; i < 2; ++i) {
            if (node_.input(i) != (i == 0 ? src : wei).output) {
                read_through_.push_back(node_.input_node(i)->name());
            }
        }
        return true;
    }

    bool is_fast_with(const memory::desc& src, const memory::desc& wei) const {
        std::vector<char> key;
        const auto append = [&](const auto& value) {
            static_assert(std::is_trivially_copyable_v<std::decay_t<decltype(value)>>);
            const char* bytes = reinterpret_cast<const char*>(&value);
            key.insert(key.end(), bytes, bytes + sizeof value);
        };
        append(src.data);
        append(wei.data);
        append(zero_points_);
        for (const std::size_t size : dst_dims_) {
            append(size);
        }
        const auto [answer, fresh] = builder_.answers().try_emplace(std::move(key), false);
        if (fresh) {
            answer->second = ask_whether_fast(src, wei);
        }
        return answer->second;
    }

    bool ask_whether_fast(const memory::desc& src, const memory::desc& wei) const {
        try {
            const dnnl::matmul::primitive_desc desc(
                {src, wei, dnnl_desc(ElementType::f32, dst_dims_, Layout::kPlain)}, attributes({}),
                cpu_engine());
            return takes_strides(implementation_name(desc));
        } catch (const dnnl::error&) {
            return false;
        }
    }

    memory::desc dst_desc(ElementType type) const {
        return merge_ == nullptr ? dnnl_desc(type, matrix_dst(), Layout::kPlain)
                                 : desc_before(*merge_, type);
    }

    dnnl::primitive_attr attributes(dnnl::primitive_attr attr) const {
        attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        for (std::size_t i = 0; i < 2; ++i) {
            if (zero_points_[i] != 0) {
                const int value = shared_zero_points_ ? DNNL_RUNTIME_S32_VAL : zero_points_[i];
                attr.set_zero_points(kOperands[i], 0, {value});
            }
        }
        return attr;
    }

    // Integers as floats: the order in which oneDNN pairs products is not ours to know, and the
    // second operand may be data.
    void avoid_saturation() {
        note_ = fmt::format("int8 kernels of {} may saturate at 16 bits: computed in f32",
                            to_string(isa_level()));
        widened_ = true;
        src_id_ = make_widened(builder_, src_id_, {static_cast<float>(zero_points_[0])}, 0);
        src_type_ = ElementType::f32;
        src_desc_ = matrix_desc(src_type_, src_dims_, transpose_a_);
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

    // What the product with halves does: a bias.
    static bool is_plain(const ComposedAnchor& composed) {
        const post_ops::Emission& e = composed.emission;
        return composed.dst_type == ElementType::f32 && e.post_ops.empty() &&
               e.dst_zero_point == 0 && e.output_scales.all_equal_to(1.0f) &&
               e.weight_scale.all_equal_to(1.0f);
    }

    std::optional<std::string> try_primitive(const ComposedAnchor& composed) {
        if (halves_ && !is_plain(composed)) {
            return std::nullopt;
        }
        try {
            if (!try_shared_primitive(composed)) {
                desc_ = primitive(composed, composed.attributes.attr);
            }
        } catch (const dnnl::error&) {
            return std::nullopt;
        }
        return implementation_name(desc_);
    }

    dnnl::matmul::primitive_desc primitive(const ComposedAnchor& composed,
                                           const dnnl::primitive_attr& post_ops) const {
        const memory::desc& src = src_desc_;
        const memory::desc wei = constant_ ? memory::desc(wei_desc_.dims(), wei_desc_.data_type(),
                                                          memory::format_tag::any)
                                           : wei_desc_;
        const memory::desc dst = dst_desc(composed.dst_type);
        const dnnl::primitive_attr attr = attributes(post_ops);
        const ThreadCount threads(threads_for(macs()));
        if (composed.emission.bias.empty()) {
            return {{src, wei, dst}, attr, cpu_engine()};
        }
        Shape dims(matrix_dst().size(), 1);
        dims.back() = dst_dims_.back();
        const memory::desc bias = dnnl_desc(ElementType::f32, dims, Layout::kPlain);
        return {{src, wei, bias, dst}, attr, cpu_engine()};
    }

    // A primitive that layers share which differ in scales and zero points alone. False: there is
    // none of the fast implementation. See values_as_arguments.hpp. The report shows the attributes
    // as the composer chose them.
    bool try_shared_primitive(const ComposedAnchor& composed) {
        const auto emission = post_ops::with_values_as_arguments(composed.emission);
        shared_attributes_ = emission ? post_ops::compose_attributes(
                                            *emission, result_desc(),
                                            static_cast<int>(matrix_dst().size()) - 1, cpu_engine())
                                      : composed.attributes;
        shared_zero_points_ = true;
        try {
            desc_ = primitive(composed, shared_attributes_->attr);
            const std::string name = implementation_name(desc_);
            if (takes_strides(name) &&
                post_ops::fault_of(name, anchor(), emission ? *emission : composed.emission)
                    .empty()) {
                return true;
            }
        } catch (const dnnl::error&) {
            // One of its own, then.
        }
        shared_attributes_.reset();
        shared_zero_points_ = false;
        return false;
    }

    PlainWeights plain_weights(const post_ops::Values& scale) const {
        const auto values = [this, scale] {
            const Tensor unscaled = constant_weights();
            return scale.all_equal_to(1.0f) ? unscaled : scaled(unscaled, scale);
        };
        return {values, wei_desc_, scale, node_.input_node(1)->constant().data(),
                weights_to_release(builder_, node_)};
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

    TensorId add_half_step(const ComposedAnchor& composed, std::vector<std::string> notes) {
        const TensorId dst = result_tensor(builder_, group_, composed, dst_dims_, Layout::kPlain);
        StepInfo info = describe(composed, std::move(notes));
        info.implementation = "fuseq:half_matrix";
        info.wei_type = to_string(ElementType::f16);
        info.bytes -= static_cast<std::int64_t>(shape_size(wei_dims_) * 2);
        const std::size_t depth = src_dims_.back();
        const std::size_t channels = dst_dims_.back();
        auto step =
            std::make_unique<HalfMatrixStep>(kernels::HalfMatrix(depth, channels),
                                             composed.emission.bias, src_id_, dst, std::move(info));
        Tensor weights = node_.input_node(1)->constant();
        release(weights_to_release(builder_, node_));
        builder_.defer([matrix = &step->matrix(), weights = std::move(weights),
                        channels_first = transpose_b_]() mutable {
            // Memory of a compiled model's file is there to be read.
            matrix->pack(std::as_const(weights).values<float>(), channels_first);
            let_go_of_pages(weights);
            weights = Tensor();
        });
        builder_.add_step(std::move(step));
        return finish_anchor(builder_, group_, composed, dst);
    }

    TensorId add_step(const ComposedAnchor& composed, std::vector<std::string> notes) {
        if (halves_ && is_plain(composed)) {
            return add_half_step(composed, std::move(notes));
        }
        DnnlCall call;
        call.one_thread = threads_for(macs()) == 1;
        const TensorId dst = result_tensor(
            builder_, group_, composed,
            merge_ == nullptr ? dst_dims_ : merge_->port(0).shape.to_shape(), Layout::kPlain);
        call.tensors = {{DNNL_ARG_SRC, src_id_, desc_.src_desc()},
                        {DNNL_ARG_DST, dst, desc_.dst_desc()}};
        std::vector<TensorId> inputs = {src_id_};
        PlainWeights weights;
        if (constant_) {
            weights = plain_weights(composed.emission.weight_scale);
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
        for (std::size_t i = 0; i < 2; ++i) {
            if (zero_points_[i] != 0) {
                call.shared[DNNL_ARG_ATTR_ZERO_POINTS | kOperands[i]] = integer(zero_points_[i]);
            }
        }
        add_post_op_arguments(builder_, group_, composed, Layout::kPlain, call, inputs);
        TensorId scratch = kNoTensor;
        if (desc_.scratchpad_desc().get_size() != 0) {
            scratch = builder_.new_scratch(desc_.scratchpad_desc().get_size());
            call.tensors.push_back({DNNL_ARG_SCRATCHPAD, scratch, desc_.scratchpad_desc()});
        }
        auto step = std::make_unique<PackedStep>(std::move(call), std::move(inputs), dst, scratch,
                                                 describe(composed, std::move(notes)));
        step->set_computed_product(computed(composed, dst));
        add_packed_step(builder_, std::move(step), desc_, weights);
        if (merge_ != nullptr) {
            builder_.finish_node(*merge_, dst);
            return kNoTensor;
        }
        return finish_anchor(builder_, group_, composed, dst);
    }

    // Of two matrices of integers with the whole chain.
    std::shared_ptr<const ComputedProduct> computed(const ComposedAnchor& composed,
                                                    TensorId dst) const {
        if (constant_ || transpose_a_ || !composed.complete || !is_integral(src_type_) ||
            !is_integral(wei_type_) || !builder_.options().own_gemm) {
            return nullptr;
        }
        return computed_product_beside(
            builder_, group_,
            {src_id_, wei_id_, dst, strides_of(src_desc_), strides_of(wei_desc_),
             strides_of(dst_desc(composed.dst_type))});
    }

    std::int64_t macs() const {
        const std::size_t depth = transpose_a_ ? src_dims_[src_dims_.size() - 2] : src_dims_.back();
        return static_cast<std::int64_t>(shape_size(dst_dims_) * depth);
    }

    StepInfo describe(const ComposedAnchor& composed, std::vector<std::string> notes) const {
        StepInfo info;
        info.kind = "matmul";
        info.implementation = implementation_name(desc_);
        info.src_type = to_string(src_type_);
        info.wei_type = to_string(wei_type_);
        info.dst_type = to_string(composed.dst_type);
        info.layout = "plain";
        info.quantized = is_integral(src_type_) && is_integral(wei_type_);
        info.macs = macs();
        info.bytes = static_cast<std::int64_t>(shape_size(src_dims_) * size_of(src_type_) +
                                               shape_size(wei_dims_) * size_of(wei_type_) +
                                               shape_size(dst_dims_) * size_of(composed.dst_type));
        info.notes = std::move(notes);
        describe_anchor(info, group_, composed);
        info.layers.insert(info.layers.end(), read_through_.begin(), read_through_.end());
        if (merge_ != nullptr) {
            info.layers.push_back(merge_->name());
        }
        return info;
    }

    StepBuilder& builder_;
    const Group& group_;
    const Node& node_;
    bool halves_;  // one row by weights that are halves
    bool transpose_a_ = false;
    bool transpose_b_ = false;
    bool constant_ = false;
    TensorId src_id_ = kNoTensor;
    TensorId wei_id_ = kNoTensor;
    ElementType src_type_ = ElementType::undefined;
    memory::desc src_desc_, wei_desc_;
    std::vector<std::string> read_through_;  // transpositions of operands
    Node* merge_ = nullptr;                  // a transposition that the result is written for
    ElementType wei_type_ = ElementType::undefined;
    Shape src_dims_, wei_dims_, dst_dims_, matrix_dst_;
    int zero_points_[2] = {0, 0};
    std::optional<post_ops::ComposedAttributes> shared_attributes_;
    bool shared_zero_points_ = false;  // arguments of the primitive, not values of its attributes
    std::string note_;                 // why it does not run in int8
    bool widened_ = false;             // computes in f32 on integers
    dnnl::matmul::primitive_desc desc_;
};

}  // namespace

TensorId make_matmul(StepBuilder& builder, const Group& group) {
    return MatMulMaker(builder, group, false).make();
}

TensorId make_half_matrix(StepBuilder& builder, const Group& group) {
    return MatMulMaker(builder, group, true).make();
}

}  // namespace fuseq::cpu
