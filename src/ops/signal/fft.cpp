// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "ops/signal/fft.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numbers>

namespace fuseq {
namespace {

// A butterfly of a prime costs its square: from here on the convolution is cheaper.
constexpr std::size_t kLargestRadix = 31;

// First 4, whose butterfly needs no products; then primes.
std::vector<std::size_t> radices(std::size_t n) {
    std::vector<std::size_t> factors;
    for (; n % 4 == 0; n /= 4) {
        factors.push_back(4);
    }
    for (std::size_t p = 2; p <= n / p; ++p) {
        for (; n % p == 0; n /= p) {
            factors.push_back(p);
        }
    }
    if (n > 1) {
        factors.push_back(n);
    }
    return factors;
}

// exp(-2 pi i k / n); k below n keeps the angle exact.
Complex root(std::size_t k, std::size_t n) {
    return std::polar(1.0,
                      -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
}

// operator* looks for infinities, which costs more than the product.
Complex times(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

void conjugate(std::span<Complex> values) {
    for (Complex& value : values) {
        value = std::conj(value);
    }
}

}  // namespace

Fft::Fft(std::size_t length) : length_(length), factors_(radices(length)) {
    if (factors_.empty() || factors_.back() <= kLargestRadix) {
        for (std::size_t k = 0; k < length; ++k) {
            roots_.push_back(root(k, length));
        }
        input_.resize(length);
        terms_.resize(kLargestRadix);
        return;
    }
    padded_ = std::make_unique<Fft>(std::bit_ceil(2 * length - 1));
    work_.resize(padded_->length());
    kernel_.resize(padded_->length());
    // k * k modulo 2 n, without the square.
    std::size_t square = 0;
    for (std::size_t k = 0; k < length; ++k) {
        chirp_.push_back(root(square, 2 * length));
        kernel_[k] = std::conj(chirp_[k]);
        kernel_[(padded_->length() - k) % padded_->length()] = kernel_[k];
        square = (square + 2 * k + 1) % (2 * length);
    }
    padded_->transform(kernel_, FftDirection::kForward);
}

void Fft::transform(std::span<Complex> line, FftDirection direction) {
    const bool inverse = direction == FftDirection::kInverse;
    if (inverse) {
        conjugate(line);
    }
    if (padded_) {
        convolve(line);
    } else {
        std::copy(line.begin(), line.end(), input_.begin());
        split_transform(input_.data(), line.data(), length_, 1, 0);
    }
    if (inverse) {
        for (Complex& value : line) {
            value = std::conj(value) / static_cast<double>(length_);
        }
    }
}

// Transforms in[0], in[stride], ...: those of every radix-th value each, then the butterflies.
void Fft::split_transform(
    const Complex* in, Complex* out, std::size_t count, std::size_t stride, std::size_t depth) {
    if (count == 1) {
        *out = *in;
        return;
    }
    const std::size_t radix = factors_[depth];
    const std::size_t part = count / radix;
    for (std::size_t r = 0; r < radix; ++r) {
        if (part == 1) {
            out[r] = in[r * stride];
        } else {
            split_transform(in + r * stride, out + r * part, part, stride * radix, depth + 1);
        }
    }
    combine(out, radix, part, stride);
}

void Fft::combine(Complex* out, std::size_t radix, std::size_t part, std::size_t stride) {
    const std::size_t turn = length_ / radix;  // roots_[turn] is exp(-2 pi i / radix)
    for (std::size_t k = 0; k < part; ++k) {
        terms_[0] = out[k];
        for (std::size_t r = 1; r < radix; ++r) {
            const Complex& term = out[r * part + k];
            terms_[r] = k == 0 ? term : times(term, roots_[r * k * stride]);
        }
        if (radix == 2) {
            out[k] = terms_[0] + terms_[1];
            out[part + k] = terms_[0] - terms_[1];
            continue;
        }
        if (radix == 4) {
            const Complex sums[] = {terms_[0] + terms_[2], terms_[1] + terms_[3]};
            const Complex even = terms_[0] - terms_[2];
            const Complex odd = terms_[1] - terms_[3];
            const Complex turned(odd.imag(), -odd.real());  // times -i
            out[k] = sums[0] + sums[1];
            out[part + k] = even + turned;
            out[2 * part + k] = sums[0] - sums[1];
            out[3 * part + k] = even - turned;
            continue;
        }
        for (std::size_t q = 0; q < radix; ++q) {
            Complex sum = terms_[0];
            for (std::size_t r = 1; r < radix; ++r) {
                sum += times(terms_[r], roots_[r * q % radix * turn]);
            }
            out[q * part + k] = sum;
        }
    }
}

// 2 j k = j j + k k - (k - j)(k - j): a product with the chirp, a convolution, a product.
void Fft::convolve(std::span<Complex> line) {
    std::fill(work_.begin(), work_.end(), Complex());
    for (std::size_t k = 0; k < length_; ++k) {
        work_[k] = times(line[k], chirp_[k]);
    }
    padded_->transform(work_, FftDirection::kForward);
    for (std::size_t k = 0; k < work_.size(); ++k) {
        work_[k] = times(work_[k], kernel_[k]);
    }
    padded_->transform(work_, FftDirection::kInverse);
    for (std::size_t k = 0; k < length_; ++k) {
        line[k] = times(work_[k], chirp_[k]);
    }
}

}  // namespace fuseq
