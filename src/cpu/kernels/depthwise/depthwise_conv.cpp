// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/depthwise/depthwise_conv.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "cpu/kernels/common/round_down.hpp"
#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "cpu/kernels/float_conv/float_sum.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace depthwise {
namespace {

[[noreturn]] void refuse(const std::string& rule) {
    throw Error("compile", "depthwise kernel: " + rule);
}

template <class T>
bool list_fits(std::span<const T> list, std::size_t channels, std::size_t min) {
    return list.size() == channels || list.size() == 1 || list.size() == min;
}

bool all_finite(std::span<const float> list) {
    return std::all_of(list.begin(), list.end(), [](float v) { return std::isfinite(v); });
}

void check_shape(const DepthwiseShape& s) {
    const std::size_t sizes[] = {s.batch,         s.src_channels,    s.src_height,
                                 s.src_width,     s.dst_height,      s.dst_width,
                                 s.kernel_height, s.kernel_width,    s.stride_height,
                                 s.stride_width,  s.dilation_height, s.dilation_width};
    constexpr std::size_t kLargest = std::size_t{1} << 31;
    for (const std::size_t size : sizes) {
        if (size == 0 || size > kLargest) {
            refuse(fmt::format("a size of {}, expected 1 to 2^31", size));
        }
    }
    if (s.kernel_height > kMaxTaps || s.kernel_width > kMaxTaps ||
        s.kernel_height * s.kernel_width > kMaxTaps) {
        refuse(fmt::format("kernel {}x{}, at most {} taps are possible", s.kernel_height,
                           s.kernel_width, kMaxTaps));
    }
    if (s.src_pixel_stride < s.src_channels || s.dst_pixel_stride < s.src_channels ||
        s.src_pixel_stride > kLargest || s.dst_pixel_stride > kLargest) {
        refuse(fmt::format("pixel strides {}, {} for {} channels", s.src_pixel_stride,
                           s.dst_pixel_stride, s.src_channels));
    }
    if (s.dst_channels != s.src_channels) {
        refuse(fmt::format("{} channels of dst, expected {}, those of src", s.dst_channels,
                           s.src_channels));
    }
    const auto limit = static_cast<std::ptrdiff_t>(kLargest);
    if (std::abs(s.pad_top) > limit || std::abs(s.pad_left) > limit) {
        refuse(fmt::format("padding {}, {}", s.pad_top, s.pad_left));
    }
}

void check_rule(const DepthwiseParams& p) {
    if (!p.rule) {
        return;
    }
    const std::size_t rests = is_floor(*p.rule) ? p.shape.src_channels : 0;
    if (p.rest.size() != rests || !all_finite(p.rest)) {
        refuse(fmt::format("a rule with {} finite rests of the scale, expected {}", p.rest.size(),
                           rests));
    }
    const std::size_t others = *p.rule == RuleForm::kTwoFloors ? p.shape.src_channels : 0;
    if (p.below.size() != others || !all_finite(p.below)) {
        refuse(fmt::format("a rule with {} finite biases below 0, expected {}", p.below.size(),
                           others));
    }
    constexpr float kMaxBias = 1 << 24;
    for (const float bias : p.bias) {
        if (!(std::abs(bias) <= kMaxBias)) {
            refuse(fmt::format("a rule with a bias of {}, expected -2^24 to 2^24", bias));
        }
    }
    if (!DepthwiseConv::stores_rules() || p.dst_type == ElementType::f32 || !p.slope.empty() ||
        p.shift != 0.0f) {
        refuse("rules are for bytes and AVX2, without a slope or a shift");
    }
}

void check(const DepthwiseParams& p) {
    const std::size_t channels = p.shape.src_channels;
    const bool is_signed = p.src_type == ElementType::i8;
    if (!is_signed && p.src_type != ElementType::u8) {
        refuse("source type " + to_string(p.src_type) + ", expected u8 or i8");
    }
    if (p.dst_type != ElementType::u8 && p.dst_type != ElementType::i8 &&
        p.dst_type != ElementType::f32) {
        refuse("destination type " + to_string(p.dst_type) + ", expected u8, i8 or f32");
    }
    if (!list_fits(p.src_zero_point, channels, 0)) {
        refuse(fmt::format("{} zero points for {} channels", p.src_zero_point.size(), channels));
    }
    for (const std::int32_t zero_point : p.src_zero_point) {
        if (zero_point < (is_signed ? -128 : 0) || zero_point > (is_signed ? 127 : 255)) {
            refuse(fmt::format("zero point {} is no {}", zero_point, to_string(p.src_type)));
        }
    }
    if (!list_fits(p.offset, channels, 0)) {
        refuse(fmt::format("{} offsets for {} channels", p.offset.size(), channels));
    }
    for (const std::int32_t offset : p.offset) {
        constexpr std::int32_t kMaxOffset = 1 << 24;
        if (offset < -kMaxOffset || offset > kMaxOffset) {
            refuse(fmt::format("an offset of {}, expected -2^24 to 2^24", offset));
        }
    }
    if (p.weights.size() != channels * p.shape.kernel_height * p.shape.kernel_width) {
        refuse(fmt::format("{} weights for {} channels of {}x{}", p.weights.size(), channels,
                           p.shape.kernel_height, p.shape.kernel_width));
    }
    check_rule(p);
    if (!list_fits(p.scale, channels, 1) || !list_fits(p.bias, channels, 0) ||
        !list_fits(p.slope, channels, 0)) {
        refuse(fmt::format("{} scales, {} biases, {} slopes for {} channels", p.scale.size(),
                           p.bias.size(), p.slope.size(), channels));
    }
    if (!all_finite(p.scale) || !all_finite(p.bias) || !all_finite(p.slope) ||
        !std::isfinite(p.shift) || !(p.low <= p.high)) {
        refuse("scale, bias, slope or shift is not finite, or low > high");
    }
}

template <class T>
T value_of(std::span<const T> list, std::size_t channel, T otherwise) {
    return list.empty() ? otherwise : list.size() == 1 ? list[0] : list[channel];
}

// Whether a value can be too large for the conversion to 32-bit integers.
bool may_overflow(const DepthwiseParams& p) {
    const std::size_t taps = p.shape.kernel_height * p.shape.kernel_width;
    for (std::size_t c = 0; c < p.shape.src_channels; ++c) {
        double sum = std::abs(static_cast<double>(value_of<std::int32_t>(p.offset, c, 0)));
        for (std::size_t t = 0; t < taps; ++t) {
            sum += 255.0 * std::abs(static_cast<int>(p.weights[c * taps + t]));
        }
        const double v = sum * std::abs(static_cast<double>(value_of(p.scale, c, 1.0f))) +
                         std::abs(static_cast<double>(value_of(p.bias, c, 0.0f)));
        const double slope = std::abs(static_cast<double>(value_of(p.slope, c, 1.0f)));
        if (v * std::max(1.0, slope) + std::abs(static_cast<double>(p.shift)) > 1e9) {
            return true;
        }
    }
    return false;
}

Epilogue make_epilogue(const DepthwiseParams& p) {
    Epilogue e;
    e.slope = !p.slope.empty();
    e.shift = p.shift;
    e.low = p.low;
    e.high = p.high;
    if (p.dst_type == ElementType::f32) {
        e.store = Store::kF32;
        e.clip = std::isfinite(p.low) || std::isfinite(p.high);
        e.plain_floats = !e.slope && e.shift == 0.0f && !e.clip;
        return e;
    }
    // The store saturates, so bounds at or beyond the range of the type need no work.
    const bool is_signed = p.dst_type == ElementType::i8;
    e.store = is_signed ? Store::kI8 : Store::kU8;
    const float min = is_signed ? -128.0f : 0.0f;
    const float max = is_signed ? 127.0f : 255.0f;
    e.low = std::clamp(p.low, min, max);
    e.high = std::clamp(p.high, min, max);
    e.clip = e.low > min || e.high < max || may_overflow(p);
    e.rule = p.rule;
    e.low_byte = static_cast<std::int8_t>(static_cast<int>(e.low));
    e.high_byte = static_cast<std::int8_t>(static_cast<int>(e.high));
    e.plain = !e.slope && e.shift == 0.0f && !e.clip && !e.rule;
    return e;
}

// Appends values to memory that is not to move any more.
class Writer {
public:
    explicit Writer(std::uint8_t* to) : to_(to) {}
    template <class T>
    void put(T value) {
        std::memcpy(to_, &value, sizeof(value));
        to_ += sizeof(value);
    }
    const std::uint8_t* at() const { return to_; }

private:
    std::uint8_t* to_;
};

class BlockPacker {
public:
    BlockPacker(const DepthwiseParams& params,
                const Order& order,
                std::size_t first_channel,
                bool integer_bias)
        : p_(params),
          order_(order),
          first_(first_channel),
          integer_bias_(integer_bias && params.rule == RuleForm::kReal) {}

