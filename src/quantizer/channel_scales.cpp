// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/channel_scales.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ops/binary_arithmetic.hpp"
#include "quantizer/channel_factors.hpp"
#include "quantizer/channel_paths.hpp"
#include "quantizer/layer_kinds.hpp"
#include "quantizer/reader_weights.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq::quantizer {
namespace {

// Channels that are this much alike stay as they are.
constexpr float kAlike = 1.05f;

// Kernels compute bytes of these with bounds or tables of one scale, twice as fast as with vectors.
bool has_kernel_of_one_scale(const Node& node) {
    return is_one_of(node, {"Clamp", "Elu"});
}

class Scaler {
public:
    Scaler(Conversion& conversion,
           double strength,
           const FixedInputs& fixed,
           const std::set<std::string>& equalized)
        : conversion_(conversion),
          model_(*conversion.lowered),
          strength_(strength),
          fixed_(fixed),
          equalized_(equalized),
          placement_(placement_of(conversion)) {}

    std::size_t run() {
        const auto& parameters = model_.parameters();
        const bool open =
            std::any_of(parameters.begin(), parameters.end(),
                        [](const Node* parameter) { return !parameter->port().shape.is_static(); });
        if (open) {
            return 0;
        }
        find_sources();
        if (sources_.empty()) {
            return 0;
        }
        paths_ = follow_channels(model_, sources_, numbers_, readers_, conversion_.options.device);
        find_shares();
        factors_.assign(numbers_, 1.0f);
        std::map<std::size_t, std::vector<const ChannelSource*>> groups;
        for (const ChannelSource& source : sources_) {
            groups[source.place->group].push_back(&source);
        }
        std::vector<const ChannelSource*> changed;
        for (const auto& [group, sources] : groups) {
            if (choose(sources)) {
                changed.insert(changed.end(), sources.begin(), sources.end());
            }
        }
        if (!changed.empty()) {
            multiply_readers();
        }
        for (const ChannelSource* source : changed) {
            divide(*source);
        }
        return changed.size();
    }

private:
    // Groups of places whose integers come to anchors alone.
    void find_sources() {
        std::map<std::size_t, bool> fits;
        std::vector<ChannelReaders> readers(placement_.places.size());
        for (std::size_t p = 0; p < placement_.places.size(); ++p) {
            const Place& place = placement_.places[p];
            bool& group = fits.try_emplace(place.group, true).first->second;
            group = group && is_known(place) && !has_kernel_of_one_scale(*place.tensor.node) &&
                    follow(place.readers, readers[p]);
        }
        for (std::size_t p = 0; p < placement_.places.size(); ++p) {
            const Place& place = placement_.places[p];
            // Depthwise convolutions alone have a range a channel as it is.
            if (!fits[place.group] || place.depthwise_only) {
                continue;
            }
            const std::size_t dim = channel_dim_of(place.tensor);
            const std::size_t count = place.tensor.shape()[dim];
            sources_.push_back({&place, dim, count, numbers_});
            numbers_ += count;
            readers_.anchors.merge(readers[p].anchors);
            readers_.movements.merge(readers[p].movements);
        }
    }

    // The profile has its channels, and they have no factors yet.
    bool is_known(const Place& place) const {
        if (equalized_.contains(tensor_name(place.tensor))) {
            return false;
        }
        const auto found = conversion_.profile.tensors.find(tensor_name(place.tensor));
        if (found == conversion_.profile.tensors.end() ||
            !place.tensor.partial_shape().is_static() || place.tensor.shape().size() < 2) {
            return false;
        }
        const std::size_t dim = channel_dim_of(place.tensor);
        return found->second.channels.size() == place.tensor.shape()[dim];
    }

