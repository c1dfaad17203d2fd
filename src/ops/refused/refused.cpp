// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations that are known by name, so that a model that has one is refused with a reason.
#include "ops/refused/refused.hpp"

#include "ops/op_list.hpp"

namespace fuseq::refused_ops {
namespace {

// Takes any value that the IR states, so that the reason for the refusal is what is reported.
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

struct FakeConvertAttrs final : AttributesOf<FakeConvertAttrs> {
    std::string destination_type;
    void visit(AttributeVisitor& v) override { v.optional("destination_type", destination_type); }
};

void infer(InferContext& context) {
    context.fail(context.node().spec().summary);
}

void evaluate(EvalContext& context) {
    context.fail(context.node().spec().summary);
}

constexpr std::string_view kNoStrings =
    "tensors of strings are not supported; export the model without its tokenizer (optimum-cli "
    "export openvino --disable-convert-tokenizer) and run that beside it";

OpSpec row(std::string_view type,
           int version,
           Arity inputs,
           std::unique_ptr<Attributes> (*attributes)(),
           std::string_view reason) {
    return {.type = type,
            .version = version,
            .inputs = inputs,
            .make_attributes = attributes,
            .infer = infer,
            .evaluate = evaluate,
            .summary = reason,
            .refused = kAlwaysRefused};
}

const OpSpec kOps[] = {
    row("BinaryConvolution",
        1,
        {2, 2},
        make_attributes<BinaryConvolutionAttrs>,
        "convolutions with one-bit weights (mode xnor-popcount) are not supported; convert the "
        "layer to a Convolution"),
    row("FakeConvert",
        13,
        {2, 3},
        make_attributes<FakeConvertAttrs>,
        "8-bit floats (f8e4m3, f8e5m2) are not supported; quantize the model to integers: "
        "nncf.quantize() with mode=None instead of a QuantizationMode.FP8_*"),
    row("StringTensorPack", 15, {3, 3}, make_attributes<NoAttrs>, kNoStrings),
    row("StringTensorUnpack", 15, {1, 1}, make_attributes<NoAttrs>, kNoStrings),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::refused_ops
