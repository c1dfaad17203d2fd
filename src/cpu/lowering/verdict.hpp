// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What a candidate of the table of implementations says of a layer.
#pragma once

#include <string>
#include <utility>

namespace fuseq::cpu {

class [[nodiscard]] Verdict {
public:
    // `cost`: the time that is expected of it, in parts of the time that oneDNN, the last
    // candidate, takes for the layer, by measurements: less than 1, or 1 of oneDNN. 0: not known;
    // its place decides.
    static Verdict yes(double cost = 0.0) { return {true, {}, cost}; }
    // `reason` in words, as `explain` shows it: "avx2: no VNNI", "kernel 9x9, at most 7x7".
    static Verdict no(std::string reason) { return {false, std::move(reason), 0.0}; }
    // A refusal for the cost alone, which is 1 or more.
    static Verdict slower(double cost, std::string reason) {
        return {false, std::move(reason), cost};
    }
    // It is for another kind of operation, which nobody needs to be told.
    static Verdict other_kind() { return {false, {}, 0.0}; }

    explicit operator bool() const { return yes_; }
    bool is_other_kind() const { return !yes_ && reason_.empty(); }
    const std::string& reason() const { return reason_; }
    double cost() const { return cost_; }

private:
    Verdict(bool yes, std::string reason, double cost)
        : yes_(yes), reason_(std::move(reason)), cost_(cost) {}

    bool yes_;
    std::string reason_;
    double cost_;
};

}  // namespace fuseq::cpu
