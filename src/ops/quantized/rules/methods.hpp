// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Methods as data: which rule each of them gives each operation. A new method is a row.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fuseq/node.hpp"
#include "ops/quantized/quantize_method.hpp"
#include "ops/quantized/rules/rule.hpp"

namespace fuseq {

// Products with weights may have other rules where the kernel of the framework knows one multiplier
// and where it knows one an output channel.
struct ProductRules {
    RuleChoice per_tensor;
    RuleChoice per_channel;
};

struct MethodRow {
    QuantizeMethod method = QuantizeMethod::kNative;
    std::string_view summary = {};
    ProductRules convolution;
    ProductRules depthwise;
    ProductRules pointwise;  // 1x1, one group
    ProductRules matmul;
    ProductRules deconvolution;
    // Of i8 with one scale for all channels, where that is another rule.
    std::optional<RuleChoice> one_scale_deconvolution = {};
    RuleChoice wide_convolution;  // src of i16
    RuleChoice wide_matmul;
    // The same with sums of 32 bits: a bias of i32; of a deconvolution, or a product with weights of
    // bytes, also none.
    RuleChoice narrow_convolution;
    RuleChoice narrow_matmul;
    RuleChoice narrow_deconvolution;
    RuleChoice wide_softmax;  // D1, D2: of the distances, the rest by tables
    RuleChoice wide_table;
    RuleChoice wide_image_mean;
    RuleChoice add;  // and subtract
    RuleChoice multiply;
    RuleChoice leaky_relu;
    RuleChoice requantize;
    RuleChoice quantize;
    RuleChoice average_pool;
    RuleChoice mean;
    ProductRules image_mean;  // over height and width; per_tensor: of u8, per_channel: of others
    RuleChoice concat;
    RuleChoice softmax;
    RuleChoice table;
    ProductRules resize;  // per_tensor: of u8, per_channel: of others
    RuleChoice wide_resize;
    RuleChoice sum;
    // TFLite's kernels of s8 have a multiplier a channel, also of one scale; those of u8 have one.
    bool signed_is_per_channel = false;
};

const MethodRow& method_row(QuantizeMethod method);

// The rule of an operation of the set "fuseq". Null where it does not round (Dequantize, maxima,
// other operations).
const RuleChoice* rule_of(const Node& node);
// "TFLITE: D2-up (f32 product)"; empty where rule_of() is null.
std::string rule_text(const Node& node);

// "TFLITE" and so on; throws Error("property") that lists the known names.
QuantizeMethod parse_quantize_method(std::string_view text);
std::string_view to_string(QuantizeMethod method);

}  // namespace fuseq
