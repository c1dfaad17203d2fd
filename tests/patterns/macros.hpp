// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Macros of the pattern files: one line for what stands in most patterns.
//
//   %y = fq(%x, LOW, HIGH, LEVELS)       FakeQuantize with the range LOW to HIGH for input and
//   output %y = bias(%x, [SHAPE], SEED, RANGE)  adds a constant of random values in -RANGE..RANGE
//   %w = weights([SHAPE], ...)           quantized weights
//   %y = qconv(%x, [SHAPE], ...)         Convolution, ConvolutionBackpropData, GroupConvolution or
//   MatMul %y = qdeconv(%x, [SHAPE], ...)       of %x and weights of that shape %y =
//   qgroup_conv(%x, [SHAPE], ...) %y = qmatmul(%x, [SHAPE], ...) %y = end_conv(%x, CHANNELS) a
//   depthwise 1x1 convolution, and a MatMul with a unit matrix: they %y = end_matmul(%x, CHANNELS)
//   read the integers that a pattern ends with, and change nothing
//
// "..." are, in any order, each with its default:
//   seed=3            of the random values
//   scale=0.0078125   one step of the weights
//   scales=varied     the output channels have 1, 1/2, 1/4, 1, 2, 1/2, 1, 1/4 of it, and so on;
//   equal: all the
//                     same; signed: as varied, every second one negative
//   spelling=fq       FakeQuantize of 255 levels over real values; i8: Convert and Multiply of
//   integers axis=0            of the output channels (weights; the others know theirs) strides=1,
//   dilations=1, pads=0      (convolutions and deconvolutions), the same on every axis
//   transpose_b=false                   (qmatmul)
//
// Nodes that a macro adds are named after the result: %y_low, %y_high, %y_w, ...
#pragma once

#include <string>

namespace fuseq::patterns {

// The lines that a line stands for, with its indentation and a line end each: itself, unless it
// calls a macro. `place` is the file and line for errors. Throws Error("pattern", "<place>:
// <rule>").
std::string expand_macro(const std::string& line, const std::string& place);

}  // namespace fuseq::patterns
