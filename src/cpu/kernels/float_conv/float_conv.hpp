// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolution of f32 with few source channels (at most 4), as the first layer of a network that
// keeps it in float. A vector holds up to 16 output channels of a pixel, and a number of the source
// is broadcast from where it lies, so that planes and pixels are read alike. For each output element
//
//   acc = fma(src, wei, acc), from 0, over kernel rows, then columns, then source channels
//   dst = relu(acc + bias[c]) + shift[c]        relu: x above zero, else slope * x
//
// which is the order of oneDNN's kernels for so few channels; bytes are that rounded half to even
// and saturated. Without AVX2 the machine has no fma: the product is rounded, as oneDNN's is. Immutable after construction; any number of threads at once; run() does not
// allocate. The same bytes for every split of the rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cpu/kernels/common/aligned_vector.hpp"
#include "cpu/kernels/common/conv_geometry.hpp"
#include "cpu/kernels/common/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

struct FloatConvParams {
    ConvGeometry shape;
    bool planes = false;               // src is plane after plane; otherwise channels-last
    std::span<const float> weights{};  // [dst_channels, src_channels, kernel h, kernel w]
    std::span<const float> bias{};     // none, or one a channel
    bool relu = false;
    float slope = 0.0f;                       // below zero, where relu
    std::span<const float> shift{};           // none, or one a channel
    ElementType dst_type = ElementType::f32;  // u8, i8
};

class FloatConv {
public:
    // Whether the shape suits the kernel.
    static bool takes(const ConvGeometry& shape);

    // Precondition: takes(). The spans are not kept. Throws fuseq::Error where they do not fit.
    explicit FloatConv(const FloatConvParams& params);

    // Rows of dst, those of all images.
    std::size_t rows() const { return shape_.batch * shape_.dst_height; }
    // Floats of memory that a call of run() needs for itself.
    std::size_t scratch() const;
    // `src`: all of it. `dst`: where the first of `rows` is to be, channels-last.
    void run(const float* src, Range rows, float* scratch, void* dst) const;
    std::size_t packed_bytes() const { return weights_.size() * sizeof(float); }

private:
    class Source;

    ConvGeometry shape_;
    bool planes_;
    bool relu_;
    float slope_;
    ElementType dst_type_;
    std::size_t vectors_;
    AlignedVector<float> weights_;  // [tap][dst_channels]
    AlignedVector<float> bias_;     // of all channels
    AlignedVector<float> shift_;    // none, or of all channels
};

}  // namespace fuseq::kernels
