// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Lays out the weights and vectors of a matrix product.
#include <algorithm>
#include <cmath>

#include "cpu/kernels/gemm/gemm_vnni_bound.hpp"
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels::gemm {
namespace {

// Source bytes, or weights, that should fit into L2 together.
constexpr std::size_t kBlockBytes = std::size_t{512} << 10;
constexpr std::size_t kRowBlockBytes = std::size_t{192} << 10;
// Where all weights of a layer stay in L1, its source rows should too: no block waits for weights.
constexpr std::size_t kRowBlockBytesInL1 = std::size_t{16} << 10;
constexpr std::size_t kWeightBytesInL1 = std::size_t{16} << 10;
// Addresses that differ by a multiple of this are in the same set of L1; its sets have 8 or 12
// ways.
constexpr std::size_t kCacheWay = 4096;
constexpr std::size_t kCacheLine = 64;
// Pixels and channels of dst from which on copying such sources to other addresses gains time.
constexpr std::size_t kManyPixels = 8;
constexpr std::size_t kManyChannels = 64;

// Rounded up, so that whole panels can be read.
std::size_t padded_channels(std::size_t channels) {
    return (channels + kLanes * kMaxPanelVectors - 1) / kLanes * kLanes;
}

AlignedVector<float> padded(std::span<const float> list,
                            float otherwise,
                            std::size_t channels,
                            const char* what) {
    if (list.size() > 1 && list.size() != channels) {
        refuse(what, " has ", list.size(), " values, expected 1 or ", channels);
    }
    AlignedVector<float> values(padded_channels(channels), 0.0f);
    for (std::size_t c = 0; c < channels; ++c) {
        values[c] = list.empty() ? otherwise : list[list.size() == 1 ? 0 : c];
    }
    return values;
}

class Packer {
public:
    explicit Packer(const GemmParams& params, const Packed* laid_out = nullptr)
        : given_(params), params_(params), laid_out_(laid_out) {
        check(params);
        if (params.transposed) {
            packed_.subpixels = subpixels_of(params);
            params_ = as_convolution(params, *packed_.subpixels, scale_, bias_);
        }
    }

    // What does not depend on weights and constants.
    Packed lay_out() {
        packed_.shape = params_.shape;
        packed_.pool = params_.pool;
        packed_.store = store();
        packed_.pairs = params_.pairs || !has_avx512_vnni();
        packed_.pair_rows = packed_.pairs ? pair_kernel().rows : 0;
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

    std::string name() const {
        if (packed_.pairs) {
            return detail::cat("gemm_pairs:", packed_.pair_rows, "x1");
        }
        return detail::cat("gemm_vnni512:",
                           packed_.wide                     ? "6x4"
                           : packed_.panels[0].vectors == 1 ? "28x1"
                                                            : "14x2",
                           packed_.pool ? ":pool" : "");
    }

    Packed run() {
        packed_ = lay_out();
        pack_weights();
        pack_epilogue();
        if (packed_.pool && !is_monotonic(params_)) {
            refuse("the largest of four is not that of the largest accumulator");
        }
        choose_functions();
        return std::move(packed_);
    }

private:
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
        packed_.flip = packed_.src_signed && !packed_.pairs ? 0x80 : 0;
        // Pairs lose the zero point when they are copied: their padding is zero.
        packed_.fill =
            packed_.pairs ? 0 : static_cast<std::uint8_t>(params_.src_zero_point) ^ packed_.flip;
        packed_.dense = is_1x1() && s.stride_height == 1 && s.stride_width == 1 &&
                        s.src_height == s.dst_height && s.src_width == s.dst_width;
        if (is_1x1() && !params_.pool) {
            choose_pixels();
        } else if (gathers_windows(s) && !packed_.pairs && !params_.pool &&
                   params_.wei_zero_point.empty() && !packed_.subpixels) {
            choose_windows();
        } else {
            choose_rows();
        }
    }

    void choose_pixels() {
        const GemmShape& s = params_.shape;
        columns_ = 1;
        packed_.taps.assign(packed_.subpixels ? packed_.subpixels->count() : 1, 0);
        const std::size_t bytes = packed_.pixel_bytes();
        packed_.depth4 = (bytes + 3) / 4;
        packed_.step = spread(packed_.depth4 * 4);
        // The copy costs less than two channels of dst.
        const bool spreads = bytes % kCacheWay == 0 &&
                             s.batch * s.dst_height * s.dst_width >= kManyPixels &&
                             s.dst_channels >= kManyChannels;
        const bool in_place = packed_.dense && packed_.flip == 0 && !spreads && !packed_.pairs;
        packed_.mode = in_place ? SourceMode::kInPlace : SourceMode::kGather;
        packed_.block = std::max<std::size_t>(56, kBlockBytes / packed_.step);
    }

    void choose_windows() {
        columns_ = params_.shape.kernel_width;
        packed_.mode = SourceMode::kWindows;
        packed_.depth4 = columns_ * params_.shape.src_channels / 4;
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
        columns_ = s.dilation_width == 1 && !packed_.subpixels ? s.kernel_width : 1;
        packed_.depth4 = (columns_ * channels + 3) / 4;
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
            for (std::size_t x = 0; x < s.kernel_width; x += columns_) {
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

    // Whether the list is a clip and a factor, for unsigned bytes.
    bool clips() const {
        return params_.ops.size() == 2 && params_.ops[0].kind == GemmOp::Kind::kClip &&
               params_.ops[1].kind == GemmOp::Kind::kScale && params_.dst_type == ElementType::u8;
    }

    // Whether wide panels have the epilogue: bytes after scale and bias, perhaps with a clip, an
    // elu, a leaky relu or a requantizing add, which is searched here.
    bool is_wide() {
        const bool fits = params_.dst_type != ElementType::f32 && !packed_.pairs && !params_.pool &&
                          suits_wide_panels(packed_);
        return fits &&
               (params_.ops.empty() || clips() || have_activations() || has_requantizing_add());
    }

    bool have_activations() const {
        const std::size_t channels = params_.shape.dst_channels;
        return params_.wei_zero_point.empty() &&
               (have_elus(packed_ops(), channels) || have_leaky_relus(packed_ops(), channels));
    }

    bool has_requantizing_add() {
        std::optional<RequantizingAdd>& add = packed_.epilogue.add;
        if (laid_out_ != nullptr && laid_out_->add_searched) {
            add = laid_out_->epilogue.add;
            for (const GemmOp& op : params_.ops) {  // tensors have got their numbers since
                if (add && op.kind == GemmOp::Kind::kSum) {
                    add->input = op.binary.input;
                }
            }
        } else {
            add = find_requantizing_add(packed_ops(), store(), params_.shape.dst_channels);
        }
        packed_.add_searched = true;
        return add.has_value();
    }

    Store store() const {
        switch (params_.dst_type) {
            case ElementType::u8: return Store::kU8;
            case ElementType::i8: return Store::kI8;
            case ElementType::f32: return Store::kF32;
            default: refuse("dst is ", to_string(params_.dst_type), ", expected u8, i8 or f32");
        }
    }

    std::vector<PackedOp> packed_ops() const {
        const std::size_t channels = params_.shape.dst_channels;
        std::vector<PackedOp> ops;
        for (const GemmOp& op : params_.ops) {
            ops.push_back({.kind = op.kind,
                           .a = padded(op.a, 0.0f, channels, "an operation"),
                           .b = padded(op.b, 0.0f, channels, "an operation"),
                           .eltwise = op.eltwise,
                           .binary = op.binary});
            if (op.kind == GemmOp::Kind::kEltwise && params_.dst_type != ElementType::f32 &&
                !packed_.pairs) {
                ops.back().quick = true;
            }
            check_op(op);
        }
        return ops;
    }

    static void add_tables(std::vector<PackedOp>& ops) {
        for (PackedOp& op : ops) {
            if (op.quick && GeluTable::knows(op.eltwise.kind)) {
                op.gelu = std::make_shared<const GeluTable>(op.eltwise);
            }
        }
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
        const std::size_t max = packed_.wide    ? kMaxWideVectors
                                : packed_.pairs ? 1
                                                : kMaxPanelVectors;
        for (std::size_t c = 0; c < channels;) {
            Panel panel;
            panel.channel = first + c;
            panel.vectors = std::min(max, (channels - c + kLanes - 1) / kLanes);
            panel.channels = std::min(panel.vectors * kLanes, channels - c);
            panel.taps = taps;
            c += panel.channels;
            packed_.panels.push_back(panel);
        }
    }

    void pack_weights() {
        packed_.weights = packed_weights(params_, packed_, columns_);
        packed_.wei = packed_.weights->values;
        const std::int8_t* wei = packed_.wei.data();
        // src and its zero point are moved by `flip` alike.
        const std::int32_t zero_point = packed_.fill;
        packed_.init_size = padded_channels(params_.shape.dst_channels);
        packed_.init.assign(packed_.init_size * packed_.init_count(), 0);
        for (Panel& panel : packed_.panels) {
            panel.wei = wei;
            wei += packed_.panel_bytes(panel);
            for (std::size_t t = 0; zero_point != 0 && t < panel.taps.end - panel.taps.begin; ++t) {
                for (std::size_t c = panel.channel; c < panel.channel + panel.channels; ++c) {
                    subtract(c, t, zero_point * packed_.weights->sum(c, t));
                }
            }
        }
    }

    // The largest magnitude that an accumulator can have.
    std::int64_t magnitude(std::size_t channel) const {
        return 255 * packed_.weights->magnitudes[channel];
    }

    // Of all weights of a channel.
    std::int64_t sum(std::size_t channel) const {
        std::int64_t total = 0;
        for (std::size_t t = 0; t < packed_.weights->taps; ++t) {
            total += packed_.weights->sum(channel, t);
        }
        return total;
    }

    // Subtracts `value` from the `init` of a channel in all ranges that have tap `t`.
    void subtract(std::size_t channel, std::size_t t, std::int32_t value) {
        for (std::size_t i = 0; i < packed_.init_count(); ++i) {
            const Range taps = packed_.tap_ranges[i];
            packed_.init[i * packed_.init_size + channel] -=
                t >= taps.begin && t < taps.end ? value : 0;
        }
    }

    void pack_epilogue() {
        Epilogue& e = packed_.epilogue;
        const std::size_t channels = params_.shape.dst_channels;
        if (params_.scale.empty()) {
            refuse("there is no scale");
        }
        e.scale = padded(params_.scale, 1.0f, channels, "scale");
        e.bias = padded(params_.bias, 0.0f, channels, "bias");
        if (!params_.wei_zero_point.empty()) {
            e.of_sum = padded(params_.wei_zero_point, 0.0f, channels, "zero point of the weights");
            for (float& v : e.of_sum) {
                v = -v;
            }
        }
        const double window =
            255.0 * static_cast<double>(params_.shape.src_channels * params_.shape.kernel_height *
                                        params_.shape.kernel_width);
        double bound = 0;
        for (std::size_t c = 0; c < channels; ++c) {
            const double of_sum =
                e.of_sum.empty() ? 0.0 : std::abs(static_cast<double>(e.of_sum[c]));
            bound = std::max(bound, std::abs(static_cast<double>(e.scale[c])) *
                                        (static_cast<double>(magnitude(c)) + window * of_sum +
                                         std::abs(static_cast<double>(e.bias[c]))));
        }
        e.ops = packed_ops();
        add_tables(e.ops);
        for (const GemmOp& op : params_.ops) {
            bound = bound_after(op, bound);
        }
        constexpr double kFits = 1e9;
        e.clamp = !(bound < kFits);
        if (!packed_.wide) {  // clamps bytes itself
            const bool none =
                e.clamp || packed_.add_searched || packed_.pairs;  // then the tiles would be wide
            e.add = none ? std::nullopt : find_requantizing_add(e.ops, packed_.store, channels);
        }
    }

    void choose_functions() {
        if (packed_.wide) {
            return choose_wide();
        }
        if (packed_.pairs) {
            for (Panel& panel : packed_.panels) {
                panel.micro = pair_kernel().functions;
                panel.finish = pair_epilogue(packed_.store, panel.channels == kLanes);
            }
            return;
        }
        for (Panel& panel : packed_.panels) {
            panel.micro = packed_.pool ? pooled_functions(panel.vectors) : functions(panel.vectors);
            const bool whole = panel.channels == panel.vectors * kLanes;
            panel.finish = fixed_epilogue(packed_.epilogue, packed_.store, panel.vectors, whole);
            if (whole && !packed_.pool) {
                panel.fused = fused_functions(packed_.epilogue, packed_.store, panel.vectors);
            }
            if (panel.finish == nullptr) {
                panel.finish = general_epilogue(packed_.store, panel.vectors, whole);
            }
        }
    }

    static const MicroFunction* functions(std::size_t vectors) {
        return vectors == 1 ? micro_functions<1>() : micro_functions<2>();
    }
    static const MicroFunction* pooled_functions(std::size_t vectors) {
        return vectors == 1 ? pooled_micro_functions<1>() : pooled_micro_functions<2>();
    }

    // The bounds of sums follow from the sums of positive and of negative weights.
    WideChannel wide_channel(std::size_t c) const {
        const std::int64_t magnitudes = packed_.weights->magnitudes[c];
        const std::int32_t init = packed_.init[c];
        const Epilogue& e = packed_.epilogue;
        WideChannel channel{.init = init,
                            .scale = e.scale[c],
                            .bias = e.bias[c],
                            .summed = packed_.needs_sums(),
                            .of_sum = packed_.needs_sums() ? e.of_sum[c] : 0.0f,
                            .min = init + 255 * (sum(c) - magnitudes) / 2,
                            .max = init + 255 * (sum(c) + magnitudes) / 2};
        channel.elu = elu_of(e.ops, c);
        channel.leaky = leaky_of(e.ops, c);
        if (clips()) {
            channel.clips = true;
            channel.low = e.ops[0].a[c];
            channel.high = e.ops[0].b[c];
            channel.factor = e.ops[1].a[c];
        }
        return channel;
    }

    void choose_wide() {
        packed_.wide_panels.reserve(packed_.panels.size() * packed_.init_count());
        for (Panel& panel : packed_.panels) {
            std::vector<WideChannel> channels;
            for (std::size_t c = 0; c < panel.channels; ++c) {
                channels.push_back(wide_channel(panel.channel + c));
            }
            const RequantizingAdd* add = packed_.epilogue.add ? &*packed_.epilogue.add : nullptr;
            const bool is_signed = add != nullptr ? !add->q_unsigned : packed_.store == Store::kI8;
            packed_.wide_panels.push_back(
                make_wide_panel(channels, panel.vectors, is_signed, packed_.epilogue.clamp));
            panel.wide = channels[0].elu || channels[0].leaky ? wide_elu_function(panel.vectors)
                                                              : wide_function(panel.vectors, add);
            panel.constants = &packed_.wide_panels.back();
        }
        for (std::size_t i = 1; i < packed_.init_count(); ++i) {
            for (std::size_t n = 0; n < packed_.panels.size(); ++n) {
                packed_.wide_panels.push_back(wide_panel_of(packed_, i, n));
            }
        }
    }

    const GemmParams& given_;
    GemmParams params_;                // the same, or the convolution that a deconvolution is
    std::vector<float> scale_, bias_;  // its own lists
    const Packed* laid_out_;           // null: not known
    Packed packed_;
    std::size_t columns_ = 1;  // of the kernel that one tap covers
    std::size_t edge_bytes_ = 0;
};

}  // namespace

Packed pack(const GemmParams& params, const Packed* laid_out) {
    return Packer(params, laid_out).run();
}

Packed lay_out(const GemmParams& params) {
    return Packer(params).lay_out();
}

}  // namespace fuseq::kernels::gemm
