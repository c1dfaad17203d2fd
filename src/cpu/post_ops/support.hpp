// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a kernel takes something, and if not, why.
#pragma once

#include <string>
#include <utility>

namespace fuseq::post_ops {

class Support {
public:
    static Support yes() { return {}; }
    static Support no(std::string reason) { return Support(std::move(reason)); }
    explicit operator bool() const { return reason_.empty(); }
    // In words, for a report; empty where it is taken.
    const std::string& reason() const { return reason_; }

private:
    Support() = default;
    explicit Support(std::string reason) : reason_(std::move(reason)) {}
    std::string reason_;
};

}  // namespace fuseq::post_ops
