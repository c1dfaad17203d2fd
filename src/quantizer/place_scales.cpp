// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "ops/fake_quantize.hpp"
#include "quantizer/calibration.hpp"
#include "quantizer/insertion.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

const TensorProfile& profile_of(const Place& place, const Profile& profile) {
    const auto found = profile.tensors.find(tensor_name(place.tensor));
    if (found == profile.tensors.end() || found->second.empty()) {
        throw Error("quantize", fmt::format("the profile has no range of tensor '{}'",
                                            tensor_name(place.tensor)));
    }
    return found->second;
}

// One histogram and range of all places of a group.
TensorProfile profile_of_group(const std::vector<const Place*>& places, const Profile& profile) {
    TensorProfile all = profile_of(*places[0], profile);
    for (std::size_t i = 1; i < places.size(); ++i) {
        all.merge(profile_of(*places[i], profile));
    }
    return all;
}

RealRange widened(RealRange range, double share) {
    return {static_cast<float>(range.min * (1 + share)),
            static_cast<float>(range.max * (1 + share))};
}

// Nothing was seen in a dead channel. The range of the tensor holds what other inputs may have
// there, and gives the zero point that the other channels have.
bool is_zero(const RealRange& channel) {
    return channel.min == 0 && channel.max == 0;
}

// [] for one value, else [1, C, 1, ...].
Shape limits_shape(std::size_t count, std::size_t rank) {
    if (count == 1) {
        return {};
    }
    Shape shape(std::vector<std::size_t>(rank, 1));
    shape[1] = count;
    return shape;
}

// Of dimension 1. Limits along another one are no limits of channels for CPU plugins, ours among
// them, so that a Multiply is faster there.
bool is_of_channels(const Shape& shape, const PartialShape& tensor) {
    if (!tensor.rank_is_static() || shape.size() != tensor.rank()) {
        return false;
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (d != 1 && shape[d] != 1) {
            return false;
        }
    }
    return true;
}

// The constant of a Multiply that scale_channels has put before the integers, and only they read:
// the FakeQuantize divides its input limits by it.
std::optional<Tensor> channel_scale(const Place& place, std::size_t scales) {
    const Node& node = *place.tensor.node;
    const bool is_own = node.is("Multiply") && node.layer_id.empty() && scales == 1 &&
                        node.input_node(1)->is_constant() &&
                        node.users().size() == place.readers.size() &&
                        node.input(0).partial_shape() == node.port().shape &&
                        is_of_channels(node.input(1).shape(), node.port().shape);
    if (!is_own) {
        return std::nullopt;
    }
    Tensor scale = node.input_node(1)->constant();
    const float* values = scale.data<float>();
    const bool positive =
        std::all_of(values, values + scale.get_size(), [](float v) { return v > 0; });
    return positive ? std::optional(scale) : std::nullopt;
}

Tensor divided(float limit, const Tensor& scale) {
    Tensor result(ElementType::f32, scale.get_shape());
    for (std::size_t i = 0; i < scale.get_size(); ++i) {
        result.data<float>()[i] = limit / scale.data<float>()[i];
    }
    return result;
}

void insert(Model& model, const Place& place, const PlaceScales& scales) {
    std::vector<float> low;
    std::vector<float> high;
    for (const ScaleAndOffset& scale : scales) {
        low.push_back(scale.limits().min);
        high.push_back(scale.limits().max);
    }
    const std::size_t rank = scales.size() == 1 ? 0 : place.tensor.partial_shape().rank();
    const Shape shape = limits_shape(scales.size(), rank);
    Output source = place.tensor;
    const std::optional<Tensor> scaled = channel_scale(place, scales.size());
    if (scaled) {
        source = place.tensor.node->input(0);
    }
    const std::string name = model.unique_name(tensor_name(source) + "/fq");
    const Output min = make_constant(model, name + "/low", Tensor::of(shape, low));
    const Output max = make_constant(model, name + "/high", Tensor::of(shape, high));
    Output input_min = min;
    Output input_max = max;
    if (scaled) {
        input_min = make_constant(model, name + "/input_low", divided(low[0], *scaled));
        input_max = make_constant(model, name + "/input_high", divided(high[0], *scaled));
    }
    FakeQuantizeAttrs attributes;
    attributes.levels = scales[0].integers.levels();
    Node* fq =
        model.add("FakeQuantize", 1, name, {source, input_min, input_max, min, max}, attributes);
    for (const Use& use : place.readers) {
        use.node->set_input(use.index, fq->output());
    }
}

}  // namespace

std::vector<PlaceScales> choose_place_scales(const Placement& placement,
                                             const Profile& profile,
                                             const QuantizerOptions& options) {
    CalibrationOptions calibration;
    calibration.method = options.calibration;
    calibration.percentile = options.percentile;
    calibration.schema = options.schema;
    calibration.integers = integer_range(options.precision);
    std::map<std::size_t, std::vector<const Place*>> groups;
    for (const Place& place : placement.places) {
        groups[place.group].push_back(&place);
    }
    std::map<std::size_t, PlaceScales> chosen;
    for (const auto& [group, places] : groups) {
        const TensorProfile seen = profile_of_group(places, profile);
        PlaceScales& scales = chosen[group];
        if (options.depthwise_channels && places[0]->depthwise_only && !seen.channels.empty()) {
            for (const RealRange& channel : seen.channels) {
                const RealRange& range = is_zero(channel) ? seen.range : channel;
                scales.push_back(choose_scale(widened(range, options.headroom), options.schema,
                                              calibration.integers));
            }
        } else {
            const RealRange range = calibrate(seen.range, seen.histogram, calibration);
            scales.push_back(choose_scale(widened(range, options.headroom), options.schema,
                                          calibration.integers));
        }
    }
    std::vector<PlaceScales> scales;
    for (const Place& place : placement.places) {
        scales.push_back(chosen.at(place.group));
    }
    return scales;
}

void insert_fake_quantize(Model& model,
                          const Placement& placement,
                          const std::vector<PlaceScales>& scales) {
    for (std::size_t p = 0; p < placement.places.size(); ++p) {
        insert(model, placement.places[p], scales[p]);
    }
    model.validate();
}

}  // namespace fuseq::quantizer
