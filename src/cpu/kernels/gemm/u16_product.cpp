// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops around the sums of 16 by 8 bits: blocks of source that stay in L2, chunks of pixels
// whose sums stay there too, panels of channels.
#include "cpu/kernels/gemm/u16_product.hpp"

#include <algorithm>
#include <functional>

#include "cpu/kernels/gemm/gemm_amx.hpp"
#include "cpu/kernels/gemm/u16_product_detail.hpp"
#include "cpu/kernels/gemm/u16_product_pack.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels {

using namespace u16;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t kMaxRow = gemm::kAmxVectors * kGroup;  // sums of a pixel in a tile

std::size_t rounded_up(std::size_t count, std::size_t to) {
    return (count + to - 1) / to * to;
}

// The source in scratch: low and high bytes, or values less 32768.
class Source {
public:
    Source(const Packed& packed, const std::uint16_t* src, void* scratch)
        : p_(packed), src_(src), scratch_(static_cast<std::uint8_t*>(scratch)) {}

    const std::uint8_t* bytes() const { return scratch_; }
    const std::int16_t* values() const { return reinterpret_cast<const std::int16_t*>(scratch_); }

    // Windows of pixels [first, first + count) of dst, over the batch.
    void copy_windows(std::size_t first, std::size_t count) const {
        const ConvGeometry& s = p_.shape;
        const bool dense = s.kernel_height * s.kernel_width == 1 && s.stride_height == 1 &&
                           s.stride_width == 1 && s.src_width == s.dst_width &&
                           s.src_height == s.dst_height && s.pad_top == 0 && s.pad_left == 0;
        if (dense) {
            return put(first * s.src_channels, count * s.src_channels, 0);
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t row = (first + i) / s.dst_width;
            const auto left =
                static_cast<std::ptrdiff_t>((first + i) % s.dst_width * s.stride_width) -
                s.pad_left;
            const auto top =
                static_cast<std::ptrdiff_t>(row % s.dst_height * s.stride_height) - s.pad_top;
            std::size_t at = i * p_.step;
            for (std::size_t k = 0; k < s.kernel_height; ++k) {
                // Columns of the kernel that lie side by side in src.
                const std::size_t together = s.dilation_width == 1 ? s.kernel_width : 1;
                for (std::size_t c = 0; c < s.kernel_width; c += together) {
                    columns(row / s.dst_height,
                            top + static_cast<std::ptrdiff_t>(k * s.dilation_height),
                            left + static_cast<std::ptrdiff_t>(c * s.dilation_width), together, at);
                    at += together * s.src_channels;
                }
            }
        }
    }

    // What rows [y, y + count) of dst read, with padding.
    void copy_rows(std::size_t image, std::size_t y, std::size_t count) const {
        const ConvGeometry& s = p_.shape;
        for (std::size_t r = 0; r < p_.rows_read(count); ++r) {
            columns(image, static_cast<std::ptrdiff_t>(y * s.stride_height + r) - s.pad_top,
                    -s.pad_left, p_.row / s.src_channels, r * p_.row);
        }
    }

    // The rows of src that begin with row y of dst; those outside of the image are zero_row().
    void find_rows(std::size_t image, std::size_t y, std::span<const std::uint16_t*> rows) const {
        const ConvGeometry& s = p_.shape;
        const std::size_t pitch = s.src_width * s.src_channels;
        auto at = static_cast<std::ptrdiff_t>(y * s.stride_height) - s.pad_top;
        for (const std::uint16_t*& row : rows) {
            const bool inside = at >= 0 && at < static_cast<std::ptrdiff_t>(s.src_height);
            row = inside ? src_ + (image * s.src_height + static_cast<std::size_t>(at)) * pitch
                         : reinterpret_cast<const std::uint16_t*>(scratch_);
            ++at;
        }
    }
    void make_zero_row() const {
        auto* to = reinterpret_cast<std::uint16_t*>(scratch_);
        for (std::size_t x = 0; x < p_.shape.src_width; ++x) {
            to = std::transform(p_.padding.begin(), p_.padding.end(), to, [](std::int16_t v) {
                return static_cast<std::uint16_t>(v + kMiddle);
            });
        }
    }

private:
    // Columns [x, x + count) of a row, which may lie outside of the image.
    void columns(std::size_t image,
                 std::ptrdiff_t y,
                 std::ptrdiff_t x,
                 std::size_t count,
                 std::size_t at) const {
        const ConvGeometry& s = p_.shape;
        const auto width = static_cast<std::ptrdiff_t>(s.src_width);
        const auto end = x + static_cast<std::ptrdiff_t>(count);
        const bool outside = y < 0 || y >= static_cast<std::ptrdiff_t>(s.src_height);
        const std::ptrdiff_t from = outside ? end : std::clamp<std::ptrdiff_t>(0, x, end);
        const std::ptrdiff_t to = outside ? end : std::clamp<std::ptrdiff_t>(width, from, end);
        const std::size_t pixel = s.src_channels;
        const auto place = [&](std::ptrdiff_t column) {
            return at + static_cast<std::size_t>(column - x) * pixel;
        };
        fill(place(x), static_cast<std::size_t>(from - x));
        if (to > from) {
            const std::size_t row = image * s.src_height + static_cast<std::size_t>(y);
            put((row * s.src_width + static_cast<std::size_t>(from)) * pixel,
                static_cast<std::size_t>(to - from) * pixel, place(from));
        }
        fill(place(to), static_cast<std::size_t>(end - to));
    }

