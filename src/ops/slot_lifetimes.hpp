// Copyright (C) 2026 Fuseq authors
// SPDX-License-Identifier: Apache-2.0
//
// When the values of a list of steps may be freed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fuseq {

// Slot of an input that is not connected.
inline constexpr std::size_t kNoSlot = SIZE_MAX;

// Slots that one step reads and writes.
struct SlotUse {
    std::vector<std::size_t> reads;  // kNoSlot is passed over
    std::vector<std::size_t> writes;
};

// For each step the slots that nothing reads after it: those of which it is the last reader, and
// those that it writes and nobody reads. Slots marked in `kept` (one flag a slot) stay for ever.
std::vector<std::vector<std::size_t>> slots_to_free(std::span<const SlotUse> steps,
                                                    std::vector<bool> kept);

}  // namespace fuseq
