// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Both operands are copied to scratch memory, a block of rows of the first one at a time: as bytes
// (kVnni256), where unsigned ones of the first operand stay where they are, or as 16-bit integers
// less their zero points (kPairs).
#include "cpu/kernels/gemm/data_product.hpp"

#include <emmintrin.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/kernels/common/copy_flipped.hpp"
#include "cpu/kernels/gemm/gemm_vnni_bound.hpp"
#include "cpu/kernels/gemm/gemm_vnni_check.hpp"
#include "cpu/kernels/gemm/gemm_vnni_detail.hpp"
#include "cpu/kernels/gemm/gemm_vnni_pack.hpp"

namespace fuseq::kernels {

using namespace gemm;  // NOLINT(google-build-using-namespace)

namespace gemm {

struct PackedDataProduct {
    std::size_t depth = 0, columns = 0;
    MatrixOperand a, b;
    std::size_t dst_row = 0;
    bool pairs = false;
    bool in_place = false;   // rows of a need no copy
    std::uint8_t flip = 0;   // xor of bytes of a: 0x80 turns i8 into u8
    std::uint8_t fill = 0;   // its zero point, after that
    std::size_t depth4 = 0;  // bytes of depth, by fours
    std::size_t panels = 0;  // of 16 columns
    std::size_t block = 0;   // rows that are copied at once
    NarrowKernel kernel{};
    Epilogue epilogue;
    EpilogueFunction whole = nullptr, part = nullptr;  // for panels of 16 columns, and of fewer
    std::string implementation;

    // Bytes of scratch memory, one after the other.
    std::size_t b_bytes = 0, init_bytes = 0, a_bytes = 0, packing_bytes = 0;
};

}  // namespace gemm

namespace {

constexpr std::size_t kStepBytes = 4 * kLanes;  // of a panel, for four bytes of depth
constexpr std::size_t kLine = 64;
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;  // of rows of a

std::size_t lines(std::size_t bytes) {
    return (bytes + kLine - 1) / kLine * kLine;
}

// Rows of 16 bytes, or two of 16 words, to columns of four bytes.
void interleave_bytes(const std::uint8_t* rows, std::size_t pitch, std::uint8_t* to) {
    const auto row = [&](std::size_t i) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + i * pitch));
    };
    const __m128i low01 = _mm_unpacklo_epi8(row(0), row(1));
    const __m128i high01 = _mm_unpackhi_epi8(row(0), row(1));
    const __m128i low23 = _mm_unpacklo_epi8(row(2), row(3));
    const __m128i high23 = _mm_unpackhi_epi8(row(2), row(3));
    auto* const at = reinterpret_cast<__m128i*>(to);
    _mm_store_si128(at, _mm_unpacklo_epi16(low01, low23));
    _mm_store_si128(at + 1, _mm_unpackhi_epi16(low01, low23));
    _mm_store_si128(at + 2, _mm_unpacklo_epi16(high01, high23));
    _mm_store_si128(at + 3, _mm_unpackhi_epi16(high01, high23));
}
void interleave_words(const std::uint8_t* rows, std::size_t pitch, std::uint8_t* to) {
    auto* const at = reinterpret_cast<__m128i*>(to);
    for (std::size_t half = 0; half < 2; ++half) {
        const auto* const from = reinterpret_cast<const __m128i*>(rows + half * sizeof(__m128i));
        const auto* const next =
            reinterpret_cast<const __m128i*>(rows + pitch + half * sizeof(__m128i));
        const __m128i first = _mm_loadu_si128(from);
        const __m128i second = _mm_loadu_si128(next);
        _mm_store_si128(at + 2 * half, _mm_unpacklo_epi16(first, second));
        _mm_store_si128(at + 2 * half + 1, _mm_unpackhi_epi16(first, second));
    }
}

