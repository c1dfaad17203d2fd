// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/compile/float_fallback.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "cpu/compile/make_plan.hpp"
#include "cpu/compile/plan_options.hpp"
#include "cpu/compile/trial.hpp"
#include "cpu/exec/layer_times.hpp"
#include "fuseq/error.hpp"

namespace fuseq::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// The smallest of fewer times says little.
constexpr std::size_t kMinRounds = 5;
constexpr std::chrono::milliseconds kBudget(50);

bool is_one_of(const Node& node, std::initializer_list<std::string_view> types) {
    return std::any_of(types.begin(), types.end(), [&](std::string_view t) { return node.is(t); });
}

bool may_be_anchor(const Node& node) {
    return is_one_of(node, {"Convolution", "GroupConvolution", "ConvolutionBackpropData",
                            "GroupConvolutionBackpropData", "MatMul"});
}

// Gives the values of its first input, elsewhere.
bool is_movement(const Node& node) {
    return is_one_of(node, {"Reshape", "Transpose", "Squeeze", "Unsqueeze"});
}

// What quantizes an input of a layer; null: nothing.
Node* quantization_before(const Node& layer, std::size_t input) {
    Node* node = layer.has_input(input) ? layer.input_node(input) : nullptr;
    while (node != nullptr && is_movement(*node)) {
        node = node->input_node(0);
    }
    return node != nullptr && node->is("FakeQuantize") ? node : nullptr;
}

// Whether everything that reads the result is one of the layers.
bool only_read_by(Node& quantization, const std::set<const Node*>& layers) {
    std::vector<Node*> open{&quantization};
    while (!open.empty()) {
        const Node& node = *open.back();
        open.pop_back();
        for (const Use& use : node.users()) {
            if (is_movement(*use.node)) {
                open.push_back(use.node);
            } else if (!layers.contains(use.node)) {
                return false;
            }
        }
    }
    return true;
}

Config without_low_precision(Config config) {
    config.low_precision = false;
    return config;
}

std::unique_ptr<Trial> trial(const Transformed& transformed,
                             const Config& config,
                             bool tile_groups) {
    BuildOptions options = build_options(config);
    options.tile_groups = tile_groups && options.tile_groups;
    return std::make_unique<Trial>(make_plan(*transformed.model, transformed.ranges, options),
                                   *transformed.model);
}

// Runs both in turn.
template <class Run>
void repeat(const Run& run) {
    const Clock::time_point end = Clock::now() + kBudget;
    for (std::size_t round = 0; round < kMinRounds || Clock::now() < end; ++round) {
        run();
    }
}

FallbackClock::Layers measure_layers(const Model& original,
                                     const Config& int8,
                                     const Config& in_float) {
    const Transformed with = transform_for_cpu(original, int8);
    const Transformed without = transform_for_cpu(original, in_float);
    LayerNames names;
    for (const Node* node : without.model->ordered_nodes()) {
        if (may_be_anchor(*node)) {
            names.anchors.insert(node->name());
        } else if (node->is("FakeQuantize")) {
            names.fake_quantize.insert(node->name());
        }
    }
    if (names.fake_quantize.empty()) {
        return {};  // no layer could be left in float
    }
    const auto a = trial(with, int8, false);  // each step is timed alone
    const auto b = trial(without, in_float, false);
    repeat([&] {
        a->run();
        b->run();
    });
    return {layer_times(a->plan(), a->times(), names, true),
            layer_times(b->plan(), b->times(), names, false)};
}

FallbackClock::Whole measure_whole(const Model& original,
                                   const Config& before,
                                   const Config& after) {
    const Transformed first = transform_for_cpu(original, before);
    const Transformed second = transform_for_cpu(original, after);
    const auto a = trial(first, before, true);
    const auto b = trial(second, after, true);
    constexpr double kNever = std::numeric_limits<double>::infinity();
    FallbackClock::Whole whole{kNever, kNever};
    repeat([&] {
        whole.before_us = std::min(whole.before_us, a->run_whole());
        whole.after_us = std::min(whole.after_us, b->run_whole());
    });
    return whole;
}

// Dumps and intermediates are of the plan itself, not of those that are measured.
Config to_measure(Config config) {
    config.dump_dir.clear();
    config.keep_intermediates = false;
    return config;
}

Config keeping(Config config, const FloatFallback& fallback) {
    for (std::string& layer : fallback.keep_float()) {
        config.keep_float.push_back(std::move(layer));
    }
    return config;
}

