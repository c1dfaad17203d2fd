// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/registry.hpp"

#include <algorithm>
#include <string>

#include "cpu/lowering/anchor.hpp"
#include "cpu/lowering/make_compressed_embedding.hpp"
#include "cpu/lowering/make_u16_product.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "fuseq/error.hpp"
#include "transformations/support/anchor_zero_points.hpp"

namespace fuseq::cpu {
namespace {

constexpr AnchorCandidate kAnchors[] = {
    {"u16_product", "no other one takes sources of 16 bits", false, u16_product_supports,
     make_u16_product},
    {"small_conv", "a matrix product's vectors of output channels would be mostly empty", true,
     small_convolution_supports, make_small_convolution},
    {"amx", "tiles make eight times the products of VNNI (docs/performance/log/amx.md)", true,
     amx_supports, make_amx},
    {"gemm", "asks itself whether oneDNN is faster", true, gemm_supports, make_gemm},
    {"data_product", "oneDNN's int8 kernels saturate without AVX-512 VNNI", false,
     data_product_supports, make_data_product},
    {"half_matrix", "reads half of what oneDNN reads", false, half_matrix_supports,
     make_half_matrix},
    {"depthwise", "takes the whole chain along, oneDNN a part (docs/performance/log/kernels.md)",
     false, depthwise_supports, make_depthwise},
    {"depthwise_3d", "19 times as fast as oneDNN on 3x3x3 (docs/performance/log/kernels.md)", false,
     volume_depthwise_supports, make_volume_depthwise},
    {"grouped_gemm", "oneDNN's int8 kernels saturate without AVX-512 VNNI", false,
     grouped_gemm_supports, make_grouped_gemm},
    {"depthwise_float", "oneDNN takes four to seven times as long", false, float_depthwise_supports,
     make_float_depthwise},
    {"float_conv", "oneDNN reaches 60 to 85 % of the peak, and transposes planes before", false,
     float_convolution_supports, make_float_convolution},
    {"onednn", "takes what is left", false, onednn_supports, make_onednn_anchor},
};

constexpr NodeCandidate kNodes[] = {
    {"view", "costs nothing", make_view},
    {"transpose", "is oneDNN's reorder, or hands over to movement", make_transpose},
    {"concat", "the only one", make_concat},
    {"max_pool", "reads integers of any zero point", make_max_pool},
    {"pooling", "oneDNN's, for floats and means", make_pooling},
    {"softmax", "the only one", make_softmax},
    {"interpolate", "the only one", make_interpolate},
    {"average", "means of integers, without a conversion before", make_average},
    {"reduce", "of floats", make_reduce},
    {"mvn", "the only one", make_mvn},
    {"movement", "by a map made when the model is compiled", make_movement},
    {"broadcast_binary", "the only one", make_broadcast_binary},
    {"top_k", "the only one", make_top_k},
    {"detection_output", "the only one", make_detection_output},
    {"lrn", "the only one", make_lrn},
    {"region_yolo", "the only one", make_region_yolo},
    {"recurrent", "the only one", make_recurrent},
    {"integer_lstm", "the only one", make_integer_lstm},
    {"gather", "computed indices; constant ones are a movement", make_gather},
    {"u16_convert", "whole numbers, in the order of their readers", make_u16_convert},
    {"convert", "takes what is left", make_convert},
    {"compressed_embedding", "the only one", make_compressed_embedding},
    {"compressed_matmul", "the only one", make_compressed_matmul},
    {"requantize_sums", "rules of 32 bits in vectors", make_requantize_sums},
    {"quantize", "one grid of bytes, half to even", make_quantize},
    {"dynamic_quantize", "the only one", make_dynamic_quantize},
    {"dequantize_sums", "the only one", make_dequantize_sums},
    {"wide_filter", "integers of 16 bits, and sums that the anchors do not hold exactly",
     make_wide_filter},
    {"quantized_average", "the only one", make_quantized_average},
    {"quantized_pair", "the only one", make_quantized_pair},
    {"quantized_sigmoid", "of 16 bits", make_quantized_sigmoid},
    {"quantized_table", "the only one", make_quantized_table},
    {"quantized_concat", "the only one", make_quantized_concat},
    {"quantized_softmax", "the only one", make_quantized_softmax},
};

constexpr ChainCandidate kChains[] = {
    {"u16_chain", "stores the integers of 16 bits that a layer reads", make_u16_chain},
    {"resized_chain", "a linear Interpolate before it, whose result nobody else reads",
     make_resized_chain},
    {"io_reorder", "the layout changes in the same pass over memory", make_io_reorder},
    {"eltwise_io_reorder", "the same for any chain, tile by tile", make_eltwise_io_reorder},
    {"alias", "costs nothing", make_alias},
    {"eltwise", "takes what is left", make_eltwise},
};

Verdict ask(const AnchorCandidate& candidate, const StepBuilder& builder, const Group& group) {
    if (!candidate.weight_zero_points && weight_zero_points(*group.anchor) != 0) {
        return Verdict::no("the zero points of its weights were not split off");
    }
    return candidate.supports(builder, group);
}

CandidateVerdict text_of(const char* name, const Verdict& verdict) {
    return {name, verdict ? "taken" : "refused", verdict.reason(), verdict.cost()};
}

[[noreturn]] void refuse(const Group& group, const std::vector<CandidateVerdict>& verdicts) {
    std::string rule = weight_zero_points(*group.anchor) == 0
                           ? "no implementation takes it"
                           : "no kernel takes the zero points of its weights, and the pass "
                             "split_weight_zero_points, which splits them off, did not run "
                             "(FUSEQ_DISABLE)";
    for (const CandidateVerdict& verdict : verdicts) {
        rule += (&verdict == verdicts.data() ? ": " : "; ") + verdict.name + ": " + verdict.reason;
    }
    throw Error(Error::Info{.stage = "compile",
                            .file = {},
                            .layer_id = {},
                            .layer = group.anchor->name(),
                            .op = group.anchor->type(),
                            .rule = rule});
}

bool is_static(const Node& node) {
    const auto fixed = [](const Output& in) { return !in || in.partial_shape().is_static(); };
    return std::all_of(node.inputs().begin(), node.inputs().end(), fixed) &&
           node.port(0).shape.is_static() && shape_size(node.port(0).shape.to_shape()) != 0;
}

// Of shapes that are not known, or of nothing: of padding alone, the sum of no elements.
std::string refusal_of_shapes(const Node& node) {
    if (!is_static(node)) {
        return "open dimensions, or no elements";
    }
    if (!node.is("Concat") && node.input_count() != 0 && node.has_input(0) &&
        shape_size(node.input(0).shape()) == 0) {
        return "a result out of no elements";
    }
    return {};
}

}  // namespace

std::span<const AnchorCandidate> anchor_candidates() {
    return kAnchors;
}

std::span<const NodeCandidate> node_candidates() {
    return kNodes;
}

std::span<const ChainCandidate> chain_candidates() {
    return kChains;
}

std::vector<CandidateVerdict> anchor_verdicts(const StepBuilder& builder, const Group& group) {
    std::vector<CandidateVerdict> verdicts;
    for (const AnchorCandidate& candidate : kAnchors) {
        const Verdict verdict = ask(candidate, builder, group);
        if (!verdict.is_other_kind()) {
            verdicts.push_back(text_of(candidate.name, verdict));
        }
    }
    return verdicts;
}

TensorId make_anchor_step(StepBuilder& builder,
                          const Group& group,
                          std::vector<CandidateVerdict>& verdicts) {
    for (const AnchorCandidate& candidate : kAnchors) {
        const Verdict verdict = ask(candidate, builder, group);
        if (!verdict.is_other_kind()) {
            verdicts.push_back(text_of(candidate.name, verdict));
        }
        if (verdict) {
            return candidate.make(builder, group);
        }
    }
    refuse(group, verdicts);
}

TensorId make_fused_eltwise(StepBuilder& builder,
                            const Group& group,
                            std::vector<CandidateVerdict>& verdicts) {
    const post_ops::Chain& chain = composer_of(group).chain();
    TensorId result = kNoTensor;
    for (const ChainCandidate& candidate : kChains) {
        const Verdict verdict = candidate.make(builder, group, chain, result);
        if (!verdict.is_other_kind()) {
            verdicts.push_back(text_of(candidate.name, verdict));
        }
        if (verdict) {
            break;
        }
    }
    return result;
}

bool make_node_step(StepBuilder& builder, Node& node, std::vector<CandidateVerdict>& verdicts) {
    const std::string refusal = refusal_of_shapes(node);
    if (!refusal.empty()) {
        verdicts.push_back({"all", "refused", refusal, 0.0});
        return false;
    }
    for (const NodeCandidate& candidate : kNodes) {
        const Verdict verdict = candidate.make(builder, node);
        if (!verdict.is_other_kind()) {
            verdicts.push_back(text_of(candidate.name, verdict));
        }
        if (verdict) {
            return true;
        }
    }
    return false;
}

}  // namespace fuseq::cpu
