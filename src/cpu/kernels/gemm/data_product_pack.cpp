// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of b are interleaved four bytes (two words) at a time; columns are cut into fours.
#include "cpu/kernels/gemm/data_product_pack.hpp"

#include <emmintrin.h>

#include <cstring>

namespace fuseq::kernels::gemm {
namespace {

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

std::size_t element(const PackedDataProduct& p) {
    return p.pairs ? 2 : 1;
}

// Here, as a call a row would take longer than the copy.
void copy_bytes(const std::uint8_t* from, std::size_t count, std::uint8_t flip, std::uint8_t* to) {
    const __m128i flips = _mm_set1_epi8(static_cast<char>(flip));
    std::size_t i = 0;
    for (; i + sizeof(__m128i) <= count; i += sizeof(__m128i)) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_xor_si128(v, flips));
    }
    for (; i < count; ++i) {
        to[i] = from[i] ^ flip;
    }
}

// A run of elements of a matrix, as bytes or words, with zeros up to `bytes`.
void copy_run(const PackedDataProduct& p,
              const std::uint8_t* from,
              std::size_t count,
              const MatrixOperand& matrix,
              std::uint8_t flip,
              std::uint8_t* to,
              std::size_t bytes) {
    if (p.pairs) {
        widen(from, count, matrix.type == ElementType::i8, matrix.zero_point,
              reinterpret_cast<std::int16_t*>(to));
    } else {
        copy_bytes(from, count, flip, to);
    }
    for (std::size_t i = count * element(p); i < bytes; ++i) {
        to[i] = 0;
    }
}

// Columns of b one after the other, or anywhere.
void pack_rows(const PackedDataProduct& p,
               const std::uint8_t* b,
               std::uint8_t* packed,
               std::uint8_t* packing) {
    const std::size_t group = 4 / element(p);  // rows of a step
    const std::size_t pitch = p.vectors() * kLanes * element(p);
    // Whole rows of bytes can be read where they are.
    const bool direct = !p.pairs && p.columns % kLanes == 0;
    for (std::size_t quad = 0; quad < p.depth4; ++quad) {
        const bool read = direct && (quad + 1) * group <= p.depth;
        for (std::size_t i = 0; i < group && !read; ++i) {
            const std::size_t k = quad * group + i;
            const bool inside = k < p.depth;
            copy_run(p, b + (inside ? k * p.b.row : 0), inside ? p.columns : 0, p.b, 0,
                     packing + i * pitch, pitch);
        }
        const std::uint8_t* const rows = read ? b + quad * group * p.b.row : packing;
        const std::size_t step = read ? p.b.row : pitch;
        for (std::size_t v = 0; v < p.vectors(); ++v) {
            const std::uint8_t* const from = rows + v * kLanes * element(p);
            std::uint8_t* const to =
                p.step_of(packed, v / p.panel_vectors, quad) + v % p.panel_vectors * kStepBytes;
            p.pairs ? interleave_words(from, step, to) : interleave_bytes(from, step, to);
        }
    }
}

// Four columns, 16 bytes of depth at a time: a transposition of four times four bytes by four.
void pack_four_columns(const std::uint8_t* from,
                       std::size_t column,
                       std::size_t bytes,
                       std::uint8_t* to,
                       std::size_t step) {
    for (std::size_t k = 0; k < bytes; k += sizeof(__m128i), from += sizeof(__m128i)) {
        const auto row = [&](std::size_t i) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * column));
        };
        const __m128i low01 = _mm_unpacklo_epi32(row(0), row(1));
        const __m128i high01 = _mm_unpackhi_epi32(row(0), row(1));
        const __m128i low23 = _mm_unpacklo_epi32(row(2), row(3));
        const __m128i high23 = _mm_unpackhi_epi32(row(2), row(3));
        for (const __m128i four :
             {_mm_unpacklo_epi64(low01, low23), _mm_unpackhi_epi64(low01, low23),
              _mm_unpacklo_epi64(high01, high23), _mm_unpackhi_epi64(high01, high23)}) {
            _mm_store_si128(reinterpret_cast<__m128i*>(to), four);
            to += step;
        }
    }
}

// The rows of b one after the other.
void pack_columns(const PackedDataProduct& p,
                  const std::uint8_t* b,
                  std::uint8_t* packed,
                  std::uint8_t* packing) {
    constexpr std::size_t kFour = 4;
    const std::size_t last = p.panels - 1;
    std::memset(p.step_of(packed, last, 0), 0, p.depth4 * p.vectors_of(last) * kStepBytes);
    const std::size_t panel_columns = p.panel_vectors * kLanes;
    const bool direct = !p.pairs && p.depth % sizeof(__m128i) == 0 && p.depth4 * 4 == p.depth;
    for (std::size_t n = 0; n < p.columns;) {
        const std::size_t panel = n / panel_columns;
        const std::size_t step = p.vectors_of(panel) * kStepBytes;
        std::uint8_t* to = p.step_of(packed, panel, 0) + n % panel_columns * 4;
        if (direct && n + kFour <= p.columns) {
            pack_four_columns(b + n * p.b.column, p.b.column, p.depth, to, step);
            n += kFour;
            continue;
        }
        copy_run(p, b + n * p.b.column, p.depth, p.b, 0, packing, p.depth4 * 4);
        for (std::size_t quad = 0; quad < p.depth4; ++quad, to += step) {
            std::memcpy(to, packing + quad * 4, 4);
        }
        ++n;
    }
}

}  // namespace

void copy_rows(const PackedDataProduct& p,
               const std::uint8_t* a,
               std::size_t rows,
               std::uint8_t* to) {
    for (std::size_t m = 0; m < rows; ++m, a += p.a.row, to += p.depth4 * 4) {
        copy_run(p, a, p.depth, p.a, p.flip, to, p.depth4 * 4);
    }
}

void pack_matrix(const PackedDataProduct& p,
                 const std::uint8_t* b,
                 std::uint8_t* packed,
                 std::uint8_t* packing) {
    p.b.column == 1 ? pack_rows(p, b, packed, packing) : pack_columns(p, b, packed, packing);
}

}  // namespace fuseq::kernels::gemm
