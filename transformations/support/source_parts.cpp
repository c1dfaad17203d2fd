// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "transformations/support/source_parts.hpp"

#include <algorithm>
#include <numeric>

#include "ops/gather.hpp"
#include "transformations/support/channel_movement.hpp"
#include "transformations/support/channelwise.hpp"
#include "transformations/support/constants.hpp"

namespace fuseq {
namespace {

bool same_numbers(const Dequantize& a, const Dequantize& b) {
    return a.scale == b.scale && a.zero_point == b.zero_point;
}

void add_channels(SourcePart& part, std::size_t first, std::size_t count) {
    for (std::size_t c = 0; c < count; ++c) {
        part.channels.push_back(first + c);
    }
}

// Inputs of the Concat `join` that make up exactly these channels, in ascending order.
std::vector<Output> whole_inputs(const Node& join, const std::vector<std::int64_t>& channels) {
    std::vector<Output> inputs;
    std::size_t first = 0;
    std::size_t next = 0;  // in `channels`
    for (const Output& input : join.inputs()) {
        const std::size_t last = first + channel_count(input);
        const std::size_t begin = next;
        while (next < channels.size() && static_cast<std::size_t>(channels[next]) < last) {
            ++next;
        }
        if (next - begin == last - first) {
            inputs.push_back(input);
        } else if (next != begin) {
            return {};
        }
        first = last;
    }
    return inputs;
}

// Lets the part read the inputs of the Concat that it takes whole.
bool read_whole_inputs(SourcePart& part) {
    Node& join = *part.src.q.node;
    if (!concatenates_channels(join) || !std::is_sorted(part.picked.begin(), part.picked.end())) {
        return false;
    }
    const std::vector<Output> inputs = whole_inputs(join, part.picked);
    if (inputs.empty()) {
        return false;
    }
    part.picked.clear();
    part.src.q = inputs.size() == 1 ? inputs.front()
                                    : join.model()
                                          .add("Concat", 1, join.name() + "/part", inputs,
                                               join.attributes().clone())
                                          ->output();
    return true;
}

// One step towards where the channels come from: the one input of a Concat that holds them all.
bool step_through_concat(SourcePart& part) {
    const Node& join = *part.src.q.node;
    if (!concatenates_channels(join)) {
        return false;
    }
    const auto [low, high] = std::minmax_element(part.picked.begin(), part.picked.end());
    std::int64_t first = 0;
    for (const Output& input : join.inputs()) {
        const std::int64_t last = first + static_cast<std::int64_t>(channel_count(input));
        if (*low >= first && *high < last) {
            for (std::int64_t& channel : part.picked) {
                channel -= first;
            }
            part.src.q = input;
            return true;
        }
        first = last;
    }
    return false;
}

bool step_through_gather(SourcePart& part) {
    const auto from = gathered_channels(*part.src.q.node);
    if (!from) {
        return false;
    }
    for (std::int64_t& channel : part.picked) {
        channel = (*from)[static_cast<std::size_t>(channel)];
    }
    part.src.q = part.src.q.node->input(0);
    return true;
}

bool step_through_split(SourcePart& part) {
    const Output& q = part.src.q;
    if (!(q.node->is("Split") || q.node->is("VariadicSplit")) ||
        !is_channel_axis(q.node->input(1), q.node->input(0))) {
        return false;
    }
    std::int64_t first = 0;
    for (std::size_t i = 0; i < q.index; ++i) {
        const std::size_t count = channel_count(q.node->output(i));
        if (count == 0) {
            return false;
        }
        first += static_cast<std::int64_t>(count);
    }
    for (std::int64_t& channel : part.picked) {
        channel += first;
    }
    part.src.q = q.node->input(0);
    return true;
}

// Follows the channels to the tensor that they come from.
void read_at_origin(SourcePart& part) {
    while (!part.picked.empty()) {
        if (read_whole_inputs(part)) {
            return;
        }
        // A step that fails half-way has changed numbers only: work on a copy.
        SourcePart next = part;
        if (!step_through_concat(next) && !(next = part, step_through_split(next)) &&
            !(next = part, step_through_gather(next))) {
            break;
        }
        part = std::move(next);
    }
    std::vector<std::int64_t> all(channel_count(part.src.q));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    if (part.picked == all) {
        part.picked.clear();
    }
}

std::vector<SourcePart> parts_of_channels(const Dequantize& dq, std::size_t channels) {
    std::vector<SourcePart> parts;
    for (std::size_t c = 0; c < channels; ++c) {
        Dequantize one = dq;
        one.scale = dq.scale[c];
        one.zero_point = dq.zero_point[c];
        auto part = std::find_if(parts.begin(), parts.end(),
                                 [&](const SourcePart& p) { return same_numbers(p.src, one); });
        if (part == parts.end()) {
            parts.push_back({one, {}, {}});
            part = parts.end() - 1;
        }
        part->picked.push_back(static_cast<std::int64_t>(c));
        part->channels.push_back(c);
    }
    for (SourcePart& part : parts) {
        read_at_origin(part);
    }
    return parts;
}

std::vector<SourcePart> parts_of_concat(const Node& join) {
    std::vector<SourcePart> parts;
    std::size_t first = 0;
    for (const Output& input : join.inputs()) {
        const auto dq = match_dequantize(input);
        if (!dq || !dq->per_tensor()) {
            return {};
        }
        parts.push_back({*dq, {}, {}});
        add_channels(parts.back(), first, channel_count(input));
        first += channel_count(input);
    }
    return parts;
}

}  // namespace

std::vector<SourcePart> source_parts(const Output& source) {
    const std::size_t channels = channel_count(source);
    if (const auto dq = match_dequantize(source)) {
        if (dq->per_tensor()) {
            std::vector<SourcePart> whole{{*dq, {}, {}}};
            add_channels(whole.front(), 0, channels);
            return whole;
        }
        return channels == 0 || dq->axis() != 1 ? std::vector<SourcePart>{}
                                                : parts_of_channels(*dq, channels);
    }
    return concatenates_channels(*source.node) ? parts_of_concat(*source.node)
                                               : std::vector<SourcePart>{};
}

Output build_part(Model& model, const std::string& base_name, const SourcePart& part) {
    if (part.picked.empty()) {
        return part.src.q;
    }
    const Output indices = make_constant(model, base_name + "/channels",
                                         Tensor::of(Shape{part.picked.size()}, part.picked));
    const Output axis = make_constant(model, base_name + "/axis", Tensor::scalar(std::int64_t{1}));
    Node* gather =
        model.add("Gather", 8, base_name + "/gather", {part.src.q, indices, axis}, GatherAttrs{});
    gather->origins = part.src.origins;
    return gather->output();
}

Tensor weights_of_part(const Tensor& weights, const SourcePart& part) {
    if (part.channels.size() == weights.get_shape()[1]) {
        return weights;  // the only part: in order
    }
    return remapped(weights, 1, part.channels);
}

}  // namespace fuseq