    void put(std::size_t from, std::size_t count, std::size_t at) const {
        if (p_.is_amx()) {
            split_bytes(src_ + from, count, scratch_ + at, scratch_ + p_.values + at);
        } else {
            move_to_middle(src_ + from, count, reinterpret_cast<std::int16_t*>(scratch_) + at);
        }
    }

    // `pixels` of the zero point.
    void fill(std::size_t at, std::size_t pixels) const {
        const std::size_t channels = p_.shape.src_channels;
        const std::size_t count = pixels * channels;
        if (p_.is_amx()) {
            const std::int32_t z = p_.zero_point[0];
            std::fill_n(scratch_ + at, count, static_cast<std::uint8_t>(z));
            std::fill_n(scratch_ + p_.values + at, count, static_cast<std::uint8_t>(z >> 8));
            return;
        }
        auto* const to = reinterpret_cast<std::int16_t*>(scratch_) + at;
        for (std::size_t i = 0; i < pixels; ++i) {
            std::copy(p_.padding.begin(), p_.padding.end(), to + i * channels);
        }
    }

    const Packed& p_;
    const std::uint16_t* src_;
    std::uint8_t* scratch_;
};

class Worker {
public:
    // finish: null where results are stored.
    Worker(const Packed& packed,
           const std::uint16_t* src,
           void* scratch,
           const U16Product::Finish* finish,
           const Results& results)
        : p_(packed),
          source_(packed, src, scratch),
          sums_(
              reinterpret_cast<float*>(static_cast<std::uint8_t*>(scratch) + source_bytes(packed))),
          finish_(finish),
          results_(results) {}

    void windows(Range chunks) {
        const ConvGeometry& s = p_.shape;
        const std::size_t pixels = s.batch * s.dst_height * s.dst_width;
        for (std::size_t i = chunks.begin; i < chunks.end; ++i) {
            const std::size_t first = i * p_.chunk;
            const std::size_t count = std::min(p_.chunk, pixels - first);
            source_.copy_windows(first, count);
            chunk(0, p_.step, first, count);
        }
    }

    void rows(Range range) {
        if (p_.by_columns()) {
            return image_rows(range);
        }
        const ConvGeometry& s = p_.shape;
        const std::size_t parts = (s.dst_width + p_.chunk - 1) / p_.chunk;
        const std::size_t step = s.stride_width * s.src_channels;
        for (std::size_t at = range.begin; at < range.end;) {
            const std::size_t y = at % s.dst_height;
            const std::size_t count = std::min({p_.block, range.end - at, s.dst_height - y});
            source_.copy_rows(at / s.dst_height, y, count);
            for (std::size_t r = 0; r < count; ++r) {
                for (std::size_t i = 0; i < parts; ++i) {
                    const std::size_t x = s.dst_width * i / parts;
                    chunk(r * s.stride_height * p_.row + x * step, step, (at + r) * s.dst_width + x,
                          s.dst_width * (i + 1) / parts - x);
                }
            }
            at += count;
        }
    }

private:
    void image_rows(Range range) {
        constexpr std::size_t kMaxRows = 64;  // that are read for some of dst
        const ConvGeometry& s = p_.shape;
        const std::size_t fits = 1 + (kMaxRows - s.kernel_height) / s.stride_height;
        source_.make_zero_row();
        for (std::size_t at = range.begin; at < range.end;) {
            const std::size_t y = at % s.dst_height;
            const std::size_t count = std::min({p_.block, fits, range.end - at, s.dst_height - y});
            const std::uint16_t* rows[kMaxRows];
            source_.find_rows(at / s.dst_height, y, {rows, p_.rows_read(count)});
            if (finish_ == nullptr) {
                sum_columns(rows, count, {0, s.dst_width}, at * s.dst_width);
            }
            for (std::size_t r = 0; finish_ != nullptr && r < count; ++r) {
                for (std::size_t x = 0; x < s.dst_width; x += p_.chunk) {
                    const Range columns{x, std::min(x + p_.chunk, s.dst_width)};
                    const std::size_t pixel = (at + r) * s.dst_width + x;
                    sum_columns(rows + r * s.stride_height, 1, columns, pixel);
                    (*finish_)(sums_, pixel, columns.end - columns.begin);
                }
            }
            at += count;
        }
    }

