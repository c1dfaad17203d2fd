// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     none: round(x) differs from x by up to half a step. A speed option that takes the
//          rounding of an FQ in the middle of a chain for noise.
// Before:  [.., Round, .., Round, ..] or [.., Round, ..] -> u8   After: the first Round is gone
// Refuses: the option is off; no rounding follows (then the rounding is the result).
#include "cpu/post_ops/laws/laws.hpp"

namespace fuseq::post_ops::laws {

Result drop_middle_round(const Site& site) {
    if (site.get<Round>() == nullptr) {
        return nothing();
    }
    bool another = !is_real(site.chain.dst_type);
    for (std::size_t i = 1; site.at + i < site.chain.ops.size(); ++i) {
        another = another || site.get<Round>(i) != nullptr;
    }
    if (!another) {
        return refuse("the last rounding is the result");
    }
    return site.options.drop_middle_rounds
               ? replace(1, {})
               : refuse("a rounding in the middle of a chain stays, drop_middle_rounds is off");
}

}  // namespace fuseq::post_ops::laws
