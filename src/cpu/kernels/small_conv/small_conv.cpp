// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Packs the weights; tiles are those of small_conv_tiles.hpp, computed in small_conv_vnni.cpp.
#include "cpu/kernels/small_conv/small_conv.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "cpu/kernels/small_conv/small_conv_by_channel.hpp"
#include "cpu/kernels/small_conv/small_conv_detail.hpp"
#include "cpu/kernels/small_conv/small_conv_tiles.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace {

using namespace small_conv;  // NOLINT(google-build-using-namespace)

void check(const SmallConvParams& p) {
    const SmallConvShape& s = p.shape;
    const auto fits = [&](std::span<const float> values, bool may_lack) {
        return values.size() == s.dst_channels || values.size() == 1 ||
               (may_lack && values.empty());
    };
    const bool unsigned_src = p.src_type == ElementType::u8;
    const bool zero_point_fits = unsigned_src ? p.src_zero_point >= 0 && p.src_zero_point <= 255
                                              : p.src_zero_point >= -128 && p.src_zero_point <= 127;
    const bool dst_fits =
        (p.dst_type == ElementType::f32 && (!p.pixels || SmallConv::stores_pixels(s))) ||
        ((p.dst_type == ElementType::u8 || p.dst_type == ElementType::i8) &&
         SmallConv::stores_bytes(p));
    const bool pairs_fit =
        !p.pairs || (SmallConv::takes_pairs(s) && p.dst_type == ElementType::f32 && !p.pixels &&
                     !p.pool && !p.rows && p.ops.empty() && p.results.empty());
    const bool has_floors = !p.rest.empty() || !p.below.empty() || !p.offset.empty();
    const bool floors_fit =
        !has_floors || (SmallConv::takes_floors(p) && p.rest.size() == s.dst_channels &&
                        p.below.size() == s.dst_channels && p.offset.size() == s.dst_channels);
    if (!pairs_fit || !floors_fit || (!unsigned_src && p.src_type != ElementType::i8) ||
        !zero_point_fits || !dst_fits ||
        p.weights.size() != s.dst_channels * s.src_channels * s.kernel_height * s.kernel_width ||
        !fits(p.scale, false) || !fits(p.bias, true) || !fits(p.wei_zero_point, true) ||
        !(p.wei_zero_point.empty() || SmallConv::takes_zero_points(s)) || !channel_vectors_fit(p) ||
        (p.pool && !SmallConv::takes_pool(p))) {
        throw Error(
            "compile",
            fmt::format(
                "small-channel convolution: source {} with zero point {} to {}, {} weights, {} "
                "scales, {} biases, {} zero points of weights for {} x {} x {} x {}",
                to_string(p.src_type), p.src_zero_point, to_string(p.dst_type), p.weights.size(),
                p.scale.size(), p.bias.size(), p.wei_zero_point.size(), s.dst_channels,
                s.src_channels, s.kernel_height, s.kernel_width));
    }
}

}  // namespace

namespace {

// Channel-vectorized: whole vectors, and distances of windows for which there is code.
bool channel_vectors_take(const SmallConvShape& s) {
    constexpr std::size_t kGrain = 8;  // channels
    return s.dst_channels % kGrain == 0 && s.dst_channels <= kMaxChannelVectorChannels &&
           has_step(s) && s.src_channels >= 1 && s.kernel_width >= 1 &&
           (s.kernel_width - 1) * s.dilation_width < kMaxChannelVectorKernel && has_avx512_vbmi();
}

// Whether pixels lie one after the other in whole lanes, so that their sums serve all windows.
bool sums_in_chunks(const SmallConvShape& s) {
    const std::size_t n = s.src_channels;
    return s.stride_width == 1 && s.dilation_width == 1 && (n == 4 || n == 8 || n == 16);
}

bool fits_ring(const SmallConvShape& s) {
    return ring_rows(s) <= kMaxRows && s.kernel_width <= kMaxQuads &&
           s.dilation_width <= kMaxQuads &&
           ring_rows(s) * ring_stride(s, kSmallConvTile) <= kRingBytes && s.dst_height != 0 &&
           s.dst_width != 0;
}

}  // namespace

