// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makers of steps: one a kind of node. Each takes its inputs from the builder in the layout it
// wants and adds steps.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cpu/lowering/step_builder.hpp"
#include "cpu/lowering/verdict.hpp"

namespace fuseq::cpu {

// Part of the chain of a group, on a tensor of the plan: one fused eltwise. Returns its result.
TensorId make_eltwise_on(StepBuilder& builder,
                         const Group& group,
                         TensorId src,
                         const post_ops::Chain& chain);

// Names of the IR layers that a node came from, its own among them.
std::vector<std::string> origins_of(const Node& node);
// The step executes the element-wise layers of the group too.
void add_layers(StepInfo& info, const Group& group);
// The step executes the node and is named after it.
void name_after(StepInfo& info, const Node& node);
// Adds a step for a node whose first output it computes in `dst`.
void add_node_step(StepBuilder& builder, Node& node, std::unique_ptr<Step> step, TensorId dst);

// The integers of a tensor as f32, less the zero point: one, or one a channel of `axis`.
TensorId make_widened(StepBuilder& builder,
                      TensorId src,
                      const std::vector<float>& zero_point,
                      std::size_t axis);

// Candidates for nodes, in no order (registry.hpp). A refusal adds nothing to the plan.
Verdict make_max_pool(StepBuilder& builder, Node& node);
Verdict make_pooling(StepBuilder& builder, Node& node);
Verdict make_concat(StepBuilder& builder, Node& node);
Verdict make_softmax(StepBuilder& builder, Node& node);
Verdict make_view(StepBuilder& builder, Node& node);
Verdict make_transpose(StepBuilder& builder, Node& node);
Verdict make_interpolate(StepBuilder& builder, Node& node);
Verdict make_average(StepBuilder& builder, Node& node);
Verdict make_reduce(StepBuilder& builder, Node& node);
Verdict make_mvn(StepBuilder& builder, Node& node);
// Split, Gather, Pad, ...: what only moves elements, by constant rules.
Verdict make_movement(StepBuilder& builder, Node& node);
// Gather with computed indices.
Verdict make_gather(StepBuilder& builder, Node& node);
Verdict make_convert(StepBuilder& builder, Node& node);
Verdict make_lrn(StepBuilder& builder, Node& node);
Verdict make_recurrent(StepBuilder& builder, Node& node);
Verdict make_integer_lstm(StepBuilder& builder, Node& node);
Verdict make_region_yolo(StepBuilder& builder, Node& node);
Verdict make_top_k(StepBuilder& builder, Node& node);
Verdict make_detection_output(StepBuilder& builder, Node& node);
// CompressedMatMul: weights that stay in 8 or 4 bits.
Verdict make_compressed_matmul(StepBuilder& builder, Node& node);
// Add, Multiply, ... of tensors that are broadcast.
Verdict make_broadcast_binary(StepBuilder& builder, Node& node);
// Operations on quantized tensors, to the bytes of the reference kernels.
Verdict make_requantize_sums(StepBuilder& builder, Node& node);
Verdict make_quantize(StepBuilder& builder, Node& node);
Verdict make_dynamic_quantize(StepBuilder& builder, Node& node);
Verdict make_dequantize_sums(StepBuilder& builder, Node& node);
Verdict make_wide_filter(StepBuilder& builder, Node& node);
Verdict make_quantized_softmax(StepBuilder& builder, Node& node);
Verdict make_quantized_average(StepBuilder& builder, Node& node);
Verdict make_quantized_pair(StepBuilder& builder, Node& node);
Verdict make_quantized_sigmoid(StepBuilder& builder, Node& node);
Verdict make_quantized_table(StepBuilder& builder, Node& node);
Verdict make_quantized_concat(StepBuilder& builder, Node& node);

// Candidates for runs of element-wise nodes, in no order (registry.hpp). A refusal adds nothing to
// the plan. `chain`: that of the group, simplified. `result`: the tensor of the group's result.
// Whole numbers of 16 bits, with the Convert to u16 after them.
Verdict make_u16_chain(StepBuilder& builder,
                       const Group& group,
                       const post_ops::Chain& chain,
                       TensorId& result);
// A linear Interpolate that waits for its only reader, and any chain after it.
Verdict make_resized_chain(StepBuilder& builder,
                           const Group& group,
                           const post_ops::Chain& chain,
                           TensorId& result);
// The layout changes in the pass that computes scales, shifts and one quantization; any chain.
Verdict make_io_reorder(StepBuilder& builder,
                        const Group& group,
                        const post_ops::Chain& chain,
                        TensorId& result);
Verdict make_eltwise_io_reorder(StepBuilder& builder,
                                const Group& group,
                                const post_ops::Chain& chain,
                                TensorId& result);
// Nothing to compute: a tensor over the memory of the source.
Verdict make_alias(StepBuilder& builder,
                   const Group& group,
                   const post_ops::Chain& chain,
                   TensorId& result);
// Any chain, in the layout of the source.
Verdict make_eltwise(StepBuilder& builder,
                     const Group& group,
                     const post_ops::Chain& chain,
                     TensorId& result);

// Candidates for anchors, in no order. Precondition of each make_x: x_supports().
// Integer convolutions of few channels.
Verdict small_convolution_supports(const StepBuilder& builder, const Group& group);
TensorId make_small_convolution(StepBuilder& builder, const Group& group);
// The device's own integer matrix product by the tiles of AMX, where they pay.
Verdict amx_supports(const StepBuilder& builder, const Group& group);
TensorId make_amx(StepBuilder& builder, const Group& group);
// The same by vectors, where it is expected to be faster than oneDNN's.
Verdict gemm_supports(const StepBuilder& builder, const Group& group);
TensorId make_gemm(StepBuilder& builder, const Group& group);
// Convolutions in groups, on a machine without AVX-512 VNNI.
Verdict grouped_gemm_supports(const StepBuilder& builder, const Group& group);
TensorId make_grouped_gemm(StepBuilder& builder, const Group& group);
// Products of two computed integer matrices, on a machine without AVX-512 VNNI.
Verdict data_product_supports(const StepBuilder& builder, const Group& group);
TensorId make_data_product(StepBuilder& builder, const Group& group);
// One row by constant f32 weights that are halves.
Verdict half_matrix_supports(const StepBuilder& builder, const Group& group);
TensorId make_half_matrix(StepBuilder& builder, const Group& group);
// Integer depthwise convolutions, of two spatial dimensions or foldable into two; of three.
Verdict depthwise_supports(const StepBuilder& builder, const Group& group);
TensorId make_depthwise(StepBuilder& builder, const Group& group);
Verdict volume_depthwise_supports(const StepBuilder& builder, const Group& group);
TensorId make_volume_depthwise(StepBuilder& builder, const Group& group);
// f32: depthwise convolutions of three spatial dimensions; convolutions of few source channels.
Verdict float_depthwise_supports(const StepBuilder& builder, const Group& group);
TensorId make_float_depthwise(StepBuilder& builder, const Group& group);
Verdict float_convolution_supports(const StepBuilder& builder, const Group& group);
TensorId make_float_convolution(StepBuilder& builder, const Group& group);
// oneDNN: takes every anchor.
Verdict onednn_supports(const StepBuilder& builder, const Group& group);
TensorId make_onednn_anchor(StepBuilder& builder, const Group& group);
TensorId make_convolution(StepBuilder& builder, const Group& group);
TensorId make_deconvolution(StepBuilder& builder, const Group& group);
TensorId make_matmul(StepBuilder& builder, const Group& group);

}  // namespace fuseq::cpu
