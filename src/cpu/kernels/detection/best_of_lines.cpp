// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/kernels/detection/best_of_lines.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace fuseq::cpu {
namespace {

// So many lines at a time, whose loop the compiler makes one of vectors; of lines that stand side
// by side, enough to read eight cache lines in a row.
constexpr std::size_t kLines = 128;
// Elements of those lines that are turned round at a time where a line is contiguous: 16 KB.
constexpr std::size_t kTurned = 32;

template <class T>
bool is_number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
        return !std::isnan(value);
    } else {
        return true;
    }
}

template <class T>
struct Best {
    T values[kLines];
    std::int32_t places[kLines];
};

// Element `place` of kLines lines that stand side by side.
template <bool kLargest, class T>
void update(Best<T>& __restrict best, const T* __restrict row, std::int32_t place) {
    for (std::size_t c = 0; c < kLines; ++c) {
        const T value = row[c];
        const T old = best.values[c];
        // The best one so far may be NaN.
        const bool better = is_number(value) & !(kLargest ? value <= old : value >= old);
        best.values[c] = better ? value : old;
        best.places[c] = better ? place : best.places[c];
    }
}

// kLines lines from lines.first on.
template <bool kLargest, class T>
void best_of_block(const Lines<T>& lines, Best<T>& best) {
    for (std::size_t c = 0; c < kLines; ++c) {
        best.values[c] = lines.first[c * lines.step];
        best.places[c] = 0;
    }
    if (lines.step == 1) {
        for (std::size_t i = 1; i < lines.size; ++i) {
            update<kLargest>(best, lines.first + i * lines.stride, static_cast<std::int32_t>(i));
        }
        return;
    }
    T turned[kTurned * kLines];
    for (std::size_t begin = 1; begin < lines.size; begin += kTurned) {
        const std::size_t end = std::min(begin + kTurned, lines.size);
        for (std::size_t c = 0; c < kLines; ++c) {
            const T* line = lines.first + c * lines.step;
            for (std::size_t i = begin; i < end; ++i) {
                turned[(i - begin) * kLines + c] = line[i * lines.stride];
            }
        }
        for (std::size_t i = begin; i < end; ++i) {
            update<kLargest>(best, turned + (i - begin) * kLines, static_cast<std::int32_t>(i));
        }
    }
}

template <bool kLargest, class T>
void best_of_line(const Lines<T>& lines, T& value, std::int32_t& place) {
    value = lines.first[0];
    place = 0;
    for (std::size_t i = 1; i < lines.size; ++i) {
        const T next = lines.first[i * lines.stride];
        if (is_number(next) && !(kLargest ? next <= value : next >= value)) {
            value = next;
            place = static_cast<std::int32_t>(i);
        }
    }
}

template <bool kLargest, class T>
void best_of_all(Lines<T> lines, std::size_t count, T* values, std::int32_t* places) {
    const T* const first = lines.first;
    if (count < kLines) {
        for (std::size_t line = 0; line < count; ++line) {
            lines.first = first + line * lines.step;
            best_of_line<kLargest>(lines, values[line], places[line]);
        }
        return;
    }
    Best<T> best;
    for (std::size_t begin = 0; begin < count; begin += kLines) {
        // The last block may begin inside the one before it.
        const std::size_t line = std::min(begin, count - kLines);
        lines.first = first + line * lines.step;
        best_of_block<kLargest>(lines, best);
        std::copy_n(best.values, kLines, values + line);
        std::copy_n(best.places, kLines, places + line);
    }
}

}  // namespace

template <class T>
void best_of_lines(const Lines<T>& lines, std::size_t count, T* values, std::int32_t* places) {
    lines.largest ? best_of_all<true>(lines, count, values, places)
                  : best_of_all<false>(lines, count, values, places);
}

template void best_of_lines(const Lines<float>&, std::size_t, float*, std::int32_t*);
template void best_of_lines(const Lines<std::int32_t>&, std::size_t, std::int32_t*, std::int32_t*);

}  // namespace fuseq::cpu
