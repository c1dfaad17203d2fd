// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// BinaryConvolution-1 is known by name, so that a model that has it is refused with a reason.
#include "ops/op_list.hpp"

namespace fuseq {
namespace {

// Whatever the IR states is taken, to reach the sentence that matters.
struct BinaryConvolutionAttrs final : AttributesOf<BinaryConvolutionAttrs> {
    std::vector<std::int64_t> strides;
    std::vector<std::int64_t> dilations;
    std::vector<std::int64_t> pads_begin;
    std::vector<std::int64_t> pads_end;
    std::string mode;
    float pad_value = 0;
    std::string auto_pad;
    void visit(AttributeVisitor& v) override {
        v.optional("strides", strides);
        v.optional("dilations", dilations);
        v.optional("pads_begin", pads_begin);
        v.optional("pads_end", pads_end);
        v.optional("mode", mode);
        v.optional("pad_value", pad_value);
        v.optional("auto_pad", auto_pad);
    }
};

constexpr const char* kReason =
    "convolutions with one-bit weights (mode xnor-popcount) are not supported; convert the layer "
    "to "
    "a Convolution";

void infer(InferContext& context) {
    context.fail(kReason);
}

void evaluate(EvalContext& context) {
    context.fail(kReason);
}

const OpSpec kOps[] = {
    {.type = "BinaryConvolution",
     .version = 1,
     .inputs = {2, 2},
     .make_attributes = make_attributes<BinaryConvolutionAttrs>,
     .infer = infer,
     .evaluate = evaluate,
     .summary = "Not supported: refused when the model is read",
     .refused = "always"},
};

}  // namespace

std::span<const OpSpec> binary_convolution_ops() {
    return kOps;
}

}  // namespace fuseq
