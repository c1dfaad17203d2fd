// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Discrete Fourier transforms of one line, in double. Lengths of small prime factors are split
// into them (mixed radix); others become a convolution of a power of two (Bluestein). Both cost
// n log n.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace fuseq {

using Complex = std::complex<double>;

enum class FftDirection { kForward, kInverse };

// For lines of one length; keeps its scratch memory, so one thread at a time.
class Fft {
public:
    explicit Fft(std::size_t length);  // 1 or more

    std::size_t length() const { return length_; }
    // In place. Forward: X[k] = sum of x[j] exp(-2 pi i j k / n). Inverse: with +2 pi, divided by
    // n.
    void transform(std::span<Complex> line, FftDirection direction);

private:
    void split_transform(
        const Complex* in, Complex* out, std::size_t count, std::size_t stride, std::size_t depth);
    void combine(Complex* out, std::size_t radix, std::size_t part, std::size_t stride);
    void convolve(std::span<Complex> line);

    std::size_t length_;
    // Mixed radix
    std::vector<std::size_t> factors_;  // 4 and primes, their product is the length
    std::vector<Complex> roots_;        // exp(-2 pi i k / n)
    std::vector<Complex> input_;
    std::vector<Complex> terms_;  // of one butterfly
    // Bluestein
    std::unique_ptr<Fft> padded_;  // null: mixed radix
    std::vector<Complex> chirp_;   // exp(-pi i k k / n)
    std::vector<Complex> kernel_;  // transform of the conjugate chirp on both sides of 0
    std::vector<Complex> work_;
};

}  // namespace fuseq