bool SmallConv::takes(const SmallConvShape& s) {
    if (is_channel_vectorized(s)) {
        return channel_vectors_take(s) && fits_ring(s);
    }
    constexpr std::size_t kMaxPermuted = 8;
    const std::size_t step = pixel_step(s);
    // With more channels short rows are better cut by channels.
    const bool wide = lies_in_chunks(s) && s.dst_width >= kLanes;
    return has_avx512_vbmi() && s.dst_channels >= 1 && s.dst_channels <= kSmallConvChannels &&
           s.src_channels >= 1 && (step <= kMaxPermuted || wide) && fits_ring(s);
}

bool SmallConv::takes_pairs(const SmallConvShape& s) {
    return pairs_take(s);
}

bool SmallConv::pairs_are_dots() {
    return has_byte_dots();
}

bool SmallConv::takes_pool(const SmallConvParams& p) {
    const SmallConvShape& s = p.shape;
    return is_channel_vectorized(s) && has_pooled_step(s) && takes(s) && s.dilation_height == 1 &&
           s.dst_height > 1 && s.dst_width > 1 && fits_ring(pooled_tiling(s)) &&
           p.results.size() <= 1 && !p.rows && rises(p);
}

bool SmallConv::takes_floors(const SmallConvParams& p) {
    return is_channel_vectorized(p.shape) && p.wei_zero_point.empty() && !p.pairs && !p.pool;
}

bool SmallConv::takes_zero_points(const SmallConvShape& s) {
    constexpr std::size_t kMaxPermuted = 8;
    return !is_channel_vectorized(s) || sums_in_chunks(s) || pixel_step(s) <= kMaxPermuted;
}

bool SmallConv::sums_in_triples(const SmallConvShape& s) {
    return is_channel_vectorized(s) && s.src_channels == 3 && s.dilation_width == 1 &&
           (s.stride_width == 1 || s.stride_width == 2);
}

bool SmallConv::stores_bytes(const SmallConvParams& p) {
    constexpr std::size_t kMaxParts = 2;
    const SmallConvShape& s = p.shape;
    if (s.dst_channels > 4 && lies_in_chunks(s) && pixel_step(s) > kMaxParts * kQuad) {
        return false;
    }
    // Floats beyond 32-bit integers would wrap.
    const auto largest = [](std::span<const float> values) {
        float max = 0.0f;
        for (const float v : values) {
            max = std::max(max, std::abs(v));
        }
        return static_cast<double>(max);
    };
    const double taps = static_cast<double>(s.src_channels * s.kernel_height * s.kernel_width);
    const double sum = taps * 255.0 * (128.0 + largest(p.wei_zero_point));
    return sum * largest(p.scale) + largest(p.bias) < 2e9;
}

bool SmallConv::takes_before_bytes(const post_ops::BasicOp& op) {
    constexpr float kMaxScale = 1e9f;  // floats beyond 32-bit integers would wrap
    const auto* eltwise = std::get_if<post_ops::Eltwise>(&op);
    return eltwise != nullptr && eltwise->kind == post_ops::EltwiseKind::kSigmoid &&
           std::abs(eltwise->scale) < kMaxScale;
}

bool SmallConv::stores_pixels(const SmallConvShape& s) {
    return is_channel_vectorized(s) || lies_in_pixels(s);
}

namespace {

// The lane of each of 16 pixels once the parts of its sum are added.
void set_lanes(Packed& packed) {
    constexpr std::size_t kBlock = 4;  // lanes of 128 bits
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t block = lane / kBlock;
        const std::size_t i = lane % kBlock;
        std::size_t pixel = lane;
        if (packed.partials == 2) {
            pixel = i / 2 * (kLanes / 2) + block * 2 + i % 2;
        } else if (packed.partials == 4) {
            pixel = i * kBlock + block;
        }
        packed.lane_of_pixel[pixel] = static_cast<std::int32_t>(lane);
    }
    const std::size_t channels = packed.shape.dst_channels;
    for (std::size_t i = 0; channels <= kSmallConvChannels && i < channels * kLanes; ++i) {
        const auto lane = static_cast<std::size_t>(packed.lane_of_pixel[i / channels]);
        const std::size_t c = i % channels;
        const std::size_t byte = c / 4 * 64 + lane / kBlock * 16 + c % 4 * 4 + lane % kBlock;
        packed.store[i / 64][i % 64] = static_cast<std::uint8_t>(byte);
    }
    for (std::size_t i = 0; channels == 1 && i < kLanes * kQuad; ++i) {
        const auto lane = static_cast<std::size_t>(packed.lane_of_pixel[i % kLanes]);
        const std::size_t byte = lane / kBlock * kLanes + i / kLanes * kBlock + lane % kBlock;
        packed.store[1][i] = static_cast<std::uint8_t>(byte);
    }
}

