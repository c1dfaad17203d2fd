// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops around the micro-kernel, from the outside: blocks of source that stay in L2, groups of
// panels that stay in L1, tiles.
#include "cpu/kernels/gemm/gemm_vnni.hpp"

#include <algorithm>

#include "cpu/kernels/common/range.hpp"
#include "cpu/kernels/common/rounding_mode.hpp"
#include "cpu/kernels/gemm/gemm_amx_panel.hpp"
#include "cpu/kernels/gemm/gemm_narrow_pool.hpp"
#include "cpu/kernels/gemm/gemm_narrow_results.hpp"
#include "cpu/kernels/gemm/gemm_vnni_ahead.hpp"
#include "cpu/kernels/gemm/gemm_vnni_args.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/kernels/gemm/gemm_vnni_panels_ahead.hpp"
#include "cpu/kernels/gemm/gemm_vnni_rounding.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels {

using namespace gemm;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t kPanelBytes = 24u << 10u;  // weights of a group
constexpr std::size_t kMinWidePixels = 24;
constexpr std::size_t kMaxTileVectors = std::max(kTileVectors, kAmxRows* kMaxPanelVectors);

class Worker {
public:
    Worker(const Packed& packed,
           const NarrowResults* results,
           const GemmArgs& args,
           std::uint8_t* scratch,
           Range panels)
        : p_(packed),
          results_(results),
          args_(args),
          scratch_(scratch),
          panels_(panels),
          row_step_(static_cast<std::ptrdiff_t>(p_.shape.stride_height * p_.pitch)),
          tap_list_(p_.taps),
          taps_{0, p_.taps.size()},
          pitch_(args.dst_pitch != 0 ? args.dst_pitch : p_.channels()),
          part_{.depth4 = p_.depth4,
                .dst_step = p_.subpixels ? p_.subpixels->columns * pitch_ : pitch_,
                .args = &args},
          weights_ahead_(packed, args, panels),
          sources_ahead_(packed, args) {
        const bool moves = p_.subpixels || (!args.rows.empty() && p_.mode == SourceMode::kRows);
        if (moves && args.binary_sources.size() <= kMaxBinarySources) {
            moved_args_ = args;
            moved_args_.binary_sources = {row_sources_, args.binary_sources.size()};
        }
    }

    // `alone`: the pixel after the range must not be read.
    void pixels(Range range, bool alone = false) {
        first_ = range.begin;
        last_ = range.end;
        const std::size_t channels = p_.shape.src_channels;
        if (p_.mode == SourceMode::kInPlace) {
            // Pixels are read four bytes at a time; bytes of the next pixel meet zero weights. The
            // last pixels are copied, because memory may end after them.
            const bool at_end = (alone || range.end == p_.units()) && channels % 4 != 0;
            const std::size_t copied = at_end ? std::min(kLastPixels, range.end - range.begin) : 0;
            const Range read{range.begin, range.end - copied};
            for (std::size_t at = read.begin; at < read.end; at += p_.block) {
                const auto* src = static_cast<const std::uint8_t*>(args_.src) + at * channels;
                const std::size_t end = std::min(at + p_.block, read.end);
                sum_pixels(src, channels, {at, end});
                segments(src, channels, 0, {at, end}, 1);
            }
            range.begin = read.end;
        }
        for (std::size_t at = range.begin; at < range.end; at += p_.block) {
            const std::size_t count = std::min(p_.block, range.end - at);
            copy_pixels(p_, args_.src, at, count, scratch_);
            sum_pixels(scratch_, p_.step, {at, at + count});
            segments(scratch_, p_.step, 0, {.begin = at, .end = at + count}, 1);
        }
    }

