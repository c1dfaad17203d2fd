// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The integer matrix product as an object: construction and queries.
#include "cpu/kernels/gemm/gemm_vnni.hpp"

#include <algorithm>

#include "cpu/kernels/gemm/gemm_narrow_results.hpp"
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/kernels/gemm/gemm_vnni_pack.hpp"
#include "cpu/machine/avx_vnni.hpp"
#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels {

using namespace gemm;  // NOLINT(google-build-using-namespace)

GemmForm best_form() {
    if (has_avx512_vnni()) {
        return GemmForm::kVnni512;
    }
    return has_avx_vnni() || has_avx_vnni_in_evex() ? GemmForm::kVnni256 : GemmForm::kBytes;
}

bool GemmVnni::available() {
    return has_avx512_vnni();
}

post_ops::Support GemmVnni::supports(const post_ops::EpilogueProgram& program) {
    const ElementType type = program.dst_type;
    if (type != ElementType::u8 && type != ElementType::i8 && type != ElementType::f32) {
        return post_ops::Support::no(std::string("it does not store ") + to_string(type));
    }
    for (const GemmOp& op : program.ops) {
        if (auto support = supports_op(op); !support) {
            return support;
        }
    }
    return post_ops::Support::yes();
}

bool GemmVnni::suits_few_pixels(const GemmShape& shape) {
    constexpr std::size_t kVeryFew = 16;
    return gathers_windows(shape) &&
           (shape.batch * shape.dst_height * shape.dst_width <= kVeryFew || is_mostly_image(shape));
}

bool GemmVnni::is_direct(const GemmShape& shape) {
    return suits_direct(shape);
}

bool GemmVnni::stores_rules(const GemmParams& params) {
    if (!params.ops.empty() || !params.wei_zero_point.empty() || params.transposed) {
        return false;
    }
    const Packed packed = gemm::lay_out(params);
    return packed.wide || (packed.is_narrow() && !packed.pool && has_avx2());
}

GemmVnni::GemmVnni(Packed&& packed) : packed_(std::make_unique<const Packed>(std::move(packed))) {}
GemmVnni::GemmVnni(const GemmParams& params) : GemmVnni(gemm::pack(params)) {}
GemmVnni GemmVnni::to_be_packed(const GemmParams& params) {
    return GemmVnni(gemm::lay_out(params));
}
void GemmVnni::pack(const GemmParams& params) {
    packed_ = std::make_unique<const Packed>(gemm::pack(params, packed_.get()));
}
GemmVnni::~GemmVnni() = default;
GemmVnni::GemmVnni(GemmVnni&&) noexcept = default;
GemmVnni& GemmVnni::operator=(GemmVnni&&) noexcept = default;

bool GemmVnni::takes_results() const {
    return packed_->is_narrow() && !packed_->pool && !packed_->subpixels && !packed_->epilogue.rule;
}

bool GemmVnni::can_write_rows() const {
    // The columns at the edges have tiles that go across rows.
    return takes_results() && packed_->mode == SourceMode::kRows && packed_->edge_columns.empty() &&
           packed_->channels() % kLanes == 0;
}

void GemmVnni::set_results(std::span<const post_ops::EpilogueProgram> results, bool rows) {
    if (results.empty() || results.size() > kMaxResults ||
        !(rows ? can_write_rows() : takes_results())) {
        refuse("it stores one result");
    }
    auto narrow = std::make_unique<NarrowResults>();
    narrow->row_width = rows ? packed_->shape.dst_width : 0;
    for (const post_ops::EpilogueProgram& result : results) {
        GemmParams params;
        params.shape.dst_channels = packed_->channels();
        params.dst_type = result.dst_type;
        params.ops = result.ops;
        const bool constants =
            std::none_of(result.ops.begin(), result.ops.end(), [](const GemmOp& op) {
                return op.reads_tensor() || op.kind == GemmOp::Kind::kEltwise;
            });
        if (!constants) {
            refuse("one of several results has an activation or reads a tensor");
        }
        narrow->list.push_back({.store = store_of(params), .ops = packed_ops(params, false)});
    }
    results_ = std::move(narrow);
}

