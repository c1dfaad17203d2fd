// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// What the laws of the composer did to the chain of each step, and which of them refuse.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cpu/post_ops/simplify.hpp"
#include "fuseq/model.hpp"

namespace fuseq::cpu {

// By the name of the step: that of the anchor, or of the last layer where there is none. Groups the
// transformed Model again, as the plan was made from it, because texts are worth their time only
// when somebody reads the report. `fuse`, `laws`: as given to attach_post_ops().
std::unordered_map<std::string, std::vector<post_ops::LawNote>> law_notes(
    const Model& transformed, bool fuse, const post_ops::SimplifyOptions& laws);

}  // namespace fuseq::cpu