    void rows(Range range) {
        first_ = range.begin;
        last_ = range.end;
        const GemmShape& s = p_.shape;
        const std::size_t window = p_.window();
        const std::size_t height = s.dst_height / window;
        const std::size_t width = s.dst_width / window;
        for (std::size_t at = range.begin; at < range.end;) {
            const std::size_t image = at / height;
            const std::size_t y = at % height;
            const std::size_t count = std::min({p_.block, range.end - at, height - y});
            const std::uint8_t* const src = rows_of(image, y * window, count * window);
            const std::size_t tiles =
                count * tiles_of(width, p_.panels[panels_.begin]) * (panels_.end - panels_.begin);
            rows_ahead_.expect_block(p_, args_.src, (at + count) * window, count * window, tiles);
            const std::size_t first = at * width;
            if (p_.needs_sums()) {
                const auto sum = p_.is_narrow() ? narrow_sum_windows : gemm::sum_windows;
                sums_ = sum(p_, src, count, scratch_ + p_.sums);
                first_sum_ = first;
            }
            segments(src, window * s.stride_width * p_.pixel_bytes(),
                     window * s.stride_height * p_.pitch, {.begin = first, .end = first + width},
                     count);
            at += count;
        }
    }

private:
    // Prepares `count` rows of the convolution from row `y` on. Returns the window of the first
    // pixel: in scratch, or with a direct convolution in src, where it may begin outside of the
    // image.
    const std::uint8_t* rows_of(std::size_t image, std::size_t y, std::size_t count) {
        if (!p_.direct) {
            copy_rows(p_, args_.src, image, y, count, scratch_);
            return scratch_;
        }
        copy_edges(p_, args_.src, image, y, count, scratch_);
        const GemmShape& s = p_.shape;
        const auto row =
            static_cast<std::ptrdiff_t>(image * s.src_height + y * s.stride_height) - s.pad_top;
        return static_cast<const std::uint8_t*>(args_.src) +
               row * static_cast<std::ptrdiff_t>(p_.pitch) -
               s.pad_left * static_cast<std::ptrdiff_t>(s.src_channels);
    }

    void sum_pixels(const std::uint8_t* src, std::size_t step, Range pixels) {
        if (p_.needs_sums()) {
            const auto sum = p_.is_narrow() ? narrow_sum_pixels : gemm::sum_pixels;
            sums_ = sum(p_, src, step, pixels.end - pixels.begin, scratch_ + p_.sums);
            first_sum_ = pixels.begin;
        }
    }

    // `count` segments of consecutive pixels of dst, the first one `pixels`. The sources of two
    // segments are `pitch` bytes apart.
    void segments(const std::uint8_t* src,
                  std::size_t step,
                  std::size_t pitch,
                  Range pixels,
                  std::size_t count) {
        const std::size_t length = pixels.end - pixels.begin;
        const bool streams =
            is_end(pixels.begin + count * length) && !loads_one_wide_vector_a_cycle();
        if (streams) {
            weights_ahead_.expect_all(count * tiles_of(length, p_.panels[panels_.begin]),
                                      is_begin(pixels.begin));
        }
        for (std::size_t first = panels_.begin; first < panels_.end;) {
            std::size_t last = first + 1;
            std::size_t bytes = p_.panels[first].bytes;
            while (last < panels_.end && bytes + p_.panels[last].bytes <= kPanelBytes) {
                bytes += p_.panels[last++].bytes;
            }
            const std::size_t tiles = count * tiles_of(length, p_.panels[first]) * (last - first);
            if (streams) {
                weights_ahead_.skip_to(last);
            } else if (last < panels_.end) {
                weights_ahead_.expect_panels(last, bytes, tiles);
            } else {
                weights_ahead_.expect_next(is_end(pixels.begin + count * length), tiles);
            }
            for (std::size_t i = 0; i < count; ++i) {
                const std::size_t begin = pixels.begin + i * length;
                choose_taps(begin / length);
                choose_rows(begin / length);
                if (p_.mode != SourceMode::kRows) {
                    some_segment(src, step, {begin, begin + length}, {first, last});
                } else {
                    some_segment(src + i * pitch + p_.inner.begin * step, step,
                                 {begin + p_.inner.begin, begin + p_.inner.end}, {first, last});
                }
            }
            for (const EdgeColumn& column : p_.edge_columns) {
                const Range rows{pixels.begin / length, pixels.begin / length + count};
                if (p_.direct) {
                    copied_column(column, rows, {first, last});
                } else {
                    edge_column(column, src + column.x * step, pitch, rows, {first, last});
                }
            }
            first = last;
        }
    }

    void some_segment(const std::uint8_t* src, std::size_t step, Range pixels, Range group) {
        // The rows of a sub-pixel are not contiguous in dst.
        const std::size_t width = p_.shape.dst_width;
        const std::size_t count = pixels.end - pixels.begin;
        const std::size_t left = width - pixels.begin % width;
        if (p_.subpixels && left < count) {
            some_segment(src, step, {pixels.begin, pixels.begin + left}, group);
            return some_segment(src + left * step, step, {pixels.begin + left, pixels.end}, group);
        }
        p_.wide ? wide_segment(src, step, pixels, group) : segment(src, step, pixels, group);
    }

