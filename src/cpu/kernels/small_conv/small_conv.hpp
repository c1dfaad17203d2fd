// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Small-channel convolution on integers, as at both ends of super resolution networks. With at most
// 8 output channels a vector of channels would be mostly empty: it holds 16 neighbouring pixels of
// one channel instead. With more the kernel is channel-vectorized. For each output element,
// exactly:
//
//   acc = sum over taps of (src - src_zero_point) * wei      32-bit integers; padding adds 0
//   x   = fma(sum over taps of (src - src_zero_point), -wei_zero_point[c], float(acc))
//   v   = fma(x, scale[c], bias[c])                          one rounding
//
// or, by the floors of rule_form.hpp, an integer v.
//
// The caller does the rest of the chain on planes of v in L1; or v is rounded half to even,
// saturated and stored as a byte, channels-last. Immutable after construction; any number of
// threads may use it at once; run() does not allocate. The values do not depend on how rows are
// split. AVX-512 with VNNI and VBMI; without them, on any target, planes of v for at most 8 output
// channels (SmallConvParams::pairs).
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
    // Where takes_floors(): lists of one value a channel, also of the scale and the bias. `below` of
    // sums below 0; acc begins with `offset`.
    std::span<const float> rest{};
    std::span<const float> below{};
    std::span<const std::int32_t> offset{};
    ElementType dst_type = ElementType::f32;  // u8, i8 where stores_bytes()
    // Where has_lists(): v goes through `ops` in registers and is stored once for each of
    // `results`, which scale and shift at most. No results: stored as dst_type. Without lists `ops`
    // may be one operation before bytes are stored, see takes_before_bytes().
    std::span<const post_ops::BasicOp> ops{};
    std::span<const post_ops::Chain> results{};
    // depth_to_space: the first 16 channels become an even row of dst, the others an odd row. For
    // 32 channels and results of bytes.
    bool rows = false;
    // Channel-vectorized: max pooling of 2 x 2 with stride 2 follows; where takes_pool(). An odd
    // last row or column is left out.
    bool pool = false;
    bool pixels = false;  // floats are channels-last, where stores_pixels(); otherwise planes
    // By pairs of 16-bit integers, on any target, or by 256-bit dot products of bytes; where
    // takes_pairs(): floats in planes, nothing after them.
    bool pairs = false;
};

// Neighbouring pixels of one row of dst. Channel c of pixel i is planes[c * kSmallConvTile + i], or
// planes[i * dst_channels + c] with SmallConvParams::pixels.
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
    // Deduplicated rows: offset in bytes of the row for each row of dst; null: dense.
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
inline constexpr std::size_t kSmallConvChannels = 8;  // more: channel-vectorized

namespace small_conv {
struct Packed;
}

class SmallConv {
public:
    using Receive = std::function<void(const SmallConvTile&)>;

    // Whether the machine and the shape suit the kernel.
    static bool takes(const SmallConvShape& shape);
    // Whether the shape suits SmallConvParams::pairs.
    static bool takes_pairs(const SmallConvShape& shape);
    // Whether they are dot products of bytes on this machine.
    static bool pairs_are_dots();
    // Whether `ops` and `results` are possible: channel-vectorized, or where floats are stored as
    // pixels.
    static bool has_lists(const SmallConvShape& shape) { return stores_pixels(shape); }
    // Whether an operation may be one of `ops`, a chain one of `results`.
    static post_ops::Support takes_op(const post_ops::BasicOp& op);
    static bool takes_result(const post_ops::Chain& chain);
    // Whether v may be a floor: without zero points of weights.
    static bool takes_floors(const SmallConvParams& params);
    // Whether weights may have zero points.
    static bool takes_zero_points(const SmallConvShape& shape);
    // Channel-vectorized: whether sums of windows, for zero points of weights, are built from sums
    // of 3-byte pixels, which costs less than the general way.
    static bool sums_in_triples(const SmallConvShape& shape);
    // Channel-vectorized: whether max pooling can be done on accumulators: nothing after them falls
    // where they rise, and windows of two rows fit.
    static bool takes_pool(const SmallConvParams& params);
    // Whether dst_type may be u8 or i8.
    static bool stores_bytes(const SmallConvParams& params);
    // Whether an operation may be the only one of `ops` where bytes of dst_type are stored: a
    // sigmoid, good to 1e-6.
    static bool takes_before_bytes(const post_ops::BasicOp& op);
    // Whether the kernel is channel-vectorized.
    static bool has_channel_vectors(const SmallConvShape& shape) {
        return shape.dst_channels > kSmallConvChannels;
    }

    // Whether floats may be stored channels-last, which needs no transposition here.
    static bool stores_pixels(const SmallConvShape& shape);

    // Packs the weights; the spans are not kept. Precondition: takes(). Throws fuseq::Error for
    // types and lists that do not fit the shape.
    explicit SmallConv(const SmallConvParams& params);
    ~SmallConv();
    SmallConv(SmallConv&&) noexcept;
    SmallConv& operator=(SmallConv&&) noexcept;

    // Where is_listed(): replaces the results of the parameters.
    void set_results(std::span<const post_ops::Chain> results, bool rows);

    // Rows of dst over all images; ranges of 16 or more are fast. `src` is the first image.
    std::size_t rows() const;
    void run(const void* src, Range rows, const Receive& receive) const;
    // The same values to dst, plane after plane. Not for pixels() and not for bytes.
    void run_to_planes(const void* src, Range rows, float* dst) const;
    // To bytes or floats of dst, channels-last. Not for planes.
    void run(const void* src, Range rows, void* dst) const;
    // The same to all results, in their order, with the binary sources of operations.
    void run(const void* src,
             Range rows,
             std::span<void* const> dst,
             std::span<const SmallConvSource> binary_sources) const;
    bool stores() const;  // the run() before the last
    bool pixels() const;
    // Whether results were given, or the kernel is channel-vectorized: use run() to all results.
    bool is_listed() const;
    bool pools() const;
    std::size_t packed_bytes() const;

private:
    std::unique_ptr<small_conv::Packed> packed_;
};

}  // namespace fuseq::kernels
