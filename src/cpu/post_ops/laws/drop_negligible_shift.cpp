// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     round(x + t) == round(x) for |t| < 2^-10, but where x is as near to a tie: a speed
// option
//          that takes for noise what is left of a zero point after shifts were folded
// Before:  [.., Shift(t), Round, ..] or [.., Shift(t)] -> u8   After: the shift is gone
//          All channels have such a shift.
// Refuses: the option is off.
#include <cmath>

#include <fmt/core.h>

#include "cpu/post_ops/laws/laws.hpp"
#include "cpu/post_ops/values.hpp"
#include "fuseq/error.hpp"

namespace fuseq::post_ops::laws {

Result drop_negligible_shift(const Site& site) {
    constexpr float kNegligible = 0x1p-10f;  // of a step
    const auto* shift = site.get<Shift>();
    const bool rounded =
        site.get<Round>(1) != nullptr || (site.last(1) && !is_real(site.chain.dst_type));
    if (shift == nullptr || !rounded) {
        return nothing();
    }
    if (!all(shift->by, [](float v) { return std::abs(v) < kNegligible; })) {
        return nothing();
    }
    return site.options.drop_middle_rounds
               ? replace(1, {})
               : refuse(fmt::format("a shift of {:g} steps stays, drop_middle_rounds is off",
                                    shift->by[0]));
}

}  // namespace fuseq::post_ops::laws