    std::size_t bytes() const {
        std::size_t weights = 0;
        for (const Entry& entry : order_.entries) {
            weights += order_.slots.size() * entry[0].size() * order_.bytes_per_tap;
        }
        constexpr std::size_t kConstants = 5;  // vectors of them
        return order_.slots.size() * kConstants * sizeof(float) + weights;
    }

    // float_sums: where all channels have them.
    void write(std::uint8_t* to, bool flips, bool float_sums, Block& block) const {
        const std::vector<FloatSum> ways = float_sums ? short_ways(block) : std::vector<FloatSum>();
        block.float_sums = !ways.empty();
        const auto way = [&](std::size_t c) {
            return ways.empty() ? FloatSum{.begin = 0,
                                           .scale = value_of(p_.scale, c, 1.0f),
                                           .shift = value_of(p_.bias, c, 0.0f)}
                                : ways[c - first_];
        };
        Writer out(to);
        block.packed = to;
        block.init = reinterpret_cast<const std::int32_t*>(out.at());
        each_slot(out, 0, [&](std::size_t c) { return init(c, flips) + way(c).begin; });
        block.scale = reinterpret_cast<const float*>(out.at());
        each_slot(out, 0.0f, [&](std::size_t c) { return way(c).scale; });
        block.bias = reinterpret_cast<const float*>(out.at());
        each_slot(out, 0.0f, [&](std::size_t c) { return stored_bias(way(c).shift); });
        block.slope = reinterpret_cast<const float*>(out.at());
        each_slot(out, 0.0f, [&](std::size_t c) {
            return value_of(p_.rest.empty() ? p_.slope : p_.rest, c, 1.0f);
        });
        block.below = reinterpret_cast<const float*>(out.at());
        each_slot(out, 0.0f, [&](std::size_t c) { return value_of(p_.below, c, 0.0f); });
        block.wei = reinterpret_cast<const std::int8_t*>(out.at());
        for (const Entry& entry : order_.entries) {
            const std::size_t share = order_.slots.size() / entry.size();
            for (std::size_t i = 0; i < order_.slots.size(); ++i) {
                write_taps(out, entry[i / share], order_.slots[i]);
            }
        }
    }

private:
    template <class T, class F>
    void each_slot(Writer& out, T none, F&& value) const {
        for (const std::ptrdiff_t slot : order_.slots) {
            out.put<T>(slot < 0 ? none : value(first_ + static_cast<std::size_t>(slot)));
        }
    }
    float stored_bias(float bias) const {
        return integer_bias_ ? std::bit_cast<float>(static_cast<std::int32_t>(bias)) : bias;
    }
    std::int32_t init(std::size_t channel, bool flips) const {
        const std::size_t taps = p_.shape.kernel_height * p_.shape.kernel_width;
        std::int32_t sum = 0;
        for (std::size_t t = 0; t < taps; ++t) {
            sum += p_.weights[channel * taps + t];
        }
        return value_of<std::int32_t>(p_.offset, channel, 0) -
               (value_of<std::int32_t>(p_.src_zero_point, channel, 0) + (flips ? 128 : 0)) * sum;
    }
    // Of the block's channels; none when one of them has none. The source is u8.
    std::vector<FloatSum> short_ways(const Block& block) const {
        const std::size_t taps = p_.shape.kernel_height * p_.shape.kernel_width;
        std::vector<FloatSum> ways;
        for (std::size_t c = first_; c < first_ + block.channels; ++c) {
            ByteRule rule{.scale = value_of(p_.scale, c, 1.0f),
                          .bias = value_of(p_.bias, c, 0.0f),
                          .is_signed = p_.dst_type == ElementType::i8};
            rule.min = rule.max = init(c, false);
            for (std::size_t t = 0; t < taps; ++t) {
                const std::int64_t max = std::int64_t{255} * p_.weights[c * taps + t];
                (max < 0 ? rule.min : rule.max) += max;
            }
            const auto sum = float_sum(rule);
            if (!sum) {
                return {};
            }
            ways.push_back(*sum);
        }
        return ways;
    }
    void write_taps(Writer& out, const Taps& taps, std::ptrdiff_t slot) const {
        const std::size_t width = p_.shape.kernel_width;
        for (const Tap& tap : taps) {
            std::int8_t weight = 0;
            if (slot >= 0 && tap.row >= 0) {
                const std::size_t channel = first_ + static_cast<std::size_t>(slot);
                const std::size_t row =
                    channel * p_.shape.kernel_height + static_cast<std::size_t>(tap.row);
                weight = p_.weights[row * width + static_cast<std::size_t>(tap.column)];
            }
            out.put(weight);
            if (order_.bytes_per_tap == 2) {  // little endian, sign extended
                out.put(weight < 0 ? std::int8_t{-1} : std::int8_t{0});
            }
        }
    }

