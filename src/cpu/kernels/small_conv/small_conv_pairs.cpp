// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/small_conv/small_conv_pairs.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "cpu/kernels/small_conv/small_conv_tiles.hpp"

namespace fuseq::kernels::small_conv {
namespace {

constexpr std::size_t kRingBytes = std::size_t{128} << 10;  // on the stack
constexpr std::size_t kMinTile = 32;
constexpr std::size_t kMaxLanes = 8;    // of the vectors
constexpr std::size_t kMaxVectors = 8;  // that are loaded at once
constexpr std::size_t kLaneBytes = 4;

// How pixels lie in the ring: by the elements of a lane, 2 words or 4 bytes.
class PairLayout {
public:
    PairLayout(const SmallConvShape& shape, std::size_t per_lane)
        : s_(shape), per_lane_(per_lane), vector_(per_lane * kMaxLanes) {}

    // Of a pixel.
    std::size_t elements() const {
        std::size_t elements = per_lane_;
        while (elements < s_.src_channels && elements < vector_) {
            elements *= 2;
        }
        return ceil_div(s_.src_channels, elements) * elements;
    }

    // Elements of the columns of one remainder that a tile of so many pixels reads, and all vectors
    // that its last sums read.
    std::size_t part_elements(std::size_t tile) const {
        const std::size_t columns =
            tile + (s_.kernel_width - 1) * s_.dilation_width / s_.stride_width + 1;
        return columns * elements() + kMaxVectors * std::max(elements(), vector_);
    }

    std::size_t row_elements(std::size_t tile) const {
        return ceil_div(s_.stride_width * part_elements(tile), vector_) * vector_;
    }

    std::size_t partials(std::size_t lanes) const {
        return std::min(elements() / per_lane_, lanes);
    }

    // Output pixels at once: as many as the sums of a channel have room for and a row has, halved
    // until the source rows have room too. 0: they have none for the smallest tile.
    std::size_t tile() const {
        const std::size_t row = ceil_div(s_.dst_width, kMaxLanes) * kMaxLanes;
        std::size_t tile = std::min({kSmallConvTile, kMaxPairSums / partials(kMaxLanes), row});
        const std::size_t min_tile = std::min(tile, kMinTile);
        const std::size_t bytes = kLaneBytes / per_lane_;
        while (tile >= min_tile && ring_rows(s_) * row_elements(tile) * bytes > kRingBytes) {
            tile /= 2;
        }
        return tile < min_tile ? 0 : tile;
    }

private:
    const SmallConvShape& s_;
    std::size_t per_lane_;
    std::size_t vector_;
};

// Groups of up to kMaxPairGroup channels, none much smaller than the others.
std::vector<std::size_t> groups_of(std::size_t channels) {
    std::vector<std::size_t> groups;
    for (std::size_t left = ceil_div(channels, kMaxPairGroup); left != 0; --left) {
        groups.push_back(ceil_div(channels, left));
        channels -= groups.back();
    }
    return groups;
}

void put(const PairFunctions& f, std::int8_t weight, AlignedVector<std::uint8_t>& to) {
    const auto low = static_cast<std::uint8_t>(weight);
    to.push_back(low);
    if (f.per_lane == 2) {  // the upper byte of a word
        to.push_back(weight < 0 ? 0xff : 0);
    }
}

// A group of channels from `first` on; `ones`: one channel, of weights of 1.
void pack_group(
    const SmallConvParams& p, std::size_t first, std::size_t count, bool ones, PairForm& form) {
    const SmallConvShape& s = p.shape;
    const std::size_t vector = form.functions.per_lane * form.functions.lanes;
    const std::size_t chunks = std::max<std::size_t>(1, form.elements / vector);
    for (std::size_t y = 0; y < s.kernel_height; ++y) {
        for (std::size_t t = 0; t < s.kernel_width * chunks; ++t) {
            const std::size_t x = t / chunks;
            for (std::size_t i = 0; i < count * vector; ++i) {
                const std::size_t ic = (t % chunks * vector + i % vector) % form.elements;
                const std::size_t oc = first + i / vector;
                const std::size_t at =
                    ((oc * s.src_channels + ic) * s.kernel_height + y) * s.kernel_width + x;
                const bool is_padding = ic >= s.src_channels;
                const std::int8_t one = 1;
                put(form.functions,
                    is_padding ? std::int8_t{0}
                    : ones     ? one
                               : p.weights[at],
                    form.weights);
            }
        }
    }
}

// Bytes keep the zero point of the source, which is taken from their sums.
void set_zero_points(const SmallConvParams& p, PairForm& form) {
    const std::int32_t zero_point = p.src_zero_point + (form.is_signed ? 128 : 0);
    const std::size_t taps = p.shape.src_channels * p.shape.kernel_height * p.shape.kernel_width;
    form.padding = static_cast<std::uint8_t>(zero_point);
    form.init_of_ones = -zero_point * static_cast<std::int32_t>(taps);
    for (std::size_t i = 0; i < taps * p.shape.dst_channels; ++i) {
        form.init[i / taps] -= zero_point * p.weights[i];
    }
}

float value_of(std::span<const float> values, std::size_t c) {
    return values.empty() ? 0.0f : values[values.size() == 1 ? 0 : c];
}

// Source rows of a tile's windows, by number modulo the size of the ring.
class PairRing {
public:
    explicit PairRing(const PairForm& form)
        : form_(form), size_(static_cast<std::ptrdiff_t>(ring_rows(form.shape))) {}

