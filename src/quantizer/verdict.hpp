// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Verdict: whether a method that was tried is kept, and which condition decided that.
#pragma once

#include <string>
#include <vector>

#include "quantizer/judge.hpp"

namespace fuseq::quantizer {

struct Verdict {
    bool kept = false;
    std::string reason;  // of a refusal: the first condition that failed, with its figures
};

// Gains count against the best so far; losses against the start, ranges alone. `part_sizes`: how many inputs each part has, one part after the other. `names`: of the compared
// tensors. `judged`: how many of them gains are seen in; the others are guards.
Verdict verdict_of(const Distances& tried,
                   const Distances& best,
                   const Distances& start,
                   const std::vector<std::size_t>& part_sizes,
                   const std::vector<std::string>& names,
                   std::size_t judged);

// The same for what is done for the sake of time: kept as long as no tensor loses more than a
// little against the best so far, and less against the start.
Verdict cost_of(const Distances& tried,
                const Distances& best,
                const Distances& start,
                const std::vector<std::string>& names);

}  // namespace fuseq::quantizer