    const DepthwiseParams& p_;
    const Order& order_;
    std::size_t first_;
    bool integer_bias_;
};

void pack(Packed& packed, const DepthwiseParams& p, const Path& path) {
    const std::size_t channels = p.shape.src_channels;
    std::vector<Order> orders;
    std::vector<std::size_t> offsets;
    std::size_t bytes = 0;
    for (std::size_t c = 0; c < channels; c += path.block_channels) {
        Block block;
        block.first_channel = c;
        block.channels = std::min(path.block_channels, channels - c);
        if (block.channels > path.max_alone && block.channels < path.block_channels &&
            channels >= path.block_channels) {
            packed.overlaps = true;
            block.first_channel = channels - path.block_channels;
            block.channels = path.block_channels;
        }
        orders.push_back(path.order(packed.shape, path.block_channels, block.channels));
        offsets.push_back(bytes);
        bytes += BlockPacker(p, orders.back(), block.first_channel, path.integer_bias).bytes();
        bytes = (bytes + 63) / 64 * 64;
        packed.blocks.push_back(block);
    }
    packed.memory.resize(bytes);
    const bool float_sums = path.float_sums && packed.flip == 0 && packed.epilogue.plain &&
                            packed.epilogue.store == Store::kU8;
    for (std::size_t b = 0; b < packed.blocks.size(); ++b) {
        Block& block = packed.blocks[b];
        BlockPacker(p, orders[b], block.first_channel, path.integer_bias)
            .write(packed.memory.data() + offsets[b], packed.flip != 0, float_sums, block);
    }
}

// Flat rows where strips leave many lanes without work; with 16 channels those of bytes have none,
// and are faster. Not where one vector is loaded a cycle: strips share their loads.
VnniForm choose_form(DepthwisePath path, const DepthwiseShape& shape, const Epilogue& epilogue) {
    switch (path) {
        case DepthwisePath::kStrips: return VnniForm::kStrips;
        case DepthwisePath::kFlat: return VnniForm::kFlat;
        default: break;
    }
    if (loads_one_wide_vector_a_cycle()) {
        return VnniForm::kStrips;
    }
    const std::size_t max_flat = epilogue.plain || epilogue.rule ? 8 : 16;
    return shape.src_channels <= max_flat && has_flat_form(shape) ? VnniForm::kFlat
                                                                  : VnniForm::kStrips;
}

bool has_vnni256() {
    return has_avx_vnni() || has_avx_vnni_in_evex() || has_avx512_vnni();
}

// The path of a form without AVX-512 VNNI that is asked for by name.
Path named_path(DepthwisePath name, const DepthwiseShape& s, bool src_signed) {
    if (name == DepthwisePath::kPortable) {
        return portable_path(s, src_signed);
    }
    const bool quads = name == DepthwisePath::kQuads;
    if (quads && !has_vnni256()) {
        refuse("this machine has no dot products of bytes in 256 bits");
    }
    if (quads ? !has_quads_form(s) : !has_columns_form(s)) {
        refuse(fmt::format("kernel {}x{} of {} channels is no kernel for strips of columns",
                           s.kernel_height, s.kernel_width, s.src_channels));
    }
    return quads ? quads_path() : columns_path(s, src_signed);
}

Path choose_path(const DepthwiseParams& p, const Epilogue& epilogue) {
    const DepthwiseShape& s = p.shape;
    const bool src_signed = p.src_type == ElementType::i8;
    switch (p.path) {
        case DepthwisePath::kAuto: break;
        case DepthwisePath::kQuads:
        case DepthwisePath::kColumns:
        case DepthwisePath::kPortable: return named_path(p.path, s, src_signed);
        default:
            if (!has_avx512_vnni()) {
                refuse("this machine has no AVX-512 VNNI");
            }
    }
    if (has_avx512_vnni()) {
        return vnni_path(s, choose_form(p.path, s, epilogue));
    }
    if (has_vnni256() && has_quads_form(s)) {
        return quads_path();
    }
    return has_columns_form(s) ? columns_path(s, src_signed) : portable_path(s, src_signed);
}

std::unique_ptr<const Packed> make_packed(DepthwiseParams p) {
    DepthwiseShape& s = p.shape;
    s.src_pixel_stride = s.src_pixel_stride == 0 ? s.src_channels : s.src_pixel_stride;
    s.dst_pixel_stride = s.dst_pixel_stride == 0 ? s.src_channels : s.dst_pixel_stride;
    check_shape(s);
    check(p);
    auto packed = std::make_unique<Packed>();
    packed->shape = s;
    packed->epilogue = make_epilogue(p);
    const bool src_signed = p.src_type == ElementType::i8;
    const Path path = choose_path(p, packed->epilogue);
    packed->src_signed = src_signed;
    packed->flip = path.flips_sign && packed->src_signed ? 0x80 : 0;
    packed->padding_row.assign(s.src_width * s.src_pixel_stride, 0);
    for (std::size_t pixel = 0; pixel < s.src_width; ++pixel) {
        for (std::size_t c = 0; c < s.src_channels; ++c) {
            packed->padding_row[pixel * s.src_pixel_stride + c] =
                static_cast<std::uint8_t>(value_of<std::int32_t>(p.src_zero_point, c, 0));
        }
    }
    packed->zero_padding =
        packed->flip == 0 && std::all_of(p.src_zero_point.begin(), p.src_zero_point.end(),
                                         [](std::int32_t zero_point) { return zero_point == 0; });
    packed->fast_rows = path.fast_rows;
    packed->even_rows = path.even_rows;
    // Instructions of AVX-512 choose how they round.
    packed->rounds_down = p.rule && is_floor(*p.rule) && !path.integer_bias;
    packed->run = path.run;
    packed->implementation = path.name;
    pack(*packed, p, path);
    return packed;
}

}  // namespace
}  // namespace depthwise

