// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a Gather of what only changes the order of channels.
//
//   Law:     reshape to [N, g, c, ...], transposition of g and c and reshape back give channel
//            number (i % g) * c + i / g at channel i: a permutation of dimension 1.
//   Before:  Reshape -> Transpose -> Reshape back to the first shape
//   After:   Gather(x, Const indices, axis 1)
//   Refuses: shapes that are not known, results in the middle that something else reads, orders
//            that move more than channels.
//   Source:  ShuffleNet; found by running the three operations on the numbers of the elements.
#include "transformations/common/fuse_channel_shuffle.hpp"

#include <cstdint>

#include "ops/gather.hpp"
#include "ops/op_spec.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace fuse_channel_shuffle_pass {
namespace {

constexpr std::string_view kName = "fuse_channel_shuffle";

// Numbers of elements are exact in f32 up to here.
constexpr std::size_t kMaxElements = std::size_t{1} << 24;

// The Reshape and the Transpose before the last Reshape; empty when the pattern is another.
std::vector<const Node*> match(const Node& last) {
    std::vector<const Node*> nodes = chain_to(last, {"Transpose", "Reshape"});
    if (nodes.empty()) {
        return {};
    }
    const PartialShape& shape = nodes.front()->input(0).partial_shape();
    const bool fits = shape.is_static() && shape == last.port().shape && shape.rank() >= 3 &&
                      shape_size(shape.to_shape()) <= kMaxElements &&
                      shape_size(shape.to_shape()) > 0 && last.port().type == ElementType::f32;
    return fits ? nodes : std::vector<const Node*>();
}

// Number of the element that ends at each position; an empty tensor when a shape is computed.
Tensor moved_numbers(const std::vector<const Node*>& nodes, const Shape& shape) {
    Tensor numbers(ElementType::f32, shape);
    float next = 0;
    for (float& number : numbers.values<float>()) {
        number = next++;
    }
    for (const Node* node : nodes) {
        const auto parameter = evaluate_constant(node->input(1));
        if (!parameter) {
            return {};
        }
        const Tensor inputs[] = {numbers, *parameter};
        numbers = evaluate_node(*node, inputs).at(0);
    }
    return numbers;
}

// Channel that ends at each channel; empty when more than channels moves.
std::vector<std::int64_t> permutation(const Tensor& numbers) {
    const Shape& shape = numbers.get_shape();
    const std::size_t channels = shape[1];
    const std::size_t area = numbers.get_size() / shape[0] / channels;
    const float* values = numbers.data<float>();
    std::vector<std::int64_t> from(channels);
    for (std::size_t plane = 0; plane < shape[0] * channels; ++plane) {
        const float* moved = values + plane * area;
        const auto first = static_cast<std::size_t>(moved[0]);
        const std::size_t channel = plane % channels;
        const std::size_t source = first / area % channels;
        if (plane < channels) {
            from[channel] = static_cast<std::int64_t>(source);
        }
        if (first % area != 0 || first / (channels * area) != plane / channels ||
            from[channel] != static_cast<std::int64_t>(source)) {
            return {};
        }
        // The rest of the plane lies after its first element.
        for (std::size_t i = 1; i < area; ++i) {
            if (moved[i] != moved[0] + static_cast<float>(i)) {
                return {};
            }
        }
    }
    return from;
}

bool fuse(Node& last) {
    const std::vector<const Node*> nodes = match(last);
    if (nodes.empty()) {
        return false;
    }
    const Output source = nodes.front()->input(0);
    const Tensor numbers = moved_numbers(nodes, source.shape());
    const std::vector<std::int64_t> from =
        numbers ? permutation(numbers) : std::vector<std::int64_t>();
    if (from.empty()) {
        return false;
    }
    Model& model = last.model();
    const Output indices =
        make_constant(model, last.name() + "/channels", Tensor::of(Shape{from.size()}, from));
    const Output axis =
        make_constant(model, last.name() + "/axis", Tensor::scalar(std::int64_t{1}));
    Node* gather = model.add("Gather", 8, last.name(), {source, indices, axis}, GatherAttrs{});
    gather->origins = origins_of(last);
    for (const Node* node : nodes) {
        add_origins(*gather, *node);
    }
    redirect(last.output(), gather->output());
    return true;
}

bool run(Model& model, PassContext& context) {
    return rewrite_each(model, "Reshape", context, kName, fuse);
}

}  // namespace
}  // namespace fuse_channel_shuffle_pass

bool fuse_channel_shuffle(Model& model, PassContext& context) {
    return fuse_channel_shuffle_pass::run(model, context);
}

}  // namespace fuseq
