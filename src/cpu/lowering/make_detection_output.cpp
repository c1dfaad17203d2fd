// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "cpu/kernels/detection/best_ranks.hpp"
#include "cpu/kernels/detection/box_overlap.hpp"
#include "cpu/lowering/step_makers.hpp"
#include "cpu/steps/detection_output.hpp"

namespace fuseq::cpu {
namespace {

// Rows of the priors and sizes that shape inference has checked against each other.
DetectionSizes sizes_of(const Node& node, const DetectionOutput8Attrs& attrs) {
    const Shape prior = node.input(2).shape();
    DetectionSizes sizes;
    sizes.images = static_cast<std::int64_t>(node.input(0).shape()[0]);
    sizes.priors = static_cast<std::int64_t>(prior[2]) / (attrs.normalized ? 4 : 5);
    sizes.classes = static_cast<std::int64_t>(node.input(1).shape()[1]) / sizes.priors;
    sizes.location_classes = attrs.share_location ? 1 : sizes.classes;
    sizes.prior_images = static_cast<std::int64_t>(prior[0]);
    sizes.rows = static_cast<std::int64_t>(node.port(0).shape.to_shape()[2]);
    return sizes;
}

}  // namespace

// The cascade form of five inputs is left to the reference kernel.
Verdict make_detection_output(StepBuilder& builder, Node& node) {
    if (!node.is("DetectionOutput") || node.input_count() != 3 ||
        node.port(0).type != ElementType::f32) {
        return node.is("DetectionOutput") ? Verdict::no("five inputs, or not f32")
                                          : Verdict::other_kind();
    }
    const auto& attrs = dynamic_cast<const DetectionOutput8Attrs&>(node.attributes());
    std::vector<TensorId> inputs;
    for (const Output& input : node.inputs()) {
        inputs.push_back(builder.tensor_of(input, Layout::kPlain));
    }
    const TensorId dst =
        builder.new_tensor(ElementType::f32, node.port(0).shape.to_shape(), Layout::kPlain);
    auto step =
        std::make_unique<DetectionOutputStep>(attrs, sizes_of(node, attrs), std::move(inputs), dst);
    add_node_step(builder, node, std::move(step), dst);
    return Verdict::yes();
}

}  // namespace fuseq::cpu