bool DepthwiseConv::stores_rules() {
    return has_avx2();
}

DepthwiseConv::DepthwiseConv(const DepthwiseParams& params)
    : packed_(depthwise::make_packed(params)) {}
DepthwiseConv::~DepthwiseConv() = default;
DepthwiseConv::DepthwiseConv(DepthwiseConv&&) noexcept = default;
DepthwiseConv& DepthwiseConv::operator=(DepthwiseConv&&) noexcept = default;

std::size_t DepthwiseConv::rows() const {
    return packed_->shape.batch * packed_->shape.dst_height;
}

std::size_t DepthwiseConv::fast_rows() const {
    return packed_->fast_rows;
}

std::size_t DepthwiseConv::even_rows() const {
    return packed_->even_rows;
}

std::size_t DepthwiseConv::blocks() const {
    return packed_->blocks.size() - (packed_->overlaps ? 1 : 0);
}

void DepthwiseConv::run(const void* src, void* dst, Range rows, Range blocks) const {
    rows.end = std::min(rows.end, this->rows());
    blocks.end = std::min(blocks.end, this->blocks());
    if (rows.begin < rows.end && blocks.begin < blocks.end) {
        if (packed_->overlaps && blocks.end == this->blocks()) {
            ++blocks.end;
        }
        const RoundDown mode(packed_->rounds_down);
        packed_->run(*packed_, static_cast<const std::uint8_t*>(src),
                     static_cast<std::uint8_t*>(dst), rows, blocks);
    }
}

std::size_t DepthwiseConv::dst_row_bytes() const {
    return depthwise::dst_row_bytes(*packed_);
}

void DepthwiseConv::run_to_buffer(const void* src, void* buffer, Range rows) const {
    // Where row 0 would be; never read or written.
    const auto base = reinterpret_cast<std::uintptr_t>(buffer) - rows.begin * dst_row_bytes();
    run(src, reinterpret_cast<void*>(base), rows,
        {0, blocks()});  // NOLINT(performance-no-int-to-ptr)
}

const char* DepthwiseConv::implementation() const {
    return packed_->implementation.c_str();
}

std::size_t DepthwiseConv::packed_bytes() const {
    return packed_->memory.size() + packed_->padding_row.size();
}

}  // namespace fuseq::kernels