// Of the same four bytes of 16 windows.
void set_index(std::size_t step, Packed& packed) {
    for (std::size_t i = 0; i < std::size(packed.index); ++i) {
        packed.index[i] = static_cast<std::uint8_t>(i / kQuad * step + i % kQuad);
    }
}

void set_form(Packed& packed) {
    const SmallConvShape& s = packed.shape;
    const std::size_t step = pixel_step(s);
    if (is_channel_vectorized(s)) {
        packed.how = Collect::kChannels;
        packed.vectors = lane_vectors(s);
        packed.shared = shares_loads(s);
        packed.partials = sums_in_chunks(s) ? s.src_channels / kQuad : 0;
        packed.triples = packed.sums && SmallConv::sums_in_triples(s);
        set_index(step, packed);
    } else if (lies_in_chunks(s)) {
        packed.how = lies_apart(s) ? Collect::kApart : Collect::kChunks;
        packed.partials = chunk_bytes(s) / kQuad;
    } else {
        packed.how = step < kQuad ? Collect::kOne : Collect::kTwo;
        set_index(step, packed);
    }
    packed.width = ring_width(packed.tiling);
    packed.offsets = chunk_offsets(s);
    packed.ends = packed.sums && !packed.triples ? 0 : end_chunks(s);
    if (packed.ends != 0) {
        packed.offsets.pop_back();
    }
    set_lanes(packed);
}

// Weights of a channel, after the last one those of 1; returns their sum.
std::int32_t pack_channel(const SmallConvParams& p, std::size_t c, Packed& packed) {
    const SmallConvShape& s = p.shape;
    const bool by_channel = packed.how == Collect::kChannels;
    const std::size_t channels =
        by_channel ? packed.vectors * kLanes : s.dst_channels + (packed.sums ? 1 : 0);
    const std::size_t chunks = packed.offsets.size();
    const std::size_t size = chunk_bytes(s);
    const bool is_ones = by_channel && c == s.dst_channels;
    auto* bytes =
        reinterpret_cast<std::int8_t*>(is_ones ? packed.ones.data() : packed.weights.data());
    const std::size_t run_chunks = ceil_div(run_bytes_of(s), size);
    std::int32_t sum = 0;
    for (std::size_t ic = 0; ic < s.src_channels; ++ic) {
        for (std::size_t y = 0; y < s.kernel_height; ++y) {
            for (std::size_t x = 0; x < s.kernel_width; ++x) {
                const std::size_t number =
                    ((c * s.src_channels + ic) * s.kernel_height + y) * s.kernel_width + x;
                const std::int8_t w = c < s.dst_channels ? p.weights[number] : std::int8_t{1};
                const std::size_t at =
                    s.dilation_width == 1 ? x * s.src_channels + ic : x * run_chunks * size + ic;
                const bool is_end = packed.ends != 0 && at / size == chunks;
                const std::size_t to =
                    is_ones ? at
                    : is_end
                        ? ((s.kernel_height * chunks + y / kQuad) * channels + c) * size + y % kQuad
                        : ((y * chunks + at / size) * channels + c) * size + at % size;
                if (!is_ones || !packed.triples) {
                    bytes[to] = w;
                }
                sum += w;
            }
        }
    }
    return sum;
}

}  // namespace

