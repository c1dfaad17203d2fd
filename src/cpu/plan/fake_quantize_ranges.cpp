// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/plan/fake_quantize_ranges.hpp"

#include <vector>

#include "ops/fake_quantize.hpp"
#include "transformations/low_precision/share_fake_quantize.hpp"

namespace fuseq::cpu {
namespace {

std::vector<double> doubles(const Tensor& tensor) {
    const std::vector<float> values = to_floats(tensor);
    return {values.begin(), values.end()};
}

// Name of the MaxPool that a FakeQuantize stands after, activations in between; empty without one.
// As quantize_before_max_pool sees it.
std::string pool_before(const Node& fq) {
    const Node* at = fq.input_node(0);
    while (at->is("ReLU") || at->is("Clamp") || at->is("Sigmoid") || at->is("Tanh")) {
        at = at->input_node(0);
    }
    return at->is("MaxPool") ? at->name() : std::string();
}

// Whether a MaxPool of that name reads an output, or a MaxPool that reads it.
bool is_pooled_by(const Output& output, const std::string& name) {
    std::vector<Output> todo = {output};
    while (!todo.empty()) {
        const Output at = todo.back();
        todo.pop_back();
        for (const Use& use : at.node->port(at.index).uses) {
            if (use.node->is("MaxPool")) {
                if (use.node->name() == name) {
                    return true;
                }
                todo.push_back(use.node->output(0));
            }
        }
    }
    return false;
}

// Tells those that stand for others whose they are.
void note_twins(const Model& model,
                const PassOptions& options,
                std::map<std::string, FakeQuantizeResult>& ranges) {
    for (const Node* node : model.find_all("FakeQuantize")) {
        const Node* first = nullptr;
        for (const Node* at = fake_quantize_shared_with(*node, options); at != nullptr;
             at = fake_quantize_shared_with(*at, options)) {
            first = at;
        }
        const auto range = first == nullptr ? ranges.end() : ranges.find(first->name());
        if (range != ranges.end()) {
            range->second.twins.push_back(node->name());
        }
    }
}

}  // namespace

std::map<std::string, FakeQuantizeResult> fake_quantize_ranges(const Model& model,
                                                               const PassOptions& options) {
    std::map<std::string, FakeQuantizeResult> ranges;
    for (const Node* node : model.find_all("FakeQuantize")) {
        if (!node->input_node(3)->is_constant() || !node->input_node(4)->is_constant() ||
            !node->port(0).shape.rank_is_static()) {
            continue;
        }
        const Tensor& low = node->input_node(3)->constant();
        const Tensor& high = node->input_node(4)->constant();
        const std::vector<double> lows = doubles(low);
        const std::vector<double> highs = doubles(high);
        const Tensor& longer = lows.size() > highs.size() ? low : high;
        FakeQuantizeResult result;
        result.layer = node->name();
        result.shape = node->port(0).shape;
        result.pool = pool_before(*node);
        const std::size_t count = longer.get_size();
        if ((lows.size() != count && lows.size() != 1) ||
            (highs.size() != count && highs.size() != 1)) {
            continue;
        }
        const double steps = static_cast<double>(node->attrs<FakeQuantizeAttrs>().levels - 1);
        for (std::size_t c = 0; c < count; ++c) {
            const double ol = lows[lows.size() == 1 ? 0 : c];
            const double oh = highs[highs.size() == 1 ? 0 : c];
            result.output_low.push_back(ol);
            result.step.push_back((oh - ol) / steps);
        }
        std::size_t varying = 0;
        const std::size_t rank = node->port(0).shape.rank();
        for (std::size_t d = 0; d < longer.get_shape().size(); ++d) {
            if (longer.get_shape()[d] != 1) {
                ++varying;
                result.axis = d + rank - longer.get_shape().size();
            }
        }
        if (varying <= 1) {
            ranges[node->name()] = std::move(result);
        }
    }
    note_twins(model, options, ranges);
    return ranges;
}

bool holds_result(const Output& output, const FakeQuantizeResult& fq) {
    if (output.node->is("MaxPool")) {
        return output.node->name() == fq.pool;
    }
    return fq.pool.empty() || !is_pooled_by(output, fq.pool);
}

}  // namespace fuseq::cpu
