// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Lays out a matrix product: how its tiles read the source, where panels begin, how much scratch
// memory a part needs. Nothing here depends on weights or constants.
#include <algorithm>

#include <fmt/core.h>

#include "cpu/kernels/gemm/gemm_vnni_check.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/kernels/gemm/gemm_vnni_pack.hpp"

namespace fuseq::kernels::gemm {
namespace {

// Source bytes, or weights, that should fit into L2 together.
constexpr std::size_t kBlockBytes = std::size_t{512} << 10;
constexpr std::size_t kRowBlockBytes = std::size_t{192} << 10;
// Where all weights of a layer stay in L1, its source rows should too: no block waits for weights.
constexpr std::size_t kRowBlockBytesInL1 = std::size_t{16} << 10;
constexpr std::size_t kWeightBytesInL1 = std::size_t{16} << 10;
constexpr std::size_t kTilePixels = 48;  // a multiple of those of wide tiles and of AMX
// Addresses that differ by a multiple of this are in the same set of L1; its sets have 8 or 12
// ways.
constexpr std::size_t kCacheWay = 4096;
constexpr std::size_t kCacheLine = 64;
// Pixels and channels of dst from which on copying such sources to other addresses gains time.
constexpr std::size_t kManyPixels = 8;
constexpr std::size_t kManyChannels = 64;

class Layouter {
public:
    Layouter(const GemmParams& params, const std::optional<SubPixels>& subpixels)
        : params_(params) {
        packed_.subpixels = subpixels;
    }

    Packed run() {
        packed_.shape = params_.shape;
        packed_.pool = params_.pool;
        packed_.store = store_of(params_);
        packed_.form = params_.form == GemmForm::kBest ? best_form() : params_.form;
        packed_.narrow_rows = packed_.is_narrow() ? narrow_kernel(packed_.form).rows : 0;
        choose_source();
        find_tap_ranges(packed_);
        find_edge_columns(packed_, params_);
        find_direct(packed_, params_);
        place_edge_copies();
        packed_.scratch = scratch_bytes();
        if (!params_.wei_zero_point.empty()) {
            packed_.sums = packed_.scratch;
            packed_.scratch += scratch_of(window_sum_bytes(packed_));
        }
        packed_.wide = is_wide();
        make_panels();
        packed_.implementation = name();
        return std::move(packed_);
    }

private:
    std::string name() const {
        const char* const pool = packed_.pool ? ":pool" : "";
        const auto narrow = [&](const char* form) {
            return fmt::format("{}:{}x1{}", form, packed_.narrow_rows, pool);
        };
        switch (packed_.form) {
            case GemmForm::kVnni512: break;
            case GemmForm::kAmx:
                return fmt::format("gemm_amx:{}x{}{}", kAmxRows, packed_.wide ? 64 : 32, pool);
            case GemmForm::kVnni256: return narrow("gemm_vnni256");
            case GemmForm::kPairs: return narrow("gemm_pairs");
            default: return narrow("gemm_bytes");
        }
        return fmt::format("gemm_vnni512:{}{}",
                           packed_.wide                     ? "6x4"
                           : packed_.panels[0].vectors == 1 ? "28x1"
                                                            : "14x2",
                           pool);
    }

    bool is_1x1() const {
        const GemmShape& s = params_.shape;
        return s.kernel_height == 1 && s.kernel_width == 1 && s.pad_top == 0 && s.pad_left == 0 &&
               (s.dst_height - 1) * s.stride_height < s.src_height &&
               (s.dst_width - 1) * s.stride_width < s.src_width;
    }

    void choose_source() {
        const GemmShape& s = params_.shape;
        packed_.src_signed = params_.src_type == ElementType::i8;
        packed_.src_zero_point = params_.src_zero_point;
        const bool takes_signed = packed_.is_pairs() || packed_.is_amx();
        packed_.flip = packed_.src_signed && !takes_signed ? 0x80 : 0;
        // Pairs lose the zero point when they are copied: their padding is zero.
        packed_.fill = packed_.is_pairs()
                           ? 0
                           : static_cast<std::uint8_t>(params_.src_zero_point) ^ packed_.flip;
        packed_.dense = is_1x1() && s.stride_height == 1 && s.stride_width == 1 &&
                        s.src_height == s.dst_height && s.src_width == s.dst_width;
        if (is_1x1() && !params_.pool) {
            choose_pixels();
        } else if (gathers(s) && !packed_.is_pairs() && !params_.pool &&
                   params_.wei_zero_point.empty() && !packed_.subpixels) {
            choose_windows();
        } else {
            choose_rows();
        }
    }

    bool gathers(const GemmShape& s) const {
        return packed_.is_amx() ? gathers_windows_for_tiles(s) : gathers_windows(s);
    }