    // From output column x of an image on.
    void begin(const std::byte* image, std::size_t x) {
        image_ = image;
        left_ = static_cast<std::ptrdiff_t>(x * form_.shape.stride_width) - form_.shape.pad_left;
        held_.fill(kNone);
    }

    // The source rows of output row y.
    void rows(std::size_t y, const void** to) {
        const SmallConvShape& s = form_.shape;
        const auto top = static_cast<std::ptrdiff_t>(y * s.stride_height) - s.pad_top;
        for (std::size_t k = 0; k < s.kernel_height; ++k) {
            const std::ptrdiff_t number = top + static_cast<std::ptrdiff_t>(k * s.dilation_height);
            const auto slot = static_cast<std::size_t>((number % size_ + size_) % size_);
            std::uint8_t* const row = bytes_ + slot * row_bytes();
            if (held_[slot] != number) {
                fill(number, row);
                held_[slot] = number;
            }
            to[k] = row;
        }
    }

private:
    static constexpr std::ptrdiff_t kNone = std::numeric_limits<std::ptrdiff_t>::min();

    std::size_t row_bytes() const { return form_.row_size * kLaneBytes / form_.functions.per_lane; }

    // Pixels outside count as the zero point.
    void fill(std::ptrdiff_t number, std::uint8_t* row) const {
        const SmallConvShape& s = form_.shape;
        const auto width = static_cast<std::ptrdiff_t>(s.src_width);
        const auto columns = static_cast<std::ptrdiff_t>(
            (form_.tile - 1) * s.stride_width + (s.kernel_width - 1) * s.dilation_width + 1);
        const std::ptrdiff_t begin = std::clamp<std::ptrdiff_t>(left_, 0, width);
        const std::ptrdiff_t end = std::clamp<std::ptrdiff_t>(left_ + columns, begin, width);
        const bool outside = number < 0 || number >= static_cast<std::ptrdiff_t>(s.src_height);
        if (outside || end - begin != columns) {
            std::memset(row, form_.padding, row_bytes());
        }
        if (outside || begin == end) {
            return;
        }
        form_.functions.fill(
            {.from = image_ + static_cast<std::size_t>(number) * s.src_width * s.src_channels,
             .is_signed = form_.is_signed,
             .zero_point = form_.zero_point,
             .channels = s.src_channels,
             .elements = form_.elements,
             .stride = s.stride_width,
             .part_size = form_.part_size,
             .width = s.src_width,
             .begin = static_cast<std::size_t>(begin),
             .end = static_cast<std::size_t>(end),
             .first = static_cast<std::size_t>(begin - left_),
             .to = row});
    }