    // Some columns of `count` rows of dst, which begin with `pixel`.
    void sum_columns(const std::uint16_t* const* rows,
                     std::size_t count,
                     Range columns,
                     std::size_t pixel) {
        const ConvGeometry& s = p_.shape;
        ColumnsCall call{
            .rows = rows,
            .row_step = s.stride_height,
            .dst_rows = count,
            .first = static_cast<std::ptrdiff_t>(columns.begin * s.stride_width) - s.pad_left,
            .width = s.src_width,
            .stride = s.stride_width,
            .channels = s.src_channels,
            .pixels = columns.end - columns.begin,
            .padding = p_.padding.data(),
            .wei_step = p_.taps.size() * kGroup,
            .pitch = p_.pitch};
        for (std::size_t g = 0; g < p_.groups(); g += 2) {
            call.channel = g * kGroup;
            call.wei = p_.pairs.data() + g * call.wei_step;
            call.init = p_.init.data() + g * kGroup;
            call.sums = sums_ + g * kGroup;
            call.results = results_of(pixel, g);
            sum_columns_vnni512(call);
        }
    }

    // `count` pixels from `pixel` on, whose source begins at `first` in scratch.
    void chunk(std::size_t first, std::size_t step, std::size_t pixel, std::size_t count) {
        if (p_.depthwise) {
            sum_channels(first, step, count);
        } else if (p_.is_amx()) {
            sum_tiles(first, step, pixel, count);
        } else {
            sum_groups(first, step, pixel, count);
        }
        if (finish_ != nullptr) {
            (*finish_)(sums_, pixel, count);
        }
    }

    Results results_of(std::size_t pixel, std::size_t group) const {
        if (results_.finish == nullptr) {
            return {};
        }
        const std::size_t size =
            results_.finish->to_floats() ? sizeof(float) : sizeof(std::uint16_t);
        return {.finish = results_.finish,
                .dst = static_cast<std::byte*>(results_.dst) + pixel * p_.shape.dst_channels * size,
                .channel = group * kGroup};
    }

    void sum_channels(std::size_t first, std::size_t step, std::size_t count) {
        DepthwiseCall call{.src_step = static_cast<std::ptrdiff_t>(step),
                           .pixels = count,
                           .taps = p_.taps,
                           .pitch = p_.pitch};
        const std::size_t wei_step = p_.taps.size() * kGroup;
        for (std::size_t g = 0; g < p_.groups(); ++g) {
            call.wei = p_.pairs.data() + g * wei_step;
            call.init = p_.init.data() + g * kGroup;
            call.sums = sums_ + g * kGroup;
            call.src = source_.values() + first + g * kGroup;
            sum_depthwise(call);
        }
    }

    void sum_groups(std::size_t first, std::size_t step, std::size_t pixel, std::size_t count) {
        PairCall call{.src = source_.values() + first,
                      .src_step = static_cast<std::ptrdiff_t>(step),
                      .pixels = count,
                      .taps = p_.taps,
                      .pairs = p_.depth / 2,
                      .wei_step = p_.taps.size() * p_.depth * kGroup,
                      .pitch = p_.pitch};
        const auto sum = p_.form == U16Form::kVnni512 ? sum_pairs_vnni512 : sum_pairs;
        for (std::size_t g = 0; g < p_.groups(); g += call.groups) {
            call.groups = std::min(kPairGroups, p_.groups() - g);
            call.wei = p_.pairs.data() + g * call.wei_step;
            call.init = p_.init.data() + g * kGroup;
            call.sums = sums_ + g * kGroup;
            call.results = results_of(pixel, g);
            sum(call);
        }
    }

    // Low and high bytes of some pixels are the two rows of tiles.
    void sum_tiles(std::size_t first, std::size_t step, std::size_t pixel, std::size_t count) {
        alignas(64) static constexpr std::int32_t kZeros[kMaxRow] = {};
        alignas(64) std::int32_t tile[gemm::kAmxRows * kMaxRow];
        const std::size_t tiles = (count + gemm::kAmxTileRows - 1) / gemm::kAmxTileRows;
        gemm::AmxCall call{.src_step = step,
                           .second = static_cast<std::ptrdiff_t>(p_.values),
                           .wei = p_.bytes.data(),
                           .depth4 = p_.depth / 4,
                           .taps = p_.taps,
                           .init = kZeros,
                           .init_step = kGroup,
                           .tile = tile};
        for (std::size_t g = 0; g < p_.groups(); g += call.vectors) {
            call.vectors = std::min(gemm::kAmxVectors, p_.groups() - g);
            for (std::size_t t = 0; t < tiles; ++t) {
                const std::size_t begin = count * t / tiles;
                const std::size_t pixels = count * (t + 1) / tiles - begin;
                call.src = source_.bytes() + first + begin * step;
                call.rows = 2 * pixels;
                tiles_.sum(call);
                if (results_.finish != nullptr) {
                    join_results_vnni512(tile, pixels, call.vectors, p_.init.data() + g * kGroup,
                                         results_of(pixel + begin, g));
                    continue;
                }
                join_sums(tile, pixels, call.vectors, p_.init.data() + g * kGroup,
                          sums_ + begin * p_.pitch + g * kGroup, p_.pitch);
            }
            call.wei += p_.taps.size() * p_.depth * call.vectors * kGroup;
        }
    }

