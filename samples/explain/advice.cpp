// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "explain/report.hpp"

namespace fuseq::samples {

std::string advice(const std::string& code) {
    static constexpr std::pair<const char*, const char*> kAdvice[] = {
        {"network_input", "nothing: it costs one pass over the input"},
        {"no_anchor",
         "nothing, after an operation that is no convolution or matmul; it costs one pass over "
         "memory"},
        {"post_ops_rest", "operations that oneDNN takes after the layer: docs/post_ops.md"},
        {"read_elsewhere", "one reader of the layer, or the same range for all of them"},
        {"requantizes", "the same range for both"},
        {"fusion_off", "leave FUSEQ_FUSION at its default"},
        {"kept_float", "take the layer out of FUSEQ_KEEP_FLOAT"},
        {"float_is_faster", "leave FUSEQ_FLOAT_FALLBACK at NO: slower, on integers"},
        {"shared_quantization",
         "a FakeQuantize of its own on the weights or the source of the layer"},
        {"whole_is_slower", "nothing: the layer would be faster in float, the model would not"},
        {"feeds_output", "nothing: its result leaves the model as real numbers"},
        {"levels", "quantize to at most 256 levels"},
        {"limits_not_constant", "make the limits constants of the model"},
        {"per_channel_scale",
         "one range for the whole tensor before an operation that adds over channels"},
        {"src_not_quantized", "a FakeQuantize on the source of the operation too"},
        {"weights_not_quantized", "a FakeQuantize on the weights of the operation too"},
        {"different_scales", "the same range for all inputs of the Concat"},
        {"different_types", "ranges of the same sign for all inputs of the Concat"},
        {"scale_sign", "a range with output_high above output_low"},
        {"inverted_input_range", "a range with input_high above input_low"},
        {"degenerate_input_range", "a range with input_high above input_low"},
        {"weight_zero_point", "one zero point an output channel of the weights, or one for all"},
        {"weight_scale_axis", "weight ranges for output channels, or one for all"},
        {"accumulator_overflow", "fewer input channels, or smaller weights"},
        {"order_not_constant", "make the order of the Transpose a constant of the model"},
    };
    for (const auto& [known, text] : kAdvice) {
        if (code == known) {
            return text;
        }
    }
    return "";
}

}  // namespace fuseq::samples
