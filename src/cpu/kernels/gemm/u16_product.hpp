// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Convolutions and matrix products of sources of 16 bits and weights of 8, channels-last:
//
//   sum[pixel, c] = sum over taps and channels of (src - zero point) * wei    padding: 0
//
// The sums have to fit 32 bits, so that additions may overflow on the way. They are handed on as floats, some pixels at a time, while they are in a near cache.
//
//   form       the sum of q * w                                         used for
//   kAmx       256 * sum of high bytes + sum of low bytes, by tiles      all but depthwise
//   kVnni512   vpdpwssd of q - 32768                                     the same without AMX
//   kPairs     vpmaddwd of q - 32768                                     the same on other machines
//   depthwise  vpmaddwd of q - 32768, two taps at a time                 depthwise
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cpu/kernels/common/conv_geometry.hpp"
#include "cpu/kernels/common/range.hpp"

namespace fuseq::kernels {

enum class U16Form : std::uint8_t { kBest, kAmx, kVnni512, kPairs };
// The form that kBest stands for on this machine.
U16Form best_u16_form();

struct U16Params {
    ConvGeometry shape;
    bool depthwise = false;  // as many channels of dst as of src, each of its own
    // The weight of a channel of dst, a channel of src (0 where depthwise), a row and a column.
    std::function<std::int16_t(
        std::size_t dst, std::size_t src, std::size_t row, std::size_t column)>
        weight;
    std::span<const std::int32_t> zero_point{};  // one in [0, 65535], or one a channel (depthwise)
    U16Form form = U16Form::kBest;
};

// What follows the sums of a channel, up to a u16: with x = sum * scale + bias, and x * slope below
// zero, round(min(max(x + shift, low), high)), half to even. One rounding of floats more or less is
// up to the machine.
// With a rescale, what is bounded is y = min(max(x + shift, low), high), and the result
// round(min(max(y * rescale, 0), 65535)). Of such results, and of sum * scale + bias as a float,
// every operation is rounded, so that they have the bytes of EltwiseKernel.
class U16Finish {
public:
    // Lists of one value, or one a channel; empty: 0, or no slope, or no rescale.
    struct Params {
        std::span<const float> scale;
        std::span<const float> bias;
        std::span<const float> slope;
        std::span<const float> shift;      // with a rescale: after a slope only
        float low = 0;                     // 0 or more, without a rescale
        float high = 65535;                // at most, without a rescale
        std::span<const float> rescale{};  // above zero
        bool to_floats = false;            // a scale and a bias
    };
    U16Finish(const Params& params, std::size_t channels);

    // `count` pixels of `pitch` floats, to pixel number `pixel` of dst (u16, or float) and the next.
    void run(const float* sums,
             std::size_t pitch,
             std::size_t pixel,
             std::size_t count,
             void* dst) const;

    std::size_t channels() const { return channels_; }
    bool to_floats() const { return to_floats_; }
    // Padded with zeros to whole vectors.
    const float* scale() const { return scale_.data(); }
    const float* bias() const { return bias_.data(); }
    const float* slope() const { return slope_.empty() ? nullptr : slope_.data(); }
    const float* shift() const { return shift_.data(); }
    const float* rescale() const { return rescale_.empty() ? nullptr : rescale_.data(); }
    // What is bounded by 0 and 65535 after a rescale is bounded by these before it.
    float low() const { return low_; }
    const float* high() const { return high_.data(); }
    // No slope, and no low bound but that of a u16.
    bool is_plain() const { return slope_.empty() && low_ <= 0; }

private:
    std::size_t channels_;
    bool to_floats_;
    std::vector<float> scale_, bias_, slope_, shift_, rescale_, high_;
    float low_;
};

namespace u16 {
struct Packed;
}

// Immutable after construction; threads may share it.
class U16Product {
public:
    // `count` pixels of dst from `pixel` on: a row of `pitch` floats each. They may be changed.
    using Finish = std::function<void(float* sums, std::size_t pixel, std::size_t count)>;

    // Throws fuseq::Error for sizes that do not fit together.
    explicit U16Product(const U16Params& params);
    ~U16Product();
    U16Product(U16Product&&) noexcept;
    U16Product& operator=(U16Product&&) noexcept;

    std::size_t units() const;          // that work is divided by
    std::size_t scratch_bytes() const;  // of each thread; a multiple of 64
    std::size_t pitch() const;          // floats of a pixel, as many as channels or some more
    std::size_t packed_bytes() const;
    const std::string& implementation() const;  // "u16_amx"

    // src: [batch, height, width, channels]. Calls finish() for all pixels of these units.
    void run(const std::uint16_t* src, Range units, void* scratch, const Finish& finish) const;
    // The same with results: u16, or float by `finish`, [batch, height, width, channels].
    void run(const std::uint16_t* src,
             Range units,
             void* scratch,
             const U16Finish& finish,
             void* dst) const;

private:
    std::unique_ptr<const u16::Packed> packed_;
};

// Whole numbers in [0, 65535] as such.
void store_u16(const float* from, std::size_t count, std::uint16_t* to);
// The same of three planes, which are `plane` floats apart, to `count` pixels of three.
void store_u16_of_three(const float* planes,
                        std::size_t plane,
                        std::size_t count,
                        std::uint16_t* to);

}  // namespace fuseq::kernels