    const Packed& p_;
    Source source_;
    float* sums_;
    const U16Product::Finish* finish_;
    const Results results_;
    gemm::AmxTiles tiles_;
};

}  // namespace

U16Form best_u16_form() {
    if (has_amx_int8()) {
        return U16Form::kAmx;
    }
    return has_avx512_vnni() ? U16Form::kVnni512 : U16Form::kPairs;
}

U16Product::U16Product(const U16Params& params)
    : packed_(std::make_unique<const Packed>(pack(params))) {}
U16Product::~U16Product() = default;
U16Product::U16Product(U16Product&&) noexcept = default;
U16Product& U16Product::operator=(U16Product&&) noexcept = default;

U16Finish::U16Finish(const Params& params, std::size_t channels)
    : channels_(channels), to_floats_(params.to_floats), low_(params.low) {
    constexpr float kLargest = 65535;
    const auto padded = [&](std::span<const float> list, float absent) {
        std::vector<float> values(rounded_up(channels, 2 * kGroup), 0.0F);
        for (std::size_t c = 0; c < channels; ++c) {
            values[c] = list.empty() ? absent : list[list.size() == 1 ? 0 : c];
        }
        return values;
    };
    scale_ = padded(params.scale, 0.0F);
    bias_ = padded(params.bias, -0.0F);  // which leaves a negative zero
    shift_ = padded(params.shift, 0.0F);
    high_ = padded({}, params.high);
    if (!params.slope.empty()) {
        slope_ = padded(params.slope, 0.0F);
    }
    if (!params.rescale.empty()) {
        rescale_ = padded(params.rescale, 0.0F);
        for (std::size_t c = 0; c < channels; ++c) {
            // The product of the quotient is 65535 but for two roundings, far from a half.
            high_[c] = high_[c] * rescale_[c] > kLargest ? kLargest / rescale_[c] : high_[c];
        }
    } else if (!to_floats_ && slope_.empty()) {
        std::transform(bias_.begin(), bias_.end(), shift_.begin(), bias_.begin(), std::plus<>());
        std::fill(shift_.begin(), shift_.end(), 0.0F);
    }
}

std::size_t U16Product::units() const {
    const ConvGeometry& s = packed_->shape;
    const std::size_t rows = s.batch * s.dst_height;
    return packed_->source == u16::Source::kRows
               ? rows
               : (rows * s.dst_width + packed_->chunk - 1) / packed_->chunk;
}

std::size_t U16Product::scratch_bytes() const {
    constexpr std::size_t kLine = 64;
    return source_bytes(*packed_) +
           rounded_up(packed_->chunk * packed_->pitch * sizeof(float), kLine);
}

std::size_t U16Product::pitch() const {
    return packed_->pitch;
}

std::size_t U16Product::packed_bytes() const {
    return packed_->bytes.size() + packed_->pairs.size() * sizeof(std::int16_t) +
           packed_->init.size() * sizeof(std::int32_t);
}

const std::string& U16Product::implementation() const {
    return packed_->implementation;
}

void U16Product::run(const std::uint16_t* src,
                     Range units,
                     void* scratch,
                     const Finish& finish) const {
    Worker worker(*packed_, src, scratch, &finish, {});
    packed_->source == u16::Source::kRows ? worker.rows(units) : worker.windows(units);
}

void U16Product::run(const std::uint16_t* src,
                     Range units,
                     void* scratch,
                     const U16Finish& finish,
                     void* dst) const {
    const Packed& p = *packed_;
    const bool in_registers =
        p.form != U16Form::kPairs && (!p.depthwise || (p.by_columns() && !finish.to_floats()));
    if (!in_registers) {
        return run(src, units, scratch, [&](float* sums, std::size_t pixel, std::size_t count) {
            finish.run(sums, p.pitch, pixel, count, dst);
        });
    }
    Worker worker(p, src, scratch, nullptr, {.finish = &finish, .dst = dst});
    p.source == u16::Source::kRows ? worker.rows(units) : worker.windows(units);
}

}  // namespace fuseq::kernels
