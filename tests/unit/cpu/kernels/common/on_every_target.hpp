// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a test body once for each Highway target that this machine has. Kernels that are bound to a
// target at construction are to be made inside the body.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "hwy/highway.h"

namespace fuseq::test {

inline void restrict_targets(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

inline void on_every_target(const std::function<void(const std::string& target)>& body) {
    restrict_targets(0);
    const std::int64_t all = hwy::SupportedTargets();
    constexpr std::int64_t kTargets[] = {HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_AVX3_DL};
    for (const std::int64_t target : kTargets) {
        if ((all & target) == 0) {
            continue;
        }
        // A kernel not compiled for `target` falls back to the next worse one.
        restrict_targets(all & ~(target - 1));
        SCOPED_TRACE(hwy::TargetName(target));
        body(hwy::TargetName(target));
        if (testing::Test::HasFatalFailure()) {
            break;
        }
    }
    restrict_targets(0);
}

}  // namespace fuseq::test