class Worker {
public:
    Worker(const PackedDataProduct& packed, const DataProductArgs& args)
        : p_(packed), b_(static_cast<std::uint8_t*>(args.scratch)) {
        init_ = reinterpret_cast<std::int32_t*>(b_ + p_.b_bytes);
        a_ = b_ + p_.b_bytes + p_.init_bytes;
        packing_ = a_ + p_.a_bytes;
        args_.dst = args.dst;
        args_.binary_sources = args.binary_sources;
        src_ = static_cast<const std::uint8_t*>(args.a);
        other_ = static_cast<const std::uint8_t*>(args.b);
    }

    void run(Range rows) {
        p_.b.column == 1 ? pack_rows() : pack_columns();
        begin_sums();
        for (std::size_t at = rows.begin; at < rows.end; at += p_.block) {
            const Range block{at, std::min(at + p_.block, rows.end)};
            const std::uint8_t* const src = p_.in_place ? src_ + at * p_.a.row : copy(block);
            const std::size_t step = p_.in_place ? p_.a.row : p_.depth4 * 4;
            for (std::size_t panel = 0; panel < p_.panels; ++panel) {
                tiles(src, step, block, panel);
            }
        }
    }

private:
    std::size_t element() const { return p_.pairs ? 2 : 1; }
    std::uint8_t* step_of(std::size_t panel, std::size_t quad) const {
        return b_ + (panel * p_.depth4 + quad) * kStepBytes;
    }

    // A run of elements of a matrix, as bytes or words, with zeros up to `bytes`.
    void copy_run(const std::uint8_t* from,
                  std::size_t count,
                  const MatrixOperand& matrix,
                  std::uint8_t flip,
                  std::uint8_t* to,
                  std::size_t bytes) const {
        if (p_.pairs) {
            widen(from, count, matrix.type == ElementType::i8, matrix.zero_point,
                  reinterpret_cast<std::int16_t*>(to));
        } else {
            copy_flipped(from, to, count, flip);
        }
        std::memset(to + count * element(), 0, bytes - count * element());
    }

    // Columns of b one after the other, or anywhere.
    void pack_rows() {
        const std::size_t group = 4 / element();  // rows of a step
        const std::size_t pitch = p_.panels * kLanes * element();
        for (std::size_t quad = 0; quad < p_.depth4; ++quad) {
            for (std::size_t i = 0; i < group; ++i) {
                const std::size_t k = quad * group + i;
                const std::size_t count = k < p_.depth ? p_.columns : 0;
                copy_run(other_ + k * p_.b.row * (count != 0 ? 1 : 0), count, p_.b, 0,
                         packing_ + i * pitch, pitch);
            }
            for (std::size_t panel = 0; panel < p_.panels; ++panel) {
                const std::uint8_t* const from = packing_ + panel * kLanes * element();
                p_.pairs ? interleave_words(from, pitch, step_of(panel, quad))
                         : interleave_bytes(from, pitch, step_of(panel, quad));
            }
        }
    }
    void pack_columns() {
        std::memset(step_of(p_.panels - 1, 0), 0, p_.depth4 * kStepBytes);
        for (std::size_t n = 0; n < p_.columns; ++n) {
            copy_run(other_ + n * p_.b.column, p_.depth, p_.b, 0, packing_, p_.depth4 * 4);
            std::uint8_t* to = step_of(n / kLanes, 0) + n % kLanes * 4;
            for (std::size_t quad = 0; quad < p_.depth4; ++quad, to += kStepBytes) {
                std::memcpy(to, packing_ + quad * 4, 4);
            }
        }
    }

    // Sums begin with what the zero point of a takes away: a product with a row of it.
    void begin_sums() {
        std::fill_n(init_, p_.panels * kLanes, 0);
        if (p_.pairs || p_.fill == 0) {
            return;
        }
        std::memset(packing_, p_.fill, p_.depth4 * 4);
        for (std::size_t panel = 0; panel < p_.panels; ++panel) {
            alignas(kLine) std::int32_t sums[kLanes];
            multiply(packing_, 0, 1, panel, sums);
            std::transform(std::begin(sums), std::end(sums), init_ + panel * kLanes,
                           [](std::int32_t sum) { return -sum; });
        }
    }

