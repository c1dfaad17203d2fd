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

#include "cpu/kernels/common/conv_geometry.hpp"
#include "cpu/kernels/common/range.hpp"
#include "cpu/post_ops/basic_ops.hpp"
#include "cpu/post_ops/support.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// src is channels-last.
using SmallConvShape = ConvGeometry;

struct SmallConvParams {
    SmallConvShape shape;
    ElementType src_type = ElementType::u8;   // u8, i8
    std::int32_t src_zero_point = 0;          // in src_type's range
    std::span<const std::int8_t> weights{};   // [dst_channels, src_channels, kernel h, kernel w]
    std::span<const float> scale{};           // one, or one a channel
    std::span<const float> bias{};            // none, one, or one a channel
    std::span<const float> wei_zero_point{};  // none, one, or one a channel
    ElementType dst_type = ElementType::f32;  // u8, i8 where stores_bytes()
    // Where has_lists(): v goes through `ops`, in registers, and is stored as each of `results`
    // says: scaled and shifted at most. None: as dst_type. Elsewhere, before bytes are stored:
    // nothing, or one operation for which takes_before_bytes().
    std::span<const post_ops::BasicOp> ops{};
    std::span<const post_ops::Chain> results{};
    // The first half of the channels becomes an even row of dst, the other one an odd row, of 16
    // bytes a pixel. For 32 channels and results of bytes.
    bool rows = false;
    // With channels in lanes: dst is the maxima of 2 x 2 pixels each; where takes_pool(). What is
    // odd is left out.
    bool pool = false;
    bool pixels = false;  // floats are channels-last, where stores_pixels(); otherwise planes
};

// Neighbouring pixels of one row of dst: channel c of pixel i is planes[c * kSmallConvTile + i], or
// planes[i * dst_channels + c] where the parameters ask for pixels.
struct SmallConvTile {
    float* planes;  // the receiver may write here
    std::size_t image;
    std::size_t y;
    std::size_t x;
    std::size_t count;  // at most kSmallConvTile
};
// Another tensor of the size of dst, channels-last.
struct SmallConvSource {
    const void* data = nullptr;
    // Where each row of dst finds its own, in bytes from `data`; null: one after the other.
    const std::size_t* rows = nullptr;

    // Pixel x of a row, of `bytes` each, in images of `width`.
    const std::byte* pixel(std::size_t row,
                           std::size_t width,
                           std::size_t x,
                           std::size_t bytes) const {
        const std::size_t begin = rows == nullptr ? row * width * bytes : rows[row];
        return static_cast<const std::byte*>(data) + begin + x * bytes;
    }
};
inline constexpr std::size_t kSmallConvTile = 256;
inline constexpr std::size_t kSmallConvChannels = 8;  // more are in lanes

namespace small_conv {
struct Packed;
}

class SmallConv {
public:
    using Receive = std::function<void(const SmallConvTile&)>;

    // Whether the machine and the shape suit the kernel.
    static bool takes(const SmallConvShape& shape);
    // Whether there may be `ops` and `results` at all: with channels in lanes, or where pixels are
    // stored (not where bytes of dst_type are).
    static bool has_lists(const SmallConvShape& shape) { return stores_pixels(shape); }
    // Whether an operation may be one of `ops`, a chain one of `results`.
    static post_ops::Support takes_op(const post_ops::BasicOp& op);
    static bool takes_result(const post_ops::Chain& chain);
    // Whether weights may have zero points.
    static bool takes_zero_points(const SmallConvShape& shape);
    // With channels in lanes: whether sums of windows, for zero points of weights, are those of
    // pixels of three bytes, which cost less than those of any bytes.
    static bool sums_in_triples(const SmallConvShape& shape);
    // With channels in lanes: whether the maxima of results may be taken of the sums, because
    // nothing after these ever falls where they rise, and windows of two rows fit.
    static bool takes_pool(const SmallConvParams& params);
    // Whether dst_type may be u8 or i8.
    static bool stores_bytes(const SmallConvParams& params);
    // Whether an operation may be the only one of `ops` where bytes of dst_type are stored: a
    // sigmoid, good to 1e-6.
    static bool takes_before_bytes(const post_ops::BasicOp& op);
    // Whether lanes are output channels.
    static bool has_channel_vectors(const SmallConvShape& shape) {
        return shape.dst_channels > kSmallConvChannels;
    }

    // Whether floats may be channels-last: where no transposition is needed for it.
    static bool stores_pixels(const SmallConvShape& shape);

    // Packs the weights; the spans are not kept. Precondition: takes(). Throws fuseq::Error for
    // types and lists that do not fit the shape.
    explicit SmallConv(const SmallConvParams& params);
    ~SmallConv();
    SmallConv(SmallConv&&) noexcept;
    SmallConv& operator=(SmallConv&&) noexcept;

    // Where is_listed(): other results than those of the parameters.
    void set_results(std::span<const post_ops::Chain> results, bool rows);

    // Rows of dst, those of all images; runs of 16 or more are fast. `src` is the first image.
    std::size_t rows() const;
    void run(const void* src, Range rows, const Receive& receive) const;
    // The same values to dst, plane after plane. Not where pixels() are stored, or bytes.
    void run_to_planes(const void* src, Range rows, float* dst) const;
    // To the bytes of dst, or its floats, channels-last, of all images. Not for planes.
    void run(const void* src, Range rows, void* dst) const;
    // The same to all results, in their order, with the other tensors that operations read.
    void run(const void* src,
             Range rows,
             std::span<void* const> dst,
             std::span<const SmallConvSource> binary_sources) const;
    bool stores() const;  // the run() before the last
    bool pixels() const;
    // Whether results were given, or channels are in lanes: run() to all results is the one to use.
    bool is_listed() const;
    bool pools() const;
    std::size_t packed_bytes() const;

private:
    std::unique_ptr<small_conv::Packed> packed_;
};

}  // namespace fuseq::kernels
