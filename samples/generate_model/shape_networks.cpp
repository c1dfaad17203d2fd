// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "generate_model/shape_networks.hpp"

#include <functional>

#include "generate_model/quantized_network.hpp"
#include "generate_model/shapes.hpp"
#include "ops/convolution.hpp"
#include "ops/detection_output.hpp"
#include "ops/prior_box_clustered.hpp"
#include "ops/top_k.hpp"

namespace fuseq::samples {
namespace {

constexpr int kShapeOpset = 8;
constexpr std::size_t kColors = kShapeClasses - 1;  // a channel a class, without class 0
constexpr float kFullColor = 180.0F;                // what the color filters give for a shape
constexpr std::size_t kCell = 8;                    // pixels
constexpr std::size_t kWindow = 7;                  // cells a filter sees
constexpr float kPriorSize = 36.0F;                 // pixels
constexpr float kPlaceVariance = 0.1F;
constexpr float kSizeVariance = 0.2F;

// Of a shape of the prior's size in the middle of the window: the part of each cell that it covers.
struct IdealShape {
    std::vector<float> cells;
    float mass = 0;  // in cells
    float down = 0;  // from the middle of the window to the center of mass, in cells
    float hill = 0;  // the sum of all cells times height_of_hill()
};

// The distance of a cell from the middle of the window.
float from_middle(std::size_t cell) {
    constexpr std::size_t kMiddle = kWindow / 2;
    return static_cast<float>(cell) - static_cast<float>(kMiddle);
}

// 1 at the center of mass, 0 at the rim of the window.
float height_of_hill(const IdealShape& ideal, std::size_t row, std::size_t column) {
    const float rim = from_middle(0) * from_middle(0);
    const float right = from_middle(column);
    const float down = from_middle(row) - ideal.down;
    return 1 - (right * right + down * down) / rim;
}

IdealShape ideal_shape(std::size_t label) {
    constexpr std::size_t kPixels = kWindow * kCell;
    constexpr float kHalf = static_cast<float>(kPixels) / 2;
    IdealShape ideal;
    ideal.cells.resize(kWindow * kWindow);
    for (std::size_t row = 0; row < kPixels; ++row) {
        for (std::size_t column = 0; column < kPixels; ++column) {
            const float right = static_cast<float>(column) + 0.5F - kHalf;
            const float down = static_cast<float>(row) + 0.5F - kHalf;
            if (covers(label, kPriorSize, right, down)) {
                ideal.cells[row / kCell * kWindow + column / kCell] += 1.0F / (kCell * kCell);
            }
        }
    }
    for (std::size_t i = 0; i < ideal.cells.size(); ++i) {
        ideal.mass += ideal.cells[i];
        ideal.down += ideal.cells[i] * from_middle(i / kWindow);
    }
    ideal.down /= ideal.mass;
    for (std::size_t i = 0; i < ideal.cells.size(); ++i) {
        ideal.hill += ideal.cells[i] * height_of_hill(ideal, i / kWindow, i % kWindow);
    }
    return ideal;
}

std::vector<IdealShape> ideal_shapes() {
    std::vector<IdealShape> ideals;
    for (std::size_t label = 1; label < kShapeClasses; ++label) {
        ideals.push_back(ideal_shape(label));
    }
    return ideals;
}

// Weights [filters, channels, size, size] by a rule.
using WeightRule = std::function<float(
    std::size_t filter, std::size_t channel, std::size_t row, std::size_t column)>;

Tensor weights_by(const Shape& shape, const WeightRule& rule) {
    Tensor weights(ElementType::f32, shape);
    const std::size_t size = shape[2];
    for (std::size_t i = 0; i < weights.get_size(); ++i) {
        const std::size_t channel = i / (size * size);
        weights.data<float>()[i] =
            rule(channel / shape[1], channel % shape[1], i / size % size, i % size);
    }
    return weights;
}

class ShapeNetwork : public QuantizedNetwork {
public:
    ShapeNetwork(std::string name, const Ranges* ranges)
        : QuantizedNetwork(std::move(name), 0, ranges) {}

    // How much more of one color than of the two others a pixel has, [1, 3, H, W].
    Output colors() {
        Output x = input("image", {1, 3, kSceneHeight, kSceneWidth});
        x = activation("fq_image", x, ActivationKind::kUnsigned);
        // Of the classes disc, square, triangle in turn: blue, red, green.
        const Tensor weights =
            weights_by({kColors, 3, 1, 1}, [](std::size_t filter, std::size_t channel, auto, auto) {
                return channel == (filter + 2) % 3 ? 1.0F : -0.5F;
            });
        x = relu("relu_colors", filters("colors", x, weights, {0, 0, 0}));
        return activation("fq_colors", x, ActivationKind::kUnsigned);
    }

    // A convolution that keeps height and width, and a bias.
    Output filters(const std::string& name,
                   Output x,
                   const Tensor& values,
                   const std::vector<float>& biases) {
        const auto pad = static_cast<std::int64_t>(values.get_shape()[2] / 2);
        ConvolutionAttrs attributes;
        attributes.strides = {1, 1};
        attributes.dilations = {1, 1};
        attributes.pads_begin = {pad, pad};
        attributes.pads_end = {pad, pad};
        const Output w = weights_of(name + "/weights", values, WeightSpelling::kI8Multiply);
        const Output sums =
            named(model_->add("Convolution", kShapeOpset, name, {x, w}, attributes));
        return binary("Add", name + "/bias", sums,
                      constant(name + "/bias/value", {1, biases.size(), 1, 1}, biases));
    }