    const std::uint8_t* copy(Range rows) const {
        std::uint8_t* to = a_;
        for (std::size_t m = rows.begin; m < rows.end; ++m, to += p_.depth4 * 4) {
            copy_run(src_ + m * p_.a.row, p_.depth, p_.a, p_.flip, to, p_.depth4 * 4);
        }
        return a_;
    }

    void multiply(const std::uint8_t* src,
                  std::size_t step,
                  std::size_t rows,
                  std::size_t panel,
                  std::int32_t* tile) const {
        static constexpr std::ptrdiff_t kTap[] = {0};
        const auto* const wei = reinterpret_cast<const std::int8_t*>(step_of(panel, 0));
        p_.kernel.functions[rows - 1]({.src = src,
                                       .src_step = static_cast<std::ptrdiff_t>(step),
                                       .wei = wei,
                                       .depth4 = p_.depth4,
                                       .taps = kTap,
                                       .init = init_ + panel * kLanes,
                                       .tile = tile,
                                       .ahead = wei,
                                       .ahead_step = 0});
    }

    void tiles(const std::uint8_t* src, std::size_t step, Range block, std::size_t number) const {
        alignas(kLine) std::int32_t sums[(kTileVectors + 3) * kLanes];
        const std::size_t channel = number * kLanes;
        const Panel panel{
            .channel = channel, .channels = std::min(kLanes, p_.columns - channel), .vectors = 1};
        const std::size_t count = block.end - block.begin;
        const std::size_t parts = (count + p_.kernel.rows - 1) / p_.kernel.rows;
        for (std::size_t i = 0; i < parts; ++i) {
            const Range part = share(count, i, parts);
            const std::size_t rows = part.end - part.begin;
            multiply(src + part.begin * step, step, rows, number, sums);
            const EpilogueCall call{.epilogue = &p_.epilogue,
                                    .panel = &panel,
                                    .tile = sums,
                                    .rows = rows,
                                    .pixel = block.begin + part.begin,
                                    .channels = p_.dst_row,
                                    .sums = nullptr,
                                    .args = &args_};
            panel.channels == kLanes ? p_.whole(call) : p_.part(call);
        }
    }

    const PackedDataProduct& p_;
    GemmArgs args_;  // for the epilogue
    const std::uint8_t* src_;
    const std::uint8_t* other_;
    std::uint8_t* b_;
    std::int32_t* init_;
    std::uint8_t* a_;
    std::uint8_t* packing_;
};

void check_operand(const MatrixOperand& m, const char* name) {
    if (m.type != ElementType::u8 && m.type != ElementType::i8) {
        refuse(name, " is ", to_string(m.type), ", expected u8 or i8");
    }
    const std::int32_t low = m.type == ElementType::i8 ? -128 : 0;
    if (m.zero_point < low || m.zero_point > low + 255) {
        refuse("the zero point of ", name, " is ", m.zero_point, ", expected ", low, " to ",
               low + 255);
    }
}

void check_product(const DataProductParams& params) {
    check_operand(params.a, "the first matrix");
    check_operand(params.b, "the second matrix");
    if (params.rows == 0 || params.columns == 0 || params.depth == 0 ||
        params.depth > DataProduct::kMaxDepth) {
        refuse(params.rows, " rows, ", params.columns, " columns, depth ", params.depth,
               ", expected 1 or more, and a depth of ", DataProduct::kMaxDepth, " at most");
    }
    if (params.a.column != 1 || (params.b.row != 1 && params.b.column != 1)) {
        refuse("neither rows nor columns of a matrix are contiguous");
    }
    if (params.form != GemmForm::kPairs && params.form != GemmForm::kVnni256) {
        refuse("two computed matrices are multiplied in pairs, or with VNNI in 256 bits");
    }
}

