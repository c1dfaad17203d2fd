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
    static Verdict yes() { return {true, {}}; }
    // `reason` in words, as `explain` shows it: "avx2: no VNNI", "kernel 9x9, at most 7x7".
    static Verdict no(std::string reason) { return {false, std::move(reason)}; }
    // It is for another kind of operation, which nobody needs to be told.
    static Verdict other_kind() { return {false, {}}; }

    explicit operator bool() const { return yes_; }
    bool is_other_kind() const { return !yes_ && reason_.empty(); }
    const std::string& reason() const { return reason_; }

private:
    Verdict(bool yes, std::string reason) : yes_(yes), reason_(std::move(reason)) {}

    bool yes_;
    std::string reason_;
};

}  // namespace fuseq::cpu
