// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/option_texts.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "fuseq/error.hpp"
#include "model/nearest_name.hpp"

namespace fuseq {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& value, const char* expected) {
    throw Error("quantize", fmt::format("option {} is '{}', expected {}", name, value, expected));
}

bool to_bool(const char* name, const std::string& value) {
    if (value != "true" && value != "false") {
        refuse(name, value, "true or false");
    }
    return value == "true";
}

// `text` is the value, or its part that is the number.
template <class Number>
Number to_number(const char* name,
                 const std::string& value,
                 std::string_view text,
                 const char* expected) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) {
        refuse(name, value, expected);
    }
    return number;
}

std::vector<std::string> to_list(const std::string& value) {
    std::vector<std::string> list;
    std::istringstream parts(value);
    for (std::string part; std::getline(parts, part, ',');) {
        if (!part.empty()) {
            list.push_back(part);
        }
    }
    return list;
}

DropBound to_bound(const char* name, const std::string& value) {
    const std::size_t at = value.find('=');
    if (at == std::string::npos) {
        refuse(name, value, "METRIC=VALUE");
    }
    DropBound bound;
    bound.metric = metric_from(value.substr(0, at));
    if (bound.metric == DropMetric::kOwn) {
        refuse(name, value, "another metric: one of the user's own is a function of C++");
    }
    bound.value =
        to_number<double>(name, value, std::string_view(value).substr(at + 1), "METRIC=VALUE");
    return bound;
}

using Options = QuantizerOptions;
using Text = const std::string&;

struct Row {
    const char* name;
    void (*set)(Options& options, const char* name, Text value);
};

template <auto kMember>
void flag(Options& options, const char* name, Text value) {
    options.*kMember = to_bool(name, value);
}
template <auto kMember>
void real(Options& options, const char* name, Text value) {
    options.*kMember = to_number<double>(name, value, value, "a number");
}
template <auto kMember>
void whole(Options& options, const char* name, Text value) {
    options.*kMember = to_number<std::size_t>(name, value, value, "a whole number");
}
template <auto kMember>
void list(Options& options, const char*, Text value) {
    options.*kMember = to_list(value);
}
template <auto kMember, auto kFrom>
void choice(Options& options, const char*, Text value) {
    options.*kMember = kFrom(value);
}

constexpr Row kRows[] = {
    {"schema", choice<&Options::schema, schema_from>},
    {"weights_schema", choice<&Options::weights_schema, schema_from>},
    {"precision", choice<&Options::precision, precision_from>},
    {"weights_precision", choice<&Options::weights_precision, precision_from>},
    {"bias_precision", choice<&Options::bias_precision, precision_from>},
    {"calibration", choice<&Options::calibration, calibration_from>},
    {"weights_calibration", choice<&Options::weights_calibration, calibration_from>},
    {"percentile", real<&Options::percentile>},
    {"headroom", real<&Options::headroom>},
    {"histogram_bins", whole<&Options::histogram_bins>},
    {"streams", whole<&Options::streams>},
    {"channelwise", flag<&Options::channelwise>},
    {"rowwise", flag<&Options::rowwise>},
    {"rows_of_4_bits", flag<&Options::rows_of_4_bits>},
    {"f16_row_scales", flag<&Options::f16_row_scales>},
    {"weights_of_7_bits", flag<&Options::weights_of_7_bits>},
    {"weights_by_fake_quantize", flag<&Options::weights_by_fake_quantize>},
    {"depthwise_channels", flag<&Options::depthwise_channels>},
    {"bias_correction", flag<&Options::bias_correction>},
    {"equalization", flag<&Options::equalization>},
    {"channel_scales", flag<&Options::channel_scales>},
    {"concat_ranges", flag<&Options::concat_ranges>},
    {"measured_biases", flag<&Options::measured_biases>},
    {"integers_for_time", flag<&Options::integers_for_time>},
    {"second_order_rounding", flag<&Options::second_order_rounding>},
    {"assert_all_nodes_quantized", flag<&Options::assert_all_nodes_quantized>},
    {"keep_original_precision", list<&Options::keep_original_precision>},
    {"do_not_lower", list<&Options::do_not_lower>},
    {"max_drop",
     [](Options& options, const char* name, Text value) {
         options.max_drop = to_bound(name, value);
     }},
    {"device", [](Options& options, const char*, Text value) { options.device = value; }},
};

}  // namespace

void set_option(QuantizerOptions& options, const std::string& name, const std::string& value) {
    const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const Row& r) { return name == r.name; });
    if (row == std::end(kRows)) {
        std::vector<std::string> known;
        for (const Row& r : kRows) {
            known.emplace_back(r.name);
        }
        throw Error("quantize", fmt::format("there is no option '{}'; the nearest is '{}'", name,
                                            nearest_name(name, known)));
    }
    row->set(options, row->name, value);
}

}  // namespace fuseq
