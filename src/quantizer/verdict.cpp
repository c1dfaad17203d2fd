// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "quantizer/verdict.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace fuseq::quantizer {
namespace {

// In dB: less may be chance.
constexpr double kMinGain = 0.3;
// Standard errors that the gain must have: so much is seldom chance.
constexpr double kMinErrors = 2;
// No tensor may lose more.
constexpr double kMaxLoss = 0.1;
// Nor this on the inputs of one part alone: what helps on two thirds of the inputs and harms the
// rest will harm others.
constexpr double kMaxPartLoss = 0.5;
// What time may cost a tensor, of what was gained and beyond that.
constexpr double kMaxCost = 0.5;
constexpr double kMaxCostOfStart = 0.2;

Distances first(const Distances& all, std::size_t count) {
    return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

Verdict refused(std::string reason) {
    return {false, std::move(reason)};
}

}  // namespace

Verdict verdict_of(const Distances& tried,
                   const Distances& best,
                   const Distances& start,
                   const std::vector<std::size_t>& part_sizes,
                   const std::vector<std::string>& names,
                   std::size_t judged) {
    const Gain gain = gain_of(first(tried, judged), first(best, judged));
    if (gain.mean < kMinGain) {
        return refused(
            fmt::format("the mean over inputs gains {:.2f} dB, less than {}", gain.mean, kMinGain));
    }
    if (gain.together < kMinGain) {
        return refused(
            fmt::format("all inputs as one gain {:.2f} dB, less than {}", gain.together, kMinGain));
    }
    if (gain.mean < kMinErrors * gain.error) {
        return refused(
            fmt::format("the gain of {:.2f} dB is less than {} standard errors of {:.2f}",
                        gain.mean, kMinErrors, gain.error));
    }
    const Loss worst = most_lost(tried, start, 0, tried.at(0).size());
    if (worst.decibels > kMaxLoss) {
        return refused(fmt::format("{} loses {:.2f} dB with all inputs as one, more than {}",
                                   names.at(worst.tensor), worst.decibels, kMaxLoss));
    }
    std::size_t begin = 0;
    for (std::size_t part = 0; part < part_sizes.size(); ++part) {
        const std::size_t end = begin + part_sizes[part];
        const Loss loss = most_lost(first(tried, judged), first(start, judged), begin, end);
        if (loss.decibels > kMaxPartLoss) {
            return refused(fmt::format(
                "{} loses {:.2f} dB on part {} of {} of the inputs, more "
                "than {}",
                names.at(loss.tensor), loss.decibels, part + 1, part_sizes.size(), kMaxPartLoss));
        }
        begin = end;
    }
    return {true, ""};
}

Verdict cost_of(const Distances& tried,
                const Distances& best,
                const Distances& start,
                const std::vector<std::string>& names) {
    for (const auto& [base, limit] :
         {std::pair{&best, kMaxCost}, std::pair{&start, kMaxCostOfStart}}) {
        const Loss loss = most_lost(tried, *base, 0, tried.at(0).size());
        if (loss.decibels > limit) {
            return refused(fmt::format("{} loses {:.2f} dB with all inputs as one, more than {}",
                                       names.at(loss.tensor), loss.decibels, limit));
        }
    }
    return {true, ""};
}

}  // namespace fuseq::quantizer
