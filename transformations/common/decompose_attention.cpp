// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes matrix products and a softmax of an attention, so that quantized operands are multiplied as
// integers and steps are fused as in attention that is spelled out.
//
//   Law:     attention(q, k, v, mask, scale) = softmax(q * k^T * scale + mask) * v, scale being
//            1 / sqrt(E) where there is none; a boolean mask is 0 where it is true and -infinity
//            elsewhere, a causal one where the key is not after the query.
//   Before:  ScaledDotProductAttention(q, k, v [, mask [, scale]])
//   After:   MatMul(q, k, transpose_b) [-> Multiply(scale)] [-> Add(mask)] -> SoftMax(-1)
//            -> MatMul(v). The scale stands after the product, where it is one with the scale of
//            quantized operands. What a mask becomes is made once for all attentions that read it,
//            so is a causal mask of one size; a constant mask of nothing but 0 leaves no Add.
//   Refuses: a width or lengths that are not known where the scale or a causal mask follow from
//            them (open_shape); a mask of unknown rank (open_shape).
//   Source:  the definition of the operation.
#include "transformations/common/decompose_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ops/attention/scaled_dot_product_attention.hpp"
#include "ops/binary_arithmetic.hpp"
#include "ops/matmul.hpp"
#include "ops/select.hpp"
#include "ops/softmax.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace decompose_attention_pass {
namespace {

constexpr std::string_view kName = "decompose_attention";
constexpr std::size_t kMask = 3;
constexpr std::size_t kScale = 4;
constexpr float kHidden = -std::numeric_limits<float>::infinity();

// Masks that several attentions share, as tensors to be added.
struct Masks {
    std::map<std::pair<const Node*, std::size_t>, Output> of_booleans;
    std::map<std::pair<std::size_t, std::size_t>, Output> causal;
};

Dimension from_end(const Output& source, std::size_t i) {
    const PartialShape& shape = source.partial_shape();
    return shape.rank_is_static() ? shape[shape.rank() - i] : Dimension::dynamic();
}

bool is_causal(const Node& node) {
    return node.attrs<AttentionAttrs>().causal;
}

// What is not known of the shapes; empty when all that is needed is.
std::string open_part(const Node& node) {
    if (!node.has_input(kScale) && from_end(node.input(0), 1).is_dynamic()) {
        return "the width of the query";
    }
    if (is_causal(node) &&
        (from_end(node.input(0), 2).is_dynamic() || from_end(node.input(1), 2).is_dynamic())) {
        return "the number of queries or keys of a causal attention";
    }
    if (!is_causal(node) && node.has_input(kMask) &&
        !node.input(kMask).partial_shape().rank_is_static()) {
        return "the rank of the mask";
    }
    return {};
}

Output causal_mask(const Node& node, Masks& masks) {
    const auto rows = static_cast<std::size_t>(from_end(node.input(0), 2).get_length());
    const auto keys = static_cast<std::size_t>(from_end(node.input(1), 2).get_length());
    Output& mask = masks.causal[{rows, keys}];
    if (!mask) {
        Tensor values(ElementType::f32, Shape{rows, keys});
        float* value = values.data<float>();
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t key = 0; key < keys; ++key) {
                *value++ = key > row ? kHidden : 0.0f;
            }
        }
        mask = make_constant(node.model(), node.name() + "/causal", values);
    }
    return mask;
}

// 0 where it is true.
Output mask_of_booleans(const Node& node, Masks& masks) {
    const Output source = node.input(kMask);
    Output& mask = masks.of_booleans[{source.node, source.index}];
    if (mask) {
        return mask;
    }
    Model& model = node.model();
    if (const Tensor* known = known_constant(source)) {
        Tensor values(ElementType::f32, known->get_shape());
        std::transform(known->data<bool>(), known->data<bool>() + known->get_size(),
                       values.data<float>(), [](bool seen) { return seen ? 0.0f : kHidden; });
        mask = make_constant(model, node.name() + "/mask", values);
        return mask;
    }
    const Output zero = make_constant(model, node.name() + "/seen", Tensor::scalar(0.0f));
    const Output hidden = make_constant(model, node.name() + "/hidden", Tensor::scalar(kHidden));
    Node* select =
        model.add("Select", 1, node.name() + "/mask", {source, zero, hidden}, SelectAttrs{});
    select->origins = origins_of(node);
    mask = select->output();
    return mask;
}