    // The same from the edge copy.
    void copied_column(const EdgeColumn& column, Range rows, Range group) {
        const GemmShape& s = p_.shape;
        const EdgeCopy& copy = p_.edge_copies[column.x < p_.inner.begin ? 0 : 1];
        const auto left = static_cast<std::ptrdiff_t>(column.x * s.stride_width) - s.pad_left;
        const auto at = static_cast<std::size_t>(left - copy.begin) * s.src_channels;
        tap_list_ = copy.taps;
        inits_ = 0;  // with all rows of the kernel
        edge_column(column, scratch_ + copy.at + at, s.stride_height * copy.pitch, rows, group);
        tap_list_ = p_.taps;
    }

    // The pixels of a column of dst, in `rows`, as one segment.
    void edge_column(const EdgeColumn& column,
                     const std::uint8_t* src,
                     std::size_t pitch,
                     Range rows,
                     Range group) {
        const ColumnArgs column_args(p_, results_, args_, column.x, pitch_);
        const Part all = part_;
        const std::size_t fours = p_.pixel_bytes() / 4;  // of a column of the kernel
        part_ = {.depth4 = (column.kernel.end - column.kernel.begin) * fours,
                 .left_out = column.kernel.begin * fours,
                 .dst_step = p_.shape.dst_width * pitch_,
                 .args = &column_args.get()};
        taps_ = p_.tap_ranges[0];
        // Binary sources as they are: the pixels are in many rows.
        some_segment(src + column.kernel.begin * p_.pixel_bytes(), pitch, rows, group);
        part_ = all;
    }

    // Chooses the taps of a row of dst that meet more than padding.
    void choose_taps(std::size_t row) {
        if (!p_.range_of_row.empty()) {
            const std::size_t range = p_.range_of_row[row % p_.range_of_row.size()];
            taps_ = p_.tap_ranges[range];
            inits_ = p_.init_count() == 1 ? 0 : range;
        }
    }
    // Moves the beginning of deduplicated binary sources so that row `row` of dst finds its row.
    void choose_rows(std::size_t row) {
        if (p_.subpixels || moved_args_.binary_sources.empty()) {
            return;
        }
        choose_binary_rows(p_, args_, row, row_sources_);
        part_.args = &moved_args_;
    }
    std::span<const std::ptrdiff_t> taps(const Panel& panel) const {
        const Range taps = p_.subpixels ? panel.taps : taps_;
        return tap_list_.subspan(taps.begin, taps.end - taps.begin);
    }
    std::size_t element_size() const { return p_.store == Store::kF32 ? 4 : 1; }

    // The first element of dst of a panel in a pixel.
    std::size_t place_of(std::size_t pixel, const Panel& panel) const {
        return p_.subpixels ? subpixel_place(p_, pixel, panel, pitch_)
                            : pixel * part_.dst_step + panel.channel;
    }

    // The pixels of a sub-pixel are not contiguous: all tensors begin with the tile. (New arguments
    // are not made here: setting them to zero took 5 % of a model.)
    void move_to_subpixel(std::size_t pixel, const Panel& panel) {
        const auto place = static_cast<std::ptrdiff_t>(place_of(pixel, panel)) -
                           static_cast<std::ptrdiff_t>(panel.channel);
        moved_args_.dst =
            static_cast<char*>(args_.dst) + place * static_cast<std::ptrdiff_t>(element_size());
        if (!moved_args_.binary_sources.empty()) {
            choose_subpixel_sources(p_, args_, subpixel_row(p_, pixel, panel), place, row_sources_);
        }
    }

    const TapSteps* steps_of(const Panel& panel) const {
        return panel.steps == nullptr || p_.subpixels ? panel.steps : panel.steps + taps_.begin;
    }
    const std::int8_t* weights_of(const Panel& panel) const {
        if (panel.steps != nullptr) {
            return panel.wei;  // the steps say where those of a tap begin
        }
        const std::size_t taps = p_.subpixels ? 0 : taps_.begin;
        return panel.wei + (taps * p_.depth4 + part_.left_out) * 4 * kLanes * panel.vectors;
    }
    // Of the weights of a tap.
    std::size_t skipped(const Panel& panel) const {
        return (p_.depth4 - part_.depth4) * 4 * kLanes * panel.vectors;
    }

    std::size_t tiles_of(std::size_t pixels, const Panel& panel) const {
        const std::size_t max = p_.max_pixels(panel);
        return (pixels + max - 1) / max;
    }

    // The first pixel of unit `unit` (see Packed::units()).
    std::size_t first_pixel(std::size_t unit) const {
        return unit * (p_.mode == SourceMode::kRows ? p_.shape.dst_width / p_.window() : 1);
    }
    bool is_end(std::size_t pixel) const { return pixel == first_pixel(last_); }
    bool is_begin(std::size_t pixel) const { return pixel == first_pixel(first_); }

