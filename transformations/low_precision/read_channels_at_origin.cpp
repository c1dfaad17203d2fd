// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Takes channels that several Concat, Split and Gather have passed on from where they come from,
// and makes Gathers of the same channels one. Networks with channel shuffles move half of their
// channels on from block to block; convolutions of quantized channels read them at their origin
// (support/source_parts.hpp), so that the movements serve one reader at the end.
//
//   Law:     a channel of a Concat, Split or Gather along channels is a channel of an input.
//   Before:  Concat(a, b) -> Gather -> Split -> Concat(., c) -> Gather -> ... -> Gather -> reader
//   After:   Gather(Concat(parts), order) -> reader; a part is one of a, b, c, ... or some of its
//            channels, by a Gather that may exist already
//   Refuses: silently, where the movements that nobody else reads move less than twice as many
//            channels as the new ones, where a Result reads the last one, and where there are more
//            than 65536 channels.
//   Source:  the definitions of the operations.
#include "transformations/low_precision/read_channels_at_origin.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/core.h>

#include "ops/concat.hpp"
#include "ops/gather.hpp"
#include "transformations/support/channel_movement.hpp"
#include "transformations/support/constants.hpp"
#include "transformations/support/rewrite.hpp"

namespace fuseq {
namespace read_channels_at_origin_pass {
namespace {

constexpr std::string_view kName = "read_channels_at_origin";

struct Place {
    Output tensor;
    std::int64_t channel = 0;
};

// Each channel is looked at by itself, which takes memory and time for it.
bool has_few_channels(Node& node) {
    constexpr std::size_t kMaxChannels = 1 << 16;
    const auto few = [](const Output& output) {
        return !output || channel_count(output) <= kMaxChannels;  // an input may be absent
    };
    for (std::size_t i = 0; i < node.output_count(); ++i) {
        if (!few(node.output(i))) {
            return false;
        }
    }
    const auto inputs = node.inputs();
    return std::all_of(inputs.begin(), inputs.end(), few);
}

// Where the channels of the results of movements come from.
class Origins {
public:
    explicit Origins(const Model& model) {
        for (Node* node : model.ordered_nodes()) {
            if (!has_few_channels(*node)) {
                continue;
            }
            if (concatenates_channels(*node)) {
                join(*node);
            } else if (const auto channels = gathered_channels(*node)) {
                pick(*node, *channels);
            } else if (is_one_of(*node, {"Split", "VariadicSplit"}) &&
                       is_channel_axis(node->input(1), node->input(0))) {
                split(*node);
            }
        }
    }
    // Producers first.
    const std::vector<Node*>& movements() const { return movements_; }
    const std::vector<Place>& of(Node& node) const { return places_.at({&node, 0}); }

private:
    std::vector<Place> places(const Output& output) const {
        const auto known = places_.find({output.node, output.index});
        if (known != places_.end()) {
            return known->second;
        }
        std::vector<Place> own;
        for (std::size_t c = 0; c < channel_count(output); ++c) {
            own.push_back({output, static_cast<std::int64_t>(c)});
        }
        return own;
    }

    void join(Node& node) {
        std::vector<Place> all;
        for (const Output& input : node.inputs()) {
            const std::vector<Place> some = places(input);
            all.insert(all.end(), some.begin(), some.end());
        }
        places_[{&node, 0}] = std::move(all);
        movements_.push_back(&node);
    }

    void pick(Node& node, const std::vector<std::int64_t>& channels) {
        const std::vector<Place> all = places(node.input(0));
        std::vector<Place>& picked = places_[{&node, 0}];
        for (const std::int64_t channel : channels) {
            picked.push_back(all[static_cast<std::size_t>(channel)]);
        }
        movements_.push_back(&node);
    }

