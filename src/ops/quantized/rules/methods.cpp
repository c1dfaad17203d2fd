// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/quantized/rules/methods.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "fuseq/error.hpp"
#include "ops/quantized/quantized_attributes.hpp"

namespace fuseq {
namespace {

using Form = MultiplierForm;
using Rule = RoundingRule;

constexpr RuleChoice choice(Rule rule, Form form = Form::kDouble) {
    return {rule, form};
}
constexpr ProductRules both(RuleChoice rule) {
    return {rule, rule};
}

constexpr RuleChoice kF32 = choice(Rule::kF32, Form::kF32);
constexpr RuleChoice kF2 = choice(Rule::kD2, Form::kF32);
constexpr RuleChoice kRefused = choice(Rule::kRefused);

// Every rule of a multiplier in fixed point, as TFLite forms its multipliers.
constexpr MethodRow fixed_point(Rule convolution, Rule others) {
    const ProductRules depthwise{choice(others, Form::kF32Product), choice(others)};
    const ProductRules products{choice(convolution, Form::kF32Product), choice(convolution)};
    return {.convolution = products,
            .depthwise = depthwise,
            .pointwise = products,
            .matmul = both(choice(convolution, Form::kF32Product)),
            .deconvolution = depthwise,
            .wide_convolution = choice(Rule::kM16),
            .wide_matmul = choice(Rule::kM16, Form::kF32Product),
            .narrow_convolution = choice(Rule::kD1),
            .narrow_matmul = choice(Rule::kD1, Form::kF32Product),
            .narrow_deconvolution = choice(others),
            .wide_softmax = choice(others, Form::kF32Product),
            .wide_table = choice(Rule::kSigmoidsOrFixedPoint),
            .wide_image_mean = choice(Rule::kDividedMean),
            .add = choice(others),
            .multiply = choice(others, Form::kF32),
            .leaky_relu = choice(others, Form::kF32),
            .requantize = choice(others),
            .quantize = choice(Rule::kRealHalfAway),
            .average_pool = choice(Rule::kRawHalfAway),
            .mean = choice(Rule::kRealMean),
            .image_mean = {choice(Rule::kRawMean), choice(Rule::kDividedMean)},
            .concat = choice(Rule::kF32HalfAway, Form::kF32),
            .softmax = choice(Rule::kTable),
            .table = choice(Rule::kRealHalfAway),
            .resize = {choice(Rule::kRawReal), choice(Rule::kFixed10)},
            .wide_resize = choice(Rule::kFixed10),
            .sum = choice(Rule::kWrappedSum),
            .signed_is_per_channel = true};
}

constexpr MethodRow named(QuantizeMethod method, std::string_view summary, MethodRow row) {
    row.method = method;
    row.summary = summary;
    return row;
}

constexpr MethodRow native() {
    const RuleChoice product = choice(Rule::kF32ZeroFirst, Form::kF32);
    const RuleChoice real = choice(Rule::kRealZeroFirst);
    return {.convolution = both(product),
            .depthwise = both(product),
            .pointwise = both(product),
            .matmul = both(product),
            .deconvolution = both(product),
            .wide_convolution = product,
            .wide_matmul = product,
            .narrow_convolution = product,
            .narrow_matmul = product,
            .narrow_deconvolution = product,
            .wide_softmax = real,
            .wide_table = real,
            .wide_image_mean = product,
            .add = real,
            .multiply = product,
            .leaky_relu = real,
            .requantize = real,
            .quantize = real,
            .average_pool = real,
            .mean = product,
            .image_mean = both(product),
            .concat = real,
            .softmax = real,
            .table = real,
            .resize = both(real),
            .wide_resize = real,
            .sum = real};
}

constexpr MethodRow onnx() {
    const RuleChoice real = choice(Rule::kRealHalfEven);
    return {.convolution = both(kF32),
            .depthwise = both(kF32),
            .pointwise = both(kF32),
            .matmul = both(kF32),
            .deconvolution = both(kF32),
            .wide_convolution = kF32,
            .wide_matmul = kF32,
            .narrow_convolution = kF32,
            .narrow_matmul = kF32,
            .narrow_deconvolution = kF32,
            .wide_softmax = real,
            .wide_table = real,
            .wide_image_mean = kF32,
            .add = choice(Rule::kF32ZeroFirst, Form::kF32),
            .multiply = choice(Rule::kF32ZeroFirst, Form::kF32),
            .leaky_relu = real,
            .requantize = real,
            .quantize = real,
            .average_pool = choice(Rule::kRealZeroFirst),
            .mean = kF32,
            .image_mean = both(kF32),
            .concat = real,
            .softmax = choice(Rule::kScaledTable),
            .table = real,
            .resize = both(real),
            .wide_resize = real,
            .sum = real};
}

constexpr MethodRow xnnpack() {
    MethodRow row = fixed_point(Rule::kD2Up, Rule::kD2);
    row.convolution.per_channel = kF32;
    row.pointwise.per_channel = kF32;
    row.depthwise.per_channel = kF32;
    row.matmul.per_channel = kF32;
    row.one_scale_deconvolution = kF32;
    row.image_mean.per_channel = kF32;
    row.resize.per_channel = choice(Rule::kFixed11);
    row.add = choice(Rule::kSharedShift, Form::kF32);
    row.multiply = kF32;
    return row;
}

constexpr MethodRow reference() {
    MethodRow row = fixed_point(Rule::kD2, Rule::kD2);
    row.narrow_convolution = choice(Rule::kD2);
    row.narrow_matmul = choice(Rule::kD2, Form::kF32Product);
    row.wide_table = choice(Rule::kSigmoids);
    return row;
}

constexpr MethodRow legacy() {
    MethodRow row = fixed_point(Rule::kD2, Rule::kD2);
    row.convolution.per_channel = choice(Rule::kD1);
    row.depthwise = {kF2, choice(Rule::kD2)};
    row.pointwise = {kF2, choice(Rule::kD1)};
    row.concat = choice(Rule::kRealHalfAway);
    row.softmax = choice(Rule::kRealHalfAway);
    row.narrow_convolution = row.wide_convolution;
    row.narrow_matmul = row.wide_matmul;
    row.narrow_deconvolution = row.wide_convolution;
    row.wide_softmax = row.softmax;
    row.wide_table = row.table;
    row.resize = both(choice(Rule::kRealHalfAway));
    row.wide_resize = row.resize.per_channel;
    row.mean = choice(Rule::kD1);
    row.image_mean = both(row.mean);
    row.wide_image_mean = row.mean;
    row.signed_is_per_channel = false;
    return row;
}

constexpr MethodRow caffe2() {
    const RuleChoice real = choice(Rule::kRealHalfEven);
    return {.convolution = both(kF2),
            .depthwise = both(kF2),
            .pointwise = both(kF2),
            .matmul = both(kF2),
            .deconvolution = both(kF2),
            .wide_convolution = kRefused,
            .wide_matmul = kRefused,
            .narrow_convolution = kRefused,
            .narrow_matmul = kRefused,
            .narrow_deconvolution = kRefused,
            .wide_softmax = kRefused,
            .wide_table = kRefused,
            .wide_image_mean = kRefused,
            .add = choice(Rule::kD2),
            .multiply = kRefused,
            .leaky_relu = kRefused,
            .requantize = real,
            .quantize = real,
            .average_pool = choice(Rule::kRawHalfAway),
            .mean = kRefused,
            .image_mean = both(kRefused),
            .concat = kRefused,
            .softmax = kRefused,
            .table = kRefused,
            .resize = both(kRefused),
            .wide_resize = kRefused,
            .sum = kRefused};
}

using Method = QuantizeMethod;
constexpr MethodRow kRows[] = {
    named(Method::kNative, "the definition of FakeQuantize", native()),
    named(Method::kOnnx, "ONNX Runtime, each node as written", onnx()),
    named(Method::kOnnxFused, "ONNX Runtime, QDQ groups as its fused kernels", onnx()),
    named(Method::kTflite, "TFLite 2.9, built-in kernels", fixed_point(Rule::kD2Up, Rule::kD2)),
    named(Method::kTfliteReference, "TFLite's reference kernels", reference()),
    named(Method::kTfliteXnnpack, "TFLite 2.9 with XNNPACK", xnnpack()),
    named(Method::kTfliteSingleRounding,
          "TFLite built with TFLITE_SINGLE_ROUNDING",
          fixed_point(Rule::kD1, Rule::kD1)),
    named(Method::kTfliteLegacy, "an older TFLite, by the table of Synopsys Caffe", legacy()),
    named(Method::kCaffe2, "Caffe2, products by QNNPACK", caffe2()),
};

constexpr bool in_order() {
    for (std::size_t i = 0; i < std::size(kRows); ++i) {
        if (static_cast<std::size_t>(kRows[i].method) != i) {
            return false;
        }
    }
    return std::size(kRows) == std::size(EnumNames<QuantizeMethod>::kNames);
}
static_assert(in_order(), "one row a method, in the order of the enumeration");

bool is_pointwise(const Node& node, const QuantizedConvolutionAttrs& attrs) {
    const PartialShape& weights = node.input(1).partial_shape();
    if (attrs.groups != 1 || !weights.is_static()) {
        return false;
    }
    const Shape shape = weights.to_shape();
    return std::all_of(shape.begin() + 2, shape.end(), [](std::size_t size) { return size == 1; });
}

// TFLite's kernels of i16 have sums of 32 bits where a bias has them or there is none.
bool has_narrow_sums(const Node& node) {
    constexpr std::size_t kBias = 2;
    if (node.has_input(kBias)) {
        return node.input(kBias).type() == ElementType::i32;
    }
    return node.is("QuantizedDeconvolution") ||
           (node.is("QuantizedMatMul") && node.input(1).type() != ElementType::i16);
}

const RuleChoice& wide_product_rule(const Node& node, const MethodRow& row) {
    const bool narrow = has_narrow_sums(node);
    if (node.is("QuantizedMatMul")) {
        return narrow ? row.narrow_matmul : row.wide_matmul;
    }
    if (node.is("QuantizedDeconvolution")) {
        return narrow ? row.narrow_deconvolution : row.wide_convolution;
    }
    return narrow && !node.attrs<QuantizedConvolutionAttrs>().depthwise ? row.narrow_convolution
                                                                        : row.wide_convolution;
}

const RuleChoice& product_rule(const Node& node, const MethodRow& row) {
    const ElementType src = node.input(0).type();
    const auto pick = [&](const ProductRules& rules, const WeightAttrs& attrs) -> const auto& {
        const bool per_channel =
            row.signed_is_per_channel ? src == ElementType::i8 : attrs.weight_scales.size() > 1;
        return per_channel ? rules.per_channel : rules.per_tensor;
    };
    if (src == ElementType::i16) {
        return wide_product_rule(node, row);
    }
    if (node.is("QuantizedMatMul")) {
        return pick(row.matmul, node.attrs<QuantizedMatMulAttrs>());
    }
    if (node.is("QuantizedDeconvolution")) {
        const auto& attrs = node.attrs<QuantizedDeconvolutionAttrs>();
        if (row.one_scale_deconvolution && src == ElementType::i8 &&
            attrs.weight_scales.size() == 1) {
            return *row.one_scale_deconvolution;
        }
        return pick(row.deconvolution, attrs);
    }
    const auto& attrs = node.attrs<QuantizedConvolutionAttrs>();
    return pick(attrs.depthwise             ? row.depthwise
                : is_pointwise(node, attrs) ? row.pointwise
                                            : row.convolution,
                attrs);
}

struct Column {
    std::string_view type;
    RuleChoice MethodRow::*rule;
};
constexpr Column kColumns[] = {
    {"Quantize", &MethodRow::quantize},
    {"Requantize", &MethodRow::requantize},
    {"QuantizedAdd", &MethodRow::add},
    {"QuantizedSubtract", &MethodRow::add},
    {"QuantizedMultiply", &MethodRow::multiply},
    {"QuantizedLeakyRelu", &MethodRow::leaky_relu},
    {"QuantizedSquaredDifference", &MethodRow::requantize},
    {"QuantizedDivide", &MethodRow::requantize},
    {"QuantizedReduceProduct", &MethodRow::requantize},
    {"QuantizedL2Normalization", &MethodRow::requantize},
    {"QuantizedSum", &MethodRow::sum},
    {"QuantizedAveragePool", &MethodRow::average_pool},
    {"QuantizedConcat", &MethodRow::concat},
    {"QuantizedSoftmax", &MethodRow::softmax},
    {"QuantizedTable", &MethodRow::table},
};

}  // namespace

const MethodRow& method_row(QuantizeMethod method) {
    return kRows[static_cast<std::size_t>(method)];
}

const RuleChoice* rule_of(const Node& node) {
    const QuantizeMethod* method = quantize_method(node);
    if (method == nullptr) {
        return nullptr;
    }
    const MethodRow& row = method_row(*method);
    const bool wide = node.input(0).type() == ElementType::i16;
    if (wide && node.is("QuantizedSoftmax")) {
        return &row.wide_softmax;
    }
    if (wide && node.is("QuantizedTable")) {
        return &row.wide_table;
    }
    if (node.is("QuantizedConvolution") || node.is("QuantizedDeconvolution") ||
        node.is("QuantizedMatMul")) {
        return &product_rule(node, row);
    }
    if (node.is("QuantizedMultiply") && node.attrs<RequantizeAttrs>().slope) {
        return &row.leaky_relu;
    }
    const bool unsigned_bytes = node.input(0).type() == ElementType::u8;
    const auto by_type = [&](const ProductRules& rules) {
        return unsigned_bytes ? &rules.per_tensor : &rules.per_channel;
    };
    if (node.is("QuantizedMean")) {
        if (!node.attrs<QuantizedMeanAttrs>().image) {
            return &row.mean;
        }
        return wide ? &row.wide_image_mean : by_type(row.image_mean);
    }
    if (node.is("QuantizedResizeBilinear")) {
        return node.input(0).type() == ElementType::i16 ? &row.wide_resize : by_type(row.resize);
    }
    const auto* column = std::find_if(std::begin(kColumns), std::end(kColumns),
                                      [&](const Column& c) { return node.is(c.type); });
    return column == std::end(kColumns) ? nullptr : &(row.*column->rule);
}

std::string rule_text(const Node& node) {
    const RuleChoice* rule = rule_of(node);
    return rule == nullptr
               ? ""
               : fmt::format("{}: {}", to_string(*quantize_method(node)), to_string(*rule));
}

QuantizeMethod parse_quantize_method(std::string_view text) {
    std::string known;
    for (const MethodRow& row : kRows) {
        if (to_string(row.method) == text) {
            return row.method;
        }
        known += fmt::format("{}{}", known.empty() ? "" : ", ", to_string(row.method));
    }
    throw Error("property", fmt::format("'{}' is no quantize method; known: {}", text, known));
}

std::string_view to_string(QuantizeMethod method) {
    return EnumNames<QuantizeMethod>::kNames[static_cast<std::size_t>(method)];
}

std::string to_string(const RuleChoice& choice) {
    static constexpr const char* kNames[] = {"D1",
                                             "D2",
                                             "D2-up",
                                             "M16",
                                             "F32",
                                             "F32, zero point first",
                                             "F32, half away",
                                             "shared shift, half up",
                                             "real, half away",
                                             "real, half even",
                                             "real, zero point first",
                                             "half away of raw sums",
                                             "f32 table",
                                             "scaled f32 table",
                                             "ten fractional bits",
                                             "eleven fractional bits",
                                             "f32 mean, half away",
                                             "D2 of raw sums",
                                             "D2, then the mean",
                                             "f32 of raw sums, low bits",
                                             "f32 of raw integers, half up",
                                             "table of sigmoids",
                                             "table of sigmoids or fixed point",
                                             "refused"};
    static_assert(std::size(kNames) == static_cast<std::size_t>(RoundingRule::kRefused) + 1);
    std::string name = kNames[static_cast<std::size_t>(choice.rule)];
    const bool fixed = choice.rule == RoundingRule::kD1 || choice.rule == RoundingRule::kD2 ||
                       choice.rule == RoundingRule::kD2Up || choice.rule == RoundingRule::kM16;
    if (fixed && choice.multiplier == MultiplierForm::kF32Product) {
        name += " (f32 product)";
    }
    if (fixed && choice.multiplier == MultiplierForm::kF32) {
        name += " (f32 multiplier)";
    }
    return name;
}

}  // namespace fuseq