SmallConv::SmallConv(const SmallConvParams& p) {
    check(p);
    const SmallConvShape& s = p.shape;
    auto packed = std::make_unique<Packed>();
    packed->shape = s;
    packed->pool = p.pool;
    packed->tiling = p.pool ? pooled_tiling(s) : s;
    if (p.pairs) {
        packed->pairs = std::make_unique<const PairForm>(pack_pairs(p));
        packed_ = std::move(packed);
        return;
    }
    packed->flip = p.src_type == ElementType::i8 ? 0x80 : 0;
    packed->padding =
        static_cast<std::uint8_t>(static_cast<std::uint8_t>(p.src_zero_point) ^ packed->flip);
    packed->dst_type = p.dst_type;
    packed->pixels = p.pixels;
    packed->sums = !p.wei_zero_point.empty();
    packed->floors = !p.rest.empty();
    set_form(*packed);
    const std::size_t channels = s.dst_channels + (packed->sums ? 1 : 0);
    packed->ones.assign(packed->offsets.size(), 0);
    packed->weights.assign((s.kernel_height * packed->offsets.size() + packed->ends) *
                               std::max(channels, packed->vectors * kLanes) * chunk_bytes(s) /
                               kQuad,
                           0);
    for (std::size_t c = 0; c < channels; ++c) {
        const std::int32_t sum = pack_channel(p, c, *packed);
        packed->init[c] = -(p.src_zero_point + (packed->flip == 0 ? 0 : 128)) * sum;
        if (c == s.dst_channels) {
            break;
        }
        packed->of_sum[c] =
            packed->sums ? -p.wei_zero_point[p.wei_zero_point.size() == 1 ? 0 : c] : 0.0f;
        packed->scale[c] = p.scale[p.scale.size() == 1 ? 0 : c];
        packed->bias[c] = p.bias.empty() ? 0.0f : p.bias[p.bias.size() == 1 ? 0 : c];
        if (packed->floors) {
            packed->init[c] += p.offset[c];
            packed->rest[c] = p.rest[c];
            packed->below[c] = p.below[c];
        }
    }
    for (std::size_t c = s.dst_channels; c < kLanes; ++c) {
        packed->of_sum[c] = packed->of_sum[c % s.dst_channels];
        packed->scale[c] = packed->scale[c % s.dst_channels];
        packed->bias[c] = packed->bias[c % s.dst_channels];
        packed->rest[c] = packed->rest[c % s.dst_channels];
        packed->below[c] = packed->below[c % s.dst_channels];
    }
    if (stores_pixels(s)) {
        packed->listed = is_channel_vectorized(s) || !p.results.empty();
        pack_lanes(p, *packed);
    } else if (!p.ops.empty()) {
        packed->sigmoid = true;
        packed->sigmoid_scale = std::get<post_ops::Eltwise>(p.ops[0]).scale;
    }
    packed_ = std::move(packed);
}

void SmallConv::set_results(std::span<const post_ops::Chain> results, bool rows) {
    SmallConvParams params;
    params.shape = packed_->shape;
    params.results = results;
    params.rows = rows;
    if (results.empty() || !channel_vectors_fit(params)) {
        throw Error("compile", "small-channel convolution: it cannot store such results");
    }
    pack_results(params, *packed_);
}

SmallConv::~SmallConv() = default;
SmallConv::SmallConv(SmallConv&&) noexcept = default;
SmallConv& SmallConv::operator=(SmallConv&&) noexcept = default;

std::size_t SmallConv::rows() const {
    return packed_->tiling.batch * packed_->tiling.dst_height;
}

bool SmallConv::stores() const {
    return packed_->pixels || packed_->dst_type != ElementType::f32;
}

bool SmallConv::pixels() const {
    return packed_->pixels;
}

bool SmallConv::is_listed() const {
    return packed_->listed;
}

bool SmallConv::pools() const {
    return packed_->pool;
}

std::size_t SmallConv::packed_bytes() const {
    const std::size_t pairs =
        packed_->pairs == nullptr
            ? 0
            : packed_->pairs->weights.size() * sizeof(std::int16_t) + sizeof(PairForm);
    return packed_->weights.size() * sizeof(std::int32_t) + sizeof(Packed) + pairs;
}