// Slower layers with what keeps them in float.
std::vector<FallbackLayer> candidates(const Model& model, const std::vector<SlowLayer>& slow) {
    std::vector<std::string> names;
    names.reserve(slow.size());
    for (const SlowLayer& layer : slow) {
        names.push_back(layer.layer);
    }
    std::vector<std::vector<std::string>> keep = quantizations_of(model, names);
    std::vector<FallbackLayer> layers;
    layers.reserve(slow.size());
    for (std::size_t i = 0; i < slow.size(); ++i) {
        const char* code = keep[i].empty() ? kSharedQuantization : kFloatIsFaster;
        layers.push_back(
            {slow[i].layer, slow[i].int8_us, slow[i].float_us, std::move(keep[i]), code});
    }
    return layers;
}

FloatFallback chosen(const Model& original, const Config& config, const FallbackClock& clock) {
    const Config in_float = without_low_precision(config);
    const FallbackClock::Layers times = clock.layers(original, config, in_float);
    // In float the FakeQuantize of constant weights is folded; here it is still to be seen.
    const std::shared_ptr<Model> graph = with_common_passes(original, config);
    FloatFallback result;
    result.layers = candidates(*graph, slower_in_int8(times.int8, times.in_float));
    if (result.keep_float().empty()) {
        result.note = fmt::format("{} layers measured, {} slower on integers, none runs in float",
                                  times.int8.size(), result.layers.size());
        return result;
    }
    const FallbackClock::Whole whole = clock.whole(original, config, keeping(config, result));
    const bool faster = whole.after_us < whole.before_us;
    std::size_t kept = 0;
    for (FallbackLayer& layer : result.layers) {
        if (!faster && layer.code == kFloatIsFaster) {
            layer.code = kWholeIsSlower;
        }
        kept += layer.code == kFloatIsFaster ? 1 : 0;
    }
    result.note = fmt::format(
        "{} layers measured, {} slower on integers, {} run in float; the model takes {:g} us on "
        "integers, {:g} us with the slower ones in float",
        times.int8.size(), result.layers.size(), kept, whole.before_us, whole.after_us);
    return result;
}

}  // namespace

std::string reason_of(const FallbackLayer& layer) {
    std::string text = fmt::format("measured: {:g} us on integers, {:g} us in float", layer.int8_us,
                                   layer.float_us);
    if (layer.code == kSharedQuantization) {
        text += "; stays on integers, as it has no FakeQuantize that serves only such layers";
    } else if (layer.code == kWholeIsSlower) {
        text += "; stays on integers, as the whole model would not be faster";
    }
    return text;
}

std::vector<std::string> FloatFallback::keep_float() const {
    std::set<std::string> names;
    for (const FallbackLayer& layer : layers) {
        if (layer.code == kFloatIsFaster) {
            names.insert(layer.keep.begin(), layer.keep.end());
        }
    }
    return {names.begin(), names.end()};
}

FallbackClock machine_clock() {
    return {measure_layers, measure_whole};
}

std::vector<std::vector<std::string>> quantizations_of(const Model& model,
                                                       const std::vector<std::string>& layers) {
    std::set<const Node*> nodes;
    for (const std::string& layer : layers) {
        const Node* node = model.find(layer);
        if (node != nullptr && may_be_anchor(*node)) {
            nodes.insert(node);
        }
    }
    std::vector<std::vector<std::string>> found(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Node* node = model.find(layers[i]);
        if (!nodes.contains(node)) {
            continue;
        }
        for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
            Node* quantization = quantization_before(*node, input);
            if (quantization != nullptr && only_read_by(*quantization, nodes)) {
                found[i].push_back(quantization->name());
            }
        }
    }
    return found;
}

FloatFallback choose_float(const Model& original,
                           const Config& config,
                           const FallbackClock& clock) {
    FloatFallback result;
    if (!config.low_precision) {
        result.note = "not measured: FUSEQ_LOW_PRECISION is NO";
        return result;
    }
    try {
        return chosen(original, to_measure(config), clock);
    } catch (const Error& error) {  // of an operation that does not take made-up input
        result.note = fmt::format("not measured: {}", error.what());
    }
    return result;
}

Transformed transform_with(const Model& original,
                           const Config& config,
                           const FloatFallback& fallback,
                           ConstantCache* constants) {
    Transformed result = transform_for_cpu(original, keeping(config, fallback), constants);
    for (Remark& remark : result.remarks) {
        if (remark.code != "kept_float") {
            continue;
        }
        for (const FallbackLayer& layer : fallback.layers) {
            const auto& keep = layer.keep;
            if (layer.code == kFloatIsFaster &&
                (remark.layer == layer.layer ||
                 std::find(keep.begin(), keep.end(), remark.layer) != keep.end())) {
                remark.code = kFloatIsFaster;
                remark.text = fmt::format("for '{}', {}", layer.layer, reason_of(layer));
                break;
            }
        }
    }
    return result;
}

}  // namespace fuseq::cpu
