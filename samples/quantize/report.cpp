// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantize/report.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "fuseq/error.hpp"

namespace fuseq::samples {
namespace {

std::size_t count_quantized(const QuantizedModel& model) {
    return static_cast<std::size_t>(
        std::count_if(model.layers.begin(), model.layers.end(),
                      [](const QuantizedLayer& layer) { return layer.quantized; }));
}

nlohmann::ordered_json describe(const QuantizedLayer& layer, const std::string& precision) {
    nlohmann::ordered_json item{{"name", layer.name},
                                {"kind", layer.kind},
                                {"precision", layer.quantized ? precision : "Float"}};
    if (!layer.quantized) {
        item["reason"] = layer.reason;
        return item;
    }
    if (layer.input_scale > 0) {
        item["input_scale"] = layer.input_scale;
        item["input_offset"] = layer.input_offset;
    }
    if (layer.max_weight_scale > 0) {
        item["weight_scales"] = {layer.min_weight_scale, layer.max_weight_scale};
        item["scale_spread"] = layer.max_weight_scale / layer.min_weight_scale;
    }
    return item;
}

nlohmann::ordered_json describe(const QuantizedTensor& tensor) {
    nlohmann::ordered_json item{{"name", tensor.name},
                                {"low", tensor.low},
                                {"high", tensor.high},
                                {"scales", tensor.scales}};
    if (tensor.scales == 1) {
        item["saturated"] = tensor.saturated;
        item["unused_levels"] = tensor.unused_levels;
        item["channel_spread"] = tensor.channel_spread;
    }
    if (!tensor.remedy.empty()) {
        item["remedy"] = tensor.remedy;
    }
    return item;
}

nlohmann::ordered_json describe(const BatchNormDiagnosis& d) {
    return {
        {"layer", d.layer},
        {"channels", d.channels},
        {"scale", {d.min_scale, d.max_scale}},
        {"bias", {d.min_bias, d.max_bias}},
        {"greatest",
         {{"channel", d.channel}, {"gamma", d.gamma}, {"variance", d.variance}, {"mean", d.mean}}},
        {"dead", d.dead},
        {"remedies", d.remedies}};
}

template <class Item>
nlohmann::ordered_json describe_all(const std::vector<Item>& items) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const Item& item : items) {
        list.push_back(describe(item));
    }
    return list;
}

nlohmann::ordered_json describe(const QuantizerOptions& options) {
    nlohmann::ordered_json bound;
    if (options.max_drop) {
        bound = {{"metric", to_string(options.max_drop->metric)},
                 {"value", options.max_drop->value}};
    }
    return {{"max_drop", bound},
            {"quantization_schema", to_string(options.schema)},
            {"quantization_schema_weights", to_string(options.weights_schema)},
            {"quantization_precision", to_string(options.precision)},
            {"quantization_precision_weights", to_string(options.weights_precision)},
            {"quantization_precision_bias", to_string(options.bias_precision)},
            {"quantization_calibration", to_string(options.calibration)},
            {"weights_calibration", to_string(options.weights_calibration)},
            {"channelwise", options.channelwise},
            {"rowwise", options.rowwise},
            {"rows_of_4_bits", options.rows_of_4_bits},
            {"f16_row_scales", options.f16_row_scales},
            {"weights_of_7_bits", options.weights_of_7_bits},
            {"weights_by_fake_quantize", options.weights_by_fake_quantize},
            {"depthwise_channels", options.depthwise_channels},
            {"bias_correction", options.bias_correction},
            {"headroom", options.headroom},
            {"equalization", options.equalization},
            {"channel_scales", options.channel_scales},
            {"concat_ranges", options.concat_ranges},
            {"measured_biases", options.measured_biases},
            {"integers_for_time", options.integers_for_time},
            {"second_order_rounding", options.second_order_rounding}};
}

}  // namespace

std::string summary(const QuantizedModel& model) {
    std::string text =
        fmt::format("{} of {} layers that can be quantized are, by {} FakeQuantize layers\n",
                    count_quantized(model), model.layers.size(), model.activations);
    for (const QuantizedLayer& layer : model.layers) {
        if (!layer.quantized) {
            text += fmt::format("float: {} '{}': {}\n", layer.kind, layer.name, layer.reason);
        }
    }
    for (const QuantizerStep& step : model.steps) {
        char figures[64];
        std::snprintf(figures, sizeof figures, "%.2f dB to %.2f dB, ", step.before, step.after);
        text += fmt::format("{}: {}{}\n", step.name, figures,
                            step.kept ? "kept" : "left out: " + step.reason);
    }
    if (!model.ranking.empty()) {
        const auto returned = std::count_if(model.ranking.begin(), model.ranking.end(),
                                            [](const auto& l) { return l.returned_to_float; });
        text += fmt::format(
            "measured against the bound: {:g}, with {} of {} layers returned to float\n",
            model.drop, returned, model.ranking.size());
    }
    for (const BatchNormDiagnosis& diagnosis : model.batch_norms) {
        if (!diagnosis.remedies.empty()) {
            text += to_string(diagnosis) + "\n";
        }
    }
    for (const std::string& remark : model.remarks) {
        text += "note: " + remark + "\n";
    }
    return text;
}

std::string report_json(const QuantizedModel& model, const QuantizerOptions& options) {
    nlohmann::ordered_json layers = nlohmann::ordered_json::array();
    for (const QuantizedLayer& layer : model.layers) {
        layers.push_back(describe(layer, std::string(to_string(options.precision))));
    }
    nlohmann::ordered_json steps = nlohmann::ordered_json::array();
    for (const QuantizerStep& step : model.steps) {
        steps.push_back({{"name", step.name},
                         {"sqnr_before", step.before},
                         {"sqnr_after", step.after},
                         {"kept", step.kept},
                         {"reason", step.reason}});
    }
    nlohmann::ordered_json ranking = nlohmann::ordered_json::array();
    for (const LayerDamage& layer : model.ranking) {
        ranking.push_back({{"layer", layer.layer},
                           {"sqnr", layer.sqnr},
                           {"returned_to_float", layer.returned_to_float}});
    }
    nlohmann::ordered_json report{{"options", describe(options)},
                                  {"steps", steps},
                                  {"layers", layers},
                                  {"kept", model.kept},
                                  {"remarks", model.remarks},
                                  {"totals",
                                   {{"layers", model.layers.size()},
                                    {"quantized", count_quantized(model)},
                                    {"fake_quantize", model.activations}}}};
    report["tensors"] = describe_all(model.tensors);
    report["batch_norms"] = describe_all(model.batch_norms);
    if (!model.ranking.empty()) {
        report["ranking"] = ranking;
        report["drop"] = model.drop;
    }
    return report.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace fuseq::samples
