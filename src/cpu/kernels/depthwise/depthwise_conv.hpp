// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Depthwise convolution on integers, channels-last, with everything that follows it up to the next
// tensor fused into the store. For each output element, exactly (no 16-bit saturation anywhere):
//
//   acc = offset[c] + sum over taps of (src - src_zero_point[c]) * wei
//                                                                32-bit integers; padding adds 0
//   v   = fma(float(acc), scale[c], bias[c])                     one rounding
//   v   = v > 0 ? v : v * slope[c]                               if there is a slope
//   v   = (v > 0 ? v : alpha * (e^v - 1)) * scale                if there is an elu, see below
//   v   = v + shift                                              if shift != 0
//   v   = min(max(v, low), high)
//   dst = v, or v rounded half to even and saturated (u8, i8)
//
// With a rule (rule_form.hpp), for u8 and i8: v is the integer of its form, and dst = min(max(v, low), high),
// saturated.
//
// The exponential is that of coarse_elu() in activation_math-inl.h: to 2e-7, the bytes of a fused eltwise.
//
// The bytes depend neither on the instruction set nor on how the work is split. The object is
// immutable after construction; any number of threads may use it at once. run() does not allocate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "cpu/kernels/common/conv_geometry.hpp"
#include "cpu/kernels/common/range.hpp"
#include "cpu/kernels/common/rule_form.hpp"
#include "fuseq/element_type.hpp"

namespace fuseq::kernels {

// dst has the channels of src. Pixels outside of src count as zero (src_zero_point in memory).
struct DepthwiseShape : ConvGeometry {
    // Elements from one pixel to the next; 0 means `src_channels`. Larger when the tensor is a
    // slice of the channels of a wider one (in-place concat or split). Rows and images are dense.
    std::size_t src_pixel_stride = 0;
    std::size_t dst_pixel_stride = 0;
};

enum class DepthwisePath {
    kAuto,     // the fastest that this machine and Highway's enabled targets allow
    kVnni512,  // AVX-512 VNNI, in the form that is fastest for machine and epilogue
    kStrips,   // one or two rows of outputs at a time
    kFlat,     // a row of pixels as a row of bytes, for few channels
    kQuads,    // dot products of bytes in 256 bits: fours of rows, interleaved once for all windows
    // Pairs of 16-bit products, on the best enabled target of Highway:
    kColumns,   // pairs of rows, interleaved once for all windows; where a strip fits a buffer
    kPortable,  // pairs of taps, pixel by pixel
};

struct DepthwiseElu {
    float alpha = 1.0f;
    float scale = 1.0f;
};

struct DepthwiseParams {
    DepthwiseShape shape;
    ElementType src_type = ElementType::u8;  // u8, i8
    ElementType dst_type = ElementType::u8;  // u8, i8, f32
    std::span<const std::int32_t>
        src_zero_point{};                    // none, one, or one a channel; in src_type's range
    std::span<const std::int8_t> weights{};  // [channels, kernel_height, kernel_width]
    std::span<const std::int32_t> offset{};  // none, one, or one a channel; |offset| <= 2^24
    std::span<const float> scale{};          // one, or one a channel
    std::span<const float> bias{};           // none, one, or one a channel
    std::span<const float> slope{};          // none, one, or one a channel
    // Where stores_elu(): to bytes, without a slope, a rule or bounds.
    std::optional<DepthwiseElu> elu{};
    // Where stores_rules(): no slope, no shift, |bias| <= 2^24; `rest` of floors and `below` of
    // two floors, one a channel. kReal has a zero point in place of `bias`, kMirrored has both.
    std::optional<RuleForm> rule{};
    std::int32_t zero_point = 0;  // of dst, -255 to 255
    std::span<const float> rest{};
    std::span<const float> below{};
    float shift = 0.0f;
    float low = -std::numeric_limits<float>::infinity();
    float high = std::numeric_limits<float>::infinity();
    DepthwisePath path = DepthwisePath::kAuto;
};

namespace depthwise {
struct Packed;
}

class DepthwiseConv {
public:
    // Whether there are rules on this machine.
    static bool stores_rules();
    // Whether it has the elu of these, whose path is kAuto, on this machine.
    static bool stores_elu(const DepthwiseParams& params);

    // Packs weights and constants; keeps no spans.
    // Throws fuseq::Error for shapes, types or sizes of lists that do not fit together.
    explicit DepthwiseConv(const DepthwiseParams& params);
    ~DepthwiseConv();
    DepthwiseConv(DepthwiseConv&&) noexcept;
    DepthwiseConv& operator=(DepthwiseConv&&) noexcept;

    // The work is a grid of rows() x blocks(): output rows of all images (image-major) by blocks of
    // channels. Any split is correct; whole blocks and rows in multiples of 8 are fast.
    std::size_t rows() const;
    // The number of rows, or a multiple, that is fast to compute together.
    std::size_t fast_rows() const;
    // The same for all blocks of channels: rows of few channels share a vector.
    std::size_t even_rows() const;
    std::size_t blocks() const;
    // src and dst point to the first element of the first image, whatever the range. dst must not
    // overlap src.
    void run(const void* src, void* dst, Range rows, Range blocks) const;
    // The rows, all blocks, to a buffer that begins with row rows.begin.
    void run_to_buffer(const void* src, void* buffer, Range rows) const;
    std::size_t dst_row_bytes() const;
    void run(const void* src, void* dst) const { run(src, dst, {0, rows()}, {0, blocks()}); }

    // Name of the implementation, for explain: "dw_vnni512:3x3s1", "dw_columns:AVX2", ...
    const char* implementation() const;
    std::size_t packed_bytes() const;

private:
    std::unique_ptr<const depthwise::Packed> packed_;
};

}  // namespace fuseq::kernels
