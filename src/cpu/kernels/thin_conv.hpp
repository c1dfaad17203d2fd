// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Integer convolution with few output channels (at most 8) from few source channels, as at the ends
// of super resolution networks, where a vector of output channels would be mostly empty: here a
// vector holds 16 neighbouring pixels of one output channel. For each output element, exactly:
//
//   acc = sum over taps of (src - src_zero_point) * wei      32-bit integers; padding adds 0
//   x   = fma(sum over taps of (src - src_zero_point), -wei_zero_point[c], float(acc))
//   v   = fma(x, scale[c], bias[c])                          one rounding
//
// The caller does the rest of the chain on planes of v that lie in the L1 cache; or v is rounded
// half to even, saturated and stored as a byte, channels-last. Immutable after construction; any
// number of threads at once; run() does not allocate. The same values for every split of the rows.
// AVX-512 with VNNI and VBMI only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "cpu/kernels/conv_geometry.hpp"
#include "cpu/kernels/range.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// src is channels-last.
using ThinConvShape = ConvGeometry;

struct ThinConvParams {
    ThinConvShape shape;
    ElementType src_type = ElementType::u8;   // u8, i8
    std::int32_t src_zero_point = 0;          // in src_type's range
    std::span<const std::int8_t> weights{};   // [dst_channels, src_channels, kernel h, kernel w]
    std::span<const float> scale{};           // one, or one a channel
    std::span<const float> bias{};            // none, one, or one a channel
    std::span<const float> wei_zero_point{};  // none, one, or one a channel
    ElementType dst_type = ElementType::f32;  // u8, i8 where stores_bytes()
    bool pixels = false;  // floats are channels-last, where stores_pixels(); otherwise planes
};

// Neighbouring pixels of one row of dst: channel c of pixel i is planes[c * kThinTile + i], or
// planes[i * dst_channels + c] where the parameters ask for pixels.
struct ThinTile {
    float* planes;  // the receiver may write here
    std::size_t image;
    std::size_t y;
    std::size_t x;
    std::size_t count;  // at most kThinTile
};
inline constexpr std::size_t kThinTile = 256;
inline constexpr std::size_t kThinChannels = 8;

namespace thin {
struct Packed;
}

class ThinConv {
public:
    using Receive = std::function<void(const ThinTile&)>;

    // Whether the machine and the shape suit the kernel.
    static bool takes(const ThinConvShape& shape);
    // Whether dst_type may be u8 or i8.
    static bool stores_bytes(const ThinConvParams& params);

    // Whether floats may be channels-last: where no transposition is needed for it.
    static bool stores_pixels(const ThinConvShape& shape);

    // Packs the weights; the spans are not kept. Precondition: takes(). Throws fuseq::Error for
    // types and lists that do not fit the shape.
    explicit ThinConv(const ThinConvParams& params);
    ~ThinConv();
    ThinConv(ThinConv&&) noexcept;
    ThinConv& operator=(ThinConv&&) noexcept;

    // Rows of dst, those of all images; runs of 16 or more are fast. `src` is the first image.
    std::size_t rows() const;
    void run(const void* src, Range rows, const Receive& receive) const;
    // To the bytes of dst, or its floats, channels-last, of all images. Not for planes.
    void run(const void* src, Range rows, void* dst) const;
    bool stores() const;  // the last run()
    bool pixels() const;
    std::size_t packed_bytes() const;

private:
    std::unique_ptr<const thin::Packed> packed_;
};

}  // namespace fuseq::kernels
