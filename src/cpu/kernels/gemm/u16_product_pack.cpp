// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/gemm/u16_product_pack.hpp"

#include <algorithm>

#include "cpu/kernels/gemm/gemm_amx.hpp"
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"

namespace fuseq::kernels::u16 {

namespace {

constexpr std::size_t kOverread = 64;  // values after the source in scratch

std::size_t rounded_up(std::size_t count, std::size_t to) {
    return (count + to - 1) / to * to;
}

// The place of a value in the depth of a tap: a column of the kernel from the tap's on, and a
// channel of src.
struct Place {
    std::size_t row = 0, column = 0, channel = 0;
};

// How taps are numbered, before their depth is rounded up.
struct Taps {
    std::size_t rows = 1, columns = 1;  // of taps
    std::size_t height = 1, width = 1;  // of the kernel, in one tap
    std::size_t depth = 0;

    Place place(std::size_t tap, std::size_t k, std::size_t channels) const {
        const std::size_t pixel = k / channels;
        return {tap / columns * height + pixel / width, tap % columns * width + pixel % width,
                k % channels};
    }
};

Taps taps_of(const Packed& p) {
    const ConvGeometry& s = p.shape;
    Taps taps{.rows = s.kernel_height, .columns = s.kernel_width};
    if (p.source == Source::kWindows) {
        taps = {.rows = 1, .columns = 1, .height = s.kernel_height, .width = s.kernel_width};
    } else if (s.dilation_width == 1 && !p.depthwise) {
        taps = {.rows = s.kernel_height, .columns = 1, .height = 1, .width = s.kernel_width};
    }
    taps.depth = taps.height * taps.width * (p.depthwise ? 1 : s.src_channels);
    return taps;
}

// Tiles are whole: as few steps as the depth needs, of equal size.
std::size_t rounded_depth(const Packed& p, std::size_t depth) {
    constexpr std::size_t kTileBytes = 64;
    constexpr std::size_t kFour = 4;
    return p.is_amx() ? rounded_up(depth, kFour * ((depth + kTileBytes - 1) / kTileBytes))
                      : rounded_up(depth, 2);
}

void find_source(Packed& p) {
    constexpr std::size_t kBlockBytes = std::size_t{192} << 10U;
    constexpr std::size_t kMaxBlock = 16;
    const ConvGeometry& s = p.shape;
    const bool one = s.kernel_height * s.kernel_width == 1;
    p.source = !p.depthwise && (one || s.dst_width < gemm::kAmxTileRows) ? Source::kWindows
                                                                         : Source::kRows;
    p.step = s.kernel_height * s.kernel_width * s.src_channels;
    p.row = ((s.dst_width - 1) * s.stride_width + (s.kernel_width - 1) * s.dilation_width + 1) *
            s.src_channels;
    p.block = 1;
    while (p.block < std::min(kMaxBlock, s.dst_height) &&
           p.rows_read(p.block + 1) * p.row * sizeof(std::uint16_t) <= kBlockBytes) {
        ++p.block;
    }
}

// So that sums stay in L1 until they are finished; more where weights are read again for each
// chunk.
void find_chunk(Packed& p) {
    constexpr std::size_t kSums = 8192;
    constexpr std::size_t kFewPixels = 16;
    constexpr std::size_t kManyPixels = 64;
    constexpr std::size_t kLargeWeights = std::size_t{64} << 10U;
    const ConvGeometry& s = p.shape;
    const std::size_t weights =
        p.depthwise ? 0 : s.kernel_height * s.kernel_width * s.src_channels * s.dst_channels;
    p.pitch = p.groups() * kGroup;
    p.chunk = std::clamp(kSums / p.pitch / kFewPixels * kFewPixels,
                         weights > kLargeWeights ? kManyPixels : kFewPixels, 2 * kManyPixels);
    const std::size_t values = p.by_columns()                 ? s.src_width * s.src_channels
                               : p.source == Source::kWindows ? p.chunk * p.step
                                                              : p.rows_read(p.block) * p.row;
    p.values = rounded_up(values + p.depth + kOverread, kOverread);
}

void find_taps(Packed& p, const Taps& taps) {
    const ConvGeometry& s = p.shape;
    if (p.by_columns()) {
        // As many as weights: of each column three rows and zeros. Where they begin the kernel knows.
        constexpr std::size_t kRows = 4;
        p.taps.assign(kRows * s.kernel_width, 0);
        return;
    }
    for (std::size_t row = 0; row < taps.rows; ++row) {
        for (std::size_t column = 0; column < taps.columns; ++column) {
            p.taps.push_back(static_cast<std::ptrdiff_t>(
                row * s.dilation_height * p.row + column * s.dilation_width * s.src_channels));
        }
    }
    if (p.depthwise && p.taps.size() % 2 != 0) {
        p.taps.push_back(p.taps.back());  // with weights of zero
    }
}

class Weights {
public:
    Weights(const U16Params& params, const Packed& packed, const Taps& taps)
        : params_(params), p_(packed), taps_(taps) {}

