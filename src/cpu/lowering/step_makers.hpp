// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makers of steps: one a kind of node. Each takes its inputs from the builder in the layout it
// wants and adds steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cpu/lowering/step_builder.hpp"

namespace fuseq::cpu {

// An anchor with its chain; what the composer does not map becomes a chain step after it.
// Returns the tensor of the group's result.
TensorId make_anchor_step(StepBuilder& builder, const Group& group);
TensorId make_eltwise_step(StepBuilder& builder, const Group& group);
// Part of the chain of a group, on a tensor of the plan.
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

// Any other node. False: there is no step for it (the reference kernel runs then).
bool make_node_step(StepBuilder& builder, Node& node);

// The kinds after make_node_step. False when they do not take the node.
bool make_max_pool(StepBuilder& builder, Node& node);
bool make_pooling(StepBuilder& builder, Node& node);
bool make_concat(StepBuilder& builder, Node& node);
bool make_softmax(StepBuilder& builder, Node& node);
bool make_view(StepBuilder& builder, Node& node);
bool make_transpose(StepBuilder& builder, Node& node);
bool make_interpolate(StepBuilder& builder, Node& node);
bool make_average(StepBuilder& builder, Node& node);
bool make_reduce(StepBuilder& builder, Node& node);
bool make_mvn(StepBuilder& builder, Node& node);
// Split, Gather, Pad, ...: what only moves elements, by constant rules.
bool make_movement(StepBuilder& builder, Node& node);
// Gather with computed indices.
bool make_gather(StepBuilder& builder, Node& node);
bool make_convert(StepBuilder& builder, Node& node);
bool make_lrn(StepBuilder& builder, Node& node);
bool make_recurrent(StepBuilder& builder, Node& node);
bool make_region_yolo(StepBuilder& builder, Node& node);
bool make_top_k(StepBuilder& builder, Node& node);
bool make_detection_output(StepBuilder& builder, Node& node);
// CompressedMatMul: weights that stay in 8 or 4 bits.
bool make_compressed_matmul(StepBuilder& builder, Node& node);
// Add, Multiply, ... of tensors that are broadcast.
bool make_broadcast_binary(StepBuilder& builder, Node& node);

// The anchors after make_anchor_step.
// Nothing when it is no integer depthwise convolution.
std::optional<TensorId> make_depthwise(StepBuilder& builder, const Group& group);
// Nothing when it is no integer depthwise convolution of three spatial dimensions.
std::optional<TensorId> make_volume_depthwise(StepBuilder& builder, const Group& group);
// Nothing when it is no f32 depthwise convolution of three spatial dimensions.
std::optional<TensorId> make_float_convolution(StepBuilder& builder, const Group& group);
std::optional<TensorId> make_float_depthwise(StepBuilder& builder, const Group& group);
// Nothing when it is no integer convolution of few channels.
std::optional<TensorId> make_small_convolution(StepBuilder& builder, const Group& group);
// Nothing when the plugin's own matrix product does not take it, or is not expected to be faster.
std::optional<TensorId> make_gemm(StepBuilder& builder, const Group& group);
TensorId make_convolution(StepBuilder& builder, const Group& group);
TensorId make_deconvolution(StepBuilder& builder, const Group& group);
TensorId make_matmul(StepBuilder& builder, const Group& group);

}  // namespace fuseq::cpu
