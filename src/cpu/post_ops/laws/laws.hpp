// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// The laws of simplify(). A law looks at the operations that begin at one place of a chain and
// either replaces the first few of them, or says why it must not, or has nothing to say. Each law
// has its own source file, which begins with its formula and where it refuses.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cpu/post_ops/simplify.hpp"

namespace fuseq::post_ops::laws {

struct Site {
    const Chain& chain;
    std::size_t at;  // below chain.ops.size()
    const SimplifyOptions& options;

    // The operation `offset` places further if it is of this kind.
    template <class Op>
    const Op* get(std::size_t offset = 0) const {
        return at + offset < chain.ops.size() ? std::get_if<Op>(&chain.ops[at + offset]) : nullptr;
    }
    // Whether `count` operations from here reach the end of the chain.
    bool last(std::size_t count) const { return at + count == chain.ops.size(); }
    bool after_round() const { return at > 0 && std::holds_alternative<Round>(chain.ops[at - 1]); }
};

struct Result {
    enum class Kind { kNothing, kApplied, kRefused };
    Kind kind = Kind::kNothing;
    std::size_t replaced = 0;
    std::vector<BasicOp> by{};
    std::string reason{};
};

inline Result nothing() {
    return {};
}
inline Result replace(std::size_t count, std::vector<BasicOp> by) {
    return {.kind = Result::Kind::kApplied, .replaced = count, .by = std::move(by)};
}
inline Result refuse(std::string reason) {
    return {.kind = Result::Kind::kRefused, .reason = std::move(reason)};
}

struct Law {
    const char* name;
    Result (*apply)(const Site&);
};

// In the order in which they are tried at a place.
std::span<const Law> all();

Result remove_identity(const Site&);
Result use_plain_form(const Site&);
Result split_zero_point_of_add(const Site&);
Result fold_scales(const Site&);
Result fold_shifts(const Site&);
Result scale_before_shift(const Site&);
Result last_shift_crosses_round(const Site&);
Result drop_last_round(const Site&);
Result drop_round_of_integers(const Site&);
Result drop_middle_round(const Site&);
Result drop_negligible_shift(const Site&);
Result join_clips(const Site&);
Result clip_over_shift(const Site&);
Result drop_clip_in_range(const Site&);
Result drop_clip_before_quantize(const Site&);
Result drop_clip_before_store(const Site&);
Result scale_over_relu(const Site&);
Result scale_over_clip(const Site&);
Result scale_over_binary(const Site&);
Result scale_into_eltwise(const Site&);
Result shift_over_clip(const Site&);
Result shift_over_binary(const Site&);

}  // namespace fuseq::post_ops::laws
