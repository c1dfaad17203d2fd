// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Law:     round(n) == n for integers n
// Before:  [Round, Clip(0, 255), Shift(-128), Round]   After: [Round, Clip(0, 255), Shift(-128)]
#include "cpu/post_ops/interval.hpp"
#include "cpu/post_ops/laws/laws.hpp"

namespace fuseq::post_ops::laws {

Result drop_round_of_integers(const Site& site) {
    const bool round = site.get<Round>() != nullptr;
    return round && integers_before(site.chain, site.at) ? replace(1, {}) : nothing();
}

}  // namespace fuseq::post_ops::laws
