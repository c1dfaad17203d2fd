// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Packs the weights of a matrix product that is laid out, and chooses its functions.
#include <algorithm>

#include "cpu/kernels/float_conv/float_sum.hpp"
#include "cpu/kernels/gemm/gemm_vnni256_fused.hpp"
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/kernels/gemm/gemm_vnni_pack.hpp"

namespace fuseq::kernels::gemm {
namespace {

class Packer {
public:
    Packer(const GemmParams& params, Packed laid_out)
        : params_(params), packed_(std::move(laid_out)) {}

    Packed run() {
        pack_weights();
        pack_epilogue(params_, packed_);
        check_rule();
        if (packed_.pool && !is_monotonic(params_)) {
            refuse("the largest of four is not that of the largest accumulator");
        }
        choose_functions();
        return std::move(packed_);
    }

private:
    void pack_weights() {
        packed_.weights = packed_weights(params_, packed_);
        const PackedWeights& weights = *packed_.weights;
        packed_.wei = weights.values;
        const std::int8_t* wei = packed_.wei.data();
        const TapSteps* steps = weights.steps.data();
        packed_.init_size = padded_channels(params_.shape.dst_channels);
        packed_.init.assign(packed_.init_size * packed_.init_count(), 0);
        for (std::size_t i = 0; i < packed_.panels.size(); ++i) {
            Panel& panel = packed_.panels[i];
            panel.wei = wei;
            if (!weights.steps.empty()) {
                panel.bytes = weights.panel_bytes[i];
                panel.steps = steps;
                steps += panel.taps.end - panel.taps.begin;
            }
            wei += panel.bytes;
            begin_sums(panel);
        }
    }

