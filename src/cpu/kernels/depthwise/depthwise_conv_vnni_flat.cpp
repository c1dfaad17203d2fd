// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/depthwise/depthwise_conv_flat-inl.h"

FUSEQ_BEGIN_VNNI

namespace fuseq::kernels::depthwise {
namespace {

template <bool Flip, Finish F>
__attribute__((noinline)) void run_strip(Strip& strip, const FlatRow& row, bool two) {
    if (two) {
        FlatRun<2, Flip, F>(strip, row).run();
    } else {
        FlatRun<1, Flip, F>(strip, row).run();
    }
}

using RunStrip = void (*)(Strip&, const FlatRow&, bool);
RunStrip choose_run(const Epilogue& e, bool float_sums) {
    if (e.plain_floats) {
        return run_strip<true, Finish::kFloats>;
    }
    if (e.elu) {
        return run_strip<true, Finish::kElu>;
    }
    if (e.rule) {
        return run_strip<true, Finish::kRule>;
    }
    if (!e.plain) {
        return run_strip<true, Finish::kAny>;
    }
    if (e.store == Store::kI8) {
        return run_strip<true, Finish::kI8>;
    }
    return float_sums ? run_strip<false, Finish::kFloatSums> : run_strip<true, Finish::kRule>;
}

FlatRow make_row(const Packed& packed) {
    const DepthwiseShape& s = packed.shape;
    FlatRow row{};
    row.src_size = static_cast<std::ptrdiff_t>(s.src_width * s.src_channels);
    row.dst_size = static_cast<std::ptrdiff_t>(s.dst_width * s.src_channels);
    row.channels = static_cast<std::ptrdiff_t>(s.src_channels);
    row.shift = -s.pad_left * row.channels;
    row.dst_bytes = static_cast<std::ptrdiff_t>(dst_size(packed.epilogue.store));
    alignas(64) std::uint8_t padding[kBlock];
    for (std::size_t i = 0; i < kBlock; ++i) {
        padding[i] = packed.padding_row[i % s.src_channels];
    }
    row.padding = _mm512_load_si512(padding);
    return row;
}

}  // namespace

void run_vnni_flat_3x3(
    const Packed& packed, const std::uint8_t* src, std::uint8_t* dst, Range rows, Range) {
    const DepthwiseShape& s = packed.shape;
    const Block& block = packed.blocks[0];
    const FlatRow flat = make_row(packed);
    const RunStrip run = choose_run(packed.epilogue, block.float_sums);
    Strip strip{};
    strip.flip = _mm512_set1_epi8(static_cast<char>(packed.flip));
    strip.epilogue = &packed.epilogue;
    const StripMaker maker{packed, src, dst, 4, 1};
    maker.fill_block(strip, block);
    for (std::size_t row = rows.begin; row < rows.end;) {
        const std::size_t y = row % s.dst_height;
        const std::size_t count = std::min({std::size_t{2}, rows.end - row, s.dst_height - y});
        maker.fill(strip, 0, {row / s.dst_height, y, count});
        run(strip, flat, count == 2);
        row += count;
    }
}

}  // namespace fuseq::kernels::depthwise

FUSEQ_END_VNNI