namespace {

// Planes that the receiver may write to.
class TilePlanes final : public PairReceiver {
public:
    explicit TilePlanes(const SmallConv::Receive& receive) : receive_(receive) {}
    PairPlace place(const SmallConvTile& /*tile*/) override { return {planes_, kSmallConvTile}; }
    void done(const SmallConvTile& tile) override { receive_(tile); }

private:
    const SmallConv::Receive& receive_;
    alignas(64) float planes_[kSmallConvChannels * kSmallConvTile];
};

// Where a tile lies in the planes of an image.
float* tile_in_planes(const SmallConvShape& s, const SmallConvTile& at, float* dst) {
    const std::size_t plane = s.dst_height * s.dst_width;
    return dst + at.image * s.dst_channels * plane + at.y * s.dst_width + at.x;
}

class WholePlanes final : public PairReceiver {
public:
    WholePlanes(const SmallConvShape& shape, float* dst) : shape_(shape), dst_(dst) {}
    PairPlace place(const SmallConvTile& tile) override {
        return {tile_in_planes(shape_, tile, dst_), shape_.dst_height * shape_.dst_width};
    }
    void done(const SmallConvTile& /*tile*/) override {}

private:
    const SmallConvShape& shape_;
    float* dst_;
};

}  // namespace

void SmallConv::run(const void* src, Range rows, const Receive& receive) const {
    if (packed_->pairs != nullptr) {
        TilePlanes planes(receive);
        run_pairs(*packed_->pairs, src, rows, planes);
        return;
    }
    alignas(64) float planes[kSmallConvChannels * kSmallConvTile];
    ChannelVectorPlaces places;
    places.dst[0] = reinterpret_cast<std::byte*>(planes);
    for_tiles(*packed_, src, rows, [&](SmallConvTile at, const Windows& windows) {
        packed_->pixels ? run_pixels(*packed_, windows, at.count, places)
                        : run_planes(*packed_, windows, at.count, planes, kSmallConvTile);
        at.planes = planes;
        receive(at);
    });
}

void SmallConv::run_to_planes(const void* src, Range rows, float* dst) const {
    const SmallConvShape& s = packed_->shape;
    const std::size_t plane = s.dst_height * s.dst_width;
    if (packed_->pairs != nullptr) {
        WholePlanes planes(s, dst);
        run_pairs(*packed_->pairs, src, rows, planes);
        return;
    }
    for_tiles(*packed_, src, rows, [&](const SmallConvTile& at, const Windows& windows) {
        run_planes(*packed_, windows, at.count, tile_in_planes(s, at, dst), plane);
    });
}

void SmallConv::run(const void* src, Range rows, void* dst) const {
    if (packed_->listed || packed_->pixels) {
        run(src, rows, {&dst, 1}, {});
        return;
    }
    const SmallConvShape& s = packed_->shape;
    for_tiles(*packed_, src, rows, [&](const SmallConvTile& at, const Windows& windows) {
        const std::size_t pixel = (at.image * s.dst_height + at.y) * s.dst_width + at.x;
        const std::size_t first = pixel * s.dst_channels;
        run_bytes(*packed_, windows, at.count, static_cast<std::uint8_t*>(dst) + first);
    });
}

void SmallConv::run(const void* src,
                    Range rows,
                    std::span<void* const> dst,
                    std::span<const SmallConvSource> binary_sources) const {
    const Packed& packed = *packed_;
    const SmallConvShape& s = packed.tiling;
    const std::size_t window = packed.pool ? 2 : 1;  // pixels that become one
    for_tiles(packed, src, rows, [&](const SmallConvTile& at, const Windows& windows) {
        ChannelVectorPlaces places;
        const std::size_t row = at.image * s.dst_height + at.y;
        const std::size_t row_pixel = row * s.dst_width / window;
        const std::size_t first = (row_pixel + at.x / window) * s.dst_channels;
        for (std::size_t r = 0; r < packed.results.size(); ++r) {
            const ChannelVectorResult& result = packed.results[r];
            const std::size_t from =
                result.rows ? row_pixel * s.dst_channels + at.x * kLanes : first * result.element;
            places.dst[r] = static_cast<std::byte*>(dst[r]) + from;
        }
        places.row_bytes = s.dst_width * kLanes;
        for (const ChannelVectorOp& op : packed.ops) {
            if (op.kind == ChannelVectorOp::Kind::kAdd) {
                places.binary_sources[op.binary_source] = binary_sources[op.binary_source].pixel(
                    row, s.dst_width, at.x, s.dst_channels * op.element);
            }
        }
        packed.how == Collect::kChannels ? run_channel_vectors(packed, windows, at.count, places)
                                         : run_pixels(packed, windows, at.count, places);
    });
}

}  // namespace fuseq::kernels
