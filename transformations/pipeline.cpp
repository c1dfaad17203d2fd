// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes in the order in which they run, and why in that order.
#include "transformations/common/convert_precision.hpp"
#include "transformations/common/decompose_attention.hpp"
#include "transformations/common/decompose_batch_norm.hpp"
#include "transformations/common/drop_identity_operations.hpp"
#include "transformations/common/fold_channel_order_into_weights.hpp"
#include "transformations/common/fold_constants.hpp"
#include "transformations/common/fold_multiply_add_chains.hpp"
#include "transformations/common/fold_multiply_into_weights.hpp"
#include "transformations/common/fuse_activation.hpp"
#include "transformations/common/fuse_channel_shuffle.hpp"
#include "transformations/common/fuse_depth_to_space.hpp"
#include "transformations/common/fuse_layer_norm.hpp"
#include "transformations/common/fuse_rms_norm.hpp"
#include "transformations/common/fuse_rotate_half.hpp"
#include "transformations/common/fuse_sigmoid.hpp"
#include "transformations/common/fuse_softmax.hpp"
#include "transformations/common/gather_before_dequantize.hpp"
#include "transformations/common/keep_compressed_weights.hpp"
#include "transformations/common/keep_row_tables.hpp"
#include "transformations/common/matmul_to_convolution.hpp"
#include "transformations/common/normalize_constant_operands.hpp"
#include "transformations/common/replace_convert_variants.hpp"
#include "transformations/common/transpose_around_interpolate.hpp"
#include "transformations/common/transpose_before_squeeze.hpp"
#include "transformations/cpu/cover_deconvolutions.hpp"
#include "transformations/cpu/expand_constants.hpp"
#include "transformations/cpu/split_dynamic_products.hpp"
#include "transformations/cpu/split_quantized_products.hpp"
#include "transformations/cpu/split_weight_zero_points.hpp"
#include "transformations/low_precision/decompose_normalize_l2.hpp"
#include "transformations/low_precision/deconvolution_to_depth_to_space.hpp"
#include "transformations/low_precision/drop_repeated_fake_quantize.hpp"
#include "transformations/low_precision/max_pool_before_dequantize.hpp"
#include "transformations/low_precision/move_depth_to_space_down.hpp"
#include "transformations/low_precision/move_dequantize_down.hpp"
#include "transformations/low_precision/normalize_weights.hpp"
#include "transformations/low_precision/quantize_before_max_pool.hpp"
#include "transformations/low_precision/quantize_before_movement.hpp"
#include "transformations/low_precision/quantize_convolution.hpp"
#include "transformations/low_precision/quantize_deconvolution.hpp"
#include "transformations/low_precision/quantize_matmul.hpp"
#include "transformations/low_precision/quantize_wide_products.hpp"
#include "transformations/low_precision/quantize_wide_sources.hpp"
#include "transformations/low_precision/read_channels_at_origin.hpp"
#include "transformations/low_precision/share_fake_quantize.hpp"
#include "transformations/low_precision/split_fake_quantize.hpp"
#include "transformations/low_precision/split_joint_projection.hpp"
#include "transformations/low_precision/split_wide_fake_quantize.hpp"
#include "transformations/pass.hpp"

