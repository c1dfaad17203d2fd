// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// DFT-7 and IDFT-7: discrete Fourier transforms of complex numbers along some axes.
#include "ops/op_list.hpp"
#include "ops/signal/spectrum.hpp"
#include "ops/signal/transform_axes.hpp"

namespace fuseq::dft_ops {
namespace {

void infer(InferContext& context) {
    infer_transform(context, TransformKind::kComplex);
}

void run(EvalContext& context, FftDirection direction) {
    Spectrum spectrum = read_pairs(context);
    const TransformAxes list = transform_axes(context, spectrum.shape.size());
    for (std::size_t i = 0; i < list.axes.size(); ++i) {
        const std::size_t axis = list.axes[i];
        resize_axis(context, spectrum, axis, list.size_of(i, spectrum.shape[axis]));
        transform_axis(spectrum, axis, direction);
    }
    write_pairs(context, spectrum);
}

void evaluate_forward(EvalContext& context) {
    run(context, FftDirection::kForward);
}

void evaluate_inverse(EvalContext& context) {
    run(context, FftDirection::kInverse);
}

OpSpec row(std::string_view type, void (*evaluate)(EvalContext&), std::string_view summary) {
    return {.type = type,
            .version = 7,
            .inputs = {2, 3},
            .make_attributes = make_attributes<NoAttrs>,
            .infer = infer,
            .evaluate = evaluate,
            .summary = summary,
            .refused = "an axis named twice; sizes above 2^28, also all together"};
}

const OpSpec kOps[] = {
    row("DFT", evaluate_forward, "Fourier transform of complex numbers along axes"),
    row("IDFT", evaluate_inverse, "Inverse of DFT"),
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::dft_ops
