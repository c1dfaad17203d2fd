// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "explain/shares.hpp"

namespace fuseq::samples {

void add_shares(const PeaksOf& peaks_of, Report& report) {
    const std::string level = report.value("isa", "");
    if (level.empty()) {
        return;  // a device that does not say
    }
    const LevelPeaks peaks = peaks_of(level);
    double all_us = 0;
    double ideal_us = 0;
    for (Report& step : report.at("steps")) {
        const double peak = step.value("quantized", false) ? peaks.int8 : peaks.f32;
        const double us = step.at("time_us").get<double>();
        const double at_peak_us = peak > 0 ? step.value("macs", 0.0) / peak / 1e3 : 0;
        all_us += us;
        ideal_us += at_peak_us;
        if (at_peak_us > 0 && us > 0) {
            step["of_peak"] = at_peak_us / us;
        }
    }
    Report& totals = report.at("totals");
    totals["peak_int8_gmacs"] = peaks.int8;
    totals["peak_f32_gmacs"] = peaks.f32;
    totals["of_peak"] = all_us > 0 ? ideal_us / all_us : 0.0;
}

}  // namespace fuseq::samples