    void segment(const std::uint8_t* src, std::size_t step, Range pixels, Range group) {
        const std::size_t length = pixels.end - pixels.begin;
        const std::size_t tiles = tiles_of(length, p_.panels[group.begin]);
        for (std::size_t t = 0; t < tiles; ++t) {
            const std::size_t begin = length * t / tiles;
            const std::size_t end = length * (t + 1) / tiles;
            tiles_of_panels(src + begin * step, step, {pixels.begin + begin, pixels.begin + end},
                            group);
        }
    }

    // Some pixels at a time: their source, and cache lines of dst that two panels write, stay in L1
    // for all panels.
    void wide_segment(const std::uint8_t* src, std::size_t step, Range pixels, Range group) {
        const std::size_t channels = p_.shape.dst_channels;
        const std::size_t bytes = std::max(step, channels % kCacheLine == 0 ? 0 : channels);
        const std::size_t max = std::max(kMinWidePixels, wide_part_bytes() / bytes);
        const std::size_t length = pixels.end - pixels.begin;
        const std::size_t parts = length / max + (length % max == 0 ? 0 : 1);
        for (std::size_t i = 0; i < parts; ++i) {
            const Range part{length * i / parts, length * (i + 1) / parts};
            for (std::size_t panel = group.begin; panel < group.end; ++panel) {
                wide_part(src + part.begin * step, step,
                          {pixels.begin + part.begin, pixels.begin + part.end}, p_.panels[panel]);
            }
        }
    }

    void wide_part(const std::uint8_t* src, std::size_t step, Range pixels, const Panel& panel) {
        const std::size_t count = pixels.end - pixels.begin;
        const std::size_t tiles = tiles_of(count, panel);
        const std::int8_t* const ahead =
            weights_ahead_.take(tiles * taps(panel).size() * part_.depth4);
        for (std::size_t i = 0; i < tiles; ++i) {
            rows_ahead_.fetch();
        }
        const std::size_t place = place_of(pixels.begin, panel);
        WideCall call{.src = src,
                      .src_step = static_cast<std::ptrdiff_t>(step),
                      .pixels = count,
                      .wei = weights_of(panel),
                      .depth4 = part_.depth4,
                      .taps = taps(panel),
                      .panel = panel.constants + inits_ * p_.panels.size(),
                      .dst = static_cast<std::uint8_t*>(part_.args->dst) + place,
                      .dst_step = static_cast<std::ptrdiff_t>(part_.dst_step),
                      .channels = panel.channels,
                      .is_signed = p_.store == Store::kI8,
                      .ahead = ahead != nullptr ? ahead : panel.wei,
                      .ahead_step = ahead != nullptr ? weights_ahead_.step() : 0,
                      .skip = skipped(panel)};
        if (sums_ != nullptr) {
            call.sums = sums_ + (pixels.begin - first_sum_);
        }
        set_residual(p_, *part_.args, place, call);
        p_.is_amx() ? run_wide_amx(tiles_, p_, call, panel, tiles) : panel.wide.all(call);
    }

    // What tiles of these pixels have in common is set once: in layers of little depth a tile takes a
    // hundred cycles.
    void tiles_of_panels(const std::uint8_t* src, std::size_t step, Range pixels, Range group) {
        alignas(kCacheLine) std::int32_t accumulators[(kMaxTileVectors + 3) * kLanes];
        MicroCall micro{};
        micro.src = src;
        micro.src_step = static_cast<std::ptrdiff_t>(p_.pool ? step / 2 : step);
        micro.depth4 = part_.depth4;
        micro.tile = accumulators;
        micro.row_step = row_step_;
        micro.order = p_.weights->order.data();
        EpilogueCall finish{};
        finish.epilogue = &p_.epilogue;
        finish.tile = accumulators;
        finish.rows = pixels.end - pixels.begin;
        finish.pixel = p_.subpixels ? 0 : pixels.begin;
        finish.channels = part_.dst_step;
        finish.sums = sums_ == nullptr ? nullptr : sums_ + (pixels.begin - first_sum_);
        finish.args = p_.subpixels ? &moved_args_ : part_.args;
        for (std::size_t i = group.begin; i < group.end; ++i) {
            const Panel& panel = p_.panels[i];
            finish.panel = &panel;
            if (part_.args == &args_ && !p_.subpixels) {
                sources_ahead_.fetch(pixels.end, finish.rows, panel);
            }
            if (p_.subpixels) {
                move_to_subpixel(pixels.begin, panel);
            }
            set_panel(panel, micro);
            tile(micro, finish);
        }
    }

