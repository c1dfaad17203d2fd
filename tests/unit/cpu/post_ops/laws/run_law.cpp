// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "unit/cpu/post_ops/laws/run_law.hpp"

namespace fuseq::post_ops::laws {

std::string run(Result (*law)(const Site&), Ops ops, ElementType dst, SimplifyOptions options) {
    const Chain chain{std::move(ops), dst};
    std::string refused = "nothing";
    for (std::size_t at = 0; at < chain.ops.size(); ++at) {
        const Result result = law({chain, at, options});
        if (result.kind == Result::Kind::kRefused) {
            refused = "refused: " + result.reason;
        } else if (result.kind == Result::Kind::kApplied) {
            Chain after = chain;
            const auto begin = after.ops.begin() + static_cast<std::ptrdiff_t>(at);
            const auto next =
                after.ops.erase(begin, begin + static_cast<std::ptrdiff_t>(result.replaced));
            after.ops.insert(next, result.by.begin(), result.by.end());
            return to_text(after);
        }
    }
    return refused;
}

}  // namespace fuseq::post_ops::laws
