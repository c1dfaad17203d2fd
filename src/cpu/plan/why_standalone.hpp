// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a FakeQuantize is a pass over memory of its own, read off the finished plan: from the step
// that makes the values which the pass reads.
#pragma once

#include <string>

#include "cpu/plan/plan.hpp"

namespace fuseq::cpu {

struct WhyStandalone {
    std::string code;
    std::string text;
};

// `at`: a fused eltwise or an io_reorder of the plan. Codes:
//   network_input    it quantizes an input of the model
//   post_ops_rest    the anchor before it could not take all operations; the text says which notes
//                    the composer left
//   read_elsewhere   the anchor before it stores real numbers because other layers read them too
//   requantizes      it turns integers of one range into integers of another
//   no_anchor        another kind of step makes the values; the text names it
WhyStandalone why_standalone(const Plan& plan, std::size_t at);

}  // namespace fuseq::cpu