    void set_panel(const Panel& panel, MicroCall& micro) {
        micro.taps = taps(panel);
        const std::int8_t* const ahead = weights_ahead_.take(micro.taps.size() * part_.depth4);
        rows_ahead_.fetch();
        micro.wei = weights_of(panel);
        micro.init = p_.init.data() + inits_ * p_.init_size + panel.channel;
        micro.ahead = ahead != nullptr ? ahead : panel.wei;
        micro.ahead_step = ahead != nullptr ? weights_ahead_.step() : 0;
        micro.skip = skipped(panel);
        micro.steps = steps_of(panel);
    }

    void tile(const MicroCall& micro, const EpilogueCall& finish) {
        const Panel& panel = *finish.panel;
        const std::size_t rows = finish.rows;
        if (panel.fused != nullptr && panel.fused[rows - 1] != nullptr && results_ == nullptr) {
            panel.fused[rows - 1](micro, finish);
            return;
        }
        if (p_.is_amx()) {
            sum_panel_amx(tiles_, p_, micro, panel, rows);
        } else if (p_.pool && p_.is_narrow()) {
            run_narrow_pooled(panel, p_.narrow_rows, micro, rows);
        } else {
            panel.micro[rows - 1](micro);
        }
        if (args_.rounding != nullptr) {
            return round_sums(finish, *args_.rounding);
        }
        if (results_ != nullptr) {
            return finish_narrow_results(finish, *results_);
        }
        panel.finish(finish);
    }

    // The part of the kernel, and of dst, that tiles work on.
    struct Part {
        std::size_t depth4 = 0;    // of a tap that is used
        std::size_t left_out = 0;  // before it
        std::size_t dst_step = 0;  // elements from a pixel to the next
        const GemmArgs* args = nullptr;
    };

    const Packed& p_;
    const NarrowResults* const results_;  // null: dst alone
    const GemmArgs& args_;
    std::uint8_t* scratch_;
    Range panels_;
    std::ptrdiff_t row_step_;
    std::span<const std::ptrdiff_t> tap_list_;
    Range taps_;             // of it, of the row worked on
    std::size_t pitch_;      // elements from a pixel of dst to the next
    std::size_t inits_ = 0;  // number of their `init`
    Part part_;
    GemmArgs moved_args_;  // of the row worked on, of the tile of a subpixel
    const void* row_sources_[kMaxBinarySources] = {};
    std::size_t first_ = 0;        // unit
    std::size_t last_ = 0;         // unit after the last one
    const float* sums_ = nullptr;  // of windows, from that of pixel first_sum_ on
    std::size_t first_sum_ = 0;
    PanelsAhead weights_ahead_;
    RowsAhead rows_ahead_;
    BinarySourcesAhead sources_ahead_;
    AmxTiles tiles_;
};

}  // namespace

void GemmVnni::run(const GemmArgs& args, std::size_t part, const GemmSplit& split) const {
    const Packed& p = *packed_;
    const Range panels = share(p.panels.size(), part % split.columns, split.columns);
    if (panels.begin == panels.end) {
        return;
    }
    auto* scratch = static_cast<std::uint8_t*>(args.scratch) + part * p.scratch;
    const Range units = share(p.units(), part / split.columns, split.rows);
    const RoundingMode mode(p.epilogue.rounding());
    Worker worker(p, results_.get(), args, scratch, panels);
    if (p.mode == SourceMode::kRows) {
        worker.rows(units);
    } else {
        worker.pixels(units);
    }
}

void GemmVnni::run_pixels(const GemmArgs& args,
                          std::size_t begin,
                          std::size_t end,
                          std::size_t part) const {
    const Packed& p = *packed_;
    auto* scratch = static_cast<std::uint8_t*>(args.scratch) + part * p.scratch;
    const RoundingMode mode(p.epilogue.rounding());
    Worker worker(p, results_.get(), args, scratch, {0, p.panels.size()});
    if (p.subpixels) {  // pixels of dst to those of a subpixel
        begin /= p.subpixels->count();
        end /= p.subpixels->count();
    }
    if (p.mode == SourceMode::kRows) {
        worker.rows({begin / p.shape.dst_width, end / p.shape.dst_width});
    } else {
        worker.pixels({begin, end}, true);
    }
}

}  // namespace fuseq::kernels
