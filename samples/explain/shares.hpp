// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "common/peak.hpp"
#include "explain/report.hpp"

namespace fuseq::samples {

// After profile(): what each step ("of_peak") and all steps together ("totals") reach of the peak
// of the level of instructions that the report names, int8 steps of the int8 peak, others of f32's;
// and both peaks. `peaks_of` measures a level's.
using PeaksOf = std::function<LevelPeaks(const std::string& level)>;
void add_shares(const PeaksOf& peaks_of, Report& report);

}  // namespace fuseq::samples
