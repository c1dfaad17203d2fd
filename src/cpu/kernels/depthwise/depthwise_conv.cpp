// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/depthwise/depthwise_conv.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "cpu/kernels/common/rounding_mode.hpp"
#include "cpu/kernels/depthwise/depthwise_check.hpp"
#include "cpu/kernels/depthwise/depthwise_conv_detail.hpp"
#include "cpu/kernels/float_conv/float_sum.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"
#include "fuseq/error.hpp"

namespace fuseq::kernels {
namespace depthwise {
namespace {

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
        const double elu = p.elu ? std::max(1.0, std::abs(static_cast<double>(p.elu->scale))) *
                                       std::max(1.0, std::abs(static_cast<double>(p.elu->alpha)))
                                 : 1.0;
        if (v * std::max(1.0, slope) * elu + std::abs(static_cast<double>(p.shift)) > 1e9) {
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
    const bool is_native = !p.rule || *p.rule == RuleForm::kOneFloor;
    e.low_byte = static_cast<std::int8_t>(static_cast<int>(e.low));
    e.high_byte = static_cast<std::int8_t>(static_cast<int>(e.high));
    e.plain = !e.slope && !p.elu && e.shift == 0.0f && !e.clip && is_native;
    e.elu = p.elu;
    e.rule = e.plain ? std::nullopt : p.rule;
    e.zero_point = static_cast<std::int16_t>(p.rule ? p.zero_point : 0);
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
    BlockPacker(const DepthwiseParams& params, const Order& order, std::size_t first_channel)
        : p_(params), order_(order), first_(first_channel) {}

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
        each_slot(out, 0.0f, [&](std::size_t c) { return way(c).shift; });
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
        bytes += BlockPacker(p, orders.back(), block.first_channel).bytes();
        bytes = (bytes + 63) / 64 * 64;
        packed.blocks.push_back(block);
    }
    packed.memory.resize(bytes);
    const bool float_sums = path.float_sums && packed.flip == 0 && packed.epilogue.plain &&
                            !packed.rounding && packed.epilogue.store == Store::kU8;
    for (std::size_t b = 0; b < packed.blocks.size(); ++b) {
        Block& block = packed.blocks[b];
        BlockPacker(p, orders[b], block.first_channel)
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
    if (p.elu && (!path.stores_elus || packed->epilogue.clip)) {
        refuse("no elu in " + path.name + ", or of values beyond 32 bits");
    }
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
    // One floor is native code.
    const bool has_mode = p.rule && (*p.rule == RuleForm::kOneFloor || !path.rounds_itself);
    packed->rounding = has_mode ? rounding_of(*p.rule) : std::nullopt;
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

bool DepthwiseConv::stores_elu(const DepthwiseParams& params) {
    return has_avx512_vnni() &&
           depthwise::vnni_path(params.shape, depthwise::VnniForm::kStrips).stores_elus &&
           !depthwise::may_overflow(params);
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
        const RoundingMode mode(packed_->rounding);
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