namespace fuseq {

const std::vector<Pass>& common_passes() {
    static const std::vector<Pass> passes = {
        // First: the types of the IR decide what these give.
        {"replace_convert_variants", replace_convert_variants},
        // Early: all other passes only know f32.
        {"convert_precision", convert_precision},
        // Before folding, which takes quantized weights for such only at the second operand.
        {"matmul_to_convolution", matmul_to_convolution},
        // Before folding, which would make f32 tables of the others; first of the two the one that
        // keeps rows whole.
        {"keep_row_tables", keep_row_tables},
        {"gather_before_dequantize", gather_before_dequantize},
        // Before folding, which would make floats of them.
        {"keep_compressed_weights", keep_compressed_weights},
        // Everything else recognises constants as Const nodes.
        {"fold_constants", fold_constants},
        // Before the passes that look at neighbours, which such operations would separate.
        {"drop_identity_operations", drop_identity_operations},
        // With weights as the model spells them, and means and scales beside the picture still.
        {"fold_channel_order_into_weights", fold_channel_order_into_weights},
        // Before constants move or fold into each other: both recognise spellings by their numbers.
        {"fuse_sigmoid", fuse_sigmoid},  // which Swish is made of
        {"fuse_activation", fuse_activation},
        {"fuse_layer_norm", fuse_layer_norm},
        // After layer normalisation, whose difference of x and its mean has such a norm too.
        {"fuse_rms_norm", fuse_rms_norm},
        {"fuse_softmax", fuse_softmax},
        // Before normalize_constant_operands makes factors of what is negated.
        {"fuse_rotate_half", fuse_rotate_half},
        // With constant masks and scales; before scales fold into what stands beside them.
        {"decompose_attention", decompose_attention},
        // Needs the constant shapes that folding gives; before DQs move through its parts.
        {"fuse_channel_shuffle", fuse_channel_shuffle},
        {"fuse_depth_to_space", fuse_depth_to_space},
        // With constant axes; the transpositions meet those of the model.
        {"transpose_around_interpolate", transpose_around_interpolate},
        // With constant axes; before dequantizations and layouts are looked at.
        {"transpose_before_squeeze", transpose_before_squeeze},
        // Gives the Multiply and Add that the next three fold.
        {"decompose_batch_norm", decompose_batch_norm},
        // The next two only know Add and Multiply with the constant second.
        {"normalize_constant_operands", normalize_constant_operands},
        // Before weights take a scale: there should be one scale.
        {"fold_multiply_add_chains", fold_multiply_add_chains},
        {"fold_multiply_into_weights", fold_multiply_into_weights},
    };
    return passes;
}

const std::vector<Pass>& low_precision_passes() {
    static const std::vector<Pass> passes = {
        // With weights as the model spells them; before quantizations look at what they follow.
        {"split_joint_projection", split_joint_projection},
        // Before weights and activations of more than 8 bits are looked at one by one.
        {"quantize_wide_products", quantize_wide_products},
        // Before activations: what follows an FQ decides about it by the weights' form.
        {"normalize_weights", normalize_weights},
        // After weights, whose FQs are gone then; before FQs and what they mean are taken apart.
        {"share_fake_quantize", share_fake_quantize},
        {"drop_repeated_fake_quantize", drop_repeated_fake_quantize},
        // Takes integers of 16 bits as they are where there are kernels.
        {"quantize_wide_sources", quantize_wide_sources},
        // Makes integers of 8 bits and layers of them.
        {"split_wide_fake_quantize", split_wide_fake_quantize},
        {"split_fake_quantize", split_fake_quantize},
        // Needs DQs; must be done before consumers look at what stands before them.
        {"move_dequantize_down", move_dequantize_down},
        {"quantize_convolution", quantize_convolution},
        {"quantize_deconvolution", quantize_deconvolution},
        {"quantize_matmul", quantize_matmul},
        // When it is known which convolutions are integer; what follows folds scales across them.
        // Movement first: poolings may stand before it.
        {"quantize_before_movement", quantize_before_movement},
        {"quantize_before_max_pool", quantize_before_max_pool},
        // What is left between integers and a pooling: no convolution takes it along.
        {"max_pool_before_dequantize", max_pool_before_dequantize},
        // When quantizations stand where they stay, and convolutions read parts of their sources.
        {"read_channels_at_origin", read_channels_at_origin},
        // Weights that might have been operands of integer products; before they are folded.
        {"keep_compressed_bytes", keep_compressed_bytes},
        // Weights that stayed float because their source did.
        {"fold_all_constants", fold_all_constants},
        // With constant weights, and when the type of the source is known.
        {"deconvolution_to_depth_to_space", deconvolution_to_depth_to_space},
        // When scales before it are gone.
        {"decompose_normalize_l2", decompose_normalize_l2},
        // After the last pass that makes one.
        {"move_depth_to_space_down", move_depth_to_space_down},
        // The scale after an integer convolution meets the model's own scales and the bias.
        {"fold_chains_after_quantization", fold_multiply_add_chains},
    };
    return passes;
}

const std::vector<Pass>& cpu_passes() {
    static const std::vector<Pass> passes = {
        // Before those that prepare integer anchors for kernels: it makes some.
        {"split_quantized_products", split_quantized_products},
        {"split_dynamic_products", split_dynamic_products},
        // After all that adds constants to the results of integer anchors.
        {"expand_constants", expand_constants},
        // When it is known which anchors are integer, and what their weights are.
        {"split_weight_zero_points", split_weight_zero_points},
        // After zero points are gone: with them a tap of zero would add something.
        {"cover_deconvolutions", cover_deconvolutions,
         "oneDNN computes wrong numbers where no tap of a deconvolution reaches a result"},
    };
    return passes;
}

void transform(Model& model, PassContext& context) {
    run_passes(model, context, common_passes());
    if (context.options().low_precision) {
        run_passes(model, context, low_precision_passes());
    }
    run_passes(model, context, cpu_passes());
}

}  // namespace fuseq