    void choose_pixels() {
        const GemmShape& s = params_.shape;
        packed_.columns = 1;
        packed_.taps.assign(packed_.subpixels ? packed_.subpixels->count() : 1, 0);
        const std::size_t bytes = packed_.pixel_bytes();
        packed_.depth4 = (bytes + 3) / 4;
        packed_.step = spread(packed_.depth4 * 4);
        // The copy costs less than two channels of dst.
        const bool spreads = bytes % kCacheWay == 0 &&
                             s.batch * s.dst_height * s.dst_width >= kManyPixels &&
                             s.dst_channels >= kManyChannels;
        const bool in_place = packed_.dense && packed_.flip == 0 && !spreads && !packed_.is_pairs();
        packed_.mode = in_place ? SourceMode::kInPlace : SourceMode::kGather;
        const std::size_t weights = packed_.taps.size() * packed_.depth4 * 4 * s.dst_channels;
        const bool in_l1 = !in_place && weights <= kWeightBytesInL1;
        packed_.block = std::max<std::size_t>(
            56, in_l1 ? kRowBlockBytesInL1 / packed_.step / kTilePixels * kTilePixels
                      : kBlockBytes / packed_.step);
    }

    void choose_windows() {
        packed_.columns = params_.shape.kernel_width;
        packed_.mode = SourceMode::kWindows;
        packed_.depth4 = packed_.columns * params_.shape.src_channels / 4;
        for (std::size_t y = 0; y < params_.shape.kernel_height; ++y) {
            packed_.taps.push_back(static_cast<std::ptrdiff_t>(y * packed_.depth4 * 4));
        }
        packed_.step = spread(packed_.taps.size() * packed_.depth4 * 4);
        packed_.block = std::max<std::size_t>(56, kBlockBytes / packed_.step);
    }

    void choose_rows() {
        const GemmShape& s = params_.shape;
        const std::size_t channels = packed_.pixel_bytes();
        packed_.mode = SourceMode::kRows;
        // The pixels of a tap row lie one after the other when they are not dilated.
        packed_.columns = s.dilation_width == 1 && !packed_.subpixels ? s.kernel_width : 1;
        packed_.depth4 = (packed_.columns * channels + 3) / 4;
        const std::size_t extent_width = (s.kernel_width - 1) * s.dilation_width + 1;
        const std::size_t width = (s.dst_width - 1) * s.stride_width + extent_width;
        packed_.pitch = width * channels;
        // Columns have tiles too. The padding of a row is not read as pixels.
        if (channels > kCacheLine && s.stride_height * packed_.pitch % kCacheWay == 0) {
            packed_.pitch += kCacheLine;
        }
        add_row_taps();
        const std::size_t extent = (s.kernel_height - 1) * s.dilation_height + 1;
        const std::size_t weights = packed_.max_taps() * packed_.depth4 * 4 * s.dst_channels;
        const std::size_t bytes = weights <= kWeightBytesInL1 ? kRowBlockBytesInL1 : kRowBlockBytes;
        const std::size_t rows = bytes / packed_.pitch;
        packed_.block = rows > extent ? (rows - extent) / s.stride_height + 1 : 1;
        packed_.block = std::clamp<std::size_t>(packed_.block / packed_.window(), 1,
                                                s.dst_height / packed_.window());
    }

    // Taps of kRows, of all subpixels where there are some.
    void add_row_taps() {
        const GemmShape& s = params_.shape;
        const auto add_tap = [&](std::size_t y, std::size_t x) {
            packed_.taps.push_back(
                static_cast<std::ptrdiff_t>(y * s.dilation_height * packed_.pitch +
                                            x * s.dilation_width * packed_.pixel_bytes()));
        };
        for (std::size_t y = 0; y < s.kernel_height && !packed_.subpixels; ++y) {
            for (std::size_t x = 0; x < s.kernel_width; x += packed_.columns) {
                add_tap(y, x);
            }
        }
        for (std::size_t i = 0; packed_.subpixels && i < packed_.subpixels->count(); ++i) {
            for (const SubPixels::Tap& tap : packed_.subpixels->taps[i]) {
                add_tap(tap.y, tap.x);
            }
        }
    }

    void place_edge_copies() {
        if (!packed_.direct) {
            return;
        }
        const GemmShape& s = params_.shape;
        packed_.block = std::clamp<std::size_t>(kRowBlockBytes / (s.stride_height * packed_.pitch),
                                                1, s.dst_height);
        std::size_t at = 0;
        for (EdgeCopy& copy : packed_.edge_copies) {
            copy.at = at;
            at += packed_.rows_read(packed_.block) * copy.pitch;
        }
        edge_bytes_ = at;
    }

