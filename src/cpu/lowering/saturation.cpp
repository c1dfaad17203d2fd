// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
#include "cpu/lowering/saturation.hpp"

#include <algorithm>
#include <limits>

namespace fuseq::cpu {

SaturationProof prove_no_saturation(const Tensor& weights,
                                    std::size_t channels,
                                    std::int64_t src_max) {
    SaturationProof proof;
    const std::int8_t* w = weights.data<std::int8_t>();
    const std::size_t per_channel = channels == 0 ? 0 : weights.get_size() / channels;
    std::int64_t highest = 0;
    std::int64_t lowest = 0;
    for (std::size_t c = 0; c < channels; ++c) {
        std::int8_t top[2] = {0, 0};     // two largest, not below zero
        std::int8_t bottom[2] = {0, 0};  // two smallest, not above zero
        for (std::size_t i = 0; i < per_channel; ++i) {
            const std::int8_t value = *w++;
            if (value > top[1]) {
                top[1] = value;
                if (top[1] > top[0]) {
                    std::swap(top[0], top[1]);
                }
            } else if (value < bottom[1]) {
                bottom[1] = value;
                if (bottom[1] < bottom[0]) {
                    std::swap(bottom[0], bottom[1]);
                }
            }
        }
        highest = std::max(highest, (top[0] + top[1]) * src_max);
        lowest = std::min(lowest, (bottom[0] + bottom[1]) * src_max);
    }
    proof.safe = highest <= std::numeric_limits<std::int16_t>::max() &&
                 lowest >= std::numeric_limits<std::int16_t>::min();
    proof.worst_pair = highest >= -lowest ? highest : lowest;
    return proof;
}

}  // namespace fuseq::cpu