bool GemmVnni::stores_sums() const {
    return packed_->store == Store::kF32 && !packed_->pool && !packed_->subpixels && !packed_->wide;
}

std::size_t GemmVnni::dst_width() const {
    return packed_->shape.dst_width;
}

ElementType GemmVnni::dst_type() const {
    switch (packed_->store) {
        case Store::kU8: return ElementType::u8;
        case Store::kI8: return ElementType::i8;
        default: return ElementType::f32;
    }
}

std::size_t GemmVnni::dst_channels() const {
    return packed_->channels();
}

std::size_t GemmVnni::element_bytes() const {
    return packed_->store == Store::kF32 ? sizeof(float) : 1;
}

std::size_t GemmVnni::scratch_bytes() const {
    return packed_->scratch;
}

std::span<const std::int8_t> GemmVnni::weights(std::size_t part, const GemmSplit& split) const {
    const Packed& p = *packed_;
    const Range panels = share(p.panels.size(), part % split.columns, split.columns);
    if (panels.begin == panels.end || p.wei.empty()) {
        return {};
    }
    const Panel& last = p.panels[panels.end - 1];
    const std::int8_t* const begin = p.panels[panels.begin].wei;
    return {begin, last.wei + last.bytes};
}

std::span<const std::int8_t> GemmVnni::weights_ahead(std::size_t part,
                                                     const GemmSplit& split) const {
    const Packed& p = *packed_;
    const std::span<const std::int8_t> all = weights(part, split);
    constexpr std::size_t kMax = std::size_t{256} << 10;
    if (p.panels.empty() || loads_one_wide_vector_a_cycle()) {
        return all.first(std::min(all.size(), kMax));
    }
    // The first panels of the part. A layer of few pixels is done before its own prefetches arrive.
    constexpr std::size_t kFirstPanels = std::size_t{24} << 10;
    constexpr std::size_t kFewPixels = 12;
    constexpr std::size_t kMaxOfFewPixels = 3 * kMax;
    const bool few = p.shape.batch * p.shape.dst_height * p.shape.dst_width <= kFewPixels;
    const std::size_t first = std::max(p.panels.front().bytes, kFirstPanels);
    return all.first(std::min(all.size(), few ? kMaxOfFewPixels : std::min(first, kMax)));
}

std::size_t GemmVnni::fetchable() const {
    const Packed& p = *packed_;
    if (p.panels.empty()) {
        return 0;
    }
    const bool by_rows = p.mode == SourceMode::kRows;
    const std::size_t rest = p.units() % p.block;
    const std::size_t units = rest == 0 ? p.block : rest;
    const std::size_t pixels = by_rows ? p.shape.dst_width / p.window() : units;
    const std::size_t max = p.max_pixels(p.panels.front());
    const std::size_t tiles = (by_rows ? units : 1) * ((pixels + max - 1) / max);
    constexpr std::size_t kCacheLine = 64;
    return tiles * p.panels.size() * p.max_taps() * p.depth4 * kCacheLine;
}

bool GemmVnni::is_by_pixel() const {
    return packed_->dense && packed_->mode != SourceMode::kRows && !packed_->subpixels;
}

std::size_t GemmVnni::pixel_grain() const {
    const Packed& p = *packed_;
    if (p.subpixels) {
        return p.subpixels->count() * p.shape.dst_width;
    }
    return p.mode == SourceMode::kRows ? p.shape.dst_width : 1;
}

const std::string& GemmVnni::implementation() const {
    return packed_->implementation;
}

std::size_t GemmVnni::packed_bytes() const {
    const Packed& p = *packed_;
    std::size_t bytes =
        p.wei.size() + p.init.size() * sizeof(std::int32_t) +
        (p.epilogue.bias.size() + p.epilogue.scale.size() + p.epilogue.of_sum.size()) *
            sizeof(float);
    for (const PackedOp& op : p.epilogue.ops) {
        bytes += (op.a.size() + op.b.size()) * sizeof(float);
    }
    return bytes;
}

}  // namespace fuseq::kernels