    const PairForm& form_;
    std::ptrdiff_t size_;
    const std::byte* image_ = nullptr;
    std::ptrdiff_t left_ = 0;  // source column at the beginning of a row
    std::array<std::ptrdiff_t, kMaxPairRows> held_{};
    alignas(64) std::uint8_t bytes_[kRingBytes];
};

// All channels of a tile of `count` pixels.
void run_tile(const PairForm& form,
              const void* const* rows,
              std::size_t count,
              const PairPlace& place) {
    constexpr std::size_t kPitch = kMaxPairSums + kPairSumsSlack;
    alignas(64) std::int32_t sums[kMaxPairGroup * kPitch];
    alignas(64) std::int32_t ones[kSmallConvTile + kMaxLanes];
    const PairFunctions& f = form.functions;
    const std::size_t vector = f.per_lane * f.lanes;
    const std::uint8_t* weights = form.weights.data();
    PairCall call{.rows = rows,
                  .kernel_rows = form.shape.kernel_height,
                  .taps = form.taps.data(),
                  .tap_count = form.taps.size(),
                  .step = std::max(form.elements, vector),
                  .weights = weights,
                  .vectors = ceil_div(count * form.partials, f.lanes),
                  .sums = sums};
    std::size_t channel = 0;
    for (std::size_t g = 0; g < form.groups.size(); ++g) {
        const std::size_t group = form.groups[g];
        f.sums[group - 1](call);
        weights += call.kernel_rows * call.tap_count * group * f.lanes * kLaneBytes;
        call.weights = weights;
        if (form.sums && g == 0) {
            f.add(sums, form.partials, count, form.init_of_ones, ones);
            continue;
        }
        for (std::size_t c = 0; c < group; ++c, ++channel) {
            f.values({.sums = sums + c * kPitch,
                      .partials = form.partials,
                      .init = form.init[channel],
                      .ones = form.sums ? ones : nullptr,
                      .of_sum = form.of_sum[channel],
                      .scale = form.scale[channel],
                      .bias = form.bias[channel]},
                     count, place.planes + channel * place.pitch);
        }
    }
}

}  // namespace

bool pairs_take(const SmallConvShape& s) {
    return s.dst_channels >= 1 && s.dst_channels <= kSmallConvChannels && s.src_channels >= 1 &&
           s.kernel_height >= 1 && s.kernel_width >= 1 && ring_rows(s) <= kMaxPairRows &&
           s.dst_height != 0 && s.dst_width != 0 && PairLayout(s, 2).tile() != 0;
}

PairForm pack_pairs(const SmallConvParams& p) {
    const SmallConvShape& s = p.shape;
    PairForm form;
    form.functions = has_byte_dots() ? dot_functions() : pair_functions();
    const PairLayout layout(s, form.functions.per_lane);
    form.shape = s;
    form.is_signed = p.src_type == ElementType::i8;
    form.zero_point = p.src_zero_point;
    form.elements = layout.elements();
    form.partials = layout.partials(form.functions.lanes);
    form.tile = layout.tile();
    form.part_size = layout.part_elements(form.tile);
    form.row_size = layout.row_elements(form.tile);
    if (has_byte_dots()) {
        set_zero_points(p, form);
    }
    for (std::size_t x = 0; x < s.kernel_width; ++x) {
        const std::size_t column = x * s.dilation_width;
        const std::size_t from =
            column % s.stride_width * form.part_size + column / s.stride_width * form.elements;
        const std::size_t vector = form.functions.per_lane * form.functions.lanes;
        for (std::size_t q = 0; q < std::max<std::size_t>(1, form.elements / vector); ++q) {
            form.taps.push_back(from + q * vector);
        }
    }
    form.sums = !p.wei_zero_point.empty();
    if (form.sums) {
        form.groups.push_back(1);
        pack_group(p, 0, 1, true, form);
    }
    std::size_t channel = 0;
    for (const std::size_t group : groups_of(s.dst_channels)) {
        form.groups.push_back(group);
        pack_group(p, channel, group, false, form);
        channel += group;
    }
    for (std::size_t c = 0; c < s.dst_channels; ++c) {
        form.of_sum[c] = -value_of(p.wei_zero_point, c);
        form.scale[c] = value_of(p.scale, c);
        form.bias[c] = value_of(p.bias, c);
    }
    return form;
}

void run_pairs(const PairForm& form, const void* src, Range rows, PairReceiver& receiver) {
    const SmallConvShape& s = form.shape;
    const std::size_t image_bytes = s.src_height * s.src_width * s.src_channels;
    PairRing ring(form);
    while (rows.begin < rows.end) {
        const std::size_t number = rows.begin / s.dst_height;
        const std::size_t first = rows.begin % s.dst_height;
        const std::size_t end = std::min(s.dst_height, first + (rows.end - rows.begin));
        const auto* image = static_cast<const std::byte*>(src) + number * image_bytes;
        for (std::size_t x = 0; x < s.dst_width; x += form.tile) {
            ring.begin(image, x);
            for (std::size_t y = first; y < end; ++y) {
                const void* windows[kMaxPairRows];
                ring.rows(y, windows);
                SmallConvTile tile{nullptr, number, y, x, std::min(form.tile, s.dst_width - x)};
                const PairPlace to = receiver.place(tile);
                run_tile(form, windows, tile.count, to);
                tile.planes = to.planes;
                receiver.done(tile);
            }
        }
        rows.begin += end - first;
    }
}

}  // namespace fuseq::kernels::small_conv