    // Through layers that move values; false where another layer reads them.
    bool follow(const std::vector<Use>& uses, ChannelReaders& found) const {
        return std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
            Node& reader = *use.node;
            if (fixed_.contains({reader.name(), use.index}) || conversion_.kept.contains(&reader) ||
                !is_data_input(reader, use.index)) {
                return false;
            }
            if (kind_of(reader) == LayerKind::kMovement) {
                found.movements.insert(reader.name());
                return moves_blindly(reader) && has_known_shapes(reader) &&
                       follow(reader.users(), found);
            }
            const bool reads = use.index == 0 && reads_channels(reader) &&
                               reader.input(0).partial_shape().is_static();
            if (reads) {
                found.anchors.emplace(reader.name(), &reader);
            }
            return reads;
        });
    }

    static bool has_known_shapes(const Node& node) {
        return std::all_of(node.inputs().begin(), node.inputs().end(), [](const Output& input) {
            return !input || input.partial_shape().is_static();
        });
    }

    void find_shares() {
        shares_.assign(numbers_, 0);
        read_.assign(numbers_, false);
        for (const ChannelSink& sink : paths_.sinks) {
            const bool depthwise = is_depthwise(*sink.anchor);
            std::vector<double> shares(sink.numbers.size());
            raise_weight_shares(*sink.anchor, shares);
            for (std::size_t c = 0; c < shares.size(); ++c) {
                read_[sink.numbers[c]] = read_[sink.numbers[c]] || shares[c] > 0;
                double& share = shares_[sink.numbers[c]];
                share = depthwise ? share : std::max(share, shares[c]);
            }
        }
    }

    const TensorProfile& profile_of(const ChannelSource& source) const {
        return conversion_.profile.tensors.at(tensor_name(source.place->tensor));
    }

    // The greatest magnitude of channels [0, count); 0: nothing comes through.
    std::vector<double> magnitudes_of(const ChannelSource& source) const {
        std::vector<double> magnitudes;
        for (std::size_t c = 0; c < source.count; ++c) {
            const double own = static_cast<double>(magnitude(profile_of(source).channels[c]));
            magnitudes.push_back(read_[source.first + c] ? own : 0);
        }
        return magnitudes;
    }

    struct Channel {
        std::size_t number;
        double magnitude;
    };

    // Of sources that share a scale. False where nothing would change.
    bool choose(const std::vector<const ChannelSource*>& sources) {
        std::vector<Channel> dense;
        std::vector<Channel> depthwise;
        for (const ChannelSource* source : sources) {
            const std::vector<double> magnitudes = magnitudes_of(*source);
            for (std::size_t c = 0; c < source->count; ++c) {
                const std::size_t number = source->first + c;
                if (paths_.mixed.contains(number)) {
                    return false;
                }
                if (magnitudes[c] > 0) {
                    (shares_[number] > 0 ? dense : depthwise).push_back({number, magnitudes[c]});
                }
            }
        }
        double limit = set_dense(dense);
        if (dense.empty()) {
            limit = mean_magnitude(depthwise);
        }
        for (const Channel& channel : depthwise) {
            factors_[channel.number] = bounded_factor(channel.magnitude / limit);
        }
        if (are_alike(dense, depthwise)) {
            for (const Channel& channel : dense) {
                factors_[channel.number] = 1;
            }
            for (const Channel& channel : depthwise) {
                factors_[channel.number] = 1;
            }
            return false;
        }
        return true;
    }

    // Returns the greatest magnitude after division.
    double set_dense(const std::vector<Channel>& channels) {
        std::vector<double> magnitudes;
        std::vector<double> shares;
        for (const Channel& channel : channels) {
            magnitudes.push_back(channel.magnitude);
            shares.push_back(shares_[channel.number]);
        }
        const std::vector<float> factors = channel_factors(magnitudes, shares, strength_);
        double limit = 0;
        for (std::size_t c = 0; c < channels.size(); ++c) {
            factors_[channels[c].number] = factors[c];
            limit = std::max(limit, magnitudes[c] / static_cast<double>(factors[c]));
        }
        return limit;
    }

    static double mean_magnitude(const std::vector<Channel>& channels) {
        double logs = 0;
        for (const Channel& channel : channels) {
            logs += std::log(channel.magnitude);
        }
        return std::exp(logs / static_cast<double>(std::max<std::size_t>(channels.size(), 1)));
    }

    bool are_alike(const std::vector<Channel>& dense, const std::vector<Channel>& depthwise) const {
        float least = 1;
        float greatest = 1;
        for (const std::vector<Channel>* channels : {&dense, &depthwise}) {
            for (const Channel& channel : *channels) {
                least = std::min(least, factors_[channel.number]);
                greatest = std::max(greatest, factors_[channel.number]);
            }
        }
        return greatest <= kAlike * least;
    }

    std::vector<float> factors_of(const std::vector<std::size_t>& numbers) const {
        std::vector<float> factors;
        factors.reserve(numbers.size());
        for (const std::size_t number : numbers) {
            factors.push_back(factors_[number]);
        }
        return factors;
    }

    void multiply_readers() {
        std::set<std::string> divided;
        for (const ChannelSink& sink : paths_.sinks) {
            const std::vector<float> factors = factors_of(sink.numbers);
            if (std::all_of(factors.begin(), factors.end(), [](float f) { return f == 1; })) {
                continue;
            }
            multiply_weights(model_, *sink.anchor, factors);
            // Of a tensor that was moved; the sources have theirs divided.
            const std::string name = tensor_name(sink.anchor->input(0));
            const auto found = conversion_.profile.tensors.find(name);
            const bool moved = kind_of(*sink.anchor->input_node(0)) == LayerKind::kMovement;
            if (!moved || found == conversion_.profile.tensors.end() ||
                !divided.insert(name).second) {
                continue;
            }
            if (found->second.channels.size() == factors.size() &&
                channel_dim_of(sink.anchor->input(0)) == channel_dim_read(*sink.anchor)) {
                found->second.divide_channels(factors);
            } else {
                conversion_.profile.tensors.erase(found);
            }
        }
    }

    void divide(const ChannelSource& source) {
        const Place& place = *source.place;
        std::vector<float> factors;
        std::vector<float> inverse;
        for (std::size_t c = 0; c < source.count; ++c) {
            factors.push_back(factors_[source.first + c]);
            inverse.push_back(1.0f / factors.back());
        }
        Shape shape(std::vector<std::size_t>(place.tensor.shape().size(), 1));
        shape[source.dim] = source.count;
        const std::string name = model_.unique_name(tensor_name(place.tensor) + "/scaled");
        Node* scaled = model_.add(
            "Multiply", 1, name,
            {place.tensor, make_constant(model_, name + "/by", Tensor::of(shape, inverse))},
            BinaryAttrs{});
        for (const Use& use : place.readers) {
            use.node->set_input(use.index, scaled->output());
        }
        TensorProfile seen = profile_of(source);
        seen.divide_channels(factors);
        conversion_.profile.tensors[name] = std::move(seen);
    }

    Conversion& conversion_;
    Model& model_;
    double strength_;
    const FixedInputs& fixed_;
    const std::set<std::string>& equalized_;
    Placement placement_;
    std::vector<ChannelSource> sources_;
    ChannelReaders readers_;
    ChannelPaths paths_;
    std::size_t numbers_ = 1;     // 0 is no channel
    std::vector<double> shares_;  // by number; 0: depthwise convolutions alone read it
    std::vector<bool> read_;
    std::vector<float> factors_;
};

}  // namespace

std::size_t scale_channels(Conversion& conversion,
                           double strength,
                           const FixedInputs& fixed,
                           const std::set<std::string>& equalized) {
    const std::size_t count = Scaler(conversion, strength, fixed, equalized).run();
    conversion.lowered->validate();
    return count;
}

}  // namespace fuseq::quantizer
