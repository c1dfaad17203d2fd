// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/post_ops/values.hpp"

#include <cmath>

#include <fmt/core.h>

#include "fuseq/error.hpp"

namespace fuseq::post_ops {
namespace {

void check(const Values& values, std::size_t& channels) {
    if (values.per_tensor()) {
        return;
    }
    if (channels != 1 && values.size() != channels) {
        throw Error("compile", fmt::format("a chain has values for {} and for {} channels",
                                           channels, values.size()));
    }
    channels = values.size();
}

}  // namespace

bool all_finite(const Values& values) {
    return all(values, [](float v) { return std::isfinite(v); });
}

bool all_integers(const Values& values) {
    return all(values, [](float v) { return std::isfinite(v) && v == std::nearbyint(v); });
}

std::optional<Values> product(const Values& a, const Values& b) {
    bool lost = false;
    Values out = combine(a, b, [&](double x, double y) {
        if (x == 0.0 || y == 0.0) {
            return 0.0;
        }
        const auto value = static_cast<float>(x * y);
        const bool finite = std::isfinite(x) && std::isfinite(y);
        lost = lost || value == 0.0f || (finite && !std::isfinite(value));
        return x * y;
    });
    return lost ? std::nullopt : std::optional<Values>(std::move(out));
}

std::optional<Values> sum(const Values& a, const Values& b) {
    bool lost = false;
    Values out = combine(a, b, [&](double x, double y) {
        const bool finite = std::isfinite(x) && std::isfinite(y);
        lost = lost || (finite && !std::isfinite(static_cast<float>(x + y)));
        return x + y;
    });
    return lost ? std::nullopt : std::optional<Values>(std::move(out));
}

std::size_t channels_of(const std::vector<BasicOp>& ops) {
    std::size_t channels = 1;
    for (const BasicOp& op : ops) {
        if (const auto* scale = std::get_if<Scale>(&op)) {
            check(scale->by, channels);
        } else if (const auto* shift = std::get_if<Shift>(&op)) {
            check(shift->by, channels);
        } else if (const auto* clip = std::get_if<Clip>(&op)) {
            check(clip->low, channels);
            check(clip->high, channels);
        } else if (const auto* prelu = std::get_if<Prelu>(&op)) {
            check(prelu->slope, channels);
        }
    }
    return channels;
}

}  // namespace fuseq::post_ops
