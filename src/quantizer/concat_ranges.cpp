// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/concat_ranges.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "quantizer/layer_kinds.hpp"
#include "transformations/support/channel_movement.hpp"

namespace fuseq::quantizer {
namespace {

// So much less noise, as a power: half.
constexpr double kNoiseShare = 0.5;
// Each range more is a convolution more.
constexpr std::size_t kMaxInputs = 8;

// Whether only dense convolutions with weights in float read it.
bool only_convolutions_read(const Node& join) {
    const auto& uses = join.port().uses;
    return !uses.empty() && std::all_of(uses.begin(), uses.end(), [](const Use& use) {
        const Node& reader = *use.node;
        return reader.is("Convolution") && use.index == 0 &&
               kind_of(reader) == LayerKind::kAnchor && reader.input(1).type() == ElementType::f32;
    });
}

// Both of them, and 0.
RealRange hull(const RealRange& a, const RealRange& b) {
    return {std::min({a.min, b.min, 0.0f}), std::max({a.max, b.max, 0.0f})};
}

double width(const RealRange& range) {
    return static_cast<double>(range.max) - static_cast<double>(range.min);
}

// Sum of the squares of the weights that each input channel has in the convolution.
void add_energies(const Node& convolution, std::vector<double>& energies) {
    const Tensor weights = convolution.input_node(1)->constant();
    const Shape& shape = weights.get_shape();  // O, I, taps...
    const std::size_t inputs = shape[1];
    const std::size_t taps = shape_size(shape) / (shape[0] * inputs);
    const float* values = weights.data<float>();
    for (std::size_t i = 0; i < weights.get_size(); ++i) {
        const double weight = values[i];
        energies.at(i / taps % inputs) += weight * weight;
    }
}

class Chooser {
public:
    Chooser(const Placement& shared, const Profile& profile)
        : placement_(shared), profile_(profile) {}

    bool takes(Node& join) const {
        if (!join.is("Concat") || !concatenates_channels(join) || join.input_count() > kMaxInputs ||
            !only_convolutions_read(join)) {
            return false;
        }
        std::vector<double> energies(channel_count(join.output()));
        for (const Use& use : join.port().uses) {
            add_energies(*use.node, energies);
        }
        double all = 0;
        double own = 0;
        std::size_t channel = 0;
        for (std::size_t i = 0; i < join.input_count(); ++i) {
            const std::optional<Widths> widths = widths_of(join, i);
            if (!widths) {
                return false;
            }
            for (std::size_t c = channel_count(join.input(i)); c > 0; --c, ++channel) {
                all += widths->group * widths->group * energies[channel];
                own += widths->own * widths->own * energies[channel];
            }
        }
        return own < kNoiseShare * all;
    }

private:
    // Of one input: of the range that it shares, and of its own.
    struct Widths {
        double group = 0;
        double own = 0;
    };
    // Nothing where the input is not quantized, also not before a movement, or not profiled.
    std::optional<Widths> widths_of(Node& join, std::size_t i) const {
        const std::size_t place = place_read_by(placement_, join, i);
        if (place == placement_.places.size()) {
            return std::nullopt;
        }
        const auto own = range_of(placement_.places[place]);
        if (!own) {
            return std::nullopt;
        }
        RealRange group = hull(*own, {});
        for (const Place& other : placement_.places) {
            if (other.group == placement_.places[place].group) {
                group = hull(group, range_of(other).value_or(RealRange{}));
            }
        }
        return Widths{width(group), width(hull(*own, {}))};
    }

    std::optional<RealRange> range_of(const Place& place) const {
        const auto found = profile_.tensors.find(tensor_name(place.tensor));
        return found == profile_.tensors.end() || found->second.empty()
                   ? std::nullopt
                   : std::optional(found->second.range);
    }

    const Placement& placement_;
    const Profile& profile_;
};

}  // namespace

std::set<const Node*> concats_of_own_ranges(const Model& model,
                                            const Placement& shared,
                                            const Profile& profile) {
    const Chooser chooser(shared, profile);
    std::set<const Node*> found;
    for (Node* node : model.ordered_nodes()) {
        if (chooser.takes(*node)) {
            found.insert(node);
        }
    }
    return found;
}

}  // namespace fuseq::quantizer
