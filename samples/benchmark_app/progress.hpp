// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// -progress: one dot for each twentieth of a run, so that a log stays readable.
#pragma once

#include <ostream>

namespace fuseq::samples {

class ProgressBar {
public:
    // Null: shows nothing.
    explicit ProgressBar(std::ostream* out) : out_(out) {
        if (out_ != nullptr) {
            *out_ << "Progress: [" << std::flush;
        }
    }
    // From 0 to 1; never goes back.
    void show(double part) {
        while (out_ != nullptr && shown_ < kDots && part * kDots >= shown_ + 1) {
            *out_ << '.' << std::flush;
            ++shown_;
        }
    }
    void finish() {
        show(1);
        if (out_ != nullptr) {
            *out_ << "] 100 %" << std::endl;
        }
    }

private:
    static constexpr int kDots = 20;
    std::ostream* out_;
    int shown_ = 0;
};

}  // namespace fuseq::samples
