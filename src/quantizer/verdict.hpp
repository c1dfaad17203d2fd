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

// `part_sizes`: how many inputs each part has, one part after the other. `names`: of the compared
// tensors.
Verdict verdict_of(const Distances& tried,
                   const Distances& base,
                   const std::vector<std::size_t>& part_sizes,
                   const std::vector<std::string>& names);

}  // namespace fuseq::quantizer
