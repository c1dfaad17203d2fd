// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Second part of the composer: named laws make a chain of basic operations shorter and move its
// scales and shifts to the front, where an anchor takes them for nothing. A pure function: same
// chain, same result, same notes. The value of the chain stays what it was, up to the rounding of
// a float and up to ties where a round is moved.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "cpu/post_ops/basic_ops.hpp"

namespace fuseq::post_ops {

struct SimplifyOptions {
    // Drops a Round that another rounding follows, and shifts of less than 2^-10 step before a
    // rounding. Faster, but it changes results: off.
    bool drop_middle_rounds = false;
    // What is known of the value that enters the chain (a u8 pooling: [0, 255]).
    double input_low = -std::numeric_limits<double>::infinity();
    double input_high = std::numeric_limits<double>::infinity();
    friend bool operator==(const SimplifyOptions&, const SimplifyOptions&) = default;
};

// What a law did, or why it did not; refusals are those that hold for the final chain.
struct LawNote {
    std::string law;
    bool applied = false;
    std::string text;  // applied: "relu scale(0.5) => scale(0.5) relu"; refused: the reason
    friend bool operator==(const LawNote&, const LawNote&) = default;
};

struct Simplified {
    Chain chain;
    std::vector<LawNote> notes;
};

// Throws Error when per-channel values of the chain differ in number.
Simplified simplify(Chain chain, const SimplifyOptions& options = {});
// Its chain alone: notes are text, and take most of the time.
Chain simplified(Chain chain, const SimplifyOptions& options = {});

}  // namespace fuseq::post_ops