GemmParams epilogue_params(const DataProductParams& params) {
    GemmParams result;
    result.shape.dst_channels = params.columns;
    result.dst_type = params.dst_type;
    result.scale = params.scale;
    result.bias = params.bias;
    result.ops = params.ops;
    return result;
}

// Whether results may leave the range of 32-bit integers.
bool may_leave_integers(const DataProductParams& params, const Epilogue& epilogue) {
    constexpr double kFits = 1e9;
    constexpr double kLargest = 255.0 * 255.0;
    const double products = kLargest * static_cast<double>(params.depth);
    double bound = 0;
    for (std::size_t c = 0; c < params.columns; ++c) {
        const auto bias = static_cast<double>(epilogue.bias[c]);
        const auto scale = static_cast<double>(epilogue.scale[c]);
        bound = std::max(bound, std::abs(scale) * (products + std::abs(bias)));
    }
    for (const GemmOp& op : params.ops) {
        bound = bound_after(op, bound);
    }
    return !(bound < kFits);
}

PackedDataProduct packed_of(const DataProductParams& params) {
    check_product(params);
    PackedDataProduct p;
    p.depth = params.depth;
    p.columns = params.columns;
    p.a = params.a;
    p.b = params.b;
    p.dst_row = params.dst_row;
    p.pairs = params.form != GemmForm::kVnni256 || params.b.type != ElementType::i8 ||
              params.b.zero_point != 0;
    p.kernel = narrow_kernel(p.pairs ? GemmForm::kPairs : GemmForm::kVnni256);
    p.implementation = p.pairs ? "data_product_pairs" : "data_product_vnni256";
    p.flip = !p.pairs && params.a.type == ElementType::i8 ? 0x80 : 0;
    p.fill = static_cast<std::uint8_t>(params.a.zero_point) ^ p.flip;
    p.in_place = !p.pairs && p.flip == 0 && params.depth % 4 == 0;
    p.depth4 = (params.depth * (p.pairs ? 2 : 1) + 3) / 4;
    p.panels = (params.columns + kLanes - 1) / kLanes;
    const std::size_t most = std::max(p.kernel.rows, kBlockBytes / (p.depth4 * 4));
    p.block = std::min(params.rows, most / p.kernel.rows * p.kernel.rows);

    const GemmParams epilogue = epilogue_params(params);
    p.epilogue.scale = padded(params.scale, 1.0f, params.columns, "scale");
    p.epilogue.bias = padded(params.bias, 0.0f, params.columns, "bias");
    p.epilogue.ops = packed_ops(epilogue, false);
    p.epilogue.clamp = may_leave_integers(params, p.epilogue);
    p.whole = narrow_epilogue(p.epilogue, store_of(epilogue), true);
    p.part = narrow_epilogue(p.epilogue, store_of(epilogue), false);

    p.b_bytes = p.panels * p.depth4 * kStepBytes;
    p.init_bytes = p.panels * kLanes * sizeof(std::int32_t);
    p.a_bytes = p.in_place ? 0 : lines(p.block * p.depth4 * 4);
    p.packing_bytes = lines(std::max(p.panels * kStepBytes, p.depth4 * 4));
    return p;
}

}  // namespace

DataProduct::DataProduct(const DataProductParams& params)
    : packed_(std::make_unique<const PackedDataProduct>(packed_of(params))) {}
DataProduct::~DataProduct() = default;
DataProduct::DataProduct(DataProduct&&) noexcept = default;
DataProduct& DataProduct::operator=(DataProduct&&) noexcept = default;

std::size_t DataProduct::scratch_bytes() const {
    const PackedDataProduct& p = *packed_;
    return p.b_bytes + p.init_bytes + p.a_bytes + p.packing_bytes;
}

void DataProduct::run(const DataProductArgs& args, Range rows) const {
    Worker(*packed_, args).run(rows);
}

const std::string& DataProduct::implementation() const {
    return packed_->implementation;
}

}  // namespace fuseq::kernels