    // [1, C, H, W] -> [1, H * W, C]
    Output rows(const std::string& name, Output x) {
        const Shape shape = x.shape();
        return reshape(name, transpose(name + "/turned", x, {0, 2, 3, 1}),
                       {0, -1, static_cast<std::int64_t>(shape[1])});
    }

    // A prior box around the middle of each cell.
    Output priors() {
        PriorBoxClusteredAttrs attributes;
        attributes.width = {kPriorSize};
        attributes.height = {kPriorSize};
        attributes.step = kCell;
        attributes.offset = 0.5F;
        attributes.variance = {kPlaceVariance, kPlaceVariance, kSizeVariance, kSizeVariance};
        const Output layer = integers("priors/layer", {kSceneHeight / kCell, kSceneWidth / kCell});
        const Output picture = integers("priors/picture", {kSceneHeight, kSceneWidth});
        const Output boxes = named(
            model_->add("PriorBoxClustered", kShapeOpset, "priors", {layer, picture}, attributes));
        return reshape("priors/one", boxes, {1, 2, -1});
    }

    void found(Output locations, Output confidences) {
        DetectionOutput8Attrs attributes;
        attributes.keep_top_k = {20};
        attributes.code_type = BoxCode::kCenterSize;
        attributes.nms_threshold = 0.3F;
        attributes.confidence_threshold = 0.5F;
        attributes.clip_after_nms = true;
        attributes.normalized = true;
        const Output x = named(model_->add("DetectionOutput", kShapeOpset, "found",
                                           {locations, confidences, priors()}, attributes));
        model_->add_result("found/result", x);
    }

    // The class of the greatest score, [1, C, H, W] -> [1, H, W].
    void classes(Output scores) {
        TopKAttrs attributes;
        attributes.axis = 1;
        attributes.index_element_type = ElementType::i32;
        const Output one =
            model_->add_constant("best/k", Tensor::scalar<std::int64_t>(1))->output();
        Node* best = model_->add("TopK", 3, "best", {scores, one}, attributes);
        const Output x = named(model_->add("Squeeze", kShapeOpset, "classes",
                                           {best->output(1), integers("classes/axes", {1})}));
        model_->add_result("classes/result", x);
    }
};

// Every quantizer holds bytes of a picture or less.
Ranges ranges_of_bytes() {
    Ranges ranges;
    for (const char* name : {"fq_image", "fq_colors", "fq_cells"}) {
        ranges[name] = {{0.0F}, {255.0F}};
    }
    return ranges;
}

// A filter for each class that is largest in the middle of its shape and ends as 0 at the rim of
// the window, and the negative sum of them all for class 0. An ideal shape gives +-kSure.
Output confidence_filters(ShapeNetwork& net, Output cells) {
    constexpr float kSure = 3.0F;
    const std::vector<IdealShape> ideals = ideal_shapes();
    const Tensor weights = weights_by(
        {kShapeClasses, kColors, kWindow, kWindow},
        [&](std::size_t filter, std::size_t channel, std::size_t row, std::size_t column) {
            const IdealShape& ideal = ideals[channel];
            const float value =
                2 * kSure * height_of_hill(ideal, row, column) / (kFullColor * ideal.hill);
            return filter == 0 ? -value : filter == channel + 1 ? value : 0.0F;
        });
    return net.filters("confidences", cells, weights, {kSure, -kSure, -kSure, -kSure});
}

// Four filters: how far the center of mass is to the right and down, in sizes of the prior, and half
// of how much more mass there is than that of the prior's size, which is about the logarithm of the
// relation of the sizes.
Output location_filters(ShapeNetwork& net, Output cells) {
    const std::vector<IdealShape> ideals = ideal_shapes();
    const Tensor weights = weights_by(
        {4, kColors, kWindow, kWindow},
        [&](std::size_t filter, std::size_t channel, std::size_t row, std::size_t column) {
            const IdealShape& ideal = ideals[channel];
            const float share = 1 / (kFullColor * ideal.mass);
            if (filter >= 2) {
                return 0.5F * share / kSizeVariance;
            }
            const float distance =
                filter == 0 ? from_middle(column) : from_middle(row) - ideal.down;
            return distance * kCell * share / (kPriorSize * kPlaceVariance);
        });
    const float no_mass = -0.5F / kSizeVariance;
    return net.filters("locations", cells, weights, {0, 0, no_mass, no_mass});
}

}  // namespace

std::shared_ptr<Model> shape_detector() {
    const Ranges ranges = ranges_of_bytes();
    ShapeNetwork net("shape_detector", &ranges);
    Output cells = net.average_pool("cells", net.colors(), kCell);
    cells = net.activation("fq_cells", cells, ActivationKind::kUnsigned);
    const Output locations = net.rows("location_rows", location_filters(net, cells));
    const Output confidences = net.rows("confidence_rows", confidence_filters(net, cells));
    net.found(net.reshape("all_locations", locations, {0, -1}),
              net.reshape("all_confidences", net.softmax("softmax", confidences, 2), {0, -1}));
    return net.take();
}

std::shared_ptr<Model> shape_segmenter() {
    constexpr std::size_t kBlur = 3;
    const Ranges ranges = ranges_of_bytes();
    ShapeNetwork net("shape_segmenter", &ranges);
    const Tensor weights =
        weights_by({kShapeClasses, kColors, kBlur, kBlur},
                   [](std::size_t filter, std::size_t channel, auto, auto) {
                       constexpr float kValue = 1 / (kFullColor * kBlur * kBlur);
                       return filter == 0 ? -kValue : filter == channel + 1 ? kValue : 0.0F;
                   });
    net.classes(net.filters("scores", net.colors(), weights, {0.5F, -0.5F, -0.5F, -0.5F}));
    return net.take();
}

}  // namespace fuseq::samples