    void split(Node& node) {
        const std::vector<Place> all = places(node.input(0));
        std::size_t sum = 0;
        for (std::size_t i = 0; i < node.output_count(); ++i) {
            sum += channel_count(node.output(i));
        }
        if (all.empty() || sum != all.size()) {
            return;
        }
        auto at = all.begin();
        for (std::size_t i = 0; i < node.output_count(); ++i) {
            const auto end = at + static_cast<std::ptrdiff_t>(channel_count(node.output(i)));
            places_[{&node, i}].assign(at, end);
            at = end;
        }
        movements_.push_back(&node);
    }

    std::map<std::pair<const Node*, std::size_t>, std::vector<Place>> places_;
    std::vector<Node*> movements_;
};

// Some channels of a tensor, each once.
struct Part {
    Output tensor;
    std::vector<std::int64_t> channels;
    bool is_whole() const {
        std::vector<std::int64_t> all(channel_count(tensor));
        std::iota(all.begin(), all.end(), std::int64_t{0});
        return channels == all;
    }
};

struct Parts {
    std::vector<Part> parts;
    std::vector<std::int64_t> order;  // of the channels of all parts
};

Parts parts_of(const std::vector<Place>& places) {
    Parts result;
    std::vector<std::pair<std::size_t, std::size_t>> at;  // part, and place in it
    for (const Place& place : places) {
        std::size_t p = 0;
        while (p < result.parts.size() && !(result.parts[p].tensor == place.tensor)) {
            ++p;
        }
        if (p == result.parts.size()) {
            result.parts.push_back({place.tensor, {}});
        }
        auto& channels = result.parts[p].channels;
        const auto found = std::find(channels.begin(), channels.end(), place.channel);
        at.emplace_back(p, static_cast<std::size_t>(found - channels.begin()));
        if (found == channels.end()) {
            channels.push_back(place.channel);
        }
    }
    for (const auto& [part, inside] : at) {
        std::size_t before = 0;
        for (std::size_t p = 0; p < part; ++p) {
            before += result.parts[p].channels.size();
        }
        result.order.push_back(static_cast<std::int64_t>(before + inside));
    }
    return result;
}

// A Gather of these channels that stays.
Node* existing_gather(const Part& part, const std::set<Node*>& gone) {
    for (const Use& use : part.tensor.node->port(part.tensor.index).uses) {
        if (use.index == 0 && !gone.contains(use.node) &&
            gathered_channels(*use.node) == part.channels) {
            return use.node;
        }
    }
    return nullptr;
}

// The movements that nobody needs when nobody reads `last` any more; with it.
std::set<Node*> needed_by(Node& last, const std::vector<Node*>& movements) {
    std::set<Node*> gone{&last};
    for (auto it = movements.rbegin(); it != movements.rend(); ++it) {
        bool is_read = false;
        bool by_others = false;
        for (std::size_t i = 0; i < (*it)->output_count(); ++i) {
            for (const Use& use : (*it)->port(i).uses) {
                is_read = true;
                by_others = by_others || !gone.contains(use.node);
            }
        }
        if (is_read && !by_others) {
            gone.insert(*it);
        }
    }
    return gone;
}

std::size_t channels_moved(const std::set<Node*>& nodes) {
    std::size_t sum = 0;
    for (Node* node : nodes) {
        for (std::size_t i = 0; i < node->output_count(); ++i) {
            sum += channel_count(node->output(i));
        }
    }
    return sum;
}

Output gather(Model& model, const Part& part, const Node& last, const std::string& name) {
    const Output channels = make_constant(model, name + "/channels",
                                          Tensor::of(Shape{part.channels.size()}, part.channels));
    const Output axis = make_constant(model, name + "/axis", Tensor::scalar(std::int64_t{1}));
    Node* node = model.add("Gather", 8, name, {part.tensor, channels, axis}, GatherAttrs{});
    node->origins = origins_of(last);
    return node->output();
}

// `last`, a Gather, takes its channels from their origins.
bool rewrite(Node& last, const Origins& origins) {
    const Parts wanted = parts_of(origins.of(last));
    if (wanted.parts.empty()) {
        return false;  // a Gather of no channels
    }
    const std::set<Node*> gone = needed_by(last, origins.movements());
    std::size_t moved = wanted.order.size();  // by the last one
    if (wanted.parts.size() > 1) {
        moved += wanted.order.size();
    }
    std::vector<Node*> existing;
    for (const Part& part : wanted.parts) {
        existing.push_back(part.is_whole() ? part.tensor.node : existing_gather(part, gone));
        moved += existing.back() == nullptr ? part.channels.size() : 0;
    }
    if (channels_moved(gone) < 2 * moved) {
        return false;
    }
    Model& model = last.model();
    std::vector<Output> inputs;
    for (std::size_t p = 0; p < wanted.parts.size(); ++p) {
        const Part& part = wanted.parts[p];
        inputs.push_back(
            part.is_whole() ? part.tensor
            : existing[p] != nullptr
                ? existing[p]->output()
                : gather(model, part, last, fmt::format("{}/origin{}", last.name(), p)));
    }
    std::set<std::string> layers;
    for (const Node* node : gone) {
        for (const std::string& layer : origins_of(*node)) {
            layers.insert(layer);
        }
    }
    Output joined = inputs.front();
    if (inputs.size() > 1) {
        ConcatAttrs attrs;
        attrs.axis = 1;
        Node* join = model.add("Concat", 1, last.name() + "/parts", inputs, std::move(attrs));
        join->origins.assign(layers.begin(), layers.end());
        joined = join->output();
    }
    for (const std::string& layer : layers) {
        add_origin(last, layer);
    }
    last.set_input(0, joined);
    last.set_input(1, make_constant(model, last.name() + "/order",
                                    Tensor::of(Shape{wanted.order.size()}, wanted.order)));
    last.infer();
    return true;
}

bool may_be_last(const Node& node, const Origins& origins) {
    const auto& uses = node.port(0).uses;
    const auto& movements = origins.movements();
    return node.is("Gather") &&
           std::any_of(uses.begin(), uses.end(),
                       [&](const Use& use) {
                           return std::find(movements.begin(), movements.end(), use.node) ==
                                  movements.end();
                       }) &&
           std::none_of(uses.begin(), uses.end(),
                        [](const Use& use) { return use.node->is("Result"); });
}

bool rewrite_one(Model& model, PassContext& context) {
    const Origins origins(model);
    const auto& movements = origins.movements();
    for (auto it = movements.rbegin(); it != movements.rend(); ++it) {
        if (may_be_last(**it, origins) && rewrite(**it, origins)) {
            context.rewritten(kName, **it);
            model.remove_dead_nodes();
            return true;
        }
    }
    return false;
}

// Gathers of the same channels of the same tensor.
bool share_gathers(Model& model) {
    bool changed = false;
    std::map<std::pair<const Node*, std::size_t>, std::vector<Node*>> seen;
    for (Node* node : model.ordered_nodes()) {
        const auto channels = gathered_channels(*node);
        if (!channels) {
            continue;
        }
        const Output from = node->input(0);
        std::vector<Node*>& others = seen[{from.node, from.index}];
        const auto same = std::find_if(others.begin(), others.end(), [&](Node* other) {
            return gathered_channels(*other) == channels;
        });
        const auto& uses = node->port(0).uses;
        if (same == others.end() || std::any_of(uses.begin(), uses.end(), [](const Use& use) {
                return use.node->is("Result");
            })) {
            others.push_back(node);
            continue;
        }
        add_origins(**same, *node);
        redirect(node->output(), (*same)->output());
        changed = true;
    }
    return changed;
}

bool run(Model& model, PassContext& context) {
    bool changed = false;
    while (rewrite_one(model, context)) {
        changed = true;
    }
    return share_gathers(model) || changed;
}

}  // namespace
}  // namespace read_channels_at_origin_pass

bool read_channels_at_origin(Model& model, PassContext& context) {
    return read_channels_at_origin_pass::run(model, context);
}

}  // namespace fuseq