bool is_all_zero(const Output& source) {
    const Tensor* known = known_constant(source);
    if (known == nullptr) {
        return false;
    }
    const std::vector<float> values = to_floats(*known);
    return std::all_of(values.begin(), values.end(), [](float value) { return value == 0; });
}

// What is added to the scores; a null Output for nothing.
Output mask_of(const Node& node, const PartialShape& scores, Masks& masks) {
    Output mask;
    if (is_causal(node)) {
        mask = causal_mask(node, masks);
    } else if (node.has_input(kMask)) {
        mask = node.input(kMask).type() == ElementType::boolean ? mask_of_booleans(node, masks)
                                                                : node.input(kMask);
    }
    if (!mask || !is_all_zero(mask)) {
        return mask;
    }
    // It may still enlarge the scores.
    const PartialShape& shape = mask.partial_shape();
    bool enlarges = !scores.rank_is_static() || shape.rank() > scores.rank();
    for (std::size_t d = 1; !enlarges && d <= shape.rank(); ++d) {
        enlarges = shape[shape.rank() - d] != Dimension(1) &&
                   shape[shape.rank() - d] != scores[scores.rank() - d];
    }
    return enlarges ? mask : Output{};
}

class Builder {
public:
    explicit Builder(Node& node) : node_(node) {}

    template <class Attrs>
    Output add(const char* type,
               int opset,
               const char* name,
               std::vector<Output> inputs,
               const Attrs& attrs) {
        Node* made = node_.model().add(type, opset, node_.name() + name, std::move(inputs), attrs);
        made->origins = origins_of(node_);
        return made->output();
    }
    Output number(const char* name, double value) {
        return make_constant(node_.model(), node_.name() + name,
                             Tensor::scalar(static_cast<float>(value)));
    }

private:
    Node& node_;
};

Output scaled(const Node& node, Builder& builder, const Output& scores) {
    Output scale;
    if (node.has_input(kScale)) {
        scale = node.input(kScale);
    } else {
        const auto width = static_cast<double>(from_end(node.input(0), 1).get_length());
        scale = builder.number("/scale", 1 / std::sqrt(width));
    }
    if (constant_number(scale) == std::optional<double>(1)) {
        return scores;
    }
    return builder.add("Multiply", 1, "/scaled", {scores, scale}, BinaryAttrs{});
}

bool decompose(Node& node, Masks& masks, PassContext& context) {
    if (node.port().type != ElementType::f32) {
        return false;
    }
    if (const std::string open = open_part(node); !open.empty()) {
        context.refused(kName, node, "open_shape", open + " is not known");
        return false;
    }
    Builder builder(node);
    MatMulAttrs transposed;
    transposed.transpose_b = true;
    Output scores = builder.add("MatMul", 1, "/scores", {node.input(0), node.input(1)}, transposed);
    scores = scaled(node, builder, scores);
    if (const Output mask = mask_of(node, scores.partial_shape(), masks)) {
        scores = builder.add("Add", 1, "/masked", {scores, mask}, BinaryAttrs{});
    }
    SoftmaxAttrs last;
    last.axis = -1;
    const Output shares = builder.add("SoftMax", 8, "/softmax", {scores}, last);
    redirect(node.output(), builder.add("MatMul", 1, "", {shares, node.input(2)}, MatMulAttrs{}));
    return true;
}

bool run(Model& model, PassContext& context) {
    Masks masks;
    return rewrite_each(model, "ScaledDotProductAttention", context, kName,
                        [&](Node& node) { return decompose(node, masks, context); });
}

}  // namespace
}  // namespace decompose_attention_pass

bool decompose_attention(Model& model, PassContext& context) {
    return decompose_attention_pass::run(model, context);
}

}  // namespace fuseq
