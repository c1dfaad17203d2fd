// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/equalization.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "quantizer/channel_factors.hpp"
#include "quantizer/layer_kinds.hpp"
#include "quantizer/placement.hpp"
#include "quantizer/reader_weights.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"
#include "transformations/support/weights.hpp"

namespace fuseq::quantizer {
namespace {

// A layer that commutes with positive factors of channels.
bool is_homogeneous(const Node& node) {
    return is_one_of(node, {"ReLU", "MaxPool", "AvgPool"}) ||
           (node.is("PReLU") && is_constant_input(node, 1));
}

// MaxPool may have indices as well.
bool only_first_is_read(const Node& node) {
    return node.users().size() == node.port().uses.size();
}

// The tensor, the layers that make it down to the one whose constants can take factors, and its
// readers.
struct Chain {
    Output tensor;
    std::size_t channel_dim = 1;
    std::vector<Node*> layers;  // from the tensor backwards; the last one takes the factors
    std::vector<Node*> readers;
};

std::optional<ChannelValues> channel_constant(const Node& node, std::size_t dim, std::size_t size) {
    const std::size_t rank = node.port().shape.rank();
    auto values = constant_channels(node.input(1), rank);
    if (values && !values->per_tensor() && (values->axis() != dim || values->size() != size)) {
        return std::nullopt;
    }
    return values;
}

class Equalizer {
public:
    Equalizer(Model& model, Profile& profile, double strength, const FixedInputs& fixed)
        : model_(model), profile_(profile), strength_(strength), fixed_(fixed) {}

    std::vector<std::string> run() {
        std::vector<std::string> done;
        for (Node* node : model_.ordered_nodes()) {
            if (node->output_count() == 0 || !only_first_is_read(*node) ||
                node->port().type != ElementType::f32 || !node->port().shape.is_static()) {
                continue;
            }
            const std::optional<Chain> chain = chain_of(node->output());
            if (chain && apply(*chain)) {
                done.push_back(tensor_name(chain->tensor));
            }
        }
        return done;
    }

private:
    std::size_t channels(const Chain& chain) const {
        return chain.tensor.shape()[chain.channel_dim];
    }

    std::optional<Chain> chain_of(const Output& tensor) const {
        Chain chain;
        chain.tensor = tensor;
        const std::size_t rank = tensor.partial_shape().rank();
        const auto& uses = tensor.node->port().uses;
        for (const Use& use : uses) {
            const Node& reader = *use.node;
            const bool fits = use.index == 0 && reads_channels(reader) &&
                              !fixed_.contains({reader.name(), 0}) &&
                              !(is_depthwise(reader) && uses.size() == 1);
            if (!fits || rank < 2) {
                return std::nullopt;
            }
            chain.readers.push_back(use.node);
        }
        if (chain.readers.empty()) {
            return std::nullopt;
        }
        const auto is_matmul = [](const Node* reader) { return reader->is("MatMul"); };
        const bool all = std::all_of(chain.readers.begin(), chain.readers.end(), is_matmul);
        const bool none = std::none_of(chain.readers.begin(), chain.readers.end(), is_matmul);
        if (!all && !none) {
            return std::nullopt;
        }
        chain.channel_dim = all ? rank - 1 : 1;
        return find_source(chain) ? std::optional(chain) : std::nullopt;
    }

    // Backwards to a layer whose constants can be divided.
    bool find_source(Chain& chain) const {
        for (Node* node = chain.tensor.node;; node = node->input_node(0)) {
            if (!chain.layers.empty() && !has_single_use(node->output())) {
                return false;
            }
            chain.layers.push_back(node);
            if (has_float_weights(*node)) {
                const std::size_t own = node->is("MatMul") ? node->port().shape.rank() - 1 : 1;
                return own == chain.channel_dim && order_of(*node).count() == channels(chain) &&
                       (!node->is("MatMul") || is_plain_matmul(*node));
            }
            const bool constant = is_one_of(*node, {"Add", "Multiply"}) &&
                                  is_constant_input(*node, 1) &&
                                  channel_constant(*node, chain.channel_dim, channels(chain));
            if (constant && node->is("Multiply")) {
                return true;
            }
            if (!constant && !is_homogeneous(*node)) {
                return false;
            }
        }
    }

    static ChannelOrder order_of(const Node& anchor) {
        return channel_order(anchor, anchor.input(1).shape());
    }

    bool apply(const Chain& chain) {
        const std::vector<float> factors = factors_of(chain);
        if (factors.empty()) {
            return false;
        }
        for (Node* reader : chain.readers) {
            multiply_weights(model_, *reader, factors);
        }
        for (Node* node : chain.layers) {
            divide(*node, factors, chain.channel_dim);
            divide_profile(tensor_name(node->output()), factors);
        }
        return true;
    }

    // Empty where the profile does not know the channels, or nothing would change.
    std::vector<float> factors_of(const Chain& chain) const {
        const auto found = profile_.tensors.find(tensor_name(chain.tensor));
        const std::size_t count = channels(chain);
        if (found == profile_.tensors.end() || found->second.channels.size() != count) {
            return {};
        }
        std::vector<double> shares(count);
        for (const Node* reader : chain.readers) {
            raise_weight_shares(*reader, shares);
        }
        std::vector<double> magnitudes;
        std::size_t counted = 0;
        for (std::size_t c = 0; c < count; ++c) {
            magnitudes.push_back(static_cast<double>(magnitude(found->second.channels[c])));
            counted += magnitudes[c] > 0 && shares[c] > 0 ? 1 : 0;
        }
        return counted < 2 ? std::vector<float>{} : channel_factors(magnitudes, shares, strength_);
    }

    void set_constant(Node& node, const Tensor& value) {
        const std::string name = node.input_node(1)->name() + "/equalized";
        node.set_input(1, make_constant(model_, name, value));
    }

    void divide(Node& node, const std::vector<float>& factors, std::size_t dim) {
        if (has_float_weights(node)) {
            Tensor weights = node.input_node(1)->constant().to(ElementType::f32);
            float* values = weights.data<float>();
            order_of(node).for_each_run(
                [&](std::size_t channel, std::size_t begin, std::size_t count) {
                    for (std::size_t i = begin; i < begin + count; ++i) {
                        values[i] /= factors[channel];
                    }
                });
            set_constant(node, weights);
        } else if (is_one_of(node, {"Add", "Multiply"})) {
            const auto constant = channel_constant(node, dim, factors.size());
            std::vector<float> values(factors.size());
            for (std::size_t c = 0; c < values.size(); ++c) {
                values[c] = (*constant)[c] / factors[c];
            }
            Shape shape(std::vector<std::size_t>(node.port().shape.rank(), 1));
            shape[dim] = values.size();
            set_constant(node, Tensor::of(shape, values));
        }
    }

    void divide_profile(const std::string& name, const std::vector<float>& factors) {
        const auto found = profile_.tensors.find(name);
        if (found == profile_.tensors.end()) {
            return;
        }
        TensorProfile& seen = found->second;
        if (seen.channels.size() != factors.size()) {
            profile_.tensors.erase(found);
            return;
        }
        seen.divide_channels(factors);
    }

    Model& model_;
    Profile& profile_;
    double strength_;
    const FixedInputs& fixed_;
};

}  // namespace

std::vector<std::string> equalize(Model& lowered,
                                  Profile& profile,
                                  double strength,
                                  const FixedInputs& fixed) {
    std::vector<std::string> done = Equalizer(lowered, profile, strength, fixed).run();
    lowered.remove_dead_nodes();
    return done;
}

}  // namespace fuseq::quantizer
