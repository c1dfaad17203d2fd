// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xmmintrin.h>

#include <cstdint>
#include <optional>

namespace fuseq::kernels {

enum class FloatRounding : std::uint8_t { kDown, kTowardZero };

// While it lives, floats of this thread are rounded so, also to integers, where instructions do not
// say how: for the forms of rule_form.hpp that want it; none: as before. What runs in between is
// called by address, so that no compiler moves arithmetic across.
class RoundingMode {
public:
    explicit RoundingMode(std::optional<FloatRounding> rounding)
        : before_(_mm_getcsr()), changed_(rounding.has_value()) {
        if (changed_) {
            const unsigned bits =
                *rounding == FloatRounding::kDown ? _MM_ROUND_DOWN : _MM_ROUND_TOWARD_ZERO;
            _mm_setcsr((before_ & ~static_cast<unsigned>(_MM_ROUND_MASK)) | bits);
        }
    }
    ~RoundingMode() {
        if (changed_) {
            _mm_setcsr(before_);
        }
    }
    RoundingMode(const RoundingMode&) = delete;
    RoundingMode& operator=(const RoundingMode&) = delete;
    RoundingMode(RoundingMode&&) = delete;
    RoundingMode& operator=(RoundingMode&&) = delete;

private:
    unsigned before_;
    bool changed_;
};

}  // namespace fuseq::kernels
