// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/common/byte_shuffle.hpp"

#include <algorithm>

#include <immintrin.h>

#include "cpu/machine/instructions.hpp"

namespace fuseq::kernels {
namespace {

constexpr std::size_t kVector = 64;
constexpr std::size_t kMaxWindows = 6;  // of 64 bytes of a row

// Where the windows begin that hold all these bytes: each at the lowest byte that is in none.
std::vector<std::int32_t> windows_over(std::span<const std::int32_t> sources) {
    std::vector<std::int32_t> sorted(sources.begin(), sources.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::int32_t> windows;
    for (const std::int32_t at : sorted) {
        if (windows.empty() || at >= windows.back() + static_cast<std::int32_t>(kVector)) {
            windows.push_back(at);
        }
    }
    return windows;
}

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")

template <class Part>
inline __attribute__((always_inline)) __m512i take(const Part& part, const std::uint8_t* src) {
    const __m512i first = _mm512_maskz_loadu_epi8(part.first_used, src + part.first);
    const __m512i second = _mm512_maskz_loadu_epi8(part.second_used, src + part.second);
    return _mm512_maskz_permutex2var_epi8(part.taken, first, _mm512_loadu_si512(part.index),
                                          second);
}

template <class Chunk, class Part>
void shuffle_row(const std::vector<Chunk>& chunks,
                 const std::vector<Part>& parts,
                 const std::uint8_t* src,
                 std::uint8_t* dst) {
    for (const Chunk& chunk : chunks) {
        __m512i bytes = take(parts[chunk.begin], src);
        for (std::size_t p = chunk.begin + 1; p < chunk.end; ++p) {
            bytes = _mm512_or_si512(bytes, take(parts[p], src));
        }
        _mm512_mask_storeu_epi8(dst + chunk.dst, chunk.stored, bytes);
    }
}

#pragma GCC pop_options

}  // namespace

std::optional<ByteShuffle> ByteShuffle::make(std::span<const std::int32_t> sources) {
    if (!has_avx512_vbmi() || sources.empty()) {
        return std::nullopt;
    }
    ByteShuffle result;
    for (std::size_t at = 0; at < sources.size(); at += kVector) {
        const auto here = sources.subspan(at, std::min(kVector, sources.size() - at));
        const std::vector<std::int32_t> windows = windows_over(here);
        if (windows.size() > kMaxWindows) {
            return std::nullopt;
        }
        Chunk chunk;
        chunk.dst = static_cast<std::int32_t>(at);
        chunk.stored = ~std::uint64_t{0} >> (kVector - here.size());
        chunk.begin = result.parts_.size();
        chunk.end = chunk.begin + (windows.size() + 1) / 2;
        result.parts_.resize(chunk.end);
        for (std::size_t w = 0; w < windows.size(); ++w) {
            Part& part = result.parts_[chunk.begin + w / 2];
            (w % 2 == 0 ? part.first : part.second) = windows[w];
        }
        for (std::size_t i = 0; i < here.size(); ++i) {
            const auto above = std::upper_bound(windows.begin(), windows.end(), here[i]);
            const auto w = static_cast<std::size_t>(above - windows.begin()) - 1;
            const auto byte = static_cast<unsigned>(here[i] - windows[w]);
            Part& part = result.parts_[chunk.begin + w / 2];
            (w % 2 == 0 ? part.first_used : part.second_used) |= std::uint64_t{1} << byte;
            part.taken |= std::uint64_t{1} << i;
            part.index[i] = static_cast<std::uint8_t>(byte + w % 2 * kVector);
        }
        result.chunks_.push_back(chunk);
    }
    return result;
}

void ByteShuffle::run(const void* src,
                      std::span<const std::ptrdiff_t> src_rows,
                      void* dst,
                      std::span<const std::ptrdiff_t> dst_rows,
                      Range rows) const {
    const auto* from = static_cast<const std::uint8_t*>(src);
    auto* to = static_cast<std::uint8_t*>(dst);
    for (std::size_t r = rows.begin; r < rows.end; ++r) {
        shuffle_row(chunks_, parts_, from + src_rows[r], to + dst_rows[r]);
    }
}

}  // namespace fuseq::kernels