    std::size_t scratch_bytes() const {
        const GemmShape& s = params_.shape;
        const std::size_t pixel = packed_.step;
        if (packed_.direct) {
            return scratch_of(edge_bytes_);
        }
        switch (packed_.mode) {
            case SourceMode::kInPlace:
                return s.src_channels % 4 == 0 ? 0 : scratch_of(kLastPixels * pixel);
            case SourceMode::kGather:
            case SourceMode::kWindows:
                return scratch_of(std::min(packed_.block, packed_.units()) * pixel);
            default: {
                return scratch_of(packed_.rows_read(packed_.block * packed_.window()) *
                                  packed_.pitch);
            }
        }
    }

    // The distance of two pixels. The pixels of a tile are more than L1 has ways and must not all
    // be in one set.
    static std::size_t spread(std::size_t bytes) {
        return bytes % kCacheWay == 0 ? bytes + kCacheLine : bytes;
    }

    static std::size_t scratch_of(std::size_t bytes) {
        return (bytes + kOverread + kCacheLine - 1) / kCacheLine * kCacheLine;
    }

    // Whether wide panels have the epilogue: bytes after scale and bias, perhaps with a clip, an
    // elu, a leaky relu or a requantizing add, which is searched here.
    bool is_wide() {
        const bool fits = params_.dst_type != ElementType::f32 && !packed_.is_narrow() &&
                          !params_.pool && suits_wide_panels(of_shared_weights());
        return fits && (params_.ops.empty() || clips(params_) || have_activations() ||
                        has_requantizing_add());
    }

    // Weights that plans of other shapes share are packed in one way, that of many pixels, for all
    // numbers of pixels: packing them anew takes longer than the rest of a plan, and with few pixels
    // the panels are less than a tenth slower.
    Packed of_shared_weights() const {
        constexpr std::size_t kMany = 1024;
        Packed packed = packed_;
        if (params_.shared != nullptr && packed.mode != SourceMode::kRows) {
            packed.shape.batch *= kMany;
        }
        return packed;
    }

    bool have_activations() const {
        const std::size_t channels = params_.shape.dst_channels;
        // What these lists begin with: others need not be padded to know it.
        const GemmOp& first = params_.ops.front();
        const bool elu = first.kind == GemmOp::Kind::kEltwise &&
                         first.eltwise.kind == post_ops::EltwiseKind::kElu;
        if (!elu && first.kind != GemmOp::Kind::kPrelu && !first.reads_tensor()) {
            return false;
        }
        const std::vector<PackedOp> ops = packed_ops(params_, true);
        return params_.wei_zero_point.empty() &&
               (have_elus(ops, channels) || have_leaky_relus(ops, channels) ||
                sum_ops_of(ops, channels).has_value());
    }

    bool has_requantizing_add() {
        packed_.add_searched = true;
        if (std::none_of(params_.ops.begin(), params_.ops.end(),
                         [](const GemmOp& op) { return op.reads_tensor(); })) {
            return false;
        }
        std::optional<RequantizingAdd>& add = packed_.epilogue.add;
        add = find_requantizing_add(packed_ops(params_, true), packed_.store,
                                    params_.shape.dst_channels);
        return add.has_value();
    }

    void make_panels() {
        if (!packed_.subpixels) {
            return make_panels(0, params_.shape.dst_channels, {0, packed_.taps.size()});
        }
        const SubPixels& subpixels = *packed_.subpixels;
        Range taps;
        for (std::size_t i = 0; i < subpixels.count(); ++i) {
            taps = {taps.end, taps.end + subpixels.taps[i].size()};
            make_panels(i * subpixels.all_channels, subpixels.channels, taps);
        }
    }

    void make_panels(std::size_t first, std::size_t channels, Range taps) {
        const std::size_t max = packed_.wide          ? kMaxWideVectors
                                : packed_.is_narrow() ? 1
                                                      : kMaxPanelVectors;
        for (std::size_t c = 0; c < channels;) {
            Panel panel;
            panel.channel = first + c;
            panel.vectors = std::min(max, (channels - c + kLanes - 1) / kLanes);
            panel.channels = std::min(panel.vectors * kLanes, channels - c);
            panel.taps = taps;
            panel.bytes = (taps.end - taps.begin) * packed_.depth4 * 4 * kLanes * panel.vectors;
            c += panel.channels;
            packed_.panels.push_back(panel);
        }
    }

    const GemmParams& params_;
    Packed packed_;
    std::size_t edge_bytes_ = 0;
};

}  // namespace

Packed lay_out(const GemmParams& params) {
    check(params);
    const AsConvolution convolution(params);
    return Layouter(convolution.params, convolution.subpixels).run();
}

}  // namespace fuseq::kernels::gemm
