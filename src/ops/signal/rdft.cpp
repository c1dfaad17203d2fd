// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// RDFT-9 and IRDFT-9: Fourier transforms between real signals and the part of their spectrum that
// the rest mirrors.
#include <algorithm>

#include "ops/op_list.hpp"
#include "ops/signal/spectrum.hpp"
#include "ops/signal/transform_axes.hpp"

namespace fuseq::rdft_ops {
namespace {

void infer_forward(InferContext& context) {
    infer_transform(context, TransformKind::kRealToComplex);
}

void infer_inverse(InferContext& context) {
    infer_transform(context, TransformKind::kComplexToReal);
}

TransformAxes axes_of(const EvalContext& context, const Spectrum& spectrum) {
    TransformAxes list = transform_axes(context, spectrum.shape.size());
    context.require(!list.axes.empty(), "axes is empty, expected one or more");
    return list;
}

// The last axis first: its spectrum mirrors itself as long as the lines are real.
void evaluate_forward(EvalContext& context) {
    Spectrum spectrum = read_real(context);
    const TransformAxes list = axes_of(context, spectrum);
    for (std::size_t i = list.axes.size(); i-- > 0;) {
        const std::size_t axis = list.axes[i];
        const std::size_t size = list.size_of(i, spectrum.shape[axis]);
        resize_axis(context, spectrum, axis, size);
        transform_axis(spectrum, axis, FftDirection::kForward);
        if (i + 1 == list.axes.size()) {
            resize_axis(context, spectrum, axis, size / 2 + 1);
        }
    }
    write_pairs(context, spectrum);
}

void evaluate_inverse(EvalContext& context) {
    Spectrum spectrum = read_pairs(context);
    const TransformAxes list = axes_of(context, spectrum);
    const std::size_t last = list.axes.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
        const std::size_t axis = list.axes[i];
        resize_axis(context, spectrum, axis, list.size_of(i, spectrum.shape[axis]));
        transform_axis(spectrum, axis, FftDirection::kInverse);
    }
    const std::size_t axis = list.axes[last];
    const std::size_t given = spectrum.shape[axis];
    const std::size_t size = list.size_of(last, given > 1 ? 2 * (given - 1) : 0);
    // What exceeds the half spectrum is not read; a shorter part gets zeros after it.
    resize_axis(context, spectrum, axis, std::min(given, size / 2 + 1));
    resize_axis(context, spectrum, axis, size);
    mirror_axis(spectrum, axis);
    transform_axis(spectrum, axis, FftDirection::kInverse);
    write_real(context, spectrum);
}

const OpSpec kOps[] = {
    {.type = "RDFT",
     .version = 9,
     .inputs = {2, 3},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_forward,
     .evaluate = evaluate_forward,
     .summary = "Fourier transform of real numbers; half the spectrum of the last axis",
     .refused = "an axis named twice; no axes; sizes above 2^28, also all together"},
    {.type = "IRDFT",
     .version = 9,
     .inputs = {2, 3},
     .make_attributes = make_attributes<NoAttrs>,
     .infer = infer_inverse,
     .evaluate = evaluate_inverse,
     .summary = "Inverse of RDFT",
     .refused = "an axis named twice; no axes; sizes above 2^28, also all together"},
};

}  // namespace

std::span<const OpSpec> specs() {
    return kOps;
}

}  // namespace fuseq::rdft_ops