    std::int16_t at(std::size_t tap, std::size_t k, std::size_t channel) const {
        if (p_.by_columns()) {
            const std::size_t rows = p_.shape.kernel_height;
            const std::size_t row = tap % (rows + 1);
            const bool none = channel >= p_.shape.dst_channels || row == rows;
            return none ? std::int16_t{0} : params_.weight(channel, 0, row, tap / (rows + 1));
        }
        if (channel >= p_.shape.dst_channels || k >= taps_.depth ||
            tap >= taps_.rows * taps_.columns) {
            return 0;
        }
        const Place place = taps_.place(tap, k, p_.depthwise ? 1 : p_.shape.src_channels);
        return params_.weight(channel, place.channel, place.row, place.column);
    }

private:
    const U16Params& params_;
    const Packed& p_;
    const Taps& taps_;
};

void pack_bytes(Packed& p, const Weights& weights) {
    p.bytes.resize(p.groups() * kGroup * p.taps.size() * p.depth);
    std::int8_t* to = p.bytes.data();
    for (std::size_t g = 0; g < p.groups(); g += gemm::kAmxVectors) {
        const std::size_t channels = std::min(gemm::kAmxVectors, p.groups() - g) * kGroup;
        for (std::size_t tap = 0; tap < p.taps.size(); ++tap) {
            for (std::size_t k = 0; k < p.depth; k += 4) {
                for (std::size_t c = 0; c < channels; ++c) {
                    for (std::size_t i = 0; i < 4; ++i) {
                        *to++ = static_cast<std::int8_t>(weights.at(tap, k + i, g * kGroup + c));
                    }
                }
            }
        }
    }
}

// Of a depthwise convolution, two taps are a pair.
void pack_pairs(Packed& p, const Weights& weights) {
    const std::size_t depth = p.depthwise ? 1 : p.depth;
    p.pairs.resize(p.groups() * kGroup * p.taps.size() * depth);
    std::int16_t* to = p.pairs.data();
    for (std::size_t g = 0; g < p.groups(); ++g) {
        for (std::size_t i = 0; i < p.taps.size() * depth; i += 2) {
            for (std::size_t c = 0; c < kGroup; ++c) {
                for (std::size_t n = i; n < i + 2; ++n) {
                    *to++ = weights.at(n / depth, n % depth, g * kGroup + c);
                }
            }
        }
    }
}

// What the zero point adds to the sums of a channel, modulo 2^32.
void find_init(Packed& p, const Weights& weights) {
    p.init.assign(p.groups() * kGroup, 0);
    for (std::size_t c = 0; c < p.shape.dst_channels; ++c) {
        std::int64_t sum = 0;
        for (std::size_t tap = 0; tap < p.taps.size(); ++tap) {
            for (std::size_t k = 0; k < p.depth; ++k) {
                sum += weights.at(tap, k, c);
            }
        }
        const std::int64_t z = p.zero_point[p.zero_point.size() == 1 ? 0 : c];
        const std::int64_t offset = (p.is_amx() ? 0 : kMiddle) - z;
        p.init[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(offset * sum));
    }
}

void check(const U16Params& params) {
    const ConvGeometry& s = params.shape;
    if (params.depthwise && s.src_channels != s.dst_channels) {
        gemm::refuse("a depthwise convolution of ", s.src_channels, " to ", s.dst_channels,
                     " channels");
    }
    const std::size_t count = params.zero_point.size();
    if (count != 1 && !(params.depthwise && count == s.src_channels)) {
        gemm::refuse("the zero point has ", count, " values");
    }
}

}  // namespace

std::size_t source_bytes(const Packed& packed) {
    return packed.values * 2;  // two bytes, or one value of 16 bits
}

Packed pack(const U16Params& params) {
    check(params);
    Packed p;
    p.shape = params.shape;
    p.depthwise = params.depthwise;
    p.form = params.form == U16Form::kBest ? best_u16_form() : params.form;
    p.zero_point.assign(params.zero_point.begin(), params.zero_point.end());
    for (std::size_t c = 0; c < p.shape.src_channels; ++c) {
        const std::int32_t z = p.zero_point[p.zero_point.size() == 1 ? 0 : c];
        p.padding.push_back(static_cast<std::int16_t>(z - kMiddle));
    }
    find_source(p);
    const Taps taps = taps_of(p);
    p.depth = p.depthwise ? 1 : rounded_depth(p, taps.depth);
    find_taps(p, taps);
    find_chunk(p);
    const Weights weights(params, p, taps);
    p.is_amx() ? pack_bytes(p, weights) : pack_pairs(p, weights);
    find_init(p, weights);
    p.implementation = p.depthwise                   ? "u16_depthwise"
                       : p.is_amx()                  ? "u16_amx"
                       : p.form == U16Form::kVnni512 ? "u16_vnni512"
                                                     : "u16_pairs";
    return p;
}

}  // namespace fuseq::kernels::u16