    // The sums of a panel begin with what the zero point of src and signed weights take away.
    void begin_sums(const Panel& panel) {
        const PackedWeights& weights = *packed_.weights;
        // src and its zero point are moved by `flip` alike.
        const std::int32_t zero_point = packed_.flip == 0 && packed_.src_signed
                                            ? static_cast<std::int8_t>(packed_.fill)
                                            : packed_.fill;
        for (std::size_t t = 0; t < panel.taps.end - panel.taps.begin; ++t) {
            for (std::size_t c = panel.channel; c < panel.channel + panel.channels; ++c) {
                subtract(c, t, zero_point * weights.sum(c, t) - weights.init_of(c, t));
            }
        }
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

    void choose_functions() {
        if (packed_.wide) {
            return choose_wide();
        }
        if (packed_.is_narrow()) {
            return choose_narrow();
        }
        for (Panel& panel : packed_.panels) {
            panel.micro = packed_.pool ? pooled_functions(panel.vectors) : functions(panel.vectors);
            const bool whole = panel.channels == panel.vectors * kLanes;
            panel.finish = fixed_epilogue(packed_.epilogue, packed_.store, panel.vectors, whole);
            if (whole && panel.vectors == 2 && !packed_.pool && !packed_.is_amx()) {
                panel.fused = fused_functions(packed_.epilogue, packed_.store);
            }
            if (panel.finish == nullptr) {
                panel.finish = general_epilogue(packed_.store, panel.vectors, whole);
            }
        }
    }

    void choose_narrow() {
        pack_narrow_rule();
        const MicroFunction* const functions = narrow_kernel(packed_.form).functions;
        const GemmShape& shape = packed_.shape;
        const std::size_t pixels = packed_.mode == SourceMode::kRows
                                       ? shape.dst_width
                                       : shape.batch * shape.dst_height * shape.dst_width;
        const bool fuses =
            packed_.form == GemmForm::kVnni256 && !packed_.pool && pixels >= kMinFusedRows;
        packed_.narrow_ways.reserve(packed_.panels.size());
        for (Panel& panel : packed_.panels) {
            panel.micro = functions;
            panel.finish =
                narrow_epilogue(packed_.epilogue, packed_.store, fill_of(panel.channels));
            if (fuses && may_fuse(fill_of(panel.channels))) {
                panel.way = find_way(panel);
                panel.fused =
                    vnni256_fused_functions(packed_.epilogue, packed_.store, panel.way != nullptr);
            }
        }
    }

    // Half panels read no tensors: 16 bytes of a row may be beyond the last one.
    bool may_fuse(PanelFill fill) const {
        const Epilogue& e = packed_.epilogue;
        const bool reads =
            e.add || std::any_of(e.ops.begin(), e.ops.end(), [](const PackedOp& op) {
                return op.kind == GemmOp::Kind::kSum || op.kind == GemmOp::Kind::kBinary;
            });
        return fill == PanelFill::kWhole || (fill == PanelFill::kHalf && !reads);
    }

    // Null where a channel has none, or more than a scale, perhaps with a clip, comes before bytes.
    const NarrowWay* find_way(const Panel& panel) {
        const Epilogue& e = packed_.epilogue;
        const bool rounds = e.ops.empty() || e.only_adds() || clips(params_);
        if (!rounds || e.rule || !e.is_simple() || packed_.store == Store::kF32) {
            return nullptr;
        }
        NarrowWay way{};
        for (std::size_t i = 0; i < panel.channels; ++i) {
            const ByteRule rule = rule_of(panel.channel + i);
            const auto sum = float_sum(rule);
            if (!sum) {
                return nullptr;
            }
            way.begin[i] = sum->begin;
            way.scale[i] = sum->scale;
            way.shift[i] = sum->shift;
            way.limits[i] =
                rule.is_signed ? std::uint8_t{255} : static_cast<std::uint8_t>(top_byte(rule));
        }
        packed_.narrow_ways.push_back(way);
        return &packed_.narrow_ways.back();
    }

    // Of the first bytes that a channel becomes.
    ByteRule rule_of(std::size_t c) const {
        const Epilogue& e = packed_.epilogue;
        const Bounds bounds = bounds_of(c);
        ByteRule rule{.scale = e.scale[c],
                      .bias = e.bias[c],
                      .bias_first = true,
                      .is_signed = e.add ? !e.add->q_unsigned : packed_.store == Store::kI8,
                      .min = bounds.min,
                      .max = bounds.max};
        if (clips(params_)) {
            rule.clips = true;
            rule.low = e.ops[0].a[c];
            rule.high = e.ops[0].b[c];
            rule.factor = e.ops[1].a[c];
        }
        return rule;
    }

    void check_rule() const {
        if (!params_.rule) {
            return;
        }
        const std::size_t channels = params_.shape.dst_channels;
        const RuleForm form = params_.rule->form;
        const std::size_t rests = has_rest(form) ? channels : 0;
        const std::size_t others = form == RuleForm::kTwoFloors ? channels : 0;
        const bool has_rules = packed_.wide || (packed_.is_narrow() && !packed_.pool);
        if (!has_rules || is_short(form) || packed_.needs_sums() || !params_.ops.empty() ||
            params_.rule->rest.size() != rests || params_.rule->below.size() != others ||
            params_.rule->offset.size() != channels) {
            refuse("a rule is for wide panels and narrow kernels without operations, with ",
                   channels, " offsets, ", rests, " rests and ", others, " other biases");
        }
    }

    void pack_narrow_rule() {
        if (!params_.rule) {
            return;
        }
        const GemmRule& rule = *params_.rule;
        const std::size_t channels = params_.shape.dst_channels;
        const bool is_signed = packed_.store == Store::kI8;
        packed_.epilogue.rule = {.form = rule.form,
                                 .rest = padded(rule.rest, 0.0f, channels, "a rule"),
                                 .below = padded(rule.below, 0.0f, channels, "a rule"),
                                 .clips = packed_.epilogue.clamp || clips_bytes(rule, is_signed),
                                 .low = rule.low,
                                 .high = rule.high};
        for (std::size_t i = 0; i < packed_.init_count(); ++i) {
            for (std::size_t c = 0; c < channels; ++c) {
                packed_.init[i * packed_.init_size + c] += rule.offset[c];
            }
        }
    }
    static bool clips_bytes(const GemmRule& rule, bool is_signed) {
        return rule.low > (is_signed ? -128.0f : 0.0f) || rule.high < (is_signed ? 127.0f : 255.0f);
    }

    static const MicroFunction* functions(std::size_t vectors) {
        return vectors == 1 ? micro_functions<1>() : micro_functions<2>();
    }
    static const MicroFunction* pooled_functions(std::size_t vectors) {
        return vectors == 1 ? pooled_micro_functions<1>() : pooled_micro_functions<2>();
    }

    struct Bounds {
        std::int64_t min, max;
    };
    // They follow from the sums of positive and of negative weights.
    Bounds bounds_of(std::size_t c) const {
        const std::int64_t magnitudes = packed_.weights->magnitudes[c];
        const std::int64_t sum = this->sum(c);
        // A source of u8, or one of i8 that is 128 less.
        const std::int64_t lowest =
            packed_.init[c] - (packed_.is_amx() && packed_.src_signed ? 128 * sum : 0);
        return {.min = lowest + 255 * (sum - magnitudes) / 2,
                .max = lowest + 255 * (sum + magnitudes) / 2};
    }

    WideChannel wide_channel(std::size_t c) const {
        const Bounds bounds = bounds_of(c);
        const Epilogue& e = packed_.epilogue;
        WideChannel channel{.init = packed_.init[c],
                            .scale = e.scale[c],
                            .bias = e.bias[c],
                            .summed = packed_.needs_sums(),
                            .of_sum = packed_.needs_sums() ? e.of_sum[c] : 0.0f,
                            .min = bounds.min,
                            .max = bounds.max};
        if (const auto& rule = params_.rule) {
            const bool is_signed = packed_.store == Store::kI8;
            channel.rule = {.form = rule->form,
                            .rest = rule->rest.empty() ? 0.0f : rule->rest[c],
                            .below = rule->below.empty() ? 0.0f : rule->below[c],
                            .offset = rule->offset[c]};
            channel.clips = clips_bytes(*rule, is_signed);
            channel.low = rule->low;
            channel.high = rule->high;
            return channel;
        }
        const std::span<const PackedOp> activation = sum_ops_ ? sum_ops_->activation : e.ops;
        channel.elu = elu_of(activation, c);
        channel.leaky = leaky_of(activation, c);
        if (sum_ops_) {
            channel.sum = sum_ops_->of(c);
        }
        if (clips(params_)) {
            channel.clips = true;
            channel.low = e.ops[0].a[c];
            channel.high = e.ops[0].b[c];
            channel.factor = e.ops[1].a[c];
        }
        return channel;
    }

    // add: null for none.
    static WideEpilogue wide_epilogue(const RequantizingAdd* add,
                                      const WideChannel& channel,
                                      WideWay way) {
        if (channel.sum) {
            return way == WideWay::kSumSteps ? WideEpilogue::kSumSteps : WideEpilogue::kSum;
        }
        if (channel.elu || channel.leaky || channel.rule) {
            return WideEpilogue::kMore;
        }
        return add == nullptr   ? WideEpilogue::kNone
               : add->elu_table ? WideEpilogue::kAddElu
               : add->below     ? WideEpilogue::kAddLeaky
                                : WideEpilogue::kAdd;
    }

    void choose_wide() {
        if (!packed_.epilogue.add) {
            sum_ops_ = sum_ops_of(packed_.epilogue.ops, params_.shape.dst_channels);
            packed_.epilogue.sum = sum_ops_ ? std::optional(sum_ops_->tensor) : std::nullopt;
        }
        packed_.wide_panels.reserve(packed_.panels.size() * packed_.init_count());
        for (Panel& panel : packed_.panels) {
            std::vector<WideChannel> channels;
            channels.reserve(panel.channels);
            for (std::size_t c = 0; c < panel.channels; ++c) {
                channels.push_back(wide_channel(panel.channel + c));
            }
            const RequantizingAdd* add = packed_.epilogue.add ? &*packed_.epilogue.add : nullptr;
            const bool is_signed = add != nullptr ? !add->q_unsigned : packed_.store == Store::kI8;
            packed_.wide_panels.push_back(
                make_wide_panel(channels, panel.vectors, is_signed, packed_.epilogue.clamp));
            panel.constants = &packed_.wide_panels.back();
            panel.wide = wide_functions(panel.vectors,
                                        wide_epilogue(add, channels[0], panel.constants->ways[0]));
        }
        for (std::size_t i = 1; i < packed_.init_count(); ++i) {
            for (std::size_t n = 0; n < packed_.panels.size(); ++n) {
                packed_.wide_panels.push_back(wide_panel_of(packed_, i, n));
            }
        }
    }

    const GemmParams& params_;
    Packed packed_;
    std::optional<WideSumOps> sum_ops_;  // of wide panels
};

// The layout of the same params, with the numbers that tensors have got since.
Packed numbered(const GemmParams& params, const Packed& laid_out) {
    Packed packed = laid_out;
    for (const GemmOp& op : params.ops) {
        if (packed.epilogue.add && op.kind == GemmOp::Kind::kSum) {
            packed.epilogue.add->input = op.binary.input;
        }
    }
    return packed;
}

}  // namespace

AsConvolution::AsConvolution(const GemmParams& given) : params(given) {
    if (given.transposed) {
        subpixels = subpixels_of(given);
        params = as_convolution(given, *subpixels, scale, bias);
    }
}

NarrowKernel narrow_kernel(GemmForm form) {
    switch (form) {
        case GemmForm::kVnni256: return vnni256_kernel();
        case GemmForm::kPairs: return pair_kernel();
        default: return byte_kernel();
    }
}

Packed pack(const GemmParams& params, const Packed* laid_out) {
    check(params);
    check_weights(params);
    const AsConvolution convolution(params);
    Packed layout = laid_out != nullptr ? numbered(params, *laid_out) : lay_out(params);
    return Packer(convolution.params, std::move(layout)).run();
}

}  // namespace fuseq::kernels::gemm
