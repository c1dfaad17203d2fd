// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What float_sum() has found, to be kept with a compiled model: a search takes half a microsecond,
// and some models ask for ten thousand.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "cpu/kernels/float_conv/float_sum.hpp"

namespace fuseq::kernels {

class FloatSums {
public:
    struct Entry {
        std::uint64_t key = 0;    // of the rule
        std::uint32_t check = 0;  // the same by another hash; 0: an empty place
        std::int32_t begin = 0;   // 0: there is no short way
        float scale = 0.0f;
        float shift = 0.0f;
    };

    // `known`: an earlier table(), which stays where it is. With `keep` what is found is
    // remembered.
    explicit FloatSums(std::span<const Entry> known = {}, bool keep = false);

    // What search_float_sum() finds. Of any thread.
    std::optional<FloatSum> find(const ByteRule& rule);
    // All that was found so far with `keep`, in a form that is quick to look things up in.
    std::vector<Entry> table() const;

    // While one lives, float_sum() of its thread asks these; null: searches.
    class Scope {
    public:
        explicit Scope(FloatSums* sums);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        FloatSums* before_;
    };

private:
    std::span<const Entry> known_;
    bool keep_;
    mutable std::mutex mutex_;
    std::vector<Entry> found_;
};

}  // namespace fuseq::kernels
