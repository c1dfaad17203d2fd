// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <xmmintrin.h>

namespace fuseq::kernels {

// While it lives, floats of this thread are rounded down, also to integers, where instructions do not
// say how: for floors (rule_form.hpp) below AVX-512. What runs in between is called by address, so
// that no compiler moves arithmetic across.
class RoundDown {
public:
    explicit RoundDown(bool rounds_down) : before_(_mm_getcsr()), changed_(rounds_down) {
        if (changed_) {
            _mm_setcsr((before_ & ~static_cast<unsigned>(_MM_ROUND_MASK)) | _MM_ROUND_DOWN);
        }
    }
    ~RoundDown() {
        if (changed_) {
            _mm_setcsr(before_);
        }
    }
    RoundDown(const RoundDown&) = delete;
    RoundDown& operator=(const RoundDown&) = delete;
    RoundDown(RoundDown&&) = delete;
    RoundDown& operator=(RoundDown&&) = delete;

private:
    unsigned before_;
    bool changed_;
};

}  // namespace fuseq::kernels
